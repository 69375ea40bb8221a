import type { Sample } from '../outside.js';

/** The standing alerts of a hero, read from its own rows: reported, never judged. An alert that is not read is unknown. */

interface Rule {
  readonly metric: string;
  readonly raised: (value: number) => boolean;
  readonly words: string;
  /** So many of the newest rows must all be beyond it. */
  readonly rows: number;
}

/** Source: contracts/iris-and-ferries.md, section 7, the standing hero alerts; three rows stand for "pending 5 minutes". */
const RULES: readonly Rule[] = [
  { metric: 'grad_norm_total', raised: (value) => value > 2, words: 'above 2', rows: 3 },
  { metric: 'moe_drop_fraction', raised: (value) => value > 0.07, words: 'above 0.07', rows: 3 },
  { metric: 'optim_skipped_step', raised: (value) => value > 0, words: 'skips steps', rows: 3 },
  { metric: 'train_router_routing_entropy_mean', raised: (value) => value < 5.92, words: 'below 5.92', rows: 3 },
  { metric: 'train_router_bias_max', raised: (value) => Math.abs(value) > 400, words: 'beyond 400', rows: 3 },
  { metric: 'train_router_bias_min', raised: (value) => Math.abs(value) > 400, words: 'beyond 400', rows: 3 },
];

/** The metrics that alerts are read from. */
export const ALERT_METRICS: readonly string[] = RULES.map(({ metric }) => metric);

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
export function alertsOf(samples: readonly Sample[]): readonly Alert[] {
  const newest = samples.reduce((most, { attempt }) => Math.max(most, attempt), -1);
  const own = samples.filter(({ attempt }) => attempt === newest);
  const last = Math.max(...own.filter(({ metric }) => metric === 'train_loss').map(({ step }) => step));
  return RULES.map(({ metric, raised, words, rows }) => {
    const values = own.filter((row) => row.metric === metric).sort((first, second) => first.step - second.step);
    const newestRow = values.at(-1);
    if (newestRow === undefined || !(last - newestRow.step <= 2 * LOGGED_EVERY)) {
      return { metric, answer: 'unknown', sentence: `no row of ${metric} beside the newest steps` };
    }
    const tail = values.slice(-rows).map(({ value }) => value);
    const numbers = tail.filter((value) => typeof value === 'number');
    if (numbers.length < tail.length) return { metric, answer: 'raised', sentence: `${metric} is not a number at step ${newestRow.step}` };
    if (tail.length < rows) return { metric, answer: 'unknown', sentence: `only ${tail.length} rows of ${metric} so far` };
    if (!numbers.every(raised)) return { metric, answer: 'quiet', sentence: `${metric} is quiet` };
    return { metric, answer: 'raised', sentence: `${metric} ${words}: ${newestRow.value} at step ${newestRow.step}` };
  });
}
