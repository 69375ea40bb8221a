import { type Outcome as Decided, justAsked } from '../decide.js';
import { answer } from '../read.js';
import { refuse } from '../table.js';
import { type HeroFacts, validApproval } from './facts.js';
import { isAlive } from './liveness.js';
import { type Context, forbids } from './policy.js';
import { guardsIn, isGoodRehearsal } from './rehearsal.js';
import type { HeroRow } from './table.js';
import { liveCoordinators, rollbackTreeDoubt } from './way-back.js';

type Outcome = Decided<HeroFacts>;

const NO_FACTS: Outcome = { kind: 'facts', facts: {} };

/** What a row asks for beside a right. An event that is not named here asks for nothing more. */
export function conditions(context: Context, row: HeroRow): Outcome {
  const { view, request } = context;
  switch (row.on) {
    case 'plan_agreed':
      return { kind: 'facts', facts: { agreedBy: request.by } };
    case 'plan_revised':
      return { kind: 'facts', facts: { agreedBy: null, approval: null } };
    case 'preflight_asked':
    case 'launch_rejected':
    case 'approval_expired':
    case 'approver_left':
      return { kind: 'facts', facts: { approval: null } };
    case 'owner_left':
      return { kind: 'facts', facts: { takenBy: null, ownerLeft: view.facts.takenBy ?? view.requester } };
    case 'taken':
      return view.facts.takenBy === request.by
        ? refuse('nothing_changed', { sentence: 'you have it already' })
        : { kind: 'facts', facts: { takenBy: request.by } };
    case 'rehearsed':
      return { kind: 'facts', facts: { rehearsal: rehearsalOf(context) } };
    case 'recheck_asked':
      return justAsked(view, context.policy.tickSeconds, context.now) ?? NO_FACTS;
    case 'launch_approved':
      return approve(context);
    case 'launch_again':
      return launchAgain(context);
    case 'abort_asked':
      return view.facts.abortAsked === true
        ? refuse('nothing_changed', { sentence: 'the abort is on file already' })
        : { kind: 'facts', facts: { abortAsked: row.to !== 'agreed', approval: null } };
    case 'called_off':
      return calledOff(context);
    case 'fork_proven_after_abort':
    case 'old_gone_after_abort':
      return { kind: 'facts', facts: view.facts.abortAsked === true ? { abortAsked: false, approval: null } : {} };
    case 'retry_cancel_old':
      return view.origin === 'stopping_old'
        ? approve(context)
        : refuse('not_proven', { needs: 'a hold out of stopping the old run', isKnown: true });
    case 'retry_cancel_new':
      return view.origin === 'stopping_new'
        ? NO_FACTS
        : refuse('not_proven', { needs: 'a hold out of stopping the new run', isKnown: true });
    case 'override':
      return typeof request.details?.reason === 'string' && request.details.reason.trim() !== '' ? NO_FACTS : refuse('reason_missing');
    case 'go_approved':
      return goApproved(context);
    case 'adopt_new':
    case 'adopt_old':
      return adopt(context, row.on);
    case 'declare_gone':
      return declareGone(context);
    case 'rollback_asked_nothing_live':
      return liveKnownToBeNone(context)
        ? NO_FACTS
        : refuse('not_proven', { needs: 'no coordinator of the family live, by the last reading' });
    case 'anchor_confirmed':
      return confirmAnchor(context);
    case 'close_unverified':
      return { kind: 'facts', facts: { unverified: true } };
    default:
      return NO_FACTS;
  }
}

/** What was read is the request's; whether that is good, and of which plan and fleet file it is, is said here. */
function rehearsalOf({ view, request, policy, now }: Context): HeroFacts['rehearsal'] {
  const isGood = isGoodRehearsal(guardsIn(request.details));
  return { at: now.toISOString(), by: request.by, isGood, planHash: view.planHash, fleetDigest: policy.rehearsal.fleetDigest };
}

