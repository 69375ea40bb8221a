import { FERRY_EVENT_WORDS, FERRY_STATE_WORDS } from './ferry/states.js';
import { EVENT_WORDS, STATE_WORDS } from './hero/states.js';
import { LANE_EVENT_WORDS, LANE_STATE_WORDS } from './lane/lane.js';

/** The states of each protocol as people call them, and what happened, by the first word of an operation's id. */
const STATES: Readonly<Record<string, Readonly<Record<string, { readonly words: string }>>>> = {
  hero: STATE_WORDS,
  ferry: FERRY_STATE_WORDS,
  lane: LANE_STATE_WORDS,
};
const EVENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  hero: EVENT_WORDS,
  ferry: FERRY_EVENT_WORDS,
  lane: LANE_EVENT_WORDS,
};

/** A state of this operation as people call it; one that its protocol does not have is said as it is written. */
export function stateInWords(operationId: string, state: string): string {
  return ofProtocol(STATES, operationId, state)?.words ?? plain(state);
}

/** What happened to this operation, in the same way. */
export function eventInWords(operationId: string, event: string): string {
  return ofProtocol(EVENTS, operationId, event)?.replace(' {phase}', ' goes on') ?? plain(event);
}

function ofProtocol<T>(words: Readonly<Record<string, Readonly<Record<string, T>>>>, operationId: string, name: string): T | undefined {
  const [protocol = ''] = operationId.split('-');
  const own = Object.hasOwn(words, protocol) ? words[protocol] : undefined;
  return own !== undefined && Object.hasOwn(own, name) ? own[name] : undefined;
}

function plain(name: string): string {
  return name.replaceAll('_', ' ');
}
