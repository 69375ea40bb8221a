import { isTerminal } from '../outside.js';
import { answer, need } from '../read.js';
import type { Need, Readings } from '../table.js';
import { capacity, disk } from './capacity.js';
import { clock, paceNeed } from './clock.js';
import { type HeroView, validApproval } from './facts.js';
import { type Answer, type GuardAnswer, guard, guardOfBoth, type Occasion } from './guard.js';
import { identityNeeds, trackerProject, user } from './identity.js';
import { oldRun, podNeeds, pods } from './old-run.js';
import { peopleNeeds, whetherApproverStays, whetherSomebodyMayApprove } from './people.js';
import { rehearsal } from './rehearsal.js';

export type { GuardAnswer, Occasion } from './guard.js';

/**
 * The guards of a hero deploy: each is open, shut or unknown, with a sentence that says what it saw or what would
 * open it. Nothing that could not be read opens anything.
 */

export function guardNeeds(view: HeroView, occasion: Occasion): readonly Need[] {
  const { family, kind, oldRun: control, newRun, deploy, rollback, permanentWaiver, handoffCheckpoint } = view.plan;
  return [
    need('deploy_worktree', 'worktree', { family, dir: deploy.worktree }),
    need('rollback_worktree', 'worktree', { family, dir: rollback.worktree }),
    need('launch_record', 'launch_record', { family, dir: deploy.worktree }),
    need('old_checkpoints', 'checkpoints', { family, runId: control }),
    need('new_checkpoints', 'checkpoints', { family, runId: newRun }),
    // The run whose steps after the checkpoint are thrown away.
    need('old_last_step', 'last_step', { family, runId: kind === 'recover' ? newRun : control, sinceMs: 0 }),
    need('coordinators', 'coordinators', { family }),
    need('tracker_child', 'tracker_child', { family, runId: newRun }),
    need('credentials', 'credentials', { family }),
    ...peopleNeeds(view),
    need('nodes', 'nodes', { family }),
    need('free_space', 'free_space', { family }),
    paceNeed(view),
    ...identityNeeds(view),
    ...podNeeds(view, occasion),
    ...(permanentWaiver === null
      ? []
      : [need('checkpoint_copy', 'checkpoint_copy', { family, from: handoffCheckpoint, copy: permanentWaiver.copy })]),
  ];
}

/** One shut guard shuts; else one unknown holds; only all known and open opens; no guards at all is unknown. */
export function overall(guards: readonly GuardAnswer[]): Answer {
  if (guards.some(({ answer }) => answer === 'shut')) return 'shut';
  if (guards.length === 0 || guards.some(({ answer }) => answer !== 'open')) return 'unknown';
  return 'open';
}

/** `hours` and `rehearsal_rule` among the readings are the fleet file's; a rehearsal is no guard of itself. */
export function assessGuards(view: HeroView, readings: Readings, occasion: Occasion, now: Date): readonly GuardAnswer[] {
  const isSwap = view.plan.kind === 'swap';
  return [
    deployWorktree(view, readings),
    rollbackWorktree(view, readings),
    launchRecord(view, readings),
    checkpoint(view, readings),
    discardedSteps(view, readings),
    newTree(view, readings),
    finalStep(view, now),
    coordinators(view, readings, occasion),
    ...(isSwap && occasion !== 'rearming' ? [oldRun(view, readings)] : []),
    pods(view, readings, occasion),
    capacity(view, readings),
    disk(view, readings),
    user(view, readings),
    trackerChild(view, readings),
    trackerProject(view, readings),
    credentials(view, readings),
    guard('approvers', answer(readings, 'somebody', 'approvers'), whetherSomebodyMayApprove),
    clock(view, readings, now),
    ...(occasion === 'preflight' || occasion === 'arming' ? [rehearsal(view, readings, now)] : []),
    ...(occasion === 'arming' || occasion === 'rearming'
      ? [approval(view, now), guard('approver', answer(readings, 'entitled', 'approver'), whetherApproverStays)]
      : []),
  ];
}

