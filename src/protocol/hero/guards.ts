import { isTerminal } from '../outside.js';
import type { Reading } from '../reading.js';
import type { Need, Readings } from '../table.js';
import { type HeroView, validApproval } from './facts.js';
import { landsInHours } from './hours.js';
import { peopleNeeds, whetherApproverStays, whetherSomebodyMayApprove } from './people.js';
import type { HeroPlan } from './plan.js';
import { answer, citation, need } from './read.js';

/**
 * The guards of a hero deploy: each is open, shut or unknown, with a sentence that says what it saw or what would
 * open it. Nothing that could not be read opens anything.
 */

export type Answer = 'open' | 'shut' | 'unknown';

export interface GuardAnswer {
  readonly guard: string;
  readonly answer: Answer;
  readonly sentence: string;
  readonly source: string;
  readonly readAt: string;
}

/** Before the first look, before the cut, or before a launch while nothing is running. */
export type Occasion = 'preflight' | 'arming' | 'rearming';

export function guardNeeds(view: HeroView): readonly Need[] {
  const { family, oldRun, newRun, deploy, rollback } = view.plan;
  return [
    need('deploy_worktree', 'worktree', { family, dir: deploy.worktree }),
    need('rollback_worktree', 'worktree', { family, dir: rollback.worktree }),
    need('launch_record', 'launch_record', { family, dir: deploy.worktree }),
    need('old_checkpoints', 'checkpoints', { family, runId: oldRun }),
    need('new_checkpoints', 'checkpoints', { family, runId: newRun }),
    need('old_last_step', 'last_step', { family, runId: oldRun, sinceMs: 0 }),
    need('coordinators', 'coordinators', { family }),
    need('tracker_child', 'tracker_child', { family, runId: newRun }),
    need('credentials', 'credentials', { family }),
    ...peopleNeeds(view),
    ...(view.facts.oldCoordinator === undefined ? [] : [need('old_pods', 'pods', { family, jobId: view.facts.oldCoordinator })]),
  ];
}

/** One shut guard shuts; else one unknown holds; only all known and open opens; no guards at all is unknown. */
export function overall(guards: readonly GuardAnswer[]): Answer {
  if (guards.some(({ answer }) => answer === 'shut')) return 'shut';
  if (guards.length === 0 || guards.some(({ answer }) => answer !== 'open')) return 'unknown';
  return 'open';
}

export function assessGuards(view: HeroView, readings: Readings, occasion: Occasion, now: Date): readonly GuardAnswer[] {
  const guards = [
    deployWorktree(view, readings),
    rollbackWorktree(view, readings),
    launchRecord(view, readings),
    checkpoint(view, readings),
    discardedSteps(view, readings),
    newTree(view, readings),
    coordinators(view, readings, occasion),
    trackerChild(view, readings),
    credentials(view, readings),
    guard('approvers', answer(readings, 'somebody', 'approvers'), whetherSomebodyMayApprove),
    clock(view, readings, now),
  ];
  if (occasion === 'preflight') return guards;
  return [
    ...guards,
    approval(view, now),
    guard('approver', answer(readings, 'account', 'approver'), whetherApproverStays),
    ...oldPods(view, readings, occasion),
  ];
}

export type Assessed = readonly [Answer, string];

