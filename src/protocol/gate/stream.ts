import { clamp, type Grid, type Window } from './grid.js';
import { radius } from './radius.js';

/** W = end − start, and N = floor(W / logEvery). Source: contracts/gate-judge.md, section 3, sizes. */
export function samplesOf(window: Window, grid: Grid): number {
  return Math.floor((window.end - window.start) / grid.every);
}

/** B, how many consecutive joined differences make a block. Source: contracts/gate-judge.md, section 4.1, item 4. */
export function blockSizeOf(samples: number, grid: Grid): number {
  const least = grid.every === 1 ? 5 : clamp(Math.floor(samples / 6), 3, 5);
  return clamp(Math.floor(samples / 10), least, 20);
}

/**
 * Block means of consecutive differences, looked at whenever a block closes. Blocks make means nearer Gaussian and nearer
 * independent than steps are; a partial block waits. Sums are kept relative to the first mean, so that a large common
 * offset costs no digits.
 */
export class Stream {
  /** Sum of the open block, and how many differences it holds. */
  open = 0;
  held = 0;
  /** b, how many blocks have closed. */
  closed = 0;
  private first = 0;
  private sum = 0;
  private squares = 0;

  /** B, how many differences make a block. */
  constructor(readonly size: number) {}

  /** Puts back the open block, as far as a path has filled it. */
  hold(open: number, held: number): void {
    this.open = open;
    this.held = held;
  }

  /** A block is full, and this is the sum of its differences. */
  close(open: number): void {
    const mean = open / this.size;
    if (this.closed === 0) this.first = mean;
    const relative = mean - this.first;
    this.sum += relative;
    this.squares += relative * relative;
    this.closed++;
  }

  /** y, the mean of the block means. */
  get mean(): number {
    return this.first + this.sum / this.closed;
  }

  /** s_b, the standard deviation of the block means. */
  get deviation(): number {
    const b = this.closed;
    return Math.sqrt(Math.max(0, this.squares - (this.sum * this.sum) / b) / (b - 1));
  }

  /** Whether the mean is proven to lie outside of [lo, hi], however often one has looked: y − R > hi or y + R < lo. */
  isProvenOutside(lo: number, hi: number, alpha: number): boolean {
    if (this.closed < 2) return false;
    const { mean } = this;
    if (mean >= lo && mean <= hi) return false; // nothing to prove, so no radius is computed
    const r = radius(this.closed, this.deviation, alpha);
    return mean - r > hi || mean + r < lo;
  }
}
