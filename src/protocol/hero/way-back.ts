import { doubtWords } from '../doubt.js';
import { isTerminal } from '../outside.js';
import { answer, evidenceOf, need } from '../read.js';
import type { Need, Readings } from '../table.js';
import type { HeroView } from './facts.js';
import { assessGone, goneNeeds } from './gone.js';
import { assessLaunch, launchNeeds, submittedAt } from './launch.js';
import { noteStep, stepAge, streak, twice } from './memory.js';
import { compareReplay } from './replay.js';
import { coordinatorsNeed, foreign, nothing, one, secondsIn, submitMayCome, type Watcher } from './watcher.js';

/** From the cancelled candidate back to the old run, proven by its own earlier rows. */

export const stoppingNew: Watcher = {
  needs: (view) => [...goneNeeds(view, view.facts.newCoordinator ?? '', view.plan.newRun), coordinatorsNeed(view)],
  watch(view, readings, memory, now) {
    const gone = assessGone(view, readings, memory, view.facts.newCoordinator ?? '', view.plan.newRun, now);
    const base = { evidence: gone.evidence, details: { sentence: gone.sentence } };
    if (gone.kind === 'gone') return one(gone.memory, { ...base, on: 'new_gone' });
    const stranger = foreign(view, readings, gone.memory);
    if (stranger.proposals.length > 0) return stranger;
    if (secondsIn(view, now) < view.plan.limits.cancelSeconds) return stranger;
    return one(stranger.memory, { ...base, on: gone.kind === 'live' ? 'new_still_live' : 'new_unknown' });
  },
};

/** The tree the old run is launched from: it was a guard of the cut, which may be hours ago. */
function rollbackNeed({ plan }: HeroView): Need {
  return need('rollback_worktree', 'worktree', { family: plan.family, dir: plan.rollback.worktree, remote: false });
}

/** Why the old run may not be launched from its worktree now; null: pristine at the agreed commit. */
export function rollbackTreeDoubt({ plan }: HeroView, readings: Readings): string | null {
  const tree = answer(readings, 'worktree', 'rollback_worktree');
  if (tree?.kind !== 'known')
    return `the rollback worktree could not be read (${tree === undefined ? 'not read yet' : doubtWords(tree.why)})`;
  const { head, dirty } = tree.value;
  if (head !== plan.rollback.commit) {
    return `the rollback worktree is at ${head.slice(0, 10)}, the old run's commit is ${plan.rollback.commit.slice(0, 10)}: check that out`;
  }
  return dirty.length === 0
    ? null
    : `the rollback worktree is not pristine (${dirty.slice(0, 3).join(', ')}): commit or remove what is there`;
}

export const anchoring: Watcher = {
  needs: (view) => [
    rollbackNeed(view),
    need('old_checkpoints', 'checkpoints', { family: view.plan.family, runId: view.plan.oldRun }),
    need('steps', 'last_step', { family: view.plan.family, runId: view.plan.oldRun, sinceMs: 0 }),
    coordinatorsNeed(view),
    ...(view.facts.oldCoordinator === undefined
      ? []
      : [need('pods', 'pods', { family: view.plan.family, jobId: view.facts.oldCoordinator })]),
  ],
  watch(view, readings, memory, now) {
    const stranger = foreign(view, readings, memory);
    if (stranger.proposals.length > 0) return stranger;
    const coordinators = answer(readings, 'coordinators', 'coordinators');
    const pods = answer(readings, 'pods', 'pods');
    const { oldCoordinator, declaredGone } = view.facts;
    const declared = declaredGone?.jobId === oldCoordinator ? (declaredGone?.pods ?? []) : [];
    const noPods = oldCoordinator === undefined || (pods?.kind === 'known' && pods.value.every(({ name }) => declared.includes(name)));
    const clear = streak(stranger.memory, 'none_live', coordinators, noPods && liveCoordinators(readings).length === 0);
    const checkpoints = answer(readings, 'checkpoints', 'old_checkpoints');
    const steps = answer(readings, 'last_step', 'steps');
    const evidence = evidenceOf(checkpoints, steps, coordinators);
    const newest = checkpoints?.kind === 'known' ? checkpoints.value.filter(({ complete }) => complete).at(-1) : undefined;
    const last = view.facts.controlLastStep ?? (steps?.kind === 'known' ? steps.value.step : null);
    // Nothing is launched beside a live run, whoever's it is, nor beside pods that a dead one left: none may be
    // listed, twice; nor while a submit of ours from before may still come.
    const treeDoubt = rollbackTreeDoubt(view, readings);
    const clearTwice = twice(clear, 'none_live') && !submitMayCome(view);
    if (newest !== undefined && last !== null && treeDoubt === null && clearTwice) {
      const { step, path } = newest;
      const { handoffStep } = view.plan;
      // Finishing update N logs step N-1, so a checkpoint may be one step past the last logged row.
      const inside = step >= handoffStep && step <= last + 1;
      const sentence = `the old tree's newest complete checkpoint is step-${step}; the range is ${handoffStep} to ${last + 1}`;
      const facts = { anchor: { step, path }, controlLastStep: last };
      return one(clear, { on: inside ? 'anchor_in_range' : 'anchor_outside', facts, details: { step, sentence }, evidence });
    }
    if (secondsIn(view, now) < view.plan.limits.guardsSeconds) return nothing(clear);
    const why = submitMayCome(view)
      ? 'an earlier submit of ours may still act'
      : !noPods
        ? `pods of ${view.facts.oldCoordinator} are still listed, or could not be read`
        : checkpoints?.kind === 'known' && newest === undefined
          ? 'the old tree holds no complete checkpoint'
          : (treeDoubt ?? 'it could not be read in time');
    return one(clear, {
      on: 'anchor_unknown',
      details: { sentence: `the old run cannot be launched yet: ${why}` },
      evidence,
    });
  },
};

