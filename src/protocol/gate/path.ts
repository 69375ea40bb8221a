import { Alignment } from './alignment.js';
import type { FrozenControl } from './control.js';
import type { ComparativeCriterion } from './criterion.js';
import type { Grid, Window } from './grid.js';
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
  /** The last candidate step; null before the first. */
  lastStep: number | null = null;
  largestStep = Number.NaN;
  largest = 0;

  private readonly half: Stream;
  private readonly halfFrom: number;
  private readonly far: number;
  private readonly streamAlpha: number;
  private readonly steps: Float64Array;
  private readonly values: Float64Array;
  /** Where the merge stands in the control. */
  private at = 0;
  private farRun = 0;
  /** The last differences, as a ring, for the tail. */
  private readonly ring: Float64Array;
  private ringAt = 0;
  private lastJoined: number;
  private gapSteps = 0;

  constructor(readonly terms: Terms) {
    const { window, grid, control, tolerance, criterion } = terms;
    const samples = samplesOf(window, grid);
    const size = blockSizeOf(samples, grid);
    this.whole = new Stream(size);
    this.half = new Stream(size);
    this.halfFrom = window.start + Math.floor((window.end - window.start) / 2);
    this.far = farLimit(tolerance, control.sigma);
    this.streamAlpha = terms.alpha / 2;
    this.alignment = criterion.sameBatches === true ? new Alignment(control) : null;
    this.ring = new Float64Array(Math.max(1, Math.floor(samples / 4)));
    this.steps = control.steps;
    this.values = control.values;
    this.lastJoined = grid.first - grid.every;
  }

  /** One candidate row. A logged NaN or Infinity fails at once, or is a missing row where that was agreed. */
  push(step: number, value: number): void {
    if (this.broken !== null) return;
    if (value - value !== 0) {
      if (this.terms.criterion.nonFinite === 'gap') return;
      this.lastStep = step;
      this.broken = { reason: 'non-finite', step };
      return;
    }
    this.lastStep = step;
    if (this.alignment !== null) this.alignment.push(step, value);

    const { steps } = this;
    let at = this.at;
    while ((steps[at] ?? Number.POSITIVE_INFINITY) < step) at++;
    this.at = at;
    if (steps[at] === step) this.join(step, value - (this.values[at] ?? Number.NaN));
  }

  private join(step: number, raw: number): void {
    if (step - this.lastJoined > this.gapSteps) this.gapSteps = step - this.lastJoined;
    this.lastJoined = step;
    const size = Math.abs(raw);
    if (size > this.largest) {
      this.largest = size;
      this.largestStep = step;
    }
    const difference = size > this.far ? this.clip(step, raw) : raw;
    if (difference === raw) this.farRun = 0;
    if (this.broken !== null) return;

    this.moments.add(difference);
    this.ring[this.ringAt] = difference;
    if (++this.ringAt === this.ring.length) this.ringAt = 0;
    if (this.whole.add(difference)) this.look(this.whole, 'sustained-shift', step);
    if (step > this.halfFrom && this.half.add(difference)) this.look(this.half, 'late-shift', step);
  }

  /** A spike is kept from deciding the mean, but counted; on a closed side, three in a row fail. */
  private clip(step: number, raw: number): number {
    const { lo, hi } = this.terms.tolerance;
    const closed = raw > 0 ? hi < Number.POSITIVE_INFINITY : lo > Number.NEGATIVE_INFINITY;
    this.farRun = closed ? this.farRun + 1 : 0;
    if (this.farRun === CATASTROPHE_RUN) this.broken = { reason: 'catastrophe', step };
    this.spikes++;
    return raw > 0 ? this.far : -this.far;
  }

  private look(stream: Stream, reason: 'sustained-shift' | 'late-shift', step: number): void {
    if (this.proven !== null) return;
    const { lo, hi } = this.terms.tolerance;
    if (stream.isProvenOutside(lo, hi, this.streamAlpha)) this.proven = { reason, step };
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
    return this.lastStep !== null && this.lastStep + grid.every > grid.end;
  }

  /** Mean of the last quarter of the window's differences, or of all while there are fewer. */
  get tailMean(): number {
    const held = Math.min(this.moments.n, this.ring.length);
    return this.ring.subarray(0, held).reduce((sum, difference) => sum + difference, 0) / held;
  }
}
