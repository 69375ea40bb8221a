import { controlCoverage, sanityOf } from '../gate/sanity.js';
import { isTerminal } from '../outside.js';
import { answer, evidenceOf, need } from '../read.js';
import type { Readings } from '../table.js';
import type { HeroView } from './facts.js';
import { validApproval } from './facts.js';
import { assessGone, goneNeeds } from './gone.js';
import { fileGuards, type Occasion } from './guard.js';
import { assessGuards, guardNeeds, overall } from './guards.js';
import { assessLaunch, launchNeeds, submittedAt } from './launch.js';
import { type HeroMemory, noteStep, streak, twice } from './memory.js';
import { metricsOf, windowOf } from './plan.js';
import type { HeroEvent } from './table.js';
import { actIsOver, coordinatorsNeed, foreign, nothing, one, type Seen, secondsIn, type Watcher } from './watcher.js';

/** From the preflight to a launched candidate: everything that stops the control, and what must be proven on the way. */

/** Reads all guards; answers once all are known, one is shut, or the time for repeated reads is over. */
function guardsWatch(occasion: Occasion, opened: (view: HeroView, readings: Readings) => HeroEvent): Watcher {
  return {
    needs: (view) => guardNeeds(view, occasion),
    watch(view, readings, memory, now) {
      const guards = assessGuards(view, readings, occasion, now);
      const verdict = overall(guards);
      const filed = fileGuards(guards, evidenceOf(...Object.values(readings)));
      const { evidence } = filed;
      const details = { guards: filed.guards };
      if (verdict === 'shut') return one(memory, { on: 'guards_shut', details, evidence });
      if (verdict === 'open') return one(memory, { on: opened(view, readings), details, evidence, facts: factsFromGuards(readings) });
      if (secondsIn(view, now) < view.plan.limits.guardsSeconds) return nothing(memory);
      return one(memory, { on: 'guards_unknown', details, evidence });
    },
  };
}

/** The only live coordinator is the one that will be cancelled, by its exact id. */
function factsFromGuards(readings: Readings) {
  const reading = answer(readings, 'coordinators', 'coordinators');
  const only = reading?.kind === 'known' ? reading.value.find(({ state }) => !isTerminal(state)) : undefined;
  return only === undefined ? {} : { oldCoordinator: only.jobId };
}

export const preflighting = guardsWatch('preflight', () => 'guards_open');

export const arming = guardsWatch('arming', (view, readings) => {
  if (view.plan.kind === 'recover') return 'guards_open_recover';
  const child = answer(readings, 'tracker_child', 'tracker_child');
  const forked = child?.kind === 'known' && child.value.exists; // and ours, or its guard were not open
  return view.plan.forkFrom !== null && !forked ? 'guards_open_fork_wanted' : 'guards_open';
});

export const rearming = guardsWatch('rearming', () => 'guards_open');

/** From the agreement on the control's window is looked at, so that a hole in it is seen before the cut. Nothing follows from it. */
export const controlWindow: Watcher = {
  needs: (view) => [seriesNeed(view)],
  watch: (_view, _readings, memory) => nothing(memory),
};

/** The control runs on; its window fills. */
export const ready: Watcher = {
  needs: (view) => [...controlNeeds(view), seriesNeed(view)],
  watch(view, readings, memory, now) {
    const controlled = watchControl(view, readings, memory, now);
    if (controlled.proposals.length > 0) return controlled;

    const series = answer(readings, 'series', 'control_series');
    if (series?.kind !== 'known') return controlled;
    const attempts = 1 + Math.max(-1, ...series.value.map(({ attempt }) => attempt));
    const before = controlled.memory.attempts[view.plan.oldRun];
    const noted = { ...controlled.memory, attempts: { ...controlled.memory.attempts, [view.plan.oldRun]: attempts } };
    if (before !== undefined && attempts > before) {
      return one(noted, {
        on: 'control_retried',
        key: `attempt-${attempts}`,
        details: { sentence: `the control was retried (attempt ${attempts}); its window is read again` },
        evidence: evidenceOf(series),
      });
    }

    const window = windowOf(view.plan);
    const coverage = view.plan.gate.map((criterion) => ({ id: criterion.id, ...controlCoverage(criterion, series.value, window) }));
    const pastEnd = series.value.some(({ step, metric }) => metric === 'train_loss' && step >= window.end);
    // A run that is launched again may have no control at its steps: then the verdict is unknown, and a person decides.
    const covered = pastEnd && coverage.every(({ usable }) => usable);
    if (!covered && view.plan.kind !== 'recover') return nothing(noted);
    const on = validApproval(view, now) === null ? 'window_known' : 'window_known_approved_ahead';
    return one(noted, {
      on,
      attach: { controlWindow: JSON.stringify(series.value) },
      details: {
        coverage: coverage.map(({ id, present, expected }) => ({ id, present, expected })),
        sanity: view.plan.gate.map((criterion) => ({ ...sanityOf(criterion, series.value, window) })),
      },
    });
  },
};

