import type { Phase } from './facts.js';
import type { HeroPlan } from './plan.js';

/** From how many seconds to how many a phase of a start usually takes. */
export interface Expected {
  readonly from: number;
  readonly until: number;
}

/**
 * Seconds as seen with a start-up limit of 80 minutes: a cold start compiles twice, an attempt that follows another finds
 * what was compiled. Source: contracts/iris-and-ferries.md, section 4.4.
 */
const START_UP_SECONDS = 80 * 60;
const SEEN: Readonly<Record<'cold' | 'warm', Readonly<Record<Exclude<Phase, 'queued'>, Expected>>>> = {
  cold: { restoring: { from: 180, until: 300 }, compiling: { from: 1_380, until: 1_860 }, first_steps: { from: 30, until: 600 } },
  warm: { restoring: { from: 180, until: 300 }, compiling: { from: 180, until: 300 }, first_steps: { from: 30, until: 600 } },
};

/**
 * How long a phase is expected to take in this attempt, scaled to the start-up limit that was agreed. Said, never acted
 * on: only the limit itself ends a start. How long a gang queues is nobody's to expect: up to the agreed limit.
 */
export function expectedOf(plan: HeroPlan, phase: Phase, attempt: number): Expected {
  if (phase === 'queued') return { from: 0, until: plan.limits.queuedSeconds };
  const seen = SEEN[attempt === 0 ? 'cold' : 'warm'][phase];
  const scale = plan.limits.startUpSeconds / START_UP_SECONDS;
  return { from: seen.from * scale, until: seen.until * scale };
}