function deployWorktree(view: HeroView, readings: Readings): GuardAnswer {
  const { commit } = view.plan.deploy;
  const child = answer(readings, 'tracker_child', 'tracker_child');
  const forkedHere = child?.kind === 'known' && child.value.exists && child.value.launchCommit === commit;
  return guard('deploy worktree', answer(readings, 'worktree', 'deploy_worktree'), (tree) => {
    if (tree.head !== commit)
      return ['shut', `is at ${short(tree.head)}, agreed was ${short(commit)}: check out the agreed commit, or revise the plan`];
    if (tree.dirty.length > 0) return ['shut', `is not pristine (${tree.dirty.slice(0, 3).join(', ')}): commit or remove what is there`];
    if (tree.remoteHead !== commit && !forkedHere) {
      return [
        'shut',
        `main moved to ${short(tree.remoteHead ?? 'what was not read')}, agreed was ${short(commit)}: look at what came in, then revise the plan`,
      ];
    }
    return ['open', `pristine at ${short(commit)}${forkedHere ? ', the commit that forked' : ', which is main'}`];
  });
}

function rollbackWorktree(view: HeroView, readings: Readings): GuardAnswer {
  const { commit } = view.plan.rollback;
  return guard('rollback worktree', answer(readings, 'worktree', 'rollback_worktree'), (tree) => {
    if (tree.head !== commit) return ['shut', `is at ${short(tree.head)}, the old run's commit is ${short(commit)}: check that out`];
    if (tree.dirty.length > 0) return ['shut', `is not pristine (${tree.dirty.slice(0, 3).join(', ')}): commit or remove what is there`];
    return ['open', `pristine at ${short(commit)}, the old run's commit`];
  });
}

function launchRecord(view: HeroView, readings: Readings): GuardAnswer {
  const { newRun, handoffCheckpoint, forkFrom } = view.plan;
  return guard('launch record', answer(readings, 'launch_record', 'launch_record'), (record) => {
    if (record.placeholders.length > 0)
      return ['shut', `still has a placeholder in ${record.placeholders.join(', ')}: finish the launch record on main`];
    if (record.runId !== newRun) return ['shut', `names the run ${record.runId}, agreed was ${newRun}`];
    if (view.plan.kind === 'recover') return ['open', `names ${newRun}, which is launched again`];
    if (trimmed(record.handoffCheckpoint) !== trimmed(handoffCheckpoint)) {
      return ['shut', `names the checkpoint ${record.handoffCheckpoint}, agreed was ${handoffCheckpoint}`];
    }
    if (forkFrom !== null && record.trackerForkFrom !== forkFrom) {
      return ['shut', `forks the tracker from ${record.trackerForkFrom}, agreed was ${forkFrom}`];
    }
    return ['open', `names ${newRun} and step ${view.plan.handoffStep}`];
  });
}

function checkpoint(view: HeroView, readings: Readings): GuardAnswer {
  if (view.plan.kind === 'recover') return recoveredCheckpoint(view, readings);
  const { handoffStep, oldRun: control } = view.plan;
  const seen = guard('handoff checkpoint', answer(readings, 'checkpoints', 'old_checkpoints'), (all) => {
    // A step may stand in the permanent and in the temporary tree: the permanent one is what is meant.
    const named = all.filter(({ step }) => step === handoffStep);
    const handoff = named.find(({ permanent }) => permanent) ?? named[0];
    if (handoff === undefined) return ['shut', `step-${handoffStep} is not in the tree of ${control}`];
    if (!handoff.complete)
      return ['shut', `step-${handoffStep} has no metadata.json yet: it is still being written, or was never finished`];
    if (!handoff.permanent && view.plan.permanentWaiver === null)
      return ['shut', `step-${handoffStep} is temporary and will expire: ask for a permanent one, or agree to a copy of it with copy=`];
    if (handoff.recordedStep !== handoffStep) return ['shut', `step-${handoffStep} records step ${handoff.recordedStep} inside`];
    const newest = Math.max(handoffStep, ...all.filter(({ complete, permanent }) => complete && permanent).map(({ step }) => step));
    if (newest !== handoffStep) {
      return [
        'shut',
        `step-${newest} is newer and complete: ${newest - handoffStep} more steps would be thrown away; revise the plan to step-${newest}`,
      ];
    }
    return [
      'open',
      `step-${handoffStep} is complete, ${handoff.permanent ? 'permanent' : 'temporary as agreed'} and no permanent one of ${control} is newer`,
    ];
  });
  return seen.answer === 'open' ? waived(view, readings, seen) : seen;
}

