import { judge } from '../gate/judge.js';
import { lineageOf } from '../gate/lineage.js';
import type { GateResult } from '../gate/verdict.js';
import { isTerminal, type Sample } from '../outside.js';
import type { Reading } from '../reading.js';
import type { Need, Readings } from '../table.js';
import { type HeroView, PHASES, type Phase } from './facts.js';
import { logOf, spanOf } from './logs.js';
import { type HeroMemory, noteStep, stepAge, streak, twice } from './memory.js';
import { metricsOf, windowOf } from './plan.js';
import { answer, evidenceOf, need } from './read.js';
import { coordinatorsNeed, foreign, type HeroProposal, nothing, one, type Seen, secondsIn, type Watcher } from './watcher.js';

/** The candidate from its launch to the decision: phases, liveness, the gate. */

/** A reading older than this many seconds, beside the hang limit's share, says nothing about the present. */
const FRESH_SHARE = 0.5;

type Failure = 'gate_failed' | 'retried' | 'hung' | 'ended' | 'startup_overdue';

export function candidateNeeds(view: HeroView): readonly Need[] {
  const { family, newRun } = view.plan;
  const jobId = view.facts.newCoordinator ?? '';
  const sinceMs = ownSinceMs(view);
  const { start, end } = windowOf(view.plan);
  return [
    coordinatorsNeed(view),
    need('job', 'job_state', { family, jobId }),
    need('steps', 'last_step', { family, runId: newRun, sinceMs }),
    need('markers', 'markers', { family, jobId, sinceMs }),
    need('series', 'series', { family, runId: newRun, metrics: metricsOf(view.plan), from: start, to: end }),
  ];
}

function trialNeeds(view: HeroView): readonly Need[] {
  const digest = view.facts.controlWindow;
  const stored: readonly Need[] = digest === undefined ? [] : [{ name: 'control_window', verb: 'stored', args: { digest } }];
  return [...candidateNeeds(view), need('pods', 'pods', { family: view.plan.family, jobId: view.facts.newCoordinator ?? '' }), ...stored];
}

export const starting: Watcher = {
  needs: trialNeeds,
  watch(view, readings, memory, now) {
    const looked = look(view, readings, memory, now);
    if (looked.proposals.length > 0) return looked;
    const steps = answer(readings, 'last_step', 'steps');
    const rows = steps?.kind === 'known' ? steps.value.rows : 0;
    const phase = phaseOf(readings, rows);
    const moved = phase !== null && PHASES.indexOf(phase) > PHASES.indexOf(view.facts.phase ?? 'queued');
    const proposals: HeroProposal[] = [];
    if (moved) proposals.push({ on: 'phase_reached', key: phase, facts: { phase }, details: { phase }, evidence: evidenceOf(steps) });
    if (rows >= 3 && steps?.kind === 'known') {
      proposals.push({ on: 'trial_began', details: { step: steps.value.step ?? 0 }, evidence: evidenceOf(steps) });
    }
    if (proposals.length > 0 || rows > 0) return { proposals, memory: looked.memory };
    const waited = secondsIn(view, now);
    const { startUpSeconds, queuedSeconds } = view.plan.limits;
    const short = shortOf(view, readings);
    if (
      short !== null &&
      waited >= queuedSeconds &&
      waited < startUpSeconds &&
      !view.history.some(({ event }) => event === 'queued_long')
    ) {
      return one(looked.memory, {
        on: 'queued_long',
        details: { sentence: short },
        evidence: evidenceOf(answer(readings, 'pods', 'pods')),
      });
    }
    if (waited < startUpSeconds) return looked;
    return one(looked.memory, failed(view, 'startup_overdue', `no step after ${Math.round(waited)} s, agreed were ${startUpSeconds} s`));
  },
};

export const trial: Watcher = {
  needs: trialNeeds,
  watch(view, readings, memory, now) {
    const looked = look(view, readings, memory, now);
    if (looked.proposals.length > 0) return looked;
    const result = judgeTrial(view, readings);
    // An UNKNOWN of today may be a row that comes late: only a complete window goes to a person.
    if (result === null || !result.complete) return looked;
    return one(looked.memory, {
      on: 'window_closed',
      facts: { verdict: result },
      details: { verdict: result.overall, criteria: result.criteria.map((criterion) => ({ ...criterion })) },
      evidence: evidenceOf(answer(readings, 'series', 'series'), answer(readings, 'last_step', 'steps')),
    });
  },
};

