import type { Sample } from '../outside.js';
import type { Criterion } from './criterion.js';
import { type Logged, lineageOf } from './lineage.js';

/** Source of the words: contracts/gate-judge.md, section 1. The first of this list that is present decides the gate. */
export const VERDICTS = ['FAIL', 'UNKNOWN', 'CONTINUE', 'INCONCLUSIVE', 'PASS'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface GateInput {
  /** Absolute steps, both included. */
  readonly window: { readonly start: number; readonly end: number };
  readonly state: 'running' | 'ended';
  readonly criteria: readonly Criterion[];
  /** By metric; null when the source could not be read, which is not the same as an empty list. */
  readonly candidate: Readonly<Record<string, readonly Sample[] | null>>;
  readonly control: Readonly<Record<string, readonly Sample[] | null>>;
}

export interface CriterionResult {
  readonly id: string;
  readonly verdict: Verdict;
  readonly reason: string;
  /** The step at which the verdict fell; null while it has not. */
  readonly decidedAt: number | null;
  readonly mean: number | null;
  /** Half the width of the interval around the mean. */
  readonly halfWidth: number | null;
  readonly pairs: number;
  readonly expected: number;
}

export interface GateResult {
  readonly overall: Verdict;
  readonly criteria: readonly CriterionResult[];
}

/** At least this share of the expected steps must be joined before anything may pass. */
const COVERAGE_MIN = 0.95;
/** A difference this many agreed margins away is far outside; three in a row end the trial. */
const FAR_OUTSIDE = 10;
const FAR_IN_A_ROW = 3;
/** Two-sided normal quantile of the closing interval. */
const QUANTILE = 1.96;
/** Fewer differences than this carry no interval. */
const PAIRS_MIN = 4;

/** Judges a trial window. Pure: the same rows always give the same verdict; what is missing never passes. */
export function judge(input: GateInput): GateResult {
  const criteria = input.criteria.map((criterion) => judgeCriterion(criterion, input));
  return { overall: VERDICTS.find((verdict) => criteria.some((result) => result.verdict === verdict)) ?? 'UNKNOWN', criteria };
}

/** The steps at which a criterion expects a row. The grid of a sparse metric is absolute, wherever the window starts. */
export function expectedSteps(criterion: Criterion, window: GateInput['window']): readonly number[] {
  const steps: number[] = [];
  for (let step = window.start; step <= window.end; step++) if (step % criterion.logEvery === 0) steps.push(step);
  return steps;
}

/** How much of the window the control covers with finite values, and whether that is enough to judge against. */
export function controlCoverage(criterion: Criterion, samples: readonly Sample[], window: GateInput['window']) {
  const rows = lineageOf(samples.filter(({ metric }) => metric === criterion.metric));
  const expected = expectedSteps(criterion, window);
  const present = expected.filter((step) => typeof rows.get(step) === 'number').length;
  return { present, expected: expected.length, usable: expected.length > 0 && present >= COVERAGE_MIN * expected.length };
}

function judgeCriterion(criterion: Criterion, input: GateInput): CriterionResult {
  const expected = expectedSteps(criterion, input.window);
  const blank = { id: criterion.id, mean: null, halfWidth: null, pairs: 0, expected: expected.length, decidedAt: null };
  const candidateRows = input.candidate[criterion.metric];
  const controlRows = input.control[criterion.metric];
  if (candidateRows === null || candidateRows === undefined) return { ...blank, verdict: 'UNKNOWN', reason: 'unreadable' };
  if (controlRows === null || controlRows === undefined) return { ...blank, verdict: 'UNKNOWN', reason: 'control-unreadable' };
  if (expected.length === 0) return { ...blank, verdict: 'UNKNOWN', reason: 'empty-window' };
  if (!controlCoverage(criterion, controlRows, input.window).usable) return { ...blank, verdict: 'UNKNOWN', reason: 'control-incomplete' };

  const candidate = lineageOf(candidateRows.filter(({ metric }) => metric === criterion.metric));
  const control = lineageOf(controlRows.filter(({ metric }) => metric === criterion.metric));
  const limits = limitsOf(criterion, control, expected);
  const walked = walk(expected, candidate, control, limits);
  if (walked.kind === 'fail') return { ...blank, verdict: 'FAIL', reason: walked.reason, decidedAt: walked.step, pairs: walked.pairs };

  const last = Math.max(Number.NEGATIVE_INFINITY, ...candidate.keys());
  const complete = last + criterion.logEvery > input.window.end;
  if (!complete && input.state === 'running') return { ...blank, verdict: 'CONTINUE', reason: 'window-open', pairs: walked.deltas.length };
  return { ...blank, ...closingLook(walked.deltas, expected.length, limits), pairs: walked.deltas.length, decidedAt: input.window.end };
}

interface Limits {
  readonly lo: number;
  readonly hi: number;
  readonly far: number;
}

function limitsOf(criterion: Criterion, control: ReadonlyMap<number, Logged>, expected: readonly number[]): Limits {
  const values = expected.map((step) => control.get(step)).filter((value) => typeof value === 'number');
  const scale = Math.abs(values.reduce((sum, value) => sum + value, 0) / values.length);
  const delta = Math.max(criterion.margin.abs ?? 0, (criterion.margin.rel ?? 0) * scale);
  const far = FAR_OUTSIDE * delta;
  if (criterion.kind === 'tracks') return { lo: -delta, hi: delta, far };
  return criterion.better === 'lower'
    ? { lo: Number.NEGATIVE_INFINITY, hi: delta, far }
    : { lo: -delta, hi: Number.POSITIVE_INFINITY, far };
}

type Walked =
  | { readonly kind: 'fail'; readonly reason: 'non-finite' | 'catastrophe'; readonly step: number; readonly pairs: number }
  | { readonly kind: 'deltas'; readonly deltas: readonly number[] };

/** Step by step on the same batches: candidate minus control. */
function walk(
  expected: readonly number[],
  candidate: ReadonlyMap<number, Logged>,
  control: ReadonlyMap<number, Logged>,
  limits: Limits,
): Walked {
  const deltas: number[] = [];
  let farInARow = 0;
  for (const step of expected) {
    const value = candidate.get(step);
    if (value === undefined) continue;
    if (typeof value !== 'number') return { kind: 'fail', reason: 'non-finite', step, pairs: deltas.length };
    const base = control.get(step);
    if (typeof base !== 'number') continue;
    const delta = value - base;
    deltas.push(delta);
    const far =
      (limits.hi < Number.POSITIVE_INFINITY && delta > limits.far) || (limits.lo > Number.NEGATIVE_INFINITY && delta < -limits.far);
    farInARow = far ? farInARow + 1 : 0;
    if (farInARow === FAR_IN_A_ROW) return { kind: 'fail', reason: 'catastrophe', step, pairs: deltas.length };
  }
  return { kind: 'deltas', deltas };
}

/** Written so that a comparison with NaN, which is false, never passes. */
function closingLook(deltas: readonly number[], expected: number, limits: Limits) {
  const n = deltas.length;
  if (!(n >= COVERAGE_MIN * expected) || n < PAIRS_MIN) {
    return { verdict: 'UNKNOWN' as const, reason: 'missing-data', mean: null, halfWidth: null };
  }
  const mean = deltas.reduce((sum, delta) => sum + delta, 0) / n;
  const variance = deltas.reduce((sum, delta) => sum + (delta - mean) ** 2, 0) / (n - 1);
  const halfWidth = QUANTILE * Math.sqrt(variance / n);
  const inside = mean - halfWidth >= limits.lo && mean + halfWidth <= limits.hi;
  if (inside) return { verdict: 'PASS' as const, reason: 'within', mean, halfWidth };
  const outside = mean - halfWidth > limits.hi || mean + halfWidth < limits.lo;
  if (outside) return { verdict: 'FAIL' as const, reason: 'shifted', mean, halfWidth };
  return { verdict: 'INCONCLUSIVE' as const, reason: 'straddles-margin', mean, halfWidth };
}
