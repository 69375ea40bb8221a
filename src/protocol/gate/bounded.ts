import type { BoundedCriterion } from './criterion.js';
import { gridOf, longestGap, lossRuleOf, onGrid, type Window } from './grid.js';
import type { Lineage } from './lineage.js';
import { type CriterionResult, unmeasured } from './verdict.js';

/**
 * Every value of the candidate within [min, max], but for the exceptions allowed. Source: contracts/gate-judge.md, section 5.
 * The window is judged, never its last sample: that one has no say of its own.
 */
export function judgeBounded(
  criterion: BoundedCriterion,
  candidate: Lineage | null,
  window: Window,
  state: 'running' | 'ended',
): { readonly result: CriterionResult; readonly done: boolean } {
  const grid = gridOf(criterion, window);
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = criterion;
  const blank = { ...unmeasured(criterion, 'UNKNOWN', 'unreadable'), expected: grid.expected };
  if (grid.expected === 0) return { result: { ...blank, reason: 'empty-window' }, done: true };
  if (candidate === null) return { result: blank, done: false };
  const allowed = allowedOf(criterion.allow, grid.expected);
  const agreed = Number.isFinite(criterion.min ?? Number.NaN) || Number.isFinite(criterion.max ?? Number.NaN);
  if (allowed === null || !agreed) return { result: { ...blank, reason: 'no-tolerance', dropped: candidate.dropped }, done: false };

  const rows = onGrid(candidate, grid);
  const present = new Float64Array(rows.steps.length);
  const exceptions: (readonly [number, number])[] = [];
  let pairs = 0;
  const seen = (decidedAt: number | null): CriterionResult => {
    const lo = Number.isFinite(min) ? min : null;
    const hi = Number.isFinite(max) ? max : null;
    return { ...blank, dropped: candidate.dropped, lo, hi, pairs, exceptions, decidedAt };
  };
  for (let i = 0; i < rows.steps.length; i++) {
    const step = rows.steps[i] ?? Number.NaN;
    const value = rows.values[i] ?? Number.NaN;
    if (!Number.isFinite(value)) {
      if (criterion.nonFinite === 'gap') continue;
      return { result: { ...seen(step), verdict: 'FAIL', reason: 'non-finite' }, done: true };
    }
    present[pairs++] = step;
    if (value >= min && value <= max) continue;
    exceptions.push([step, value]);
    if (exceptions.length > allowed) return { result: { ...seen(step), verdict: 'FAIL', reason: 'out-of-bounds' }, done: true };
  }

  const last = pairs === 0 ? null : (present[pairs - 1] ?? null);
  const done = last !== null && last + grid.every > grid.end;
  if (!done && state === 'running') return { result: { ...seen(last), verdict: 'CONTINUE', reason: 'window-open' }, done };
  const rule = lossRuleOf(criterion, grid);
  // Whatever coverage was agreed: of no row at all nothing can be said.
  const complete = pairs > 0 && pairs >= rule.rowsMin && longestGap(present.subarray(0, pairs), grid) <= rule.gapMax;
  if (!complete) return { result: { ...seen(last), reason: 'missing-data' }, done };
  return { result: { ...seen(last), verdict: 'PASS', reason: exceptions.length === 0 ? 'within' : 'within-allowed' }, done };
}

/** How many exceptions are allowed: a count, or a fraction of the expected rows rounded down; null for anything else. */
export function allowedOf(allow: number | undefined, expected: number): number | null {
  if (allow === undefined) return 0;
  if (Number.isInteger(allow) && allow >= 0) return allow;
  return allow > 0 && allow < 1 ? Math.floor(allow * expected + 1e-9) : null;
}
