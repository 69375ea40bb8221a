import type { Sampling } from './criterion.js';
import type { Column } from './lineage.js';

/** Absolute steps, both included. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

/** The steps at which a criterion expects a row: first, first + every, … up to `end`. */
export interface Grid {
  readonly first: number;
  readonly end: number;
  readonly every: number;
  /** E: how many rows are expected. */
  readonly expected: number;
}

/**
 * Source: contracts/gate-judge.md, section 3, item 4. The grid is absolute: a trainer logs where step mod logEvery =
 * logPhase, wherever the window starts.
 */
export function gridOf(criterion: Sampling, window: Window): Grid {
  const every = criterion.logEvery;
  const from = window.start + (criterion.skipFirst ?? 0);
  const first = from + modulo((criterion.logPhase ?? 0) - from, every);
  const expected = first > window.end ? 0 : Math.floor((window.end - first) / every) + 1;
  return { first, end: window.end, every, expected };
}

/** The rows of a column that lie on the grid; without a copy where every step is one. */
export function onGrid(column: Column, grid: Grid): Column {
  const from = lowerBound(column.steps, grid.first);
  const until = lowerBound(column.steps, grid.end + 1);
  const steps = column.steps.subarray(from, until);
  const values = column.values.subarray(from, until);
  if (grid.every === 1) return { steps, values };
  const isOn = (step: number | undefined) => step !== undefined && (step - grid.first) % grid.every === 0;
  return { steps: steps.filter(isOn), values: values.filter((_, index) => isOn(steps[index])) };
}

/** How many rows may be lost before a window is no longer complete. */
export interface LossRule {
  readonly rowsMin: number;
  readonly gapMax: number;
}

const COVERAGE_MIN = 0.95;
const GAP_MAX = 10;
/** A coverage is a product of floating numbers: 0.95 of 20 must be 19, not a little more. */
const ROUNDING = 1e-9;

/** Source: contracts/gate-judge.md, section 3, loss rule. A sparse metric may lose a few rows, whatever their share is. */
export function lossRuleOf(criterion: Sampling, grid: Grid): LossRule {
  const { expected, every } = grid;
  const sparseRowsMin = expected - Math.max(Math.floor(expected / 20), Math.min(4, Math.floor(expected / 5)));
  const coverage = criterion.minCoverage ?? (every === 1 ? COVERAGE_MIN : undefined);
  return {
    rowsMin: coverage === undefined ? sparseRowsMin : coverage * expected - ROUNDING,
    gapMax: criterion.maxGap ?? (every === 1 ? GAP_MAX : clamp(Math.floor(expected / 20), 2, 10)),
  };
}

/** The most expected steps in a row that have no row, the gaps at both ends included. */
export function longestGap(steps: Float64Array, grid: Grid): number {
  let longest = 0;
  let due = grid.first;
  for (const step of steps) {
    longest = Math.max(longest, (step - due) / grid.every);
    due = step + grid.every;
  }
  return Math.max(longest, Math.floor((grid.end - due) / grid.every) + 1);
}

/** Index of the first step that is not below `step`. */
export function lowerBound(steps: Float64Array, step: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle] ?? Number.POSITIVE_INFINITY) < step) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
