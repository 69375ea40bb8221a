import { createFerry } from '../../src/protocol/ferry/ferry.js';
import { FerryPlan } from '../../src/protocol/ferry/plan.js';
import { createHero } from '../../src/protocol/hero/hero.js';
import { HeroPlan } from '../../src/protocol/hero/plan.js';
import { createLane } from '../../src/protocol/lane/lane.js';
import { LanePlan } from '../../src/protocol/lane/plan.js';
import type { Decision, Protocol, View } from '../../src/protocol/table.js';
import { DOCUMENTS } from './ferry-engine.js';
import { ferryBody } from './ferry-plan.js';
import { planBody } from './plan.js';

export const AT = new Date('2026-11-30T12:00:00Z');

/** One person a role, who has no other; the requester has them all. */
export const PEOPLE = {
  requester: 'U0REQUESTER',
  ask: 'U0ASKER',
  agree: 'U0AGREER',
  approve: 'U0APPROVER',
  decide: 'U0DECIDER',
  override: 'U0OVERRIDER',
  onCall: 'U0ONCALL',
  nobody: 'U0BYSTANDER',
  bot: 'bot',
} as const;

/** Refusals that say: you may not. Any other is about the state of things, and was reached by somebody who may. */
const NO_RIGHT: ReadonlySet<string> = new Set(['not_allowed', 'own_request', 'nobody_may', 'not_the_requester']);

/** A protocol, and one operation of it in any state, to be asked who may do what. */
export interface Rights {
  readonly protocol: string;
  readonly rows: Protocol<never, never, never>['rows'];
  readonly states: readonly string[];
  readonly events: readonly string[];
  /** Whether this person may, in this state; null where the action is not to be had at all. */
  may(state: string, on: string, by: string): boolean | null;
  /** Whether this person may put a new plan on file. */
  mayBegin(by: string): boolean;
}

/** The part of a protocol that decides, with a plan of the requester's. */
function rightsOf<Plan, Facts, Memory>(
  protocol: Protocol<Plan, Facts, Memory>,
  plan: Plan,
  own: { readonly facts: Partial<Facts>; readonly heldFrom: string; readonly also?: readonly string[] },
): Rights {
  const { rows, name } = protocol;
  const viewIn = (state: string): View<Plan, Facts> => ({
    operationId: `${name}-1`,
    state,
    seq: 9,
    enteredAtSeq: 9,
    enteredAt: AT,
    lastAt: AT,
    plan,
    planVersion: 1,
    planHash: 'f'.repeat(64),
    requester: PEOPLE.requester,
    origin: state === 'held' ? own.heldFrom : null,
    facts: own.facts,
    history: [],
    intent: null,
    acting: [],
    asides: [],
  });
  const states = [...new Set(rows.flatMap(({ from, to }) => [from, to]))].flatMap((state) =>
    state === null || state === '@origin' ? [] : [state],
  );
  const events = [...new Set([...rows.map(({ on }) => on), ...(own.also ?? [])])].filter((on) => on !== 'plan_made');
  const may = (state: string, on: string, by: string): boolean | null => {
    const request = { operationId: `${name}-1`, on, by, requestKey: 'k' };
    const decision: Decision<Facts> = protocol.decide(viewIn(state), request, { memory: null, readings: {} }, AT);
    if (decision.kind === 'advance') return true;
    return decision.refusal === 'no_such_transition' ? null : !NO_RIGHT.has(decision.refusal);
  };
  const mayBegin = (by: string): boolean => protocol.decideNew({ by, askedAt: null, plan }, AT).kind === 'ask';
  return { protocol: name, rows, states, events, may, mayBegin };
}

const { requester, ask, agree, approve, decide, override, onCall } = PEOPLE;
const lanePeople = { ask: [requester, ask], decide: [requester, decide], onCall: [onCall] };
const lanes = { daily: { people: lanePeople } };
const limits = { requestSeconds: 300, tickSeconds: 15 };

export const HERO_RIGHTS = rightsOf(
  createHero({
    people: {
      ask: [requester, ask],
      agree: [requester, agree],
      approve: [requester, approve],
      decide: [requester, decide],
      override: [requester, override],
      onCall: [onCall],
    },
    ...limits,
    workingHours: {},
    rehearsal: { hours: 0, fleetDigest: '' },
  }),
  HeroPlan.parse(planBody()),
  {
    facts: { oldCoordinator: '/marin/hero-old-coord-1', newCoordinator: '/marin/hero-new-coord-2' },
    heldFrom: 'launching',
    // Out of a hold a click says `adopt`; the protocol finds out whose run it is.
    also: ['adopt'],
  },
);

export const FERRY_RIGHTS = rightsOf(createFerry({ lanes, ...limits }, DOCUMENTS), FerryPlan.parse(ferryBody({ clears: requester })), {
  facts: { jobId: '/marin/ferry-1' },
  heldFrom: 'stopping',
});

export const LANE_RIGHTS = rightsOf(
  createLane({ lanes, ...limits, nextInstant: () => new Date('2026-12-01T00:00:00Z') }),
  LanePlan.parse({
    lane: 'daily',
    kind: 'canary',
    cron: '0 0 * * *',
    owner: requester,
    late: 'skip',
    lateSeconds: 60,
    overdueSeconds: 60,
    standingWaiverDays: 7,
  }),
  { facts: {}, heldFrom: '' },
);
