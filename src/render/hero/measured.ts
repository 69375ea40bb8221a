import type { CriterionResult } from '../../protocol/gate/verdict.js';

/** What a criterion was measured as, in the same words and figures wherever it is said: in a message, in a chart, in an issue. */
export function measuredWords(result: CriterionResult): string {
  const width = result.halfWidth === null ? '' : ` ± ${figure(result.halfWidth)}`;
  const agreed = result.lo === null && result.hi === null ? '' : ` (agreed ${bandWords(result)})`;
  const mean = result.mean === null ? '' : `, mean difference ${figure(result.mean)}${width}${agreed}`;
  const largest = result.largest === null ? '' : `, largest ${figure(result.largest.difference)} at step ${result.largest.step}`;
  const lean = result.lean === null ? '' : `, leans ${result.lean}`;
  const spikes = result.spikes === 0 ? '' : `, ${result.spikes} spikes`;
  const odd = result.exceptions.slice(0, 3).map(([step, value]) => `, ${figure(value)} at step ${step}`);
  return `${result.reason}${mean}${largest}${lean}${spikes}${odd.join('')}`;
}

/** How many of the expected rows were there; always said. */
export function coverageWords({ pairs, expected }: CriterionResult): string {
  return `${pairs}/${expected}`;
}

function bandWords({ lo, hi }: CriterionResult): string {
  if (lo === null) return `at most ${figure(hi ?? 0)}`;
  return hi === null ? `at least ${figure(lo)}` : `${figure(lo)} to ${figure(hi)}`;
}

/** Three digits: what a phone shows and a person compares. */
export function figure(value: number): string {
  return value === 0 ? '0' : value.toPrecision(3);
}
