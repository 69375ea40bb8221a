import { FERRY_ROWS, type FerryEvent, type FerryRow, type FerryState } from '../../src/protocol/ferry/table.js';
import { ferryCard } from '../../src/render/ferry/card.js';
import { FERRY_STATE_WORDS } from '../../src/render/ferry/states.js';
import { ferryMessage } from '../../src/render/ferry/told.js';
import { FERRY_READINGS, ferryToldOf, ferryViewIn, LANE_MAY_DO } from '../support/ferry-samples.js';
import type { Scale } from './extreme.js';
import { scaled } from './hero.js';
import { card, type Page, type Sample, told } from './outgoing.js';

/** A row of each event that is told. */
export const FERRY_TOLD: readonly FerryRow[] = [
  ...new Map(
    FERRY_ROWS.filter(({ tell }) => tell.length > 0)
      .toReversed()
      .map((row) => [row.on, row]),
  ).values(),
].toReversed();

const states = Object.keys(FERRY_STATE_WORDS) as FerryState[];

export function ferryPage(scale: Scale): Page {
  const rows = scale === 'usual' ? FERRY_TOLD : FERRY_ROWS;
  return {
    file: 'ferry.md',
    title: 'Ferries',
    parts: [
      { heading: 'Told in the thread and on the status issue, by event', samples: rows.map((row) => toldSample(row, scale)) },
      { heading: 'The card, by state', samples: states.map((state) => cardSample(state, scale)) },
    ],
  };
}

function toldSample(row: FerryRow, scale: Scale): Sample {
  const { view, entry } = scaled(ferryToldOf(row), scale);
  return told(row.on satisfies FerryEvent, ferryMessage(view, entry, LANE_MAY_DO));
}

function cardSample(state: FerryState, scale: Scale): Sample {
  const { view, readings } = scaled({ view: ferryViewIn(state), readings: FERRY_READINGS }, scale);
  return card(state, ferryCard(view, readings, LANE_MAY_DO), view);
}
