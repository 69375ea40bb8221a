import type { ComparativeCriterion, Margin } from './criterion.js';

/** The mean of the differences must lie in [lo, hi]; an open side is infinite. */
export interface Tolerance {
  readonly lo: number;
  readonly hi: number;
  /** M: the agreed size that the far limit is a multiple of. */
  readonly size: number;
}

const AT_LEAST = 0.5;

/**
 * Source: contracts/gate-judge.md, section 4. Null when no positive, finite size was agreed: "equal or better" cannot be
 * proven with a margin of zero.
 *
 *                    lower is better      higher is better
 *     tracks         [-δ, δ]              [-δ, δ]              δ = max(margin.abs, margin.rel · |c̄|)
 *     not-worse      (-∞, δ]              [-δ, ∞)
 *     improves-by    (-∞, -f X]           [f X, ∞)             X = |expect|, f = atLeastFrac
 */
export function toleranceOf(criterion: ComparativeCriterion, controlMean: number): Tolerance | null {
  const agreed = criterion.kind === 'improves-by' ? criterion.expect : criterion.margin;
  const size = Math.abs(sizeOf(agreed, controlMean, criterion.kind === 'improves-by'));
  if (!(size > 0 && size < Number.POSITIVE_INFINITY)) return null;
  const lower = criterion.better === 'lower';
  switch (criterion.kind) {
    case 'tracks':
      return { lo: -size, hi: size, size };
    case 'not-worse':
      return lower ? { lo: Number.NEGATIVE_INFINITY, hi: size, size } : { lo: -size, hi: Number.POSITIVE_INFINITY, size };
    case 'improves-by': {
      const least = (criterion.atLeastFrac ?? AT_LEAST) * size;
      return lower ? { lo: Number.NEGATIVE_INFINITY, hi: -least, size } : { lo: least, hi: Number.POSITIVE_INFINITY, size };
    }
  }
}

/** The larger of both forms. An expectation may be written with a sign (−0.02 for a loss): its size counts. */
function sizeOf(agreed: Margin | undefined, controlMean: number, signed: boolean): number {
  const { abs = 0, rel = 0 } = agreed ?? {};
  const relative = rel * Math.abs(controlMean);
  return signed ? Math.max(Math.abs(abs), Math.abs(relative)) : Math.max(0, abs, relative);
}

/** Lim = max(6 σ_c, 10 M): a difference beyond it is a spike, and three in a row on a closed side are a catastrophe. */
export function farLimit(tolerance: Tolerance, sigma: number): number {
  return Math.max(6 * sigma, 10 * tolerance.size);
}
