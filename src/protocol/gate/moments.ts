import { clamp } from './grid.js';
import { tQuantile } from './quantile.js';
import type { Stream } from './stream.js';

/** A correlation estimated at its bound says no more than "very". */
const RHO_MAX = 0.99;
/** alphaPass: PASS needs every criterion, an intersection-union test, so the level is not divided among them. */
const ALPHA_PASS = 0.05;
/** Fewer blocks than this carry no interval of their own. */
const BLOCKS_MIN = 4;

/**
 * Sums over all differences, relative to the first: x = d − d_first. Source: contracts/gate-judge.md, section 4.2, final look.
 *
 *     S = Σ x      Q = Σ x²      C = Σ x_t x_(t−1)
 */
export class Moments {
  n = 0;
  /** d_first. */
  first = 0;
  /** x of the last difference: relative, as all sums. */
  last = 0;
  s = 0;
  q = 0;
  c = 0;
  /** The largest difference before any was clipped, and its step. */
  largest = 0;
  largestStep = Number.NaN;

  /** Puts back what a path has added. */
  hold(n: number, first: number, last: number, s: number, q: number, c: number, largest: number, largestStep: number): void {
    this.n = n;
    this.first = first;
    this.last = last;
    this.s = s;
    this.q = q;
    this.c = c;
    this.largest = largest;
    this.largestStep = largestStep;
  }

  /** Null where no difference was finite and not zero. */
  get largestDifference(): { readonly step: number; readonly difference: number } | null {
    const { largest, largestStep } = this;
    return largest > 0 && Number.isFinite(largest) ? { step: largestStep, difference: largest } : null;
  }

  get mean(): number {
    return this.first + this.s / this.n;
  }

  /** SS = Q − n m². As x_first is 0, SS is at least Q / n: nothing cancels that mattered. */
  private get squares(): number {
    return Math.max(0, this.q - (this.s * this.s) / this.n);
  }

  get deviation(): number {
    return Math.sqrt(this.squares / (this.n - 1));
  }

  /** ρ, the lag-1 autocorrelation: (C − m (2S − x_first − x_last) + (n−1) m²) / SS; 0 where nothing varies. */
  get autocorrelation(): number {
    const { n, squares } = this;
    if (!(squares > 0)) return 0;
    const m = this.s / n;
    return clamp((this.c - m * (2 * this.s - this.last) + (n - 1) * m * m) / squares, -RHO_MAX, RHO_MAX);
  }
}

/**
 * h, half the width of the closing interval: the wider of the one from all differences, with as many degrees of freedom
 * as their autocorrelation leaves, and the one from the block means. Source: contracts/gate-judge.md, section 4.2.
 *
 *     r = clamp(ρ + (1 + 4 max(ρ, 0)) / n + 0.5 √((1 − ρ²) / n), 0, 0.95)      n_e = max(2, n (1 − r) / (1 + r))
 *     h = max( s / √n_e · t(1−a, n_e−1),  s_b / √b · t(1−a, b−1) if b >= 4 )
 */
export function closingRadius(moments: Moments, blocks: Stream): number {
  const { n, autocorrelation: rho } = moments;
  const r = clamp(rho + (1 + 4 * Math.max(rho, 0)) / n + 0.5 * Math.sqrt((1 - rho * rho) / n), 0, 0.95);
  const effective = Math.max(2, (n * (1 - r)) / (1 + r));
  const fromSteps = (moments.deviation / Math.sqrt(effective)) * tQuantile(ALPHA_PASS, effective - 1);
  const b = blocks.closed;
  if (b < BLOCKS_MIN) return fromSteps;
  return Math.max(fromSteps, (blocks.deviation / Math.sqrt(b)) * tQuantile(ALPHA_PASS, b - 1));
}