/** What waits for a person is watched on: the card shows it, and a go needs a run that is alive. */
export const awaitingPerson: Watcher = {
  needs: candidateNeeds,
  watch(view, readings, memory, now) {
    const stranger = foreign(view, readings, memory);
    return stranger.proposals.length > 0 ? stranger : nothing(noteLiveness(view, readings, stranger.memory, now));
  },
};

/** How far past its window a kept run's loss is looked at. */
const AFTER_WINDOW_STEPS = 20_000;

/** The losses after the window: no gate judges them, but steps that train NaN are not healthy. */
function afterWindowNeed({ plan }: HeroView): Need {
  const from = windowOf(plan).end + 1;
  const args = { family: plan.family, runId: plan.newRun, metrics: ['train_loss'], from, to: from + AFTER_WINDOW_STEPS };
  return need('after_window', 'series', args);
}

export const watching: Watcher = {
  needs: (view) => [...candidateNeeds(view), afterWindowNeed(view)],
  watch(view, readings, memory, now) {
    const stranger = foreign(view, readings, memory);
    if (stranger.proposals.length > 0) return stranger;
    const seen = noteLiveness(view, readings, stranger.memory, now);
    const trouble = troubleOf(view, readings, seen, now);
    const told = view.history.filter(({ event, seq }) => event === 'alert' && seq > view.enteredAtSeq).map(({ details }) => details.which);
    // A retry stays true for ever: told once, it hides neither a later hang nor healthy steps.
    const after = answer(readings, 'series', 'after_window');
    const nonFinite = firstNonFinite(after);
    const found =
      nonFinite === null ? trouble.found : [...trouble.found, { event: 'gate_failed', which: 'non_finite', sentence: nonFinite } as const];
    const untold = found.find(({ which }) => !told.includes(which));
    if (untold !== undefined) {
      const { event, which, sentence } = untold;
      return one(trouble.memory, {
        on: 'alert',
        key: which,
        facts: { alertAt: now.toISOString() },
        details: { trouble: event, which, sentence },
        evidence: trouble.evidence,
      });
    }
    const since = Math.max(view.enteredAt.getTime(), new Date(view.facts.alertAt ?? 0).getTime());
    const watched = (now.getTime() - since) / 1000;
    const healthy = after?.kind === 'known' && nonFinite === null && isAlive(view, trouble.memory, readings, now);
    if (watched < view.plan.limits.watchSeconds || !healthy) return nothing(trouble.memory);
    return one(trouble.memory, {
      on: 'closed',
      details: { sentence: `${Math.round(watched)} s of healthy steps after the decision` },
      evidence: evidenceOf(answer(readings, 'last_step', 'steps'), answer(readings, 'job_state', 'job')),
    });
  },
};

/** Whether the candidate is known to run and its step was seen to move within the hang limit. */
export function isAlive(view: HeroView, memory: HeroMemory, readings: Readings, now: Date): boolean {
  const job = answer(readings, 'job_state', 'job');
  const { hangSeconds } = view.plan.limits;
  const age = stepAge(memory, view.plan.newRun, now, hangSeconds * FRESH_SHARE);
  const moved = memory.steps[view.plan.newRun]?.moved === true;
  return job?.kind === 'known' && job.value === 'running' && moved && age !== null && age < hangSeconds;
}

/** What both starting and trial look at first: strangers, an end, a retry, a hang, a gate that has failed. */
function look(view: HeroView, readings: Readings, memory: HeroMemory, now: Date): Seen {
  const stranger = foreign(view, readings, memory);
  if (stranger.proposals.length > 0) return stranger;
  const seen = noteLiveness(view, readings, stranger.memory, now);
  const result = judgeTrial(view, readings);
  const nonFinite = firstNonFinite(answer(readings, 'series', 'series'));
  if (result?.overall === 'FAIL' || nonFinite !== null) {
    const sentence = nonFinite ?? failedCriteria(result);
    const proposal = failed(view, 'gate_failed', sentence, evidenceOf(answer(readings, 'series', 'series')));
    return one(seen, result === null ? proposal : { ...proposal, facts: { ...proposal.facts, verdict: result } });
  }
  const trouble = troubleOf(view, readings, seen, now);
  const [first] = trouble.found;
  if (first === undefined) return nothing(trouble.memory);
  return one(trouble.memory, failed(view, first.event, first.sentence, trouble.evidence));
}