/** A temporary checkpoint may be agreed to if a copy of it is proven to hold all that it holds. */
function waived({ plan }: HeroView, readings: Readings, seen: GuardAnswer): GuardAnswer {
  if (plan.permanentWaiver === null) return seen;
  const { copy } = plan.permanentWaiver;
  const checkpoints = answer(readings, 'checkpoints', 'old_checkpoints');
  return guardOfBoth('handoff checkpoint', answer(readings, 'checkpoint_copy', 'checkpoint_copy'), checkpoints, ({ objects, different }) =>
    different.length === 0
      ? ['open', `${seen.sentence}; its copy holds all ${objects} objects`]
      : [
          'shut',
          `the copy at ${copy} lacks ${different[0]}, or holds it in another size (${different.length} such objects): copy it again`,
        ],
  );
}

function recoveredCheckpoint(view: HeroView, readings: Readings): GuardAnswer {
  const { handoffStep, newRun } = view.plan;
  return guard('handoff checkpoint', answer(readings, 'checkpoints', 'new_checkpoints'), (all) => {
    const newest = all.filter(({ complete }) => complete).at(-1)?.step;
    if (newest === undefined) return ['shut', `the tree of ${newRun} holds no complete checkpoint`];
    if (newest !== handoffStep) return ['shut', `the newest checkpoint of ${newRun} is step-${newest}, agreed was step-${handoffStep}`];
    return ['open', `step-${handoffStep} is the newest complete one of ${newRun}`];
  });
}

function discardedSteps(view: HeroView, readings: Readings): GuardAnswer {
  const { handoffStep, discardedStepsMax, kind, oldRun: control, newRun } = view.plan;
  return guard('discarded steps', answer(readings, 'last_step', 'old_last_step'), ({ step }) => {
    // Of a run that is dead nothing is left to choose: it resumes its newest checkpoint, whatever it lost.
    if (step === null && kind === 'recover') return ['open', `telemetry holds no step of ${newRun}, which resumes step-${handoffStep}`];
    if (step === null) return ['unknown', `telemetry holds no step of ${control}`];
    const discarded = Math.max(0, step - handoffStep);
    if (discarded > discardedStepsMax) {
      return [
        'shut',
        `${discarded} steps after the handoff would be thrown away, agreed were at most ${discardedStepsMax}: revise the plan with discard=${discarded} or with a newer checkpoint`,
      ];
    }
    return ['open', `${discarded} steps after the handoff would be thrown away, agreed are at most ${discardedStepsMax}`];
  });
}

function newTree(view: HeroView, readings: Readings): GuardAnswer {
  if (view.plan.kind === 'recover')
    return guard('new tree', answer(readings, 'checkpoints', 'new_checkpoints'), () => ['open', 'is the run to recover']);
  const { newRun } = view.plan;
  return guard('new tree', answer(readings, 'checkpoints', 'new_checkpoints'), (all) => {
    const last = all.at(-1);
    if (last === undefined) return ['open', `the tree of ${newRun} is empty`];
    return ['shut', `the tree of ${newRun} already holds step-${last.step}: it would be resumed instead of the handoff; use a new run id`];
  });
}

