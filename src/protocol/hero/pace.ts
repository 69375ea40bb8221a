import type { Sample } from '../outside.js';
import type { HeroPlan } from './plan.js';

/** Intervals that the pace is taken from, the newest of them; fewer than `INTERVALS_MIN` say nothing. */
const INTERVALS_MAX = 50;
const INTERVALS_MIN = 5;
/** A step of a healthy run may take this many times its pace. */
const PACES = 2;

/**
 * Seconds a step, by the trainer's own clock: the median, which neither a checkpoint nor an evaluation moves. Null while
 * there are too few steps to tell.
 */
export function ownPace(samples: readonly Sample[]): number | null {
  const newest = samples.reduce((most, { attempt }) => Math.max(most, attempt), -1);
  const steps = samples.filter(({ metric, attempt }) => metric === 'train_loss' && attempt === newest);
  steps.sort((first, second) => first.step - second.step);
  const paces: number[] = [];
  let [before] = steps;
  for (const row of steps) {
    if (before === undefined || row.step <= before.step || row.atMs <= before.atMs) continue;
    paces.push((row.atMs - before.atMs) / 1000 / (row.step - before.step));
    before = row;
  }
  if (paces.length < INTERVALS_MIN) return null;
  const last = paces.slice(-INTERVALS_MAX).sort((first, second) => first - second);
  return last[Math.floor(last.length / 2)] ?? null;
}

/**
 * How long a step may stand before a stall is suspected, in seconds: two steps of the run's own pace, and what a healthy
 * run pauses beside (a checkpoint, late telemetry); around an evaluation also what that takes. Null: no pace is known.
 */
export function stallLimit(plan: HeroPlan, pace: number | null, step: number): number | null {
  const own = pace ?? (plan.paceSecondsPerStep > 0 ? plan.paceSecondsPerStep : null);
  if (own === null) return null;
  const { stallSeconds, evaluationEverySteps = 0, evaluationSeconds = 0 } = plan.limits;
  return PACES * own + stallSeconds + (isEvaluated(step, evaluationEverySteps) ? evaluationSeconds : 0);
}

/**
 * Whether an evaluation may follow a logged step. Finishing update N logs step N-1, and which of the two a trainer
 * counts by differs: the steps on both sides are taken.
 */
function isEvaluated(step: number, every: number): boolean {
  return every > 0 && (step + 1) % every <= 2;
}