function noteLiveness(view: HeroView, readings: Readings, memory: HeroMemory, now: Date): HeroMemory {
  const steps = answer(readings, 'last_step', 'steps');
  if (steps?.kind !== 'known' || steps.value.step === null) return memory;
  return noteStep(memory, view.plan.newRun, steps.value.step, `${attemptOf(view, readings)}`, now);
}

interface Trouble {
  /** Gravest first. `which` tells one hang or retry from the next. */
  readonly found: readonly { readonly event: Failure; readonly which: string; readonly sentence: string }[];
  readonly memory: HeroMemory;
  readonly evidence: readonly string[];
}

/** An end, a retry, a hang. A hang is told from step age alone: errors may be absent and every task "running". */
function troubleOf(view: HeroView, readings: Readings, memory: HeroMemory, now: Date): Trouble {
  const { newRun, limits } = view.plan;
  const job = answer(readings, 'job_state', 'job');
  const steps = answer(readings, 'last_step', 'steps');
  const ended = job?.kind === 'known' && job.value !== 'absent' && isTerminal(job.value);
  const next = streak(memory, 'ended', job, ended);
  const evidence = evidenceOf(job, steps, answer(readings, 'markers', 'markers'));
  const found: Trouble['found'][number][] = [];

  if (twice(next, 'ended') && job?.kind === 'known') {
    found.push({ event: 'ended', which: 'ended', sentence: `${view.facts.newCoordinator} is ${job.value}, seen twice` });
  }
  const attempt = attemptOf(view, readings);
  if (attempt > 0) {
    found.push({ event: 'retried', which: `retried-${attempt}`, sentence: `attempt ${attempt} began: the trial restarted by itself` });
  }
  const age = stepAge(next, newRun, now, limits.hangSeconds * FRESH_SHARE);
  if (age !== null && age >= limits.hangSeconds) {
    const step = next.steps[newRun]?.step;
    const scheduler = job?.kind === 'known' ? `the scheduler says ${job.value}` : 'the scheduler could not be read';
    const sentence = `no step for ${Math.round(age)} s at step ${step}, agreed limit ${limits.hangSeconds} s; ${scheduler}`;
    found.push({ event: 'hung', which: `hung-${step}`, sentence });
  }
  return { found, memory: next, evidence };
}

/**
 * From when on a row is of this launch. A run that is launched again has rows of its own from before, which may be no
 * minute old, and writes the first new one only after a restore; any other run has none, and its clock gets some room.
 */
function ownSinceMs(view: HeroView): number {
  const launchedMs = new Date(view.facts.launchedAt ?? view.enteredAt).getTime();
  return view.plan.kind === 'recover' ? launchedMs : launchedMs - CLOCKS_APART_MS;
}

/** Telemetry may be this far from our own clock. */
const CLOCKS_APART_MS = 60_000;

/** The newest attempt of this launch that rows or log lines name, from 0. What a recovered run did before does not count. */
function attemptOf(view: HeroView, readings: Readings): number {
  const markers = answer(readings, 'markers', 'markers');
  const fromLog = markers?.kind === 'known' ? markers.value.map(({ task }) => Number(/:([0-9]+)$/.exec(task)?.[1] ?? 0)) : [];
  return Math.max(0, attemptsBegun(view, readings).length - 1, ...fromLog);
}

/** When each attempt of this launch wrote its first row, oldest first. */
function attemptsBegun(view: HeroView, readings: Readings): readonly number[] {
  const series = answer(readings, 'series', 'series');
  const since = view.plan.kind === 'recover' ? ownSinceMs(view) : Number.NEGATIVE_INFINITY;
  const begun = new Map<number, number>();
  for (const { attempt, atMs } of series?.kind === 'known' ? series.value : [])
    begun.set(attempt, Math.min(atMs, begun.get(attempt) ?? atMs));
  return [...begun.values()].filter((firstMs) => firstMs >= since).sort((first, second) => first - second);
}

const NO_CONTROL = { kind: 'known', value: [] } as const;

