import type { FerryFacts, FerryView } from '../../src/protocol/ferry/facts.js';
import { FerryPlan } from '../../src/protocol/ferry/plan.js';
import type { Entry, IntentView, JsonObject } from '../../src/protocol/table.js';
import { canaryBody, ferryBody, LAUNCH_COMMIT } from '../support/ferry-plan.js';

export const REQUESTER = 'U0ASK';
export const DECIDER = 'U0DECIDE';
export const NOW = new Date('2026-11-30T12:00:00Z');
export const PLAN_HASH = 'f'.repeat(64);
export const JOB = '/marin/ferry-job';
export const OTHER_JOB = '/alice/ferry-job-0a1b2c3d';

/** An act that is on file, and whether it has done what it is for. */
export interface FerryAct {
  readonly effect: string;
  readonly stage: 'waiting' | 'acting' | 'over' | 'expired';
  readonly landed: boolean;
}

/** One ferry and its outside, as far as anything depends on it. Times and readings are chosen anew at every move. */
export interface FerryNode {
  readonly state: string;
  readonly origin: string | null;
  readonly enteredBy: string;
  readonly clearance: 'none' | 'valid' | 'expired';
  /** Whoever alone clears the run is no member any more. */
  readonly clearerGone: boolean;
  /** That this is so has been told. */
  readonly goneTold: boolean;
  readonly abortAsked: boolean;
  readonly launched: boolean;
  readonly fixUsed: boolean;
  readonly outcome: FerryFacts['outcome'] | 'none';
  readonly act: FerryAct | null;
  /** An earlier act that is not over. */
  readonly orphan: FerryAct | null;
  readonly job: 'none' | 'queued' | 'running' | 'succeeded' | 'failed' | 'killed' | 'aged';
  readonly twin: boolean;
  readonly evidence: 'none' | 'sound' | 'lacking' | 'fails';
  readonly issue: boolean;
  readonly failureIssue: 'none' | 'open' | 'closed';
  readonly reported: boolean;
  readonly tag: 'none' | 'ours' | 'elsewhere';
  readonly branch: boolean;
  readonly entry: boolean;
  readonly pull: 'none' | 'bare' | 'labelled' | 'more_files';
  /** Launches under the present clearance: for the properties alone. */
  readonly launches: number;
}

export const FIRST_FERRY: FerryNode = {
  state: 'draft',
  origin: null,
  enteredBy: 'plan_made',
  clearance: 'none',
  clearerGone: false,
  goneTold: false,
  abortAsked: false,
  launched: false,
  fixUsed: false,
  outcome: 'none',
  act: null,
  orphan: null,
  job: 'none',
  twin: false,
  evidence: 'none',
  issue: false,
  failureIssue: 'none',
  reported: false,
  tag: 'none',
  branch: false,
  entry: false,
  pull: 'none',
  launches: 0,
};

export const FERRY_PLANS: Readonly<Record<string, FerryPlan>> = {
  'a daily': FerryPlan.parse(ferryBody()),
  'a canary that its schedule asked for': FerryPlan.parse(canaryBody({ scheduledFor: '2026-11-30T06:00:00Z' })),
};

export type Wait = 'short' | 'long';

export function unsettled(act: FerryAct | null): boolean {
  return act !== null && (act.stage === 'waiting' || act.stage === 'acting');
}

function ago(seconds: number): Date {
  return new Date(NOW.getTime() - seconds * 1000);
}

/** The view that the production code would have of this node. */
export function ferryViewOf(node: FerryNode, plan: FerryPlan, wait: Wait): FerryView {
  const enteredAt = ago(wait === 'short' ? 2 : 100_000);
  const entry = (seq: number, from: string | null, event: string, to: string, details: JsonObject = {}): Entry<FerryFacts> => ({
    seq,
    from,
    event,
    to,
    actor: 'bot',
    at: enteredAt,
    facts: {},
    details,
  });
  return {
    operationId: 'ferry-1',
    state: node.state,
    seq: 3,
    enteredAtSeq: 3,
    enteredAt,
    lastAt: enteredAt,
    plan: { ...plan, failureIssue: node.failureIssue === 'none' ? null : 7 },
    planVersion: 1,
    planHash: PLAN_HASH,
    requester: REQUESTER,
    origin: node.origin,
    facts: factsOf(node, plan),
    history: [
      entry(1, null, 'plan_made', 'draft'),
      ...(node.launched ? [entry(2, 'arming', 'guards_open', 'launching')] : []),
      entry(3, 'before', node.enteredBy, node.state),
    ],
    intent: intentOf(node),
    acting: [node.orphan, node.act].flatMap((act) => (act !== null && unsettled(act) ? [act.effect] : [])),
    asides: [],
  };
}

function factsOf(node: FerryNode, plan: FerryPlan): Partial<FerryFacts> {
  const until = node.clearance === 'valid' ? new Date(NOW.getTime() + 600_000) : ago(1);
  const clearance = {
    kind: 'approval',
    by: REQUESTER,
    at: ago(60).toISOString(),
    until: until.toISOString(),
    planHash: PLAN_HASH,
    quote: null,
  } as const;
  return {
    clearance: node.clearance === 'none' ? null : clearance,
    clearerLeft: node.goneTold ? REQUESTER : null,
    abortAsked: node.abortAsked,
    attempt: node.launched ? 1 : 0,
    fixUsed: node.fixUsed,
    category: 'training crash',
    runIssue: { number: 100, url: 'https://github/100' },
    sealBase: 'a'.repeat(40),
    sealFileSha: 'f0',
    sealText: '## Runs\n',
    sealPull: { number: 900, url: 'https://github/900' },
    ...(node.launched ? { jobId: JOB, launchedAt: ago(600).toISOString() } : {}),
    ...(node.outcome === 'none' || node.outcome === undefined ? {} : { outcome: node.outcome }),
    tracker: node.outcome === 'none' ? null : { name: runName(plan), url: 'https://tracker' },
  };
}

export function runName(plan: FerryPlan): string {
  return `${plan.trackerName}-1a2b3c`;
}

export const TAGGED_BY_OTHERS = 'e'.repeat(40);
export const TAGGED_BY_US = LAUNCH_COMMIT;

function intentOf({ act }: FerryNode): IntentView | null {
  if (act === null) return null;
  return {
    intentId: 'ferry-1:2',
    seq: 2,
    effect: act.effect,
    verb: act.effect,
    stage: act.stage,
    recordedAt: ago(60),
    jobId: null,
    problem: null,
  };
}