/** An approval is bound to the plan's hash and to the row that entered its gate; it expires. */
function approve({ view, request, now }: Context): Outcome {
  const standing = validApproval(view, now);
  if (standing !== null && view.state === 'ready') {
    return refuse('nothing_changed', { sentence: 'approved already', by: standing.by, at: standing.at });
  }
  const expiresMs = now.getTime() + view.plan.limits.approvalSeconds * 1000;
  const notAfter = request.details?.notAfter;
  const notAfterMs = typeof notAfter === 'string' ? Date.parse(notAfter) : Number.POSITIVE_INFINITY;
  if (!(notAfterMs > now.getTime())) return refuse('too_old', { askedAt: `${notAfter}`, limitSeconds: 0 });
  const until = new Date(
    view.state === 'ready' && notAfterMs < Number.POSITIVE_INFINITY ? notAfterMs : Math.min(expiresMs, notAfterMs),
  ).toISOString();
  const approval = { by: request.by, at: now.toISOString(), until, planHash: view.planHash, gateSeq: view.enteredAtSeq };
  return { kind: 'facts', facts: { approval } };
}

/** The standing approval while it holds; else whoever launches again must be somebody whose approval counts. */
function launchAgain(context: Context): Outcome {
  // An abort was meant for the launch it met, not for the one that is asked for now.
  const asked = context.view.facts.abortAsked === true ? { abortAsked: false } : {};
  if (validApproval(context.view, context.now) !== null) return { kind: 'facts', facts: asked };
  const forbidden = forbids('approve', context);
  if (forbidden !== null) return forbidden;
  const approved = approve(context);
  return approved.kind === 'refuse' ? approved : { kind: 'facts', facts: { ...approved.facts, ...asked } };
}

function goApproved({ view, watched, policy, now }: Context): Outcome {
  if (view.facts.verdict?.overall !== 'PASS') return refuse('no_pass', { verdict: view.facts.verdict?.overall ?? 'none' });
  const steps = watched.readings.steps;
  const age = steps === undefined ? Number.POSITIVE_INFINITY : (now.getTime() - steps.readAt.getTime()) / 1000;
  const fresh = steps?.kind === 'known' && age <= 2 * policy.tickSeconds + 1;
  const alive = watched.memory !== null && isAlive(view, watched.memory, watched.readings, now);
  return fresh && alive ? NO_FACTS : refuse('liveness_unknown', { age: Number.isFinite(age) ? Math.round(age) : null });
}

/** States in which the old run may be what a person launched by hand; elsewhere it is the new one. */
const OLD_MAY_BE_ADOPTED: ReadonlySet<string> = new Set(['relaunching_old', 'nothing_running', 'anchoring', 'awaiting_anchor']);
const NEW_MAY_BE_ADOPTED: ReadonlySet<string> = new Set(['launching', 'rearming', 'nothing_running']);

/** What a person launched by hand becomes ours when it is the one coordinator that is live, and leads the run that was to be launched. */
function adopt({ view, request, watched, now }: Context, on: 'adopt_new' | 'adopt_old'): Outcome {
  const jobId = `${request.details?.jobId ?? ''}`;
  const live = liveCoordinators(watched.readings);
  const wanted = on === 'adopt_old' ? view.plan.oldRun : view.plan.newRun;
  const [only] = live;
  if (live.length !== 1 || only?.jobId !== jobId || only.runId !== wanted) {
    return refuse('not_a_live_coordinator', { jobId, live: live.map((each) => each.jobId), wanted });
  }
  const origins = on === 'adopt_old' ? OLD_MAY_BE_ADOPTED : NEW_MAY_BE_ADOPTED;
  if (!origins.has(view.origin ?? ''))
    return refuse('not_proven', { needs: `a hold in which ${wanted} was to be launched`, isKnown: true });
  const at = now.toISOString();
  return on === 'adopt_old'
    ? { kind: 'facts', facts: { relaunchedCoordinator: jobId, relaunchedAt: at } }
    : { kind: 'facts', facts: { newCoordinator: jobId, launchedAt: at, phase: 'queued' } };
}

