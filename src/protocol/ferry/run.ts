import { isTerminal } from '../outside.js';
import { answer, evidenceOf, need } from '../read.js';
import type { Reading } from '../reading.js';
import type { JsonObject, Need, Readings } from '../table.js';
import { judge, runOf, trackerNameOf } from './evidence.js';
import type { FerryFacts, FerryView } from './facts.js';
import { jobsNeed } from './launch.js';
import { type FerryMemory, streak, twice } from './memory.js';
import type { FerryJob } from './outside.js';
import { allActsOver, type FerryProposal, type FerrySeen, type FerryWatcher, nothing, one, secondsIn, toldAlready } from './watcher.js';

export function runsNeed(view: FerryView): Need {
  return need('runs', 'ferry_runs', { lane: view.plan.lane, beginning: trackerNameOf(view) });
}

/** Watched to the real end, however long it queues: a limit of ours is said and ends nothing. */
export const running: FerryWatcher = {
  needs: (view) => [jobsNeed(view), ...(view.plan.evidence.evaluation === null || toldAlready(view, 'evaluated') ? [] : [runsNeed(view)])],
  watch: (view, readings, memory, now) => {
    const jobs = answer(readings, 'ferry_jobs', 'jobs');
    const looked = jobs?.kind === 'known' ? { ...memory, seenAt: jobs.readAt } : memory;
    const end = ended(view, jobs, looked);
    if (end.proposals.length > 0) return end;
    return { memory: end.memory, proposals: [...told(view, readings, jobs, end.memory, now)] };
  },
};

/** The job by its recorded id; `doubt` in words when it is not the one job of its name. */
function jobOf(
  view: FerryView,
  jobs: Reading<readonly FerryJob[]> | undefined,
): { readonly job: FerryJob | null; readonly doubt: string | null } {
  if (jobs?.kind !== 'known') return { job: null, doubt: null };
  const job = jobs.value.find(({ jobId }) => jobId === view.facts.jobId) ?? null;
  const others = jobs.value.filter(({ jobId, state }) => jobId !== view.facts.jobId && !isTerminal(state));
  if (others.length > 0) return { job, doubt: `another job has its name: ${others.map(({ jobId }) => jobId).join(', ')}` };
  return {
    job,
    doubt: job === null ? `the scheduler has no row of ${view.facts.jobId}: it may have aged out, which proves nothing` : null,
  };
}

/** A terminal state, seen twice, by the contract's words: KILLED is stopped, whoever or whatever limit did it. */
function ended(view: FerryView, jobs: Reading<readonly FerryJob[]> | undefined, memory: FerryMemory): FerrySeen {
  const { job, doubt } = jobOf(view, jobs);
  let next = streak(memory, 'doubt', jobs, doubt !== null);
  if (doubt !== null && twice(next, 'doubt') && view.state === 'running') {
    return one(next, { on: 'job_in_doubt', details: { sentence: doubt }, evidence: evidenceOf(jobs) });
  }
  for (const state of TERMINALS) next = streak(next, state, jobs, doubt === null && job?.state === state);
  if (job === null || !isTerminal(job.state) || !twice(next, job.state)) return nothing(next);
  return one(next, endOf(view, job, evidenceOf(jobs)));
}

const TERMINALS = ['succeeded', 'failed', 'killed', 'worker_failed', 'unschedulable'] as const;

function endOf(view: FerryView, job: FerryJob, evidence: readonly string[]): FerryProposal {
  const sentence = `${endWords(job)}${timesOf(job)}`;
  const facts: Partial<FerryFacts> = {
    endedAt: new Date(job.finishedAtMs ?? 0).toISOString(),
    grantedAt: job.grantedAtMs === null ? null : new Date(job.grantedAtMs).toISOString(),
    verdict: sentence,
  };
  const details: JsonObject = { sentence, jobId: job.jobId, state: job.state };
  if (job.state === 'succeeded') return { on: 'ended_well', facts, details, evidence };
  const daily = view.plan.kind === 'daily';
  if (job.state === 'killed') {
    return { on: daily ? 'daily_stopped' : 'canary_stopped', facts: { ...facts, outcome: 'stopped' }, details, evidence };
  }
  const category = job.state === 'failed' ? 'training crash' : 'infra/scheduling';
  return { on: daily ? 'daily_failed' : 'canary_failed', facts: { ...facts, outcome: 'failed', category }, details, evidence };
}

function endWords({ jobId, state, error }: FerryJob): string {
  const said = error === null || error === '' ? '' : `: ${error}`;
  switch (state) {
    case 'killed':
      return /time.?(?:out|limit)|deadline/i.test(error ?? '')
        ? `${jobId} was cut off by a time limit${said}`
        : `${jobId} was cancelled${said}`;
    case 'unschedulable':
      return `${jobId} found no capacity${said}`;
    case 'worker_failed':
      return `${jobId} lost its workers more often than its budget allows${said}`;
    default:
      return `${jobId} ${state}${said}`;
  }
}

/** Queue time and run time apart: most of a long ferry may have been queueing. */
function timesOf({ submittedAtMs, grantedAtMs, finishedAtMs }: FerryJob): string {
  if (finishedAtMs === null) return '';
  if (grantedAtMs === null) return `; it queued ${duration(finishedAtMs - submittedAtMs)} and never ran`;
  return `; it queued ${duration(grantedAtMs - submittedAtMs)} and ran ${duration(finishedAtMs - grantedAtMs)}`;
}

