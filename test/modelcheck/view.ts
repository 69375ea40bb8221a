import type { HeroFacts, HeroView } from '../../src/protocol/hero/facts.js';
import { HeroPlan } from '../../src/protocol/hero/plan.js';
import type { Entry, IntentView, JsonObject } from '../../src/protocol/table.js';
import { HANDOFF, planBody } from '../support/plan.js';
import { CHECKPOINT, isUnsettled, jobIdOf, type Node } from './node.js';

export const REQUESTER = 'U0ASK';
export const APPROVER = 'U0APPROVE';
export const BYSTANDER = 'U0BY';
export const NOW = new Date('2026-11-30T12:00:00Z');
export const PLAN_HASH = 'f'.repeat(64);

/** How long the present state has lasted: short of every limit, or past all of them. */
export type Wait = 'short' | 'long';

export function planOf(changes: JsonObject): HeroPlan {
  return HeroPlan.parse(planBody({ windowSteps: 20, ...changes }));
}

function ago(seconds: number): Date {
  return new Date(NOW.getTime() - seconds * 1000);
}

const VIEWS = { short: new WeakMap<Node, HeroView>(), long: new WeakMap<Node, HeroView>() };

/** The view that the production code would have of this node; asked for many times. */
export function viewOf(node: Node, plan: HeroPlan, wait: Wait): HeroView {
  const known = VIEWS[wait].get(node);
  if (known?.plan === plan) return known;
  const view = makeView(node, plan, wait);
  VIEWS[wait].set(node, view);
  return view;
}

function makeView(node: Node, plan: HeroPlan, wait: Wait): HeroView {
  const enteredAt = ago(wait === 'short' ? 20 : 100_000);
  const entry = (seq: number, from: string | null, event: string, to: string): Entry<HeroFacts> => ({
    seq,
    from,
    event,
    to,
    actor: 'bot',
    at: enteredAt,
    facts: {},
    details: {},
  });
  const before = node.state === 'held' ? [entry(2, node.origin, node.heldBy, 'held')] : [];
  return {
    operationId: 'hero-1',
    state: node.state,
    seq: 3,
    enteredAtSeq: 3,
    enteredAt,
    lastAt: enteredAt,
    plan,
    planVersion: 1,
    planHash: PLAN_HASH,
    requester: REQUESTER,
    origin: node.origin,
    facts: factsOf(node),
    history: [
      entry(1, null, 'plan_made', 'planned'),
      ...before,
      entry(3, node.state === 'held' ? 'held' : 'before', node.enteredBy, node.state),
      // What is noted beside the course moves nothing, and is not walked.
      { ...entry(4, node.state, 'looked_around', node.state) },
    ],
    intent: intentOf(node),
    asides: [],
    acting: [node.orphan, node.act].flatMap((act) => (act !== null && isUnsettled(act) ? [act.effect] : [])),
  };
}

const A_MINUTE_AGO = ago(60).toISOString();
const A_SECOND_AGO = ago(1).toISOString();
const IN_TEN_MINUTES = new Date(NOW.getTime() + 600_000).toISOString();
const ANCHORED: ReadonlySet<string> = new Set(['awaiting_anchor', 'relaunching_old', 'replaying']);

function factsOf(node: Node): Partial<HeroFacts> {
  const until = node.approval === 'valid' ? IN_TEN_MINUTES : A_SECOND_AGO;
  const approval = { by: APPROVER, at: A_MINUTE_AGO, until, planHash: PLAN_HASH, gateSeq: 2 };
  return {
    abortAsked: node.abortAsked,
    approval: node.approval === 'none' ? null : approval,
    controlLastStep: HANDOFF + 25,
    launchedAt: A_MINUTE_AGO,
    relaunchedAt: A_MINUTE_AGO,
    phase: 'queued',
    ...(node.knowsOld ? { oldCoordinator: jobIdOf('old') } : {}),
    ...(node.knowsNew === null ? {} : { newCoordinator: jobIdOf(node.knowsNew) }),
    ...(node.knowsBack === null ? {} : { relaunchedCoordinator: jobIdOf(node.knowsBack) }),
    ...(node.window ? { controlWindow: 'digest' } : {}),
    ...(node.verdict === 'none' ? {} : { verdict: { overall: node.verdict, complete: true, criteria: [] } }),
    ...(node.declared === null ? {} : { declaredGone: { jobId: jobIdOf(node.declared), pods: [], by: APPROVER } }),
    ...(ANCHORED.has(node.origin ?? node.state) ? { anchor: { step: HANDOFF, path: CHECKPOINT } } : {}),
  };
}

function intentOf({ act }: Node): IntentView | null {
  if (act === null) return null;
  return {
    intentId: 'hero-1:2',
    seq: 2,
    effect: act.effect,
    verb: act.effect,
    stage: act.stage,
    recordedAt: ago(60),
    jobId: act.stage === 'over' && act.named ? jobIdOf(act.effect === 'launch_old' ? 'back' : 'fresh') : null,
    problem: null,
  };
}
