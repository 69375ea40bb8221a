import type { Grid } from './grid.js';
import { onGrid } from './grid.js';
import type { Column } from './lineage.js';
import { medianOf } from './median.js';

/** The control's window, complete before launch: computed once, and read at every step. */
export interface FrozenControl extends Column {
  /** c̄, the mean that relative margins are a fraction of. */
  readonly mean: number;
  /** σ_c, the noise of one row, from first differences so that a trend does not count. */
  readonly sigma: number;
  /** How many first differences σ_c rests on. */
  readonly differences: number;
}

/** Fewer differences than this carry no scale. */
export const DIFFERENCES_MIN = 10;
/** Makes a median absolute deviation a standard deviation, for normal noise. */
const MAD_TO_SD = 1.4826;

/**
 * Freezes the control on a criterion's grid. Source: contracts/gate-judge.md, sections 3 and 4: values that are not
 * finite are missing; σ_c = 1.4826 · MAD(first differences) / √2.
 */
export function freezeControl(column: Column, grid: Grid): FrozenControl {
  const logged = onGrid(column, grid);
  const whole = frozen(logged);
  // A sum that is finite is a sum of finite values, so nearly always one pass is enough.
  return Number.isFinite(whole.mean) ? whole : frozen(finite(logged));
}

function frozen({ steps, values }: Column): FrozenControl {
  const n = values.length;
  const differences = new Float64Array(Math.max(0, n - 1));
  let before = values[0] ?? 0;
  let sum = before;
  for (let i = 1; i < n; i++) {
    const value = values[i] ?? 0;
    differences[i - 1] = value - before;
    sum += value;
    before = value;
  }

  const middle = medianOf(differences);
  for (let i = 0; i < differences.length; i++) differences[i] = Math.abs((differences[i] ?? 0) - middle);
  const sigma = (MAD_TO_SD * medianOf(differences)) / Math.SQRT2;
  return { steps, values, mean: sum / n, sigma, differences: differences.length };
}

function finite({ steps, values }: Column): Column {
  const keep = (_: number, index: number) => Number.isFinite(values[index]);
  return { steps: steps.filter(keep), values: values.filter(keep) };
}
