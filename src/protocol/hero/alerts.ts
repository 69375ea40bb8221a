import type { Sample } from '../outside.js';
import type { HeroPlan } from './plan.js';

/** The standing alerts of a hero, read from its own rows: reported, never judged. An alert that is not read is unknown. */

type Rule = NonNullable<HeroPlan['alerts']>[number];

/** The metrics that a plan's alerts are read from. */
export function alertMetrics({ alerts = [] }: HeroPlan): readonly string[] {
  return alerts.map(({ metric }) => metric);
}

export interface Alert {
  readonly metric: string;
  readonly answer: 'quiet' | 'raised' | 'unknown';
  readonly sentence: string;
}

/** These metrics are logged every so many steps; a metric that lags behind the loss by more is not being read. */
const LOGGED_EVERY = 10;

/**
 * What each alert says. That its rows are read at all is proven by the rows that every step writes: one that has none
 * beside them, or none of late, is unknown and not quiet.
 */
export function alertsOf({ alerts = [] }: HeroPlan, samples: readonly Sample[]): readonly Alert[] {
  const newest = samples.reduce((most, { attempt }) => Math.max(most, attempt), -1);
  const own = samples.filter(({ attempt }) => attempt === newest);
  const last = Math.max(...own.filter(({ metric }) => metric === 'train_loss').map(({ step }) => step));
  return alerts.map((rule) => {
    const { metric, rows } = rule;
    const values = own.filter((row) => row.metric === metric).sort((first, second) => first.step - second.step);
    const newestRow = values.at(-1);
    if (newestRow === undefined || !(last - newestRow.step <= 2 * LOGGED_EVERY)) {
      return { metric, answer: 'unknown', sentence: `no row of ${metric} beside the newest steps` };
    }
    const tail = values.slice(-rows).map(({ value }) => value);
    const numbers = tail.filter((value) => typeof value === 'number');
    if (numbers.length < tail.length) return { metric, answer: 'raised', sentence: `${metric} is not a number at step ${newestRow.step}` };
    if (tail.length < rows) return { metric, answer: 'unknown', sentence: `only ${tail.length} rows of ${metric} so far` };
    const outside = wordsOf(rule, numbers);
    if (outside === null) return { metric, answer: 'quiet', sentence: `${metric} is quiet` };
    return { metric, answer: 'raised', sentence: `${metric} ${outside}: ${newestRow.value} at step ${newestRow.step}` };
  });
}

/** On which side all of the values lie outside; null: not all of them on one. */
function wordsOf({ above, below }: Rule, values: readonly number[]): string | null {
  if (above !== undefined && values.every((value) => value > above)) return `above ${above}`;
  return below !== undefined && values.every((value) => value < below) ? `below ${below}` : null;
}
