import type { Reading } from '../reading.js';
import type { FerryView } from './facts.js';
import type { TrackedRun } from './outside.js';
import { namedFor } from './plan.js';

/** What the evidence says of a run that the scheduler calls a success. */
export type Judged =
  | { readonly kind: 'sound'; readonly run: TrackedRun; readonly sentence: string }
  /** It did its work, and the result is outside the lane's bounds. */
  | { readonly kind: 'fails'; readonly run: TrackedRun; readonly sentence: string }
  | { readonly kind: 'lacking'; readonly run: TrackedRun | null; readonly sentence: string };

/** The tracker may write a little earlier than our own record of the launch, by its own clock; never by more. */
const CLOCKS_APART_MS = 120_000;

/** What the tracker calls the runs of this attempt: the executor adds a dash and a suffix of its own, or nothing. */
export function trackerNameOf(view: FerryView): string {
  return namedFor(view.plan.trackerName, view.facts.attempt ?? 1);
}

/** The run of this attempt, by exact name or the executor's suffix; a name that only begins alike is another attempt's. */
export function runOf(view: FerryView, reading: Reading<readonly TrackedRun[]> | undefined): TrackedRun | 'none' | 'several' | 'unknown' {
  if (reading?.kind !== 'known') return 'unknown';
  const name = trackerNameOf(view);
  const own = reading.value.filter((run) => run.name === name || /^-[0-9a-f]{6}$/.test(run.name.slice(name.length)));
  const [only, ...more] = own.filter((run) => run.name.startsWith(name));
  if (only === undefined) return 'none';
  return more.length > 0 ? 'several' : only;
}

/** Success is final step, metrics and artefacts of this very launch: nothing that an earlier run left counts. */
export function judge(
  view: FerryView,
  runs: Reading<readonly TrackedRun[]> | undefined,
  artefacts: Reading<{ readonly step: number | null }> | undefined,
): Judged {
  const { evidence } = view.plan;
  const lacking = (sentence: string, run: TrackedRun | null = null): Judged => ({ kind: 'lacking', run, sentence });
  const run = runOf(view, runs);
  if (run === 'unknown') return lacking('run finished, health unknown: the tracker could not be read');
  if (run === 'several') return lacking('run finished, health unknown: the tracker has several runs of this name');
  if (run === 'none') return lacking('did nothing that is on record: the tracker has no run of this launch');
  const launchedMs = Date.parse(view.facts.launchedAt ?? '');
  if (!(run.updatedAtMs >= launchedMs - CLOCKS_APART_MS)) {
    const dated = new Date(run.updatedAtMs).toISOString();
    return lacking(`did nothing (reused output): the newest row of ${run.name} is of ${dated}, before this launch`, run);
  }
  if (run.lastStep === null || run.lastStep < evidence.stepsMin) {
    const reached = run.lastStep === null ? 'no step of its own' : `step ${run.lastStep}`;
    return lacking(`did nothing or too little: ${reached}, where ${evidence.stepsMin} are needed`, run);
  }
  if (run.state !== 'finished') return lacking(`run finished, health unknown: the tracker still calls it ${run.state}`, run);
  const missing = Object.keys(evidence.metrics).filter((key) => run.summary[key] === undefined);
  if (missing.length > 0) return lacking(`run finished, health unknown: metrics missing (${missing.join(', ')})`, run);
  if (evidence.artefacts) {
    if (artefacts?.kind !== 'known') return lacking('run finished, health unknown: the artefacts could not be read', run);
    if (artefacts.value.step === null || artefacts.value.step < evidence.stepsMin) {
      return lacking(`run finished, health unknown: no complete checkpoint at step ${evidence.stepsMin} or later`, run);
    }
  }
  const outside = Object.entries(evidence.metrics).flatMap(([key, { min, max }]) => {
    const value = run.summary[key];
    const above = max !== undefined && value !== undefined && value > max;
    const below = min !== undefined && value !== undefined && value < min;
    return above ? [`${key} ${value} is above ${max}`] : below ? [`${key} ${value} is below ${min}`] : [];
  });
  if (outside.length > 0) return { kind: 'fails', run, sentence: outside.join('; ') };
  return { kind: 'sound', run, sentence: `step ${run.lastStep}, metrics and ${evidence.artefacts ? 'artefacts' : 'tracker'} are there` };
}
