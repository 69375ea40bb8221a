import type { FerryView } from '../../src/protocol/ferry/facts.js';
import { FERRY_ROWS, type FerryEvent, type FerryRow, type FerryState } from '../../src/protocol/ferry/table.js';
import { ferryCard } from '../../src/render/ferry/card.js';
import { FERRY_STATE_WORDS } from '../../src/render/ferry/states.js';
import { ferryMessage } from '../../src/render/ferry/told.js';
import { FERRY_READINGS, ferryToldOf, ferryViewIn, LANE_MAY_DO } from '../support/ferry-samples.js';
import { AT } from '../support/samples.js';
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
      { heading: 'Where there is more or less to say', samples: otherwise() },
    ],
  };
}

/** Every other way in which a line of a ferry can read. */
function otherwise(): readonly Sample[] {
  const toldOf = (name: string, on: FerryEvent, change: (view: FerryView) => FerryView): Sample => {
    const row = FERRY_TOLD.find((each) => each.on === on);
    if (row === undefined) throw new TypeError(`sample ${name}: no row tells of ${on}`);
    const { view, entry } = ferryToldOf(row);
    return told(`${on}: ${name}`, ferryMessage(change(view), { ...entry, facts: {} }, LANE_MAY_DO));
  };
  const planned = (changes: Partial<FerryView['plan']>) => (view: FerryView) => ({ ...view, plan: { ...view.plan, ...changes } });
  const knobs = Array.from({ length: 8 }, (_none, n) => ({ name: `setting_${n}`, was: null, is: '2' }));
  const noContext = { lastFerry: null, lastCommit: null, lastJob: null, lastLink: null, issues: [], pulls: [], commits: [] };
  const fixed = ferryViewIn('awaiting_fix');
  const held = ferryViewIn('held');
  return [
    toldOf('nothing changed', 'proposed', planned({ delta: [], scheduledFor: AT.toISOString() })),
    toldOf('the first of its lane', 'proposed', planned({ delta: [], context: noContext })),
    toldOf('many settings', 'proposed', planned({ delta: knobs })),
    toldOf(
      'nothing was found out',
      'failure_reported',
      ({ facts: { diagnosis: _none, failureIssue: _where, tracker: _run, ...facts }, ...view }) => ({
        ...view,
        facts,
      }),
    ),
    toldOf('somebody has it', 'reminded', (view) => ({ ...view, facts: { ...view.facts, takenBy: 'U0LIN' } })),
    card(
      'its one fix is used',
      ferryCard({ ...fixed, facts: { ...fixed.facts, fixUsed: true, takenBy: 'U0LIN' } }, FERRY_READINGS, LANE_MAY_DO),
      fixed,
    ),
    card('nobody may', ferryCard(ferryViewIn('awaiting_seal'), {}, {}), fixed),
    card(
      'no run yet',
      ferryCard(held, { ...FERRY_READINGS, runs: { kind: 'known', value: [], source: 'wandb runs', readAt: AT } }, LANE_MAY_DO),
      held,
    ),
  ];
}

function toldSample(row: FerryRow, scale: Scale): Sample {
  const { view, entry } = scaled(ferryToldOf(row), scale);
  return told(row.on satisfies FerryEvent, ferryMessage(view, entry, LANE_MAY_DO));
}

function cardSample(state: FerryState, scale: Scale): Sample {
  const { view, readings } = scaled({ view: ferryViewIn(state), readings: FERRY_READINGS }, scale);
  return card(state, ferryCard(view, readings, LANE_MAY_DO), view);
}