function coordinators(view: HeroView, readings: Readings, occasion: Occasion): GuardAnswer {
  const { oldRun: control, kind } = view.plan;
  return guard('coordinators', answer(readings, 'coordinators', 'coordinators'), (all) => {
    const live = all.filter(({ state }) => !isTerminal(state));
    const listed = live.map(({ jobId }) => jobId).join(', ');
    if (occasion === 'rearming' || kind === 'recover') {
      return live.length === 0 ? ['open', 'no coordinator of the family is live'] : ['shut', `still live: ${listed}`];
    }
    const [only] = live;
    if (only === undefined) return ['shut', 'no coordinator of the family is live, so there is no control to swap'];
    if (live.length > 1) return ['shut', `${live.length} coordinators are live: ${listed}; find out whose the others are`];
    if (only.runId !== control) return ['shut', `the live coordinator is ${only.jobId}, agreed was a run named ${control}`];
    return ['open', `exactly one is live: ${only.jobId}`];
  });
}

function trackerChild(view: HeroView, readings: Readings): GuardAnswer {
  const { newRun, handoffCheckpoint, forkFrom, deploy } = view.plan;
  const record = answer(readings, 'launch_record', 'launch_record');
  return guard('tracker child', answer(readings, 'tracker_child', 'tracker_child'), (child) => {
    if (view.plan.kind === 'recover' && child.exists) {
      if (record?.kind !== 'known') return ['unknown', 'the launch record could not be read, so its keys cannot be compared'];
      const same =
        trimmed(child.handoffCheckpoint ?? '') === trimmed(record.value.handoffCheckpoint) && child.launchCommit === deploy.commit;
      return same
        ? ['open', `${newRun} carries the keys of this launch record`]
        : ['shut', `${newRun} was made from another checkpoint or commit than the deploy worktree's`];
    }
    if (!child.exists) {
      return view.plan.kind === 'recover' ? ['shut', `${newRun} is not in the tracker`] : ['open', `${newRun} is not in the tracker yet`];
    }
    const ours =
      trimmed(child.handoffCheckpoint ?? '') === trimmed(handoffCheckpoint) &&
      child.forkFrom === forkFrom &&
      child.launchCommit === deploy.commit;
    return ours
      ? ['open', `${newRun} was forked already, from this checkpoint at this commit; it will not be forked again`]
      : ['shut', `${newRun} is in the tracker already, made from another checkpoint or commit: use a new run id`];
  });
}

function credentials(_view: HeroView, readings: Readings): GuardAnswer {
  return guard('credentials', answer(readings, 'credentials', 'credentials'), (all) => {
    const missing = all.filter(({ ok }) => !ok);
    if (all.length === 0) return ['unknown', 'nothing was probed'];
    if (missing.length > 0) return ['shut', missing.map(({ name, detail }) => `${name}: ${detail}`).join('; ')];
    return ['open', all.map(({ name }) => name).join(', ')];
  });
}

/** A run that ends inside the trial window would be judged by the steps that it never made. */
function finalStep({ plan }: HeroView, now: Date): GuardAnswer {
  const { handoffStep, windowSteps, finalStep: last } = plan;
  const end = handoffStep + windowSteps;
  const base = { guard: 'final step', source: 'the plan', readAt: now.toISOString() };
  return end < last
    ? { ...base, answer: 'open', sentence: `the window ends at step ${end}, the run at step ${last}` }
    : {
        ...base,
        answer: 'shut',
        sentence: `the window would end at step ${end}, but the run ends at step ${last}: revise the plan to a shorter window, or do not swap`,
      };
}

function approval(view: HeroView, now: Date): GuardAnswer {
  const valid = validApproval(view, now);
  const base = { guard: 'approval', source: 'our record', readAt: now.toISOString() };
  return valid === null
    ? { ...base, answer: 'shut', sentence: 'no approval covers this plan now: it must be given again' }
    : { ...base, answer: 'open', sentence: `given for this plan at row ${valid.gateSeq}, good until ${valid.until}` };
}

function short(sha: string): string {
  return sha.slice(0, 10);
}

function trimmed(path: string): string {
  return path.replace(/\/$/, '');
}
