import { HANDOFF, NEW_RUN, OLD_RUN } from '../support/plan.js';

/** How a coordinator stands: never there, live, ended with pods left, ended, ended and forgotten by the scheduler. */
export type Standing = 'none' | 'live' | 'dying' | 'gone' | 'aged';

/** An act that is on file: not started, its process alive, or over; and whether it has done what it is for. */
export interface Act {
  readonly effect: string;
  readonly target: JobName | null;
  readonly stage: 'waiting' | 'acting' | 'over' | 'expired';
  readonly landed: boolean;
  /** Its report named the job; a report that died with the bot names none. */
  readonly named: boolean;
}

export function isUnsettled({ stage }: Act): boolean {
  return stage === 'waiting' || stage === 'acting';
}

export const JOBS = ['old', 'fresh', 'back', 'extra'] as const;
/** The control, the candidate, the control launched again, and one that nobody asked the bot for. */
export type JobName = (typeof JOBS)[number];

/** One operation and its outside, as far as anything depends on it. Times and readings are chosen anew at every move. */
export interface Node {
  readonly state: string;
  readonly origin: string | null;
  readonly heldBy: string;
  readonly enteredBy: string;
  readonly approval: 'none' | 'valid' | 'expired';
  readonly abortAsked: boolean;
  readonly declared: JobName | null;
  readonly knowsOld: boolean;
  readonly knowsNew: JobName | null;
  readonly knowsBack: JobName | null;
  readonly window: boolean;
  readonly verdict: 'none' | 'PASS' | 'FAIL';
  readonly act: Act | null;
  /** An earlier act that is not over. */
  readonly orphan: Act | null;
  readonly old: Standing;
  readonly fresh: Standing;
  readonly back: Standing;
  readonly extra: Standing;
  readonly extraRun: 'old' | 'new' | 'other';
  readonly child: boolean;
  readonly trained: 'none' | 'steps' | 'good' | 'bad';
  readonly replayed: 'none' | 'same' | 'other';
  /** What has gone wrong in the world by itself so far. */
  readonly mishaps: number;
  /** Somebody called it off, and it has not come to rest since. For the properties alone: nothing of the bot's sees it. */
  readonly calledOff: boolean;
}

export const FIRST: Node = {
  state: 'planned',
  origin: null,
  heldBy: '',
  enteredBy: 'plan_made',
  approval: 'none',
  abortAsked: false,
  declared: null,
  knowsOld: false,
  knowsNew: null,
  knowsBack: null,
  window: false,
  verdict: 'none',
  act: null,
  orphan: null,
  old: 'live',
  fresh: 'none',
  back: 'none',
  extra: 'none',
  extraRun: 'other',
  child: false,
  trained: 'none',
  replayed: 'none',
  mishaps: 0,
  calledOff: false,
};

const FORWARD_ACT: Readonly<Record<string, string>> = { forking: 'fork', launching: 'launch_new', relaunching_old: 'launch_old' };
const TRAINED_MATTERS: ReadonlySet<string> = new Set([
  'launching',
  'starting',
  'trial',
  'awaiting_rollback',
  'awaiting_decision',
  'watching',
]);
const ENTRY_MATTERS: ReadonlySet<string> = new Set(['forking', 'stopping_old']);

/** States from which the operation may still go back to its preflight: the tracker child matters there. */
const BEFORE_THE_CUT: ReadonlySet<string> = new Set([
  'planned',
  'agreed',
  'blocked',
  'preflighting',
  'ready',
  'awaiting_launch',
  'arming',
  'forking',
  'stopping_old',
]);

/** The same node without what nothing asks about any more, so that what behaves alike is one state. */
export function canonical(node: Node, isFinal: boolean): Node {
  if (isFinal) return { ...FIRST, state: node.state };
  const at = node.origin ?? node.state;
  const { act } = node;
  const cut = BEFORE_THE_CUT.has(at);
  const settled = act !== null && !isUnsettled(act) && FORWARD_ACT[at] !== act.effect;
  return {
    ...node,
    act: settled ? null : act,
    enteredBy: ENTRY_MATTERS.has(node.state) ? node.enteredBy : '',
    heldBy: node.heldBy === 'foreign_coordinator' ? node.heldBy : '',
    trained: TRAINED_MATTERS.has(at) ? node.trained : 'none',
    replayed: at === 'replaying' ? node.replayed : 'none',
    verdict: at === 'awaiting_decision' ? node.verdict : 'none',
    child: cut && node.child,
    old: !cut && node.old === 'aged' ? 'gone' : node.old,
    fresh: at !== 'stopping_new' && node.fresh === 'aged' ? 'gone' : node.fresh,
    back: node.back === 'aged' && at !== 'replaying' ? 'gone' : node.back,
    extra: node.extra === 'aged' ? 'gone' : node.extra,
    declared: at === 'stopping_old' || at === 'stopping_new' ? node.declared : null,
    knowsBack: at === 'replaying' ? node.knowsBack : null,
    window: cut || TRAINED_MATTERS.has(at) ? node.window : true,
  };
}

export function keyOf(node: Node): string {
  return JSON.stringify(node);
}

export function jobIdOf(name: JobName): string {
  return `/marin/${name}-coord-00000001`;
}

export function nameOfJob(jobId: string): JobName | null {
  return JOBS.find((name) => jobIdOf(name) === jobId) ?? null;
}

export function runOf(node: Node, name: JobName): string {
  if (name === 'extra') return { old: OLD_RUN, new: NEW_RUN, other: 'hero-other-step10k' }[node.extraRun];
  return name === 'fresh' ? NEW_RUN : OLD_RUN;
}

export function liveIn(node: Node): readonly JobName[] {
  return JOBS.filter((name) => node[name] === 'live');
}

export const CHECKPOINT = `s3://hero/grug/${OLD_RUN}/v/checkpoints/step-${HANDOFF}`;
