import { isTerminal } from '../outside.js';
import { answer, evidenceOf } from '../read.js';
import type { Readings } from '../table.js';
import { attemptOf } from './attempts.js';
import type { HeroView } from './facts.js';
import { type HeroMemory, noteStep, type StepSeen, stepAge, streak, twice } from './memory.js';
import { ownPace, stallLimit } from './pace.js';
import { expectedOf } from './phases.js';
import { windowOf } from './plan.js';
import type { HeroProposal } from './watcher.js';

/** Whether the candidate steps: from when *we* saw its newest attempt's step move, never from what others call it. */

/** A reading older than this share of the hang limit says nothing about the present. */
const FRESH_SHARE = 0.5;

export type Failure = 'gate_failed' | 'retried' | 'hung' | 'ended' | 'startup_overdue';

/** Whether the candidate is known to run and its step was seen to move within the hang limit. */
export function isAlive(view: HeroView, memory: HeroMemory, readings: Readings, now: Date): boolean {
  const job = answer(readings, 'job_state', 'job');
  const { hangSeconds } = view.plan.limits;
  const age = stepAge(memory, view.plan.newRun, now, hangSeconds * FRESH_SHARE);
  const moved = memory.steps[view.plan.newRun]?.moved === true;
  return job?.kind === 'known' && job.value === 'running' && moved && age !== null && age < hangSeconds;
}

/** Notes the step that was read. After a time without readings it is met anew: nothing is known until it is watched again. */
export function noteLiveness(view: HeroView, readings: Readings, memory: HeroMemory, now: Date): HeroMemory {
  const steps = answer(readings, 'last_step', 'steps');
  if (steps?.kind !== 'known' || steps.value.step === null) return memory;
  // Passes that are slow on our side leave no gap: only readings that failed in between do.
  const unwatchedSeconds = memory.blind.steps === undefined ? Number.POSITIVE_INFINITY : view.plan.limits.hangSeconds * FRESH_SHARE;
  return noteStep(memory, view.plan.newRun, steps.value.step, `${attemptOf(view, readings)}`, now, unwatchedSeconds);
}

export interface Trouble {
  /** Gravest first. `which` tells one hang or retry from the next. */
  readonly found: readonly { readonly event: Failure; readonly which: string; readonly sentence: string }[];
  readonly memory: HeroMemory;
  readonly evidence: readonly string[];
}

/** An end, a retry, a hang. A hang is told from step age alone: errors may be absent and every task "running". */
export function troubleOf(view: HeroView, readings: Readings, memory: HeroMemory, now: Date): Trouble {
  const job = answer(readings, 'job_state', 'job');
  const steps = answer(readings, 'last_step', 'steps');
  const ended = job?.kind === 'known' && job.value !== 'absent' && isTerminal(job.value);
  const next = streak(memory, 'ended', job, ended);
  const evidence = evidenceOf(job, steps, answer(readings, 'markers', 'markers'));
  const found: Trouble['found'][number][] = [];

  if (twice(next, 'ended') && job?.kind === 'known') {
    const sentence = `${view.facts.newCoordinator} is ${job.value}, seen twice${againstEnd(view, readings, next, now)}`;
    found.push({ event: 'ended', which: 'ended', sentence });
  }
  const attempt = attemptOf(view, readings);
  if (attempt > 0) found.push({ event: 'retried', which: `retried-${attempt}`, sentence: retriedWords(view, readings, attempt) });
  const age = ageNow(view, readings, next, now);
  const { hangSeconds } = view.plan.limits;
  if (age !== null && age.seconds >= hangSeconds) {
    const sentence = `no step for ${Math.round(age.seconds)} s at step ${age.seen.step}, agreed limit ${hangSeconds} s; ${scheduled(readings)}`;
    found.push({ event: 'hung', which: `hung-${age.seen.step}`, sentence });
  }
  return { found, memory: next, evidence };
}

/** What the evidence says against a scheduler that calls the run over; empty where they agree. */
function againstEnd(view: HeroView, readings: Readings, memory: HeroMemory, now: Date): string {
  const job = answer(readings, 'job_state', 'job');
  const seen = memory.steps[view.plan.newRun];
  const { end } = windowOf(view.plan);
  const age = stepAge(memory, view.plan.newRun, now, view.plan.limits.hangSeconds * FRESH_SHARE);
  if (seen?.moved === true && age !== null && age < view.plan.limits.stallSeconds) {
    return `; the evidence says otherwise: its step still moved ${Math.round(age)} s ago, at ${seen.step}`;
  }
  if (job?.kind !== 'known' || job.value !== 'succeeded') return '';
  const last = seen === undefined ? 'no step was seen' : `the last step seen is ${seen.step} of a window that ends at ${end}`;
  return `; the scheduler says success, the evidence does not: ${last}, and no artefact of an end is proven`;
}