/** Unknown stays unknown, with why; only a known value is looked at. */
function guard<T>(name: string, reading: Reading<T> | undefined, assess: (value: T) => Assessed): GuardAnswer {
  if (reading === undefined) return { guard: name, answer: 'unknown', sentence: 'not read yet', source: '', readAt: '' };
  if (reading.kind === 'unknown') {
    return { guard: name, answer: 'unknown', sentence: `could not be read: ${reading.why}, ${reading.detail}`, ...citation(reading) };
  }
  const [verdict, sentence] = assess(reading.value);
  return { guard: name, answer: verdict, sentence, ...citation(reading) };
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
  const { handoffStep, oldRun } = view.plan;
  return guard('handoff checkpoint', answer(readings, 'checkpoints', 'old_checkpoints'), (all) => {
    // A step may stand in the permanent and in the temporary tree: the permanent one is what is meant.
    const named = all.filter(({ step }) => step === handoffStep);
    const handoff = named.find(({ permanent }) => permanent) ?? named[0];
    if (handoff === undefined) return ['shut', `step-${handoffStep} is not in the tree of ${oldRun}`];
    if (!handoff.complete)
      return ['shut', `step-${handoffStep} has no metadata.json yet: it is still being written, or was never finished`];
    if (!handoff.permanent) return ['shut', `step-${handoffStep} is temporary and will expire: ask for a permanent one`];
    if (handoff.recordedStep !== handoffStep) return ['shut', `step-${handoffStep} records step ${handoff.recordedStep} inside`];
    const newest = Math.max(...all.filter(({ complete, permanent }) => complete && permanent).map(({ step }) => step));
    if (newest !== handoffStep) {
      return [
        'shut',
        `step-${newest} is newer and complete: ${newest - handoffStep} more steps would be thrown away; revise the plan to step-${newest}`,
      ];
    }
    return ['open', `step-${handoffStep} is complete, permanent and the newest permanent one of ${oldRun}`];
  });
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
  const { handoffStep, discardedStepsMax, oldRun } = view.plan;
  return guard('discarded steps', answer(readings, 'last_step', 'old_last_step'), ({ step }) => {
    if (step === null) return ['unknown', `telemetry holds no step of ${oldRun}`];
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
  const { oldRun, kind } = view.plan;
  return guard('coordinators', answer(readings, 'coordinators', 'coordinators'), (all) => {
    const live = all.filter(({ state }) => !isTerminal(state));
    const listed = live.map(({ jobId }) => jobId).join(', ');
    if (occasion === 'rearming' || kind === 'recover') {
      return live.length === 0 ? ['open', 'no coordinator of the family is live'] : ['shut', `still live: ${listed}`];
    }
    const [only] = live;
    if (only === undefined) return ['shut', 'no coordinator of the family is live, so there is no control to swap'];
    if (live.length > 1) return ['shut', `${live.length} coordinators are live: ${listed}; find out whose the others are`];
    if (only.runId !== oldRun) return ['shut', `the live coordinator is ${only.jobId}, agreed was a run named ${oldRun}`];
    return ['open', `exactly one is live: ${only.jobId}`];
  });
}

/**
 * Before the cut the pods must be readable, or nobody could prove the old run gone after it. Before another launch
 * there must be none: a terminal coordinator is not enough, ranks of the new gang would meet those of the old one.
 */
function oldPods(view: HeroView, readings: Readings, occasion: Occasion): readonly GuardAnswer[] {
  const { oldCoordinator } = view.facts;
  if (oldCoordinator === undefined) return [];
  if (occasion === 'arming') {
    const witness = guard('pods', answer(readings, 'pods', 'old_pods'), (all) => [
      'open',
      `${all.length} pods of ${oldCoordinator} can be read`,
    ]);
    return [witness];
  }
  const declared = view.facts.declaredGone?.jobId === oldCoordinator ? (view.facts.declaredGone?.pods ?? []) : [];
  const pods = guard('old pods', answer(readings, 'pods', 'old_pods'), (all) =>
    all.every(({ name }) => declared.includes(name))
      ? [
          'open',
          all.length === 0
            ? `${oldCoordinator} has no pods`
            : `the ${all.length} pods still listed of ${oldCoordinator} were declared gone by name`,
        ]
      : ['shut', `${oldCoordinator} still has ${all.length} pods, the first is ${all[0]?.name}`],
  );
  return [pods];
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

function clock(view: HeroView, readings: Readings, now: Date): GuardAnswer {
  const { workingHours: agreed, roundTripSeconds } = view.plan;
  if (now < view.lastAt) {
    const sentence = `our clock reads earlier than the last recorded row (${view.lastAt.toISOString()})`;
    return { guard: 'clock', source: 'our clock', readAt: now.toISOString(), answer: 'unknown', sentence };
  }
  return guard('clock', readings.hours as Reading<HeroPlan['workingHours']> | undefined, (today) => {
    const minutes = Math.ceil(roundTripSeconds / 60);
    const shut = [agreed, today].find((hours) => !landsInHours(hours, now, roundTripSeconds));
    return shut === undefined
      ? ['open', `a swap and its rollback (${minutes} min) end before ${today.until} ${today.zone}`]
      : [
          'shut',
          `a swap and its rollback (${minutes} min) would not end within ${shut.from} to ${shut.until} ${shut.zone} on ${shut.days.join(' ')}`,
        ];
  });
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
