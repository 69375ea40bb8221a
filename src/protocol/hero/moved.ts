import { lineageOf } from '../gate/lineage.js';
import type { SharedSeries } from '../outside.js';

/** How far a metric that no gate judges moved between the two runs, at the steps that both logged. */
export interface Moved {
  readonly metric: string;
  /** Means over the shared steps. */
  readonly control: number;
  readonly candidate: number;
  /** Of the mean difference, in standard errors of the paired differences. */
  readonly errors: number;
  readonly pairs: number;
}

const PAIRS_MIN = 8;
/** With hundreds of metrics looked at, some are this far out by chance: it is a hint where to look, and said as one. */
const ERRORS_MIN = 4;
const SHARE_MIN = 0.01;

/** What else moved, the farthest first. A report only: it has no say in a verdict. */
export function whatMoved(shared: SharedSeries, judged: readonly string[]): readonly Moved[] {
  const moved = shared.metrics.filter((metric) => !judged.includes(metric)).flatMap((metric) => difference(shared, metric) ?? []);
  return moved.sort((first, second) => second.errors - first.errors);
}

function difference(shared: SharedSeries, metric: string): Moved | null {
  const [control, candidate] = [shared.control, shared.candidate].map((rows) => lineageOf(rows.filter((row) => row.metric === metric)));
  const pairs: [number, number][] = [];
  for (const [step, after] of candidate ?? []) {
    const before = control?.get(step);
    if (typeof before === 'number' && typeof after === 'number') pairs.push([before, after]);
  }
  const n = pairs.length;
  if (n < PAIRS_MIN) return null;
  const mean = (of: (pair: [number, number]) => number) => pairs.reduce((sum, pair) => sum + of(pair), 0) / n;
  const delta = mean(([before, after]) => after - before);
  const variance = pairs.reduce((sum, [before, after]) => sum + (after - before - delta) ** 2, 0) / (n - 1);
  const error = Math.sqrt(variance / n);
  const means = { control: mean(([before]) => before), candidate: mean(([, after]) => after) };
  const errors = error === 0 ? (delta === 0 ? 0 : Number.MAX_VALUE) : Math.abs(delta) / error;
  const enough = errors >= ERRORS_MIN && Math.abs(delta) >= SHARE_MIN * Math.abs(means.control) && delta !== 0;
  return enough ? { metric, ...means, errors, pairs: n } : null;
}
