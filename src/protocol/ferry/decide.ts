import { type Outcome as Decided, decideBy, justAsked, notHeard, tooOld } from '../decide.js';
import { isTerminal } from '../outside.js';
import { expand, type Standing } from '../people.js';
import { answer } from '../read.js';
import { type Decision, type Readings, type Request, refuse, type Who } from '../table.js';
import { type Clearance, type FerryFacts, type FerryView, validClearance } from './facts.js';
import type { FerryMemory } from './memory.js';
import { isHeard, type LanePeople, lanePeopleFor } from './people.js';
import type { FerryPlan } from './plan.js';
import { FERRY_ROWS, type FerryRow } from './table.js';

export interface FerryPolicy {
  readonly lanes: Readonly<Record<string, { readonly people: LanePeople }>>;
  /** A command or click older than this when it reaches us is not taken. */
  readonly requestSeconds: number;
  readonly tickSeconds: number;
}

interface Context {
  readonly view: FerryView;
  readonly request: Request<FerryFacts>;
  readonly watched: { readonly memory: FerryMemory | null; readonly readings: Readings };
  readonly policy: FerryPolicy;
  readonly now: Date;
}

type Outcome = Decided<FerryFacts>;

/** What needs an age or an expiry. With a clock that went back none of it may happen; stopping may. */
const NEEDS_A_CLOCK: ReadonlySet<string> = new Set([
  'approved',
  'waived',
  'standing_waiver_used',
  'clearance_expired',
  'launch_asked',
  'launch_due',
  'guards_open',
  'fix_proposed',
]);

/** They make things safer, so neither an old card nor a late delivery stands in their way while the row exists. */
export const NEVER_STALE: ReadonlySet<string> = new Set(['cancel_asked', 'abort_asked', 'stop_asked']);

/** Decide, touch nothing. */
export function decideFerry(context: Context): Decision<FerryFacts> {
  const { view, request, policy, now } = context;
  const rules = {
    rows: FERRY_ROWS,
    neverStale: NEVER_STALE,
    needsAClock: NEEDS_A_CLOCK,
    requestSeconds: policy.requestSeconds,
    forbids: (row: FerryRow) => forbids(row.who, context),
    conditions: (row: FerryRow) => mayStillAct(view, row) ?? conditions(context, row),
  };
  return decideBy(view, request, rules, now);
}

/** The same command is not put on file again while an earlier one may still come about. */
function mayStillAct({ acting }: FerryView, { then }: FerryRow): Outcome | null {
  if (then === null || then === 'read_guards' || !acting.includes(then)) return null;
  return refuse('not_proven', { needs: `the earlier command, which may still act, ended (${then})` });
}

/** A new proposal touches nothing. A person proposes for themselves; only a due instant proposes for somebody else. */
export function decideNewFerry(
  request: { readonly by: string; readonly askedAt: Date | null; readonly plan: FerryPlan; readonly standing?: Standing | undefined },
  policy: FerryPolicy,
  now: Date,
): { readonly kind: 'ask' } | ReturnType<typeof refuse> {
  const { by, plan } = request;
  const old = tooOld(request.askedAt, policy.requestSeconds, now);
  if (old !== null) return old;
  const listed = peopleOf(plan.lane, policy)?.ask ?? [];
  if (by === 'bot') {
    // A due instant has no account, and proposes only: whose word clears it is looked up when it is given.
    if (listed.length === 0) return refuse('nobody_may', { role: 'ask' });
    return plan.scheduledFor === null ? refuse('not_allowed', { role: 'ask', may: listed }) : { kind: 'ask' };
  }
  const may = expand(listed, request.standing);
  if (may.length === 0) return refuse('nobody_may', { role: 'ask' });
  if (!may.includes(by)) return refuse('not_allowed', { role: 'ask', may });
  return plan.clears === by && plan.scheduledFor === null ? { kind: 'ask' } : refuse('not_the_requester', { clears: plan.clears });
}

function peopleOf(lane: string, policy: FerryPolicy): LanePeople | undefined {
  return Object.hasOwn(policy.lanes, lane) ? policy.lanes[lane]?.people : undefined;
}

function forbids(who: Who, { request, policy, view }: Context) {
  const people = who === 'bot' ? undefined : peopleOf(view.plan.lane, policy);
  const forbidden = notHeard(who, who === 'bot' || people === undefined ? [] : lanePeopleFor(who, people), request);
  // Whose word clears a run is the plan's, and it must still be somebody of the lane.
  const isAnothers = who === 'approve' && request.by !== view.plan.clears && forbidden?.refusal !== 'nobody_may';
  return isAnothers ? refuse('not_the_requester', { clears: view.plan.clears }) : forbidden;
}

