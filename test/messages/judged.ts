import type { Reason } from '../../src/protocol/gate/verdict.js';
import type { HeroFacts } from '../../src/protocol/hero/facts.js';
import { REASON_WORDS } from '../../src/render/hero/measured.js';

const CRITERION = {
  required: true,
  decidedAt: 54_060,
  mean: 0.0004,
  halfWidth: 0.0011,
  lo: -0.01,
  hi: 0.01,
  largest: { step: 54_012, difference: 0.006 },
  pairs: 58,
  expected: 61,
  dropped: 0,
  spikes: 2,
  lean: 'fail',
} as const;

export const REASONS = Object.keys(REASON_WORDS) as Reason[];
/** A verdict that rests on these reasons, with everything in it that a line may say. */
export function judged(reasons: readonly Reason[]): NonNullable<HeroFacts['verdict']> {
  const criteria = reasons.map((reason, n) => ({
    ...CRITERION,
    id: `metric_${n}`,
    required: n > 0,
    verdict: 'INCONCLUSIVE' as const,
    reason,
    lo: n === 1 ? null : CRITERION.lo,
    hi: n === 2 ? null : CRITERION.hi,
    exceptions: [[54_020, 0.4]] as const,
  }));
  return { overall: 'INCONCLUSIVE', complete: true, criteria };
}

/** A verdict that is no PASS. */
export const JUDGED = judged(REASONS.slice(0, 3));
