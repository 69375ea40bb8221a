import type { LaneFacts, LaneView } from '../../src/protocol/lane/facts.js';
import { LANE_ROWS, type LaneEvent, type LaneRow, type LaneState } from '../../src/protocol/lane/table.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { LANE_STATE_WORDS, laneCard, laneMessage } from '../../src/render/lane/lane.js';
import { AT } from '../support/samples.js';
import type { Scale } from './extreme.js';
import { scaled } from './hero.js';
import { card, type Page, type Sample, told } from './outgoing.js';

/** A row of each event of a schedule that is told. */
export const LANE_TOLD: readonly LaneRow[] = [
  ...new Map(
    LANE_ROWS.filter(({ tell }) => tell.length > 0)
      .toReversed()
      .map((row) => [row.on, row]),
  ).values(),
].toReversed();

const DETAILS: Partial<Record<LaneEvent, JsonObject>> = {
  due_came_late: { sentence: 'due 2026-11-30T06:00Z, noticed 40 min late' },
  due_skipped: { sentence: 'due 2026-11-30T06:00Z: 9 h late, and the lane skips what is late' },
  ferry_not_proposed: { sentence: 'due 2026-11-30T06:00Z: skipped, since ferry-30 holds the lane (running)' },
  overdue: { sentence: 'overdue by 3 h: due 2026-11-30T06:00Z, last good ferry-29 at 2026-11-29T07:10Z' },
  switched_off: { reason: 'the node pool is rebuilt', sentence: 'the node pool is rebuilt' },
  waiver_given: { sentence: '"the nightly canary changes nothing", until 2026-12-07T07:59Z' },
  waiver_voided: { sentence: 'whoever gave it has left: the account is deactivated' },
  waiver_revoked: { sentence: 'a new base image comes tonight' },
};

const WAIVER: LaneFacts['waiver'] = {
  by: 'U0ASK',
  at: AT.toISOString(),
  until: '2026-12-07T07:59:00.000Z',
  quote: 'the nightly canary changes nothing',
};

function viewIn(state: LaneState, facts: Partial<LaneFacts>): LaneView {
  return {
    operationId: 'lane-1',
    state,
    seq: 9,
    enteredAtSeq: 9,
    enteredAt: AT,
    lastAt: AT,
    plan: {
      lane: 'canary-tpu',
      kind: 'canary',
      cron: '0 6 * * *',
      owner: 'U0ASK',
      late: 'fire',
      lateSeconds: 3_600,
      overdueSeconds: 7_200,
      standingWaiverDays: 14,
    },
    planVersion: 1,
    planHash: '5824015b'.padEnd(64, '0'),
    requester: 'bot',
    origin: null,
    facts,
    history: [{ seq: 8, from: 'scheduled', event: 'switched_off', to: 'off', actor: 'U0ASK', at: AT, facts: {}, details: {} }],
    intent: null,
    acting: [],
    asides: [],
  };
}

export function schedulePage(scale: Scale): Page {
  const good = { lastGood: AT.toISOString(), lastGoodFerry: 'ferry-29' };
  const cards: readonly (readonly [string, LaneView, Date | null])[] = [
    ['scheduled, cleared run by run', viewIn('scheduled', {}), new Date('2026-12-01T06:00:00Z')],
    ['scheduled, with a standing waiver', viewIn('scheduled', { ...good, waiver: WAIVER }), new Date('2026-12-01T06:00:00Z')],
    ['off', viewIn('off', good), null],
    ['retired', viewIn('retired', good), null],
  ];
  return {
    file: 'schedule.md',
    title: 'Schedules of ferry lanes',
    parts: [
      {
        heading: 'Told in the thread and on the status issue, by event',
        samples: (scale === 'usual' ? LANE_TOLD : LANE_ROWS).map((row) => toldSample(row, scale)),
      },
      {
        heading: 'The card',
        samples: cards.map(([name, view, next]) => {
          const drawn = scaled(view, scale);
          return card(name, laneCard(drawn, next, AT), drawn);
        }),
      },
    ],
  };
}

/** The states of which a card is shown. */
export const LANE_CARDS: readonly LaneState[] = Object.keys(LANE_STATE_WORDS) as LaneState[];

function toldSample(row: LaneRow, scale: Scale): Sample {
  const entry = {
    seq: 9,
    from: row.from,
    event: row.on,
    to: row.to,
    actor: row.who === 'bot' ? 'bot' : 'U0ASK',
    at: AT,
    facts: {},
    details: DETAILS[row.on] ?? {},
  };
  const drawn = scaled({ view: viewIn(row.to, {}), entry }, scale);
  return told(row.on, laneMessage(drawn.view, drawn.entry));
}