export const awaitingLaunch: Watcher = { needs: (view) => controlNeeds(view), watch: watchControl };

function controlNeeds(view: HeroView) {
  const { family, oldRun } = view.plan;
  const jobId = view.facts.oldCoordinator;
  return [
    coordinatorsNeed(view),
    need('steps', 'last_step', { family, runId: oldRun, sinceMs: 0 }),
    ...(jobId === undefined ? [] : [need('job', 'job_state', { family, jobId })]),
  ];
}

function seriesNeed(view: HeroView) {
  const { start, end } = windowOf(view.plan);
  return need('control_series', 'series', {
    family: view.plan.family,
    runId: view.plan.oldRun,
    metrics: metricsOf(view.plan),
    from: start,
    to: end,
  });
}

/** A control that ends by itself before the cut: finished, or dead, never gone because a row is missing. */
function watchControl(view: HeroView, readings: Readings, memory: HeroMemory, now: Date): Seen {
  const stranger = foreign(view, readings, memory);
  if (stranger.proposals.length > 0) return stranger;
  const job = answer(readings, 'job_state', 'job');
  const steps = answer(readings, 'last_step', 'steps');
  const ended = job?.kind === 'known' && job.value !== 'absent' && isTerminal(job.value);
  let next = streak(stranger.memory, 'control_ended', job, ended);
  if (steps?.kind === 'known' && steps.value.step !== null) next = noteStep(next, view.plan.oldRun, steps.value.step, '', now);
  if (!twice(next, 'control_ended') || job?.kind !== 'known') return nothing(next);
  return one(next, {
    on: job.value === 'succeeded' ? 'control_finished' : 'control_died',
    details: { sentence: `${view.facts.oldCoordinator} is ${job.value}, seen twice` },
    facts: steps?.kind === 'known' && steps.value.step !== null ? { controlLastStep: steps.value.step } : {},
    evidence: evidenceOf(job, steps),
  });
}

/**
 * Whether what was agreed may still be carried on by itself: not after an abort, not after the approval has expired,
 * and not out of a hold, during which what the guards had seen may have changed.
 */
function mayGoOn(view: HeroView, now: Date): boolean {
  const entered = view.history.find(({ seq }) => seq === view.enteredAtSeq)?.event;
  const outOfHold = entered === 'recheck_proved' || entered === 'declare_gone';
  return view.facts.abortAsked !== true && !outOfHold && validApproval(view, now) !== null;
}

