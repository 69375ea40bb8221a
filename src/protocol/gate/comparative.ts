import { DIFFERENCES_MIN, freezeControl } from './control.js';
import type { ComparativeCriterion } from './criterion.js';
import { type Grid, gridOf, lossRuleOf, onGrid, type Window } from './grid.js';
import type { Column, Lineage } from './lineage.js';
import { closingRadius } from './moments.js';
import { Path, type Terms } from './path.js';
import { toleranceOf } from './tolerance.js';
import { type CriterionResult, type Reason, unmeasured } from './verdict.js';

/** Differences that a final look needs at least, whatever the loss rule says. */
const PAIRS_MIN = 20;
const SPARSE_PAIRS_MIN = 12;
const MIN_N = 50;
/** A larger share of spikes than this is not "single outliers": it refuses PASS. */
const SPIKES_SHARE_MAX = 0.02;

export type FrozenTerms =
  | { readonly kind: 'terms'; readonly terms: Terms }
  | { readonly kind: 'unusable'; readonly reason: 'empty-window' | 'control-incomplete' | 'no-tolerance' };

/**
 * Freezes everything that is known before launch, or says why the control cannot be used. Source:
 * contracts/gate-judge.md, section 4.2, in its order.
 */
export function freezeTerms(criterion: ComparativeCriterion, column: Column, window: Window, alpha: number): FrozenTerms {
  const grid = gridOf(criterion, window);
  if (grid.expected === 0) return { kind: 'unusable', reason: 'empty-window' };
  const control = freezeControl(column, grid);
  if (!(control.steps.length >= lossRuleOf(criterion, grid).rowsMin)) return { kind: 'unusable', reason: 'control-incomplete' };
  const tolerance = toleranceOf(criterion, control.mean);
  if (tolerance === null) return { kind: 'unusable', reason: 'no-tolerance' };
  if (control.differences < DIFFERENCES_MIN) return { kind: 'unusable', reason: 'control-incomplete' };
  return { kind: 'terms', terms: { criterion, window, grid, control, tolerance, alpha } };
}

/** A full judgement: walks the candidate's whole lineage. Null columns could not be read. */
export function judgeComparative(
  criterion: ComparativeCriterion,
  candidate: Lineage | null,
  control: Column | null,
  window: Window,
  alpha: number,
  state: 'running' | 'ended',
): { readonly result: CriterionResult; readonly done: boolean } {
  const { expected } = gridOf(criterion, window);
  const blank = { ...unmeasured(criterion, 'UNKNOWN', 'unreadable'), expected, dropped: candidate?.dropped ?? 0 };
  if (expected === 0) return { result: { ...blank, reason: 'empty-window' }, done: true };
  if (candidate === null || control === null) return { result: blank, done: false };
  const frozen = freezeTerms(criterion, control, window, alpha);
  if (frozen.kind === 'unusable') return { result: { ...blank, reason: frozen.reason }, done: false };

  const path = walk(frozen.terms, candidate);
  return { result: { ...lookAt(path, state), dropped: candidate.dropped }, done: path.isDone };
}

/** The path of a whole column. */
export function walk(terms: Terms, candidate: Column): Path {
  const path = new Path(terms);
  const rows = onGrid(candidate, terms.grid);
  path.take(rows, 0, rows.steps.length);
  return path;
}

/** The verdict as of the last row of the path. Source: contracts/gate-judge.md, section 4.2, in its order. */
export function lookAt(path: Path, state: 'running' | 'ended'): CriterionResult {
  const seen = measured(path);
  if (path.broken !== null) return { ...seen, verdict: 'FAIL', reason: path.broken.reason, decidedAt: path.broken.step };
  const fault = path.alignment?.fault ?? null;
  if (fault !== null) return { ...seen, verdict: 'UNKNOWN', reason: fault };
  if (path.proven !== null) return { ...seen, verdict: 'FAIL', reason: path.proven.reason, decidedAt: path.proven.step };
  if (!path.isDone && state === 'running') return { ...seen, verdict: 'CONTINUE', reason: 'window-open' };
  return finalLook(path, seen);
}

/** The interval must lie inside the agreed one. Written so that a comparison with NaN, which is false, never passes. */
function finalLook(path: Path, seen: CriterionResult): CriterionResult {
  const { moments, terms } = path;
  const { lo, hi } = terms.tolerance;
  if (!isComplete(path)) return { ...seen, verdict: 'UNKNOWN', reason: 'missing-data' };

  const { mean, n } = moments;
  const h = closingRadius(moments, path.whole);
  const isIn = (value: number) => value >= lo && value <= hi;
  const inconclusive = (reason: Reason): CriterionResult => {
    return { ...seen, verdict: 'INCONCLUSIVE', reason, halfWidth: finiteOrNull(h), lean: isIn(mean) ? 'pass' : 'fail' };
  };
  if (!(path.spikes <= SPIKES_SHARE_MAX * n)) return inconclusive('spikes');
  if (!(mean - h >= lo && mean + h <= hi)) return inconclusive('straddles-margin');
  if (!isIn(path.tailMean)) return inconclusive('tail-outside');
  return { ...seen, verdict: 'PASS', reason: 'within', halfWidth: h };
}

function isComplete(path: Path): boolean {
  const { criterion, grid } = path.terms;
  const { n } = path.moments;
  const rule = lossRuleOf(criterion, grid);
  return n >= rule.rowsMin && path.longestGap <= rule.gapMax && n >= pairsMin(criterion, grid);
}

/** n >= 20 and n >= min(minN, E); for a sparse metric n >= 12, and minN only where the criterion sets it. */
export function pairsMin(criterion: ComparativeCriterion, grid: Grid): number {
  const least = grid.every === 1 ? PAIRS_MIN : SPARSE_PAIRS_MIN;
  const agreed = criterion.minN ?? (grid.every === 1 ? MIN_N : 0);
  return Math.max(least, Math.min(agreed, grid.expected));
}

function measured(path: Path): CriterionResult {
  const { moments, terms } = path;
  const some = moments.n > 0;
  return {
    ...unmeasured(terms.criterion, 'UNKNOWN', 'missing-data'),
    decidedAt: path.lastStep,
    mean: some ? finiteOrNull(moments.mean) : null,
    lo: finiteOrNull(terms.tolerance.lo),
    hi: finiteOrNull(terms.tolerance.hi),
    largest: moments.largestDifference,
    pairs: moments.n,
    expected: terms.grid.expected,
    spikes: path.spikes,
  };
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