const NO_FACTS: Outcome = { kind: 'facts', facts: {} };
const NO_CLEARANCE = refuse('not_proven', {
  needs: 'a clearance that still holds: the approval or waiver of the requester',
  isKnown: true,
});

/** What a row asks for beside a right. An event that is not named here asks for nothing more. */
function conditions(context: Context, row: FerryRow): Outcome {
  const { view, request, now } = context;
  switch (row.on) {
    case 'approved':
      return cleared(context, 'approval', request.by, null);
    case 'waived': {
      const quote = textOf(request.details?.reason);
      return quote === null ? refuse('reason_missing') : cleared(context, 'waiver', request.by, quote);
    }
    case 'standing_waiver_used':
      return standing(context);
    case 'clearance_expired':
      return { kind: 'facts', facts: { clearance: null } };
    case 'approver_left':
      return { kind: 'facts', facts: { clearance: null, clearerLeft: view.plan.clears } };
    case 'launch_asked':
    case 'launch_due':
    case 'guards_open':
      return validClearance(view, now) === null ? NO_CLEARANCE : NO_FACTS;
    case 'abort_asked':
      return view.facts.abortAsked === true
        ? refuse('nothing_changed', { sentence: 'the abort is on file already' })
        : { kind: 'facts', facts: { abortAsked: true } };
    case 'taken':
      return view.facts.takenBy === request.by
        ? refuse('nothing_changed', { sentence: 'you have it already' })
        : { kind: 'facts', facts: { takenBy: request.by } };
    case 'recheck_asked':
      return justAsked(view, context.policy.tickSeconds, now) ?? NO_FACTS;
    case 'fix_proposed':
      return view.facts.fixUsed === true
        ? refuse('fix_used')
        : { kind: 'facts', facts: { fixUsed: true, clearance: null, clearerLeft: null } };
    case 'retry_stop':
      return view.facts.jobId === undefined || view.origin === 'launching'
        ? refuse('not_proven', { needs: 'a job whose id is on record', isKnown: true })
        : NO_FACTS;
    case 'adopt':
      return adopt(context);
    default:
      return NO_FACTS;
  }
}

/** Bound to the plan's hash; it expires, and one launch uses it up. */
function cleared(
  { view, now }: Context,
  kind: Clearance['kind'],
  by: string,
  quote: string | null,
  untilMs = Number.POSITIVE_INFINITY,
): Outcome {
  const until = new Date(Math.min(untilMs, now.getTime() + view.plan.limits.approvalSeconds * 1000));
  const clearance: Clearance = { kind, by, at: now.toISOString(), until: until.toISOString(), planHash: view.planHash, quote };
  return { kind: 'facts', facts: { clearance, clearerLeft: null } };
}

/** A standing waiver clears what its lane's own schedule asked for, and nothing else; and only while its giver is known to be heard. */
function standing(context: Context): Outcome {
  const { view, request, watched, now } = context;
  const by = textOf(request.details?.waivedBy);
  const quote = textOf(request.details?.quote);
  const untilMs = Date.parse(`${request.details?.until ?? ''}`);
  if (view.plan.kind !== 'canary' || view.plan.scheduledFor === null || by === null || quote === null || !(untilMs > now.getTime())) {
    return refuse('not_proven', { needs: 'a standing waiver of this lane that holds now, for a canary that its schedule asked for' });
  }
  if (by !== view.plan.clears) return refuse('not_the_requester', { clears: view.plan.clears });
  if (!isHeard(watched.readings)) return refuse('not_proven', { needs: 'whoever gave the standing waiver to be a member and on the list' });
  return cleared(context, 'standing', by, quote, untilMs);
}

/** Of what is listed under its name, the one job that lives is the ferry's when a person says so. */
function adopt({ view, request, watched, now }: Context): Outcome {
  const jobs = answer(watched.readings, 'ferry_jobs', 'jobs');
  const jobId = `${request.details?.jobId ?? ''}`;
  const live = jobs?.kind === 'known' ? jobs.value.filter(({ state }) => !isTerminal(state)) : [];
  const [only, ...more] = live;
  if (view.acting.length > 0)
    return refuse('not_proven', { needs: `the earlier command, which may still act, ended (${view.acting.join(', ')})` });
  if (only === undefined || more.length > 0 || only.jobId !== jobId) {
    return refuse('not_a_live_coordinator', { jobId, live: live.map((each) => each.jobId), wanted: view.plan.jobName });
  }
  const launchedAt = view.facts.launchedAt ?? new Date(Math.min(only.submittedAtMs, now.getTime())).toISOString();
  return { kind: 'facts', facts: { jobId, launchedAt, abortAsked: false } };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