/** The tracker child is made once. What proves it is the child, read back, not the command that made it. */
export const forking: Watcher = {
  needs: (view) => [need('tracker_child', 'tracker_child', { family: view.plan.family, runId: view.plan.newRun }), ...controlNeeds(view)],
  watch(view, readings, memory, now) {
    const { handoffCheckpoint, forkFrom, deploy, newRun, oldRun, limits } = view.plan;
    const reading = answer(readings, 'tracker_child', 'tracker_child');
    const steps = answer(readings, 'last_step', 'steps');
    const child = reading?.kind === 'known' ? reading.value : null;
    const over = actIsOver(view, 'fork');
    const seen = steps?.kind === 'known' && steps.value.step !== null ? noteStep(memory, oldRun, steps.value.step, '', now) : memory;
    const next = streak(seen, 'no_child', over ? reading : undefined, child?.exists === false);
    const evidence = evidenceOf(reading);
    if (child?.exists === true && over) {
      const ours =
        child.handoffCheckpoint?.replace(/\/$/, '') === handoffCheckpoint.replace(/\/$/, '') &&
        child.forkFrom === forkFrom &&
        child.launchCommit === deploy.commit;
      if (!ours)
        return one(next, { on: 'fork_unknown', details: { sentence: `${newRun} exists, but was not made from this plan` }, evidence });
      const on = mayGoOn(view, now) ? 'fork_proven' : 'fork_proven_after_abort';
      return one(next, {
        on,
        facts: { forked: true },
        details: { sentence: `${newRun} is in the tracker, forked from ${forkFrom}` },
        evidence,
      });
    }
    if (twice(next, 'no_child')) {
      return one(next, {
        on: 'fork_absent',
        details: { sentence: `${newRun} is not in the tracker, seen twice after the fork ended` },
        evidence,
      });
    }
    if (secondsIn(view, now) < limits.launchSeconds) return nothing(next);
    return one(next, { on: 'fork_unknown', details: { sentence: `whether ${newRun} was forked could not be read in time` }, evidence });
  },
};

export const stoppingOld: Watcher = {
  needs: (view) => [...goneNeeds(view, view.facts.oldCoordinator ?? '', view.plan.oldRun), coordinatorsNeed(view)],
  watch(view, readings, memory, now) {
    const jobId = view.facts.oldCoordinator ?? '';
    const gone = assessGone(view, readings, memory, jobId, view.plan.oldRun, now);
    const listed = answer(readings, 'coordinators', 'coordinators');
    const seen = streak(gone.memory, 'none_live', listed, listed?.kind === 'known' && listed.value.every(({ state }) => isTerminal(state)));
    const evidence = [...gone.evidence, ...evidenceOf(listed)];
    if (gone.kind === 'gone') {
      const facts = { oldGone: true, ...(gone.lastStep === null ? {} : { controlLastStep: gone.lastStep }) };
      const proof = { evidence, details: { sentence: gone.sentence }, facts };
      if (!mayGoOn(view, now)) return one(seen, { ...proof, on: 'old_gone_after_abort' });
      // What was cancelled is gone; what is launched now must also find nobody else of the family live.
      if (twice(seen, 'none_live')) return one(seen, { ...proof, on: 'old_gone' });
    }
    const stranger = foreign(view, readings, seen);
    if (stranger.proposals.length > 0) return stranger;
    if (secondsIn(view, now) < view.plan.limits.cancelSeconds) return stranger;
    const sentence = gone.kind === 'gone' ? `${gone.sentence}, but whether nobody else is live is not known` : gone.sentence;
    return one(stranger.memory, { evidence, details: { sentence }, on: gone.kind === 'live' ? 'old_still_live' : 'old_unknown' });
  },
};

export const nothingRunning: Watcher = {
  needs: (view) => [coordinatorsNeed(view)],
  watch: (view, readings, memory) => foreign(view, readings, memory),
};

export const launching: Watcher = {
  needs: (view) => launchNeeds(view, 'launch_new'),
  watch(view, readings, memory, now) {
    const launch = assessLaunch(view, readings, memory, view.plan.newRun, 'launch_new');
    const base = { details: { sentence: launch.sentence }, evidence: launch.evidence };
    if (launch.kind === 'once' && launch.jobId !== null) {
      const on = view.facts.abortAsked === true ? 'launched_once_after_abort' : 'launched_once';
      return one(launch.memory, {
        ...base,
        on,
        facts: { newCoordinator: launch.jobId, launchedAt: submittedAt(view, 'launch_new', now), phase: 'queued' },
      });
    }
    if (launch.kind === 'two') return one(launch.memory, { ...base, on: 'launch_two' });
    const stranger = foreign(view, readings, launch.memory);
    if (stranger.proposals.length > 0) return stranger;
    if (launch.kind === 'absent') return one(stranger.memory, { ...base, on: 'launch_absent' });
    if (secondsIn(view, now) < view.plan.limits.launchSeconds) return stranger;
    return one(stranger.memory, { ...base, on: 'launch_unknown' });
  },
};
