import { takenAlready } from '../../src/render/answers.js';
import { FERRY_EVENT_WORDS, FERRY_STATE_WORDS } from '../../src/render/ferry/states.js';
import { EVENT_WORDS, STATE_WORDS } from '../../src/render/hero/states.js';
import { LANE_EVENT_WORDS, LANE_STATE_WORDS } from '../../src/render/lane/lane.js';
import { refusalText } from '../../src/render/refusal.js';
import { AT } from '../support/samples.js';
import { answered, type Page, type Part } from './outgoing.js';

/** Every state and every event as it is named where somebody asks for what cannot be, or asks twice: also those that are not told. */
export function wordsPage(): Page {
  const part = (heading: string, operationId: string, states: object, events: object): Part => ({
    heading,
    samples: [
      answered(
        'asked for in a state',
        Object.keys(states).map((state) => refusalText(operationId, 'no_such_transition', { state })),
      ),
      ...Object.keys(events).map((event) => answered(event, takenAlready(operationId, event, 'U0ASK', AT))),
    ],
  });
  return {
    file: 'words.md',
    title: 'States and events by name',
    parts: [
      part('Hero deploys', 'hero-12', STATE_WORDS, EVENT_WORDS),
      part('Ferries', 'ferry-31', FERRY_STATE_WORDS, FERRY_EVENT_WORDS),
      part('Schedules', 'lane-1', LANE_STATE_WORDS, LANE_EVENT_WORDS),
    ],
  };
}
