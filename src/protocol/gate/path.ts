import { Alignment } from './alignment.js';
import type { FrozenControl } from './control.js';
import type { ComparativeCriterion } from './criterion.js';
import type { Grid, Window } from './grid.js';
import type { Column } from './lineage.js';
import { Moments } from './moments.js';
import { blockSizeOf, Stream, samplesOf } from './stream.js';
import { farLimit, type Tolerance } from './tolerance.js';

/** What is fixed before the candidate's first step: read at every step, computed once. */
export interface Terms {
  readonly criterion: ComparativeCriterion;
  readonly window: Window;
  readonly grid: Grid;
  readonly control: FrozenControl;
  readonly tolerance: Tolerance;
  /** alpha_i = gateAlpha / m: this criterion's share, of which each of its two streams gets half. */
  readonly alpha: number;
}

/** A FAIL, by the rule that it broke at the step. Deterministic rules come before what a stream proves. */
export interface Failure {
  readonly reason: 'non-finite' | 'catastrophe' | 'sustained-shift' | 'late-shift';
  readonly step: number;
}

/**
 * Rows that are taken in one call. A loop that is entered once and runs for long is compiled while it runs, and then boxes
 * every local; one that is called often is compiled whole.
 */
const STRETCH = 512;
/** So many differences beyond the limit in a row are a catastrophe. */
const CATASTROPHE_RUN = 3;

/**
 * The path of one criterion, a step at a time and O(1) each: join, difference, limit, sums. Source:
 * contracts/gate-judge.md, section 4.1. Rows must come on the grid and in step order; whatever changes an earlier step (a
 * retry, a rewind, a late row) begins a new path from the lineage. A full re-judge walks the same path, so both agree.
 */
export class Path {
  readonly moments = new Moments();
  readonly whole: Stream;
  readonly alignment: Alignment | null;
  /** A rule that was broken. Nothing after it counts. */
  broken: Failure | null = null;
  /** The first shift that a stream proved. */
  proven: Failure | null = null;
  spikes = 0;

  // Numbers begin as numbers: a field that was once undefined costs a check at each step.
  /** Only differences behind the middle of the window. */
  private readonly half: Stream;
  private readonly halfFrom: number = Number.NaN;
  private readonly far: number = Number.NaN;
  /** Where the merge stands in the control. */
  private at = 0;
  /** Differences beyond the limit in a row, and which number the next one must have to follow them. */
  private farRun = 0;
  private farNext = 0;
  private lastSeen = Number.NaN;
  private lastJoined = Number.NaN;
  private gapSteps = 0;
  /** The last differences, as a ring, for the tail. */
  private readonly ring: Float64Array;
  private ringAt = 0;
  private readonly one: Column = { steps: new Float64Array(1), values: new Float64Array(1) };

  constructor(readonly terms: Terms) {
    const { window, grid, control, tolerance, criterion } = terms;
    const samples = samplesOf(window, grid);
    const size = blockSizeOf(samples, grid);
    this.whole = new Stream(size);
    this.half = new Stream(size);
    this.halfFrom = window.start + Math.floor((window.end - window.start) / 2);
    this.far = farLimit(tolerance, control.sigma);
    this.alignment = criterion.sameBatches === true ? new Alignment(control) : null;
    this.lastJoined = grid.first - grid.every;
    this.ring = new Float64Array(Math.max(1, Math.floor(samples / 4)));
  }

  /** One candidate row. A logged NaN or Infinity fails at once, or is a missing row where that was agreed. */
  push(step: number, value: number): void {
    this.one.steps[0] = step;
    this.one.values[0] = value;
    this.take(this.one, 0, 1);
  }

  /**
   * The candidate's rows from..until, each in O(1): a move of the merge join, a difference, a comparison with the limit,
   * some ten additions. What every row needs is held in locals meanwhile.
   */
  take(column: Column, from: number, until: number): void {
    for (let at = from; at < until && this.broken === null; at += STRETCH) this.takeStretch(column, at, Math.min(at + STRETCH, until));
  }