/** A person's word for "gone" needs what can be read to agree: no live state known, and exactly the pods still listed named. */
function declareGone({ view, request, watched }: Context): Outcome {
  const jobId = view.origin === 'stopping_new' ? view.facts.newCoordinator : view.facts.oldCoordinator;
  const named = `${request.details?.pods ?? ''}`.split(/[\s,]+/).filter((pod) => pod !== '');
  const job = answer(watched.readings, 'job_state', 'job');
  const pods = answer(watched.readings, 'pods', 'pods');
  const stopped =
    job?.kind === 'known' && ['absent', 'killed', 'failed', 'succeeded', 'worker_failed', 'unschedulable'].includes(job.value);
  const listed = pods?.kind === 'known' ? pods.value.map(({ name }) => name) : null;
  const allNamed = listed?.every((pod) => named.includes(pod)) === true;
  if (jobId === undefined || !stopped || !allNamed) {
    return refuse('not_proven', { needs: 'a state that is not live, and every pod still listed by name', pods: listed ?? [] });
  }
  return { kind: 'facts', facts: { declaredGone: { jobId, pods: named, by: request.by } } };
}

/** States in which the old run may still be live, and nothing else of this plan can be. */
const MAY_BE_CALLED_OFF: ReadonlySet<string> = new Set(['ready', 'awaiting_launch', 'arming', 'forking', 'stopping_old']);

/** The swap is called off only when the old run is proven to be stepping: seen to move since the hold began, and running. */
function calledOff({ view, watched, now }: Context): Outcome {
  if (!MAY_BE_CALLED_OFF.has(view.origin ?? ''))
    return refuse('not_proven', { needs: 'a hold from before the new run was launched', isKnown: true });
  const seen = watched.memory?.steps[view.plan.oldRun];
  const job = answer(watched.readings, 'job_state', 'job');
  const moved = seen?.moved === true && seen.movedAt > view.enteredAt;
  const stepping = moved && (now.getTime() - seen.movedAt.getTime()) / 1000 < view.plan.limits.hangSeconds;
  const live = job?.kind === 'known' && job.value === 'running';
  return stepping && live
    ? { kind: 'facts', facts: { abortAsked: false, approval: null } }
    : refuse('not_proven', { needs: 'the old run seen to step since the hold began, and its coordinator running' });
}

function liveKnownToBeNone({ watched }: Context): boolean {
  const reading = answer(watched.readings, 'coordinators', 'coordinators');
  return reading?.kind === 'known' && liveCoordinators(watched.readings).length === 0;
}

/** Read within two ticks: an older reading says nothing about what a person may have launched since. */
function justRead({ watched, policy, now }: Context, name: string): boolean {
  const reading = watched.readings[name];
  return reading !== undefined && (now.getTime() - reading.readAt.getTime()) / 1000 <= 2 * policy.tickSeconds + 1;
}

/** The anchor a person confirms is a complete checkpoint that was just read, named by its step. */
function confirmAnchor(context: Context): Outcome {
  const { view, request, watched } = context;
  // What follows is a launch: nothing may be live beside it, as in `anchoring`.
  if (!liveKnownToBeNone(context) || !justRead(context, 'coordinators')) {
    return refuse('not_proven', { needs: 'no coordinator of the family live, by a reading of just now' });
  }
  const treeDoubt = rollbackTreeDoubt(view, watched.readings);
  if (treeDoubt !== null) return refuse('not_proven', { needs: treeDoubt });
  const step = Number(request.details?.step ?? view.facts.anchor?.step);
  const reading = answer(watched.readings, 'checkpoints', 'old_checkpoints');
  const newest = reading?.kind === 'known' ? reading.value.filter(({ complete }) => complete).at(-1) : undefined;
  return newest?.step === step
    ? { kind: 'facts', facts: { anchor: { step, path: newest.path } } }
    : refuse('not_proven', { needs: 'the newest complete checkpoint of the old tree, named by its step', newest: newest?.step ?? null });
}