export const awaitingAnchor: Watcher = {
  needs: (view) => [
    need('old_checkpoints', 'checkpoints', { family: view.plan.family, runId: view.plan.oldRun }),
    rollbackNeed(view),
    coordinatorsNeed(view),
  ],
  watch: (view, readings, memory) => foreign(view, readings, memory),
};

export const relaunchingOld: Watcher = {
  needs: (view) => launchNeeds(view, 'launch_old'),
  watch(view, readings, memory, now) {
    const launch = assessLaunch(view, readings, memory, view.plan.oldRun, 'launch_old');
    const base = { details: { sentence: launch.sentence }, evidence: launch.evidence };
    if (launch.kind === 'once' && launch.jobId !== null) {
      return one(launch.memory, {
        ...base,
        on: 'relaunched_once',
        facts: { relaunchedCoordinator: launch.jobId, relaunchedAt: submittedAt(view, 'launch_old', now) },
      });
    }
    if (launch.kind === 'two') return one(launch.memory, { ...base, on: 'relaunch_two' });
    const stranger = foreign(view, readings, launch.memory);
    if (stranger.proposals.length > 0) return stranger;
    if (launch.kind === 'absent') return one(stranger.memory, { ...base, on: 'relaunch_absent' });
    if (secondsIn(view, now) < view.plan.limits.launchSeconds) return stranger;
    return one(stranger.memory, { ...base, on: 'relaunch_unknown' });
  },
};

export const replaying: Watcher = {
  needs(view) {
    const { family, oldRun } = view.plan;
    const from = view.facts.anchor?.step ?? view.plan.handoffStep;
    const to = Math.max(from, view.facts.controlLastStep ?? from);
    const sinceMs = new Date(view.facts.relaunchedAt ?? view.enteredAt).getTime() - 60_000;
    return [
      coordinatorsNeed(view),
      need('job', 'job_state', { family, jobId: view.facts.relaunchedCoordinator ?? '' }),
      need('steps', 'last_step', { family, runId: oldRun, sinceMs: Math.max(0, sinceMs) }),
      need('replay', 'series', { family, runId: oldRun, metrics: ['train_loss'], from, to: to + 5 }),
    ];
  },
  watch(view, readings, memory, now) {
    const stranger = foreign(view, readings, memory);
    if (stranger.proposals.length > 0) return stranger;
    const job = answer(readings, 'job_state', 'job');
    const series = answer(readings, 'series', 'replay');
    const ended = job?.kind === 'known' && job.value !== 'absent' && isTerminal(job.value);
    let next = streak(stranger.memory, 'replay_ended', job, ended);
    const evidence = evidenceOf(job, series);
    if (twice(next, 'replay_ended') && job?.kind === 'known') {
      return one(next, { on: 'hung', details: { sentence: `${view.facts.relaunchedCoordinator} is ${job.value}, seen twice` }, evidence });
    }
    if (series?.kind !== 'known') return nothing(next);

    const replay = compareReplay(view, series.value);
    if (replay.last !== null) next = noteStep(next, view.plan.oldRun, replay.last, `replay-${replay.attempt}`, now);
    if (replay.restarted) {
      const sentence = `attempt ${replay.attempt} began: the relaunched run restarted by itself, so its replay proves nothing`;
      return one(next, { on: 'retried', details: { sentence }, evidence });
    }
    if (replay.outcome !== null) {
      const { outcome, sentence } = replay;
      const details = { sentence, steps: replay.compared, largest: replay.largest };
      return one(next, { on: outcome, facts: outcome === 'replay_not_comparable' ? { unverified: true } : {}, details, evidence });
    }
    const age = replay.last === null ? null : stepAge(next, view.plan.oldRun, now, view.plan.limits.hangSeconds);
    const waited = secondsIn(view, now);
    if ((age !== null && age >= view.plan.limits.hangSeconds) || (replay.last === null && waited >= view.plan.limits.startUpSeconds)) {
      return one(next, { on: 'hung', details: { sentence: `the old run does not step: ${replay.sentence}` }, evidence });
    }
    return nothing(next);
  },
};

/** Whether a state's readings name a live run that could be adopted. */
export function liveCoordinators(readings: Readings): readonly { readonly jobId: string; readonly runId: string }[] {
  const reading = answer(readings, 'coordinators', 'coordinators');
  return reading?.kind === 'known' ? reading.value.filter(({ state }) => !isTerminal(state)) : [];
}