  private takeStretch({ steps, values }: Column, from: number, until: number): void {
    const { far, halfFrom, alignment, whole, half, ring, moments } = this;
    const { steps: dueSteps, values: dueValues } = this.terms.control;
    const [due, size, halfSize, ringSize] = [dueSteps.length, whole.size, half.size, ring.length];
    let { at, ringAt, lastJoined, gapSteps, lastSeen } = this;
    let { n, first, last, s, q, c, largest, largestStep } = moments;
    let usual = Math.min(largest, far);
    let { open, held } = whole;
    let { open: halfOpen, held: halfHeld } = half;
    for (let i = from; i < until; i++) {
      const step = steps[i] ?? Number.NaN;
      const value = values[i] ?? Number.NaN;
      if (!(at < due && dueSteps[at] === step)) at = this.seek(step, at);
      const isJoined = at < due && dueSteps[at] === step;
      const raw = isJoined ? value - (dueValues[at++] ?? Number.NaN) : Number.NaN;
      let difference = raw;
      // One comparison lets every usual row pass. What does not pass, NaN among it, is looked at closely.
      if (!(Math.abs(raw) <= usual)) {
        if (!(Math.abs(raw) <= far)) difference = this.unusual(step, value, raw, n);
        if (this.broken !== null) {
          lastSeen = step;
          break;
        }
        if (Math.abs(raw) > largest && Number.isFinite(value)) {
          largest = Math.abs(raw);
          largestStep = step;
          usual = Math.min(largest, far);
        }
      }
      if (alignment !== null && Number.isFinite(value)) alignment.push(step, value);
      if (Number.isNaN(difference)) {
        if (Number.isFinite(value)) lastSeen = step;
        continue;
      }

      lastSeen = step;
      if (step - lastJoined > gapSteps) gapSteps = step - lastJoined;
      lastJoined = step;
      ring[ringAt] = difference;
      if (++ringAt === ringSize) ringAt = 0;

      if (n++ === 0) first = difference;
      const x = difference - first;
      s += x;
      q += x * x;
      c += x * last;
      last = x;

      open += difference;
      if (++held === size) {
        this.close(whole, open, 'sustained-shift', step);
        open = 0;
        held = 0;
      }
      if (step > halfFrom) {
        halfOpen += difference;
        if (++halfHeld === halfSize) {
          this.close(half, halfOpen, 'late-shift', step);
          halfOpen = 0;
          halfHeld = 0;
        }
      }
    }
    this.at = at;
    this.ringAt = ringAt;
    this.lastJoined = lastJoined;
    this.gapSteps = gapSteps;
    this.lastSeen = lastSeen;
    moments.hold(n, first, last, s, q, c, largest, largestStep);
    whole.hold(open, held);
    half.hold(halfOpen, halfHeld);
  }

  /** Where the control stands at a step or behind it. Apart from the loop above, which is fast only while it holds no other. */
  private seek(step: number, from: number): number {
    const { steps } = this.terms.control;
    let at = from;
    while (at < steps.length && (steps[at] ?? Number.NaN) < step) at++;
    return at;
  }

  /** A row that is not finite, has no partner, or is far outside. Answers the difference to count; NaN for none. */
  private unusual(step: number, value: number, raw: number, n: number): number {
    if (!Number.isFinite(value)) {
      if (this.terms.criterion.nonFinite !== 'gap') this.broken = { reason: 'non-finite', step };
      return Number.NaN;
    }
    return Number.isNaN(raw) ? raw : this.clip(step, raw, n);
  }

  /** A spike is kept from deciding the mean, but counted; on a closed side, three in a row fail. */
  private clip(step: number, raw: number, n: number): number {
    const { lo, hi } = this.terms.tolerance;
    const closed = raw > 0 ? hi < Number.POSITIVE_INFINITY : lo > Number.NEGATIVE_INFINITY;
    const before = n === this.farNext ? this.farRun : 0;
    this.farRun = closed ? before + 1 : 0;
    this.farNext = n + 1;
    if (this.farRun === CATASTROPHE_RUN) this.broken = { reason: 'catastrophe', step };
    this.spikes++;
    return raw > 0 ? this.far : -this.far;
  }

  /** A block is full: the only moment at which a stream may fail. */
  private close(stream: Stream, sum: number, reason: 'sustained-shift' | 'late-shift', step: number): void {
    stream.close(sum);
    if (this.proven !== null) return;
    const { lo, hi } = this.terms.tolerance;
    if (stream.isProvenOutside(lo, hi, this.terms.alpha / 2)) this.proven = { reason, step };
  }

  /** The last candidate step; null before the first. */
  get lastStep(): number | null {
    return Number.isNaN(this.lastSeen) ? null : this.lastSeen;
  }

  /** The longest stretch of expected steps without a pair, both ends of the window included. */
  get longestGap(): number {
    const { grid } = this.terms;
    const atEnd = Math.floor((grid.end - this.lastJoined) / grid.every);
    return Math.max(this.gapSteps / grid.every - 1, atEnd, 0);
  }

  /** Whether the last row that is expected has been seen. */
  get isDone(): boolean {
    const { grid } = this.terms;
    return this.lastSeen + grid.every > grid.end;
  }

  /** Mean of the last quarter of the window's differences, or of all while there are fewer. */
  get tailMean(): number {
    const held = Math.min(this.moments.n, this.ring.length);
    return this.ring.subarray(0, held).reduce((sum, difference) => sum + difference, 0) / held;
  }
}