/** `6 h 6 min`, `40 s` */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** What is told once while it runs. */
function* told(
  view: FerryView,
  readings: Readings,
  jobs: Reading<readonly FerryJob[]> | undefined,
  memory: FerryMemory,
  now: Date,
): Generator<FerryProposal> {
  const { limits, evidence } = view.plan;
  const { job } = jobOf(view, jobs);
  const launchedMs = Date.parse(view.facts.launchedAt ?? '');
  const blindMs = now.getTime() - (memory.seenAt ?? memory.since).getTime();
  if (blindMs > limits.blindSeconds * 1000 && !toldAlready(view, 'watch_blind')) {
    yield {
      on: 'watch_blind',
      details: { sentence: `the scheduler has not answered for ${duration(blindMs)}; that says nothing of the run` },
    };
  }
  if (job?.grantedAtMs === null && !isTerminal(job.state)) {
    const queuedMs = now.getTime() - job.submittedAtMs;
    if (queuedMs > limits.queuedSeconds * 1000 && !toldAlready(view, 'queued_long')) {
      yield {
        on: 'queued_long',
        details: { sentence: `still queued after ${duration(queuedMs)}; it stays watched to its end` },
        evidence: evidenceOf(jobs),
      };
    }
  }
  const grantedMs = job?.grantedAtMs ?? null;
  if (grantedMs !== null && now.getTime() - grantedMs > limits.expectedSeconds * 1000 && !toldAlready(view, 'run_overdue')) {
    const sentence = `it has run for ${duration(now.getTime() - grantedMs)}, where ${duration(limits.expectedSeconds * 1000)} were expected`;
    yield { on: 'run_overdue', details: { sentence }, evidence: evidenceOf(jobs) };
  }
  const runs = answer(readings, 'ferry_runs', 'runs');
  const run = runOf(view, runs);
  if (evidence.evaluation === null || typeof run === 'string' || toldAlready(view, 'evaluated')) return;
  const value = run.summary[evidence.evaluation];
  if (value === undefined || !(run.updatedAtMs >= launchedMs)) return;
  const lag = duration(now.getTime() - run.updatedAtMs);
  yield {
    on: 'evaluated',
    facts: { tracker: { name: run.name, url: run.url } },
    details: {
      sentence: `${evidence.evaluation} ${value} at step ${run.lastStep ?? '?'}, read from the tracker, which lags ${lag}`,
      url: run.url,
    },
    evidence: evidenceOf(runs),
  };
}

/** A cancel that was asked for: the job may end by itself before it takes. */
export const stopping: FerryWatcher = {
  needs: (view) => [jobsNeed(view)],
  watch: (view, readings, memory, now) => {
    const jobs = answer(readings, 'ferry_jobs', 'jobs');
    const end = ended(view, jobs, memory);
    if (end.proposals.length > 0 || secondsIn(view, now) <= view.plan.limits.cancelSeconds) return end;
    const { job, doubt } = jobOf(view, jobs);
    if (allActsOver(view) && job !== null && doubt === null && !isTerminal(job.state)) {
      return one(end.memory, {
        on: 'stop_not_taken',
        details: { sentence: `${job.jobId} is still ${job.state}` },
        evidence: evidenceOf(jobs),
      });
    }
    return one(end.memory, {
      on: 'stop_unknown',
      details: { sentence: doubt ?? (allActsOver(view) ? 'the job could not be read' : 'the cancel itself has not ended') },
      evidence: evidenceOf(jobs),
    });
  },
};

/** The scheduler calls it a success. It is one when the evidence says so; the tracker is given its time to catch up. */
export const verifying: FerryWatcher = {
  needs: (view) => {
    const { lane, evidence } = view.plan;
    return [runsNeed(view), ...(evidence.artefacts ? [need('artefacts', 'ferry_artefacts', { lane, run: trackerNameOf(view) })] : [])];
  },
  watch: (view, readings, memory, now) => {
    const runs = answer(readings, 'ferry_runs', 'runs');
    const artefacts = answer(readings, 'ferry_artefacts', 'artefacts');
    const judged = judge(view, runs, artefacts);
    const daily = view.plan.kind === 'daily';
    const { run } = judged;
    const facts: Partial<FerryFacts> = {
      verdict: judged.sentence,
      ...(run === null ? {} : { tracker: { name: run.name, url: run.url }, lastStep: run.lastStep, metrics: run.summary }),
    };
    const base = { details: { sentence: judged.sentence }, evidence: evidenceOf(runs, artefacts) };
    if (judged.kind === 'sound') {
      return one(memory, { ...base, on: daily ? 'daily_verified' : 'canary_verified', facts: { ...facts, outcome: 'succeeded' } });
    }
    if (judged.kind === 'fails') {
      const failed = { ...facts, outcome: 'failed', category: 'metric regression' } as const;
      return one(memory, { ...base, on: daily ? 'daily_failed' : 'canary_failed', facts: failed });
    }
    if (secondsIn(view, now) <= view.plan.limits.evidenceSeconds) return nothing(memory);
    return one(memory, { ...base, on: daily ? 'daily_unverified' : 'canary_unverified', facts: { ...facts, outcome: 'unverified' } });
  },
};