function retriedWords(view: HeroView, readings: Readings, attempt: number): string {
  const series = answer(readings, 'series', 'series');
  const rows = series?.kind === 'known' ? series.value : [];
  const newest = rows.reduce((most, row) => Math.max(most, row.attempt), -1);
  const replayed = rows.filter((row) => row.attempt === newest && newest > 0).map(({ step }) => step);
  const before = rows.filter((row) => row.attempt < newest).map(({ step }) => step);
  const base = `attempt ${attempt} began: the trial of ${view.plan.newRun} restarted by itself`;
  if (replayed.length === 0 || before.length === 0) return base;
  const from = Math.min(...replayed);
  return `${base} after step ${Math.max(...before)} and replays from step ${from}; from there on only its own rows count`;
}

interface Age {
  readonly seconds: number;
  readonly seen: StepSeen;
}

/** How long the step has stood, by a reading of now; null where nothing was read now, or no step was ever met. */
function ageNow(view: HeroView, readings: Readings, memory: HeroMemory, now: Date): Age | null {
  const steps = answer(readings, 'last_step', 'steps');
  const seen = memory.steps[view.plan.newRun];
  // The age of a last good row is not computed as if it were fresh: who is blind knows neither health nor a hang.
  if (steps?.kind !== 'known' || seen === undefined) return null;
  return { seconds: (now.getTime() - seen.movedAt.getTime()) / 1000, seen };
}

/** What the scheduler says, and whether that is against the step. */
function scheduled(readings: Readings): string {
  const job = answer(readings, 'job_state', 'job');
  const pods = answer(readings, 'pods', 'pods');
  const running = pods?.kind === 'known' ? pods.value.filter(({ phase }) => phase === 'Running').length : null;
  const gang = running === null ? '' : `, ${running} pods run`;
  if (job?.kind !== 'known') return `the scheduler could not be read${gang}`;
  const against = job.value === 'running' ? ': they do not agree, and the step counts' : '';
  return `the scheduler says ${job.value}${gang}${against}`;
}

/** The pace that the candidate's own rows show, seconds a step; null: not known yet. */
export function paceOf(readings: Readings): number | null {
  const rows = [answer(readings, 'series', 'series'), answer(readings, 'series', 'after_window')].flatMap((reading) =>
    reading?.kind === 'known' ? reading.value : [],
  );
  return ownPace(rows);
}

/**
 * A step that stands for longer than the run's own pace explains: a ping and no verdict, told once for each stand-still,
 * and once when it is over.
 */
export function stallProposals(view: HeroView, readings: Readings, memory: HeroMemory, now: Date): readonly HeroProposal[] {
  const age = ageNow(view, readings, memory, now);
  if (age === null) return [];
  const { seconds, seen } = age;
  const told = view.facts.stall ?? null;
  const evidence = evidenceOf(answer(readings, 'last_step', 'steps'), answer(readings, 'job_state', 'job'));
  if (told !== null) {
    if (seen.step === told.step) return [];
    const sentence = `its step moved from ${told.step} to ${seen.step}`;
    return [{ on: 'stall_over', key: `${told.step}-${told.since}`, facts: { stall: null }, details: { sentence }, evidence }];
  }
  if (seconds < view.plan.limits.stallSeconds) return [];
  const pace = paceOf(readings);
  const stands = stallLimit(view.plan, pace, seen.step);
  if (stands === null) return [];
  const limit = stands + (view.state === 'starting' ? expectedOf(view.plan, 'first_steps', attemptOf(view, readings)).until : 0);
  if (seconds < limit) return [];
  const since = seen.movedAt.toISOString();
  const of = pace === null ? `the control's pace of ${figure(view.plan.paceSecondsPerStep)} s` : `its own pace of ${figure(pace)} s`;
  const sentence = `step ${seen.step} has stood for ${Math.round(seconds)} s; ${of} a step explains ${Math.round(limit)} s; ${scheduled(readings)}`;
  return [
    {
      on: 'stall_suspected',
      key: `${seen.step}-${since}`,
      facts: { stall: { step: seen.step, since } },
      details: { sentence, since },
      evidence,
    },
  ];
}

function figure(seconds: number): string {
  return seconds.toPrecision(3);
}
