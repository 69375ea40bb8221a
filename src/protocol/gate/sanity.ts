import type { Sample } from '../outside.js';
import { freezeTerms, pairsMin } from './comparative.js';
import { freezeControl } from './control.js';
import { type ComparativeCriterion, type Criterion, isComparative } from './criterion.js';
import { clamp, type Grid, gridOf, longestGap, lossRuleOf, type Window } from './grid.js';
import { columnOf } from './lineage.js';
import { toleranceOf } from './tolerance.js';

/** How much of the window the control covers, and whether the judge can use it: rows, gaps, scale, tolerance. */
export interface ControlCoverage {
  readonly present: number;
  readonly expected: number;
  readonly usable: boolean;
}

/** A criterion that reads no control needs none: it is usable wherever its window holds a step. */
export function controlCoverage(criterion: Criterion, samples: readonly Sample[], window: Window): ControlCoverage {
  if (criterion.kind === 'absent') return { present: 0, expected: 0, usable: window.start <= window.end };
  const grid = gridOf(criterion, window);
  const column = controlColumn(criterion, samples);
  const { steps } = freezeControl(column, grid);
  const coverage = { present: steps.length, expected: grid.expected };
  if (!isComparative(criterion)) return { ...coverage, usable: grid.expected > 0 };
  const terms = freezeTerms(criterion, column, window, 1);
  return { ...coverage, usable: terms.kind === 'terms' && longestGap(steps, grid) <= lossRuleOf(criterion, grid).gapMax };
}

/** What can be said of a criterion before launch, from the noise of the control so far. */
export interface Sanity {
  readonly id: string;
  /** Whether this margin can reach PASS in this window. `rarely`: only if pairing removes noise that the control shows. */
  readonly reach: 'likely' | 'rarely' | 'never' | 'unknown';
  /** The agreed size, and the least size that would usually pass at this noise; null where there is none, or no noise to tell from. */
  readonly margin: number | null;
  readonly marginNeeded: number | null;
  /** Rows expected in the window. */
  readonly expected: number;
  /** So many rows may be lost; one more turns the criterion UNKNOWN. Negative: it is UNKNOWN with none lost. */
  readonly lostMax: number;
  /** So many may be lost in a row. */
  readonly gapMax: number;
}

/** A margin this many standard errors wide usually passes. Source: contracts/gate-judge.md, section 7. */
const ERRORS_WIDE = 4;
/** Fewer differences than this say nothing of the noise. */
const NOISE_MIN = 10;

/**
 * Source: contracts/gate-judge.md, section 7: a window cannot usually reach PASS if δ < 4 σ √((1 + ρ) / ((1 − ρ) E)).
 * σ and ρ here are the control's own, about its trend. Pairs on the same batches vary less, so this errs towards a warning.
 */
export function sanityOf(criterion: Criterion, controlSamples: readonly Sample[], window: Window): Sanity {
  const none = { id: criterion.id, margin: null, marginNeeded: null, expected: 0, lostMax: 0, gapMax: 0 };
  if (criterion.kind === 'absent') return { ...none, reach: window.start <= window.end ? 'likely' : 'never' };
  const grid = gridOf(criterion, window);
  const rule = lossRuleOf(criterion, grid);
  const needed = Math.max(Math.ceil(rule.rowsMin), isComparative(criterion) ? pairsMin(criterion, grid) : 1);
  const counted = { ...none, expected: grid.expected, lostMax: grid.expected - needed, gapMax: rule.gapMax };
  if (grid.expected < needed) return { ...counted, reach: 'never' };
  if (!isComparative(criterion))
    return { ...counted, reach: criterion.min === undefined && criterion.max === undefined ? 'never' : 'likely' };
  return { ...counted, ...reachOf(criterion, controlSamples, grid) };
}

function reachOf(
  criterion: ComparativeCriterion,
  samples: readonly Sample[],
  grid: Grid,
): Pick<Sanity, 'reach' | 'margin' | 'marginNeeded'> {
  const control = freezeControl(controlColumn(criterion, samples), grid);
  const relative = (criterion.kind === 'improves-by' ? criterion.expect : criterion.margin)?.rel !== undefined;
  const tolerance = toleranceOf(criterion, relative ? control.mean : 0);
  if (tolerance === null) return { reach: relative && control.steps.length === 0 ? 'unknown' : 'never', margin: null, marginNeeded: null };
  const margin = slackOf(criterion, tolerance);
  if (control.differences < NOISE_MIN) return { reach: 'unknown', margin, marginNeeded: null };
  const { sd, rho } = noiseOf(control.steps, control.values);
  const marginNeeded = ERRORS_WIDE * sd * Math.sqrt((1 + rho) / ((1 - rho) * grid.expected));
  return { reach: margin >= marginNeeded ? 'likely' : 'rarely', margin, marginNeeded };
}

/** How far the outcome that was hoped for lies inside the interval: δ for no change, the surplus (1 − f) X for an improvement. */
function slackOf(
  criterion: ComparativeCriterion,
  { lo, hi, size }: { readonly lo: number; readonly hi: number; readonly size: number },
): number {
  if (criterion.kind !== 'improves-by') return size;
  const limit = Number.isFinite(hi) ? -hi : lo;
  return size - limit;
}

/** Standard deviation and lag-1 autocorrelation about a straight line. */
function noiseOf(steps: Float64Array, values: Float64Array): { readonly sd: number; readonly rho: number } {
  const n = values.length;
  const middle = sumOf(steps) / n;
  const level = sumOf(values) / n;
  const spread = sumOf(steps.map((step) => (step - middle) ** 2));
  const slope = spread > 0 ? sumOf(values.map((value, i) => ((steps[i] ?? 0) - middle) * (value - level))) / spread : 0;
  const rest = values.map((value, i) => value - level - slope * ((steps[i] ?? 0) - middle));
  const squares = sumOf(rest.map((each) => each * each));
  const lagged = sumOf(rest.map((each, i) => (i === 0 ? 0 : each * (rest[i - 1] ?? 0))));
  return { sd: Math.sqrt(squares / (n - 2)), rho: squares > 0 ? clamp(lagged / squares, 0, 0.95) : 0 };
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function controlColumn(criterion: Exclude<Criterion, { kind: 'absent' }>, samples: readonly Sample[]) {
  const metric = criterion.was ?? criterion.metric;
  return columnOf(samples.filter((sample) => sample.metric === metric));
}