/** What the gate says now; null while a side could not be read at all: blind is neither good nor bad. */
export function judgeTrial(view: HeroView, readings: Readings): GateResult | null {
  const series = answer(readings, 'series', 'series');
  const stored = readings.control_window;
  const steps = answer(readings, 'last_step', 'steps');
  // A control that died before its window was frozen is never compared with: the verdict is unknown, and a person decides.
  const frozen = view.facts.controlWindow === undefined ? NO_CONTROL : stored;
  if (series?.kind !== 'known' || frozen?.kind !== 'known') return null;
  const window = windowOf(view.plan);
  const slack = 5 + Math.max(...view.plan.gate.map((criterion) => (criterion.kind === 'absent' ? 1 : criterion.logEvery)));
  const passed = steps?.kind === 'known' && steps.value.step !== null && steps.value.step > window.end + slack;
  const markers = answer(readings, 'markers', 'markers');
  const launched = new Date(view.facts.launchedAt ?? view.enteredAt);
  const restarts = attemptsBegun(view, readings).slice(1);
  const absent = view.plan.gate.filter(({ kind }) => kind === 'absent');
  return judge({
    window,
    logs: Object.fromEntries(absent.map(({ id }) => [id, logOf(id, markers, launched, restarts)])),
    ...(markers === undefined ? {} : { span: spanOf(markers, launched) }),
    state: passed ? 'ended' : 'running',
    liveAttempt: attemptOf(view, readings),
    criteria: view.plan.gate,
    candidate: byMetric(series.value),
    control: byMetric(frozen.value as readonly Sample[]),
  });
}

function byMetric(samples: readonly Sample[]): Record<string, Sample[]> {
  const result: Record<string, Sample[]> = {};
  for (const sample of samples) {
    const rows = result[sample.metric] ?? [];
    rows.push(sample);
    result[sample.metric] = rows;
  }
  return result;
}

/** Non-finite loss ends a trial whatever the gate says. */
function firstNonFinite(series: Reading<readonly Sample[]> | undefined): string | null {
  if (series?.kind !== 'known') return null;
  const losses = lineageOf(series.value.filter(({ metric }) => metric === 'train_loss'));
  for (const [step, value] of losses) if (typeof value !== 'number') return `train_loss is ${value} at step ${step}`;
  return null;
}

function failedCriteria(result: GateResult | null): string {
  const failures = result?.criteria.filter(({ verdict }) => verdict === 'FAIL') ?? [];
  return failures.map(({ id, reason, decidedAt }) => `${id}: ${reason} at step ${decidedAt}`).join('; ');
}

function failed(view: HeroView, event: Failure, sentence: string, evidence: readonly string[] = []): HeroProposal {
  const on = view.plan.onFailure.kind === 'automatic' ? (`${event}_automatic` as const) : event;
  return { on, facts: { failure: { event, sentence } }, details: { sentence }, evidence };
}

/** Which capacity the gang waits for; null while it does not wait, or that could not be read. */
function shortOf(view: HeroView, readings: Readings): string | null {
  const pods = answer(readings, 'pods', 'pods');
  if (pods?.kind !== 'known' || (view.facts.phase ?? 'queued') !== 'queued') return null;
  const { tasks, devices } = view.plan.gang;
  const running = pods.value.filter(({ phase }) => phase === 'Running').length;
  const pending = pods.value.filter(({ phase }) => phase === 'Pending').length;
  return `${running} of ${tasks} tasks (${devices} devices) run, ${pending} pods are pending: the cluster is short of capacity, or something still holds it`;
}

/** How far the start has come; null when nothing can be said. */
function phaseOf(readings: Readings, rows: number): Phase | null {
  if (rows > 0) return 'first_steps';
  const markers = answer(readings, 'markers', 'markers');
  const kinds = markers?.kind === 'known' ? markers.value.map(({ kind }) => kind) : [];
  if (kinds.includes('restored') || kinds.includes('compiling')) return 'compiling';
  if (kinds.includes('restore_began')) return 'restoring';
  const pods = answer(readings, 'pods', 'pods');
  if (pods?.kind !== 'known') return null;
  return pods.value.length > 0 && pods.value.every(({ phase }) => phase === 'Running') ? 'restoring' : 'queued';
}
