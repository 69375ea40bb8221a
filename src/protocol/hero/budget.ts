import type { Sample } from '../outside.js';
import type { HeroPlan } from './plan.js';

type Limits = Pick<HeroPlan['limits'], 'cancelSeconds' | 'startUpSeconds' | 'hangSeconds'>;

/**
 * Seconds from the cut to a finished rollback at the worst that was agreed: stop and start twice, each with a cold
 * start, the window at the run's pace, and the time until a hang is told.
 */
export function roundTripSeconds(limits: Limits, windowSteps: number, paceSecondsPerStep: number): number {
  return Math.ceil(2 * (limits.cancelSeconds + limits.startUpSeconds) + windowSteps * paceSecondsPerStep + limits.hangSeconds);
}

/** Steps on either side of the handoff from which a run's pace is measured: more than a checkpoint's pause can bend. */
export const PACE_STEPS = 50;

/** Seconds a step over the rows of the newest execution, pauses included; null while it has fewer than two steps. */
export function paceOf(rows: readonly Sample[]): number | null {
  const newest = Math.max(-1, ...rows.map(({ attempt }) => attempt));
  const own = rows.filter(({ attempt }) => attempt === newest).toSorted((one, other) => one.step - other.step);
  const first = own.at(0);
  const last = own.at(-1);
  if (first === undefined || last === undefined || last.step <= first.step) return null;
  return Math.max(0, (last.atMs - first.atMs) / 1000 / (last.step - first.step));
}
