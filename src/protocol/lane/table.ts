import type { Row, Sink, Who } from '../table.js';

/**
 * A lane's schedule as an operation of its own: it lives as long as the fleet file has the schedule, and holds each due
 * instant as a row. It launches nothing: it only asks for ferries.
 */

const TOLD = ['thread', 'issue'] as const satisfies readonly Sink[];
const CARD = [] as const satisfies readonly Sink[];
const OPEN = ['scheduled', 'off'] as const;

const LINES = [
  { from: [null], on: 'plan_made', to: 'scheduled', who: 'bot', then: null, tell: CARD },
  { from: ['scheduled'], on: 'due_came', to: 'scheduled', who: 'bot', then: null, tell: CARD },
  { from: ['scheduled'], on: 'due_came_late', to: 'scheduled', who: 'bot', then: null, tell: TOLD },
  { from: ['scheduled'], on: 'due_skipped', to: 'scheduled', who: 'bot', then: null, tell: TOLD },
  { from: OPEN, on: 'ferry_proposed', to: '@same', who: 'bot', then: null, tell: CARD },
  { from: OPEN, on: 'ferry_not_proposed', to: '@same', who: 'bot', then: null, tell: TOLD },
  { from: OPEN, on: 'ferry_was_good', to: '@same', who: 'bot', then: null, tell: CARD },
  { from: ['scheduled'], on: 'overdue', to: 'scheduled', who: 'bot', then: null, tell: TOLD },
  { from: ['scheduled'], on: 'switched_off', to: 'off', who: 'duty', then: null, tell: TOLD },
  { from: ['off'], on: 'switched_on', to: 'scheduled', who: 'duty', then: null, tell: TOLD },
  { from: OPEN, on: 'waiver_given', to: '@same', who: 'approve', then: null, tell: TOLD },
  { from: OPEN, on: 'waiver_revoked', to: '@same', who: 'duty', then: null, tell: TOLD },
  { from: OPEN, on: 'waiver_voided', to: '@same', who: 'bot', then: null, tell: TOLD },
  { from: OPEN, on: 'schedule_changed', to: '@same', who: 'bot', then: null, tell: TOLD },
  { from: OPEN, on: 'restored', to: '@same', who: 'bot', then: null, tell: TOLD },
  { from: OPEN, on: 'compared', to: '@same', who: 'bot', then: null, tell: CARD },
  { from: OPEN, on: 'retired', to: 'retired', who: 'bot', then: null, tell: TOLD },
] as const satisfies readonly {
  readonly from: readonly (string | null)[];
  readonly on: string;
  readonly to: string;
  readonly who: Who;
  readonly then: null;
  readonly tell: readonly Sink[];
}[];

type Line = (typeof LINES)[number];
export type LaneState = Exclude<Line['to'], '@same'>;
export type LaneEvent = Line['on'];

export interface LaneRow extends Row {
  readonly from: LaneState | null;
  readonly on: LaneEvent;
  readonly to: LaneState;
}

/** Every row of the protocol, one state and one event each. */
export const LANE_ROWS: readonly LaneRow[] = LINES.flatMap((line) =>
  line.from.map((from) => ({
    from,
    on: line.on,
    to: line.to === '@same' ? (from ?? 'scheduled') : line.to,
    who: line.who,
    then: line.then,
    tell: line.tell,
  })),
);

export const LANE_FINALS: ReadonlySet<string> = new Set<LaneState>(['retired']);
/** One schedule a lane. */
export const LANE_LOCKED: ReadonlySet<string> = new Set<LaneState>(['scheduled', 'off']);
