import type { CriterionResult, Reason } from '../../protocol/gate/verdict.js';

/** Why a criterion has its verdict, as a tired person would say it. */
export const REASON_WORDS: Readonly<Record<Reason, string>> = {
  'non-finite': 'a value is not a number',
  catastrophe: 'three rows in a row are far outside',
  'sustained-shift': 'it is shifted over the whole window',
  'late-shift': 'it shifted in the second half of the window',
  'out-of-bounds': 'it is out of its bounds',
  present: 'it was found in the log',
  unreadable: 'it could not be read',
  'empty-window': 'the window holds no step',
  'control-incomplete': 'too few rows of the control',
  'no-tolerance': 'what was agreed gives no limit to judge by',
  misaligned: 'the steps of the two runs are shifted against each other',
  unpaired: 'the two runs do not move together, so they cannot be paired',
  'missing-data': 'too many rows are missing',
  'attempt-silent': 'the present attempt logs nothing',
  'not-proven-readable': 'the log was not proven readable',
  'unknown-kind': 'nobody knows how to judge it',
  'repeated-id': 'it is named twice',
  'window-open': 'the window is not over',
  spikes: 'too many spikes',
  'straddles-margin': 'the interval crosses what was agreed',
  'tail-outside': 'the last quarter of the window lies outside',
  within: 'within',
  'within-allowed': 'within what was allowed',
  absent: 'not found in the log',
};

/** What a criterion was measured as, in the same words and figures wherever it is said: in a message, in a chart, in an issue. */
export function measuredWords(result: CriterionResult): string {
  const width = result.halfWidth === null ? '' : ` ± ${figure(result.halfWidth)}`;
  const agreed = result.lo === null && result.hi === null ? '' : ` (agreed ${bandWords(result)})`;
  const mean = result.mean === null ? '' : `, mean difference ${figure(result.mean)}${width}${agreed}`;
  const largest = result.largest === null ? '' : `, largest ${figure(result.largest.difference)} at step ${result.largest.step}`;
  const lean = result.lean === null ? '' : `, leans ${result.lean}`;
  const spikes = result.spikes === 0 ? '' : `, ${result.spikes} spikes`;
  const odd = result.exceptions.slice(0, 3).map(([step, value]) => `, ${figure(value)} at step ${step}`);
  return `${REASON_WORDS[result.reason]}${mean}${largest}${lean}${spikes}${odd.join('')}`;
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
