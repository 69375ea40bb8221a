/**
 * A gate criterion as agreed, and its text: one criterion a line. Source: contracts/gate-judge.md, sections 2 and 4.
 * This judge knows `tracks` and `not worse`; a line of another kind is refused, never skipped.
 */

export interface Margin {
  readonly abs?: number | undefined;
  /** A fraction of the control's mean in the window. */
  readonly rel?: number | undefined;
}

export interface Criterion {
  readonly id: string;
  readonly kind: 'tracks' | 'not-worse';
  readonly metric: string;
  readonly better: 'lower' | 'higher';
  readonly margin: Margin;
  /** Every how many steps the metric is logged. */
  readonly logEvery: number;
}

export type ParsedGate =
  | { readonly kind: 'gate'; readonly criteria: readonly Criterion[] }
  | { readonly kind: 'fault'; readonly line: number; readonly message: string };

/** Which way each metric is better, and how often it is logged: a table in the fleet file, never guessed. */
export type MetricTable = Readonly<Record<string, { readonly better: 'lower' | 'higher'; readonly every: number }>>;

const TRACKS = /^([A-Za-z][A-Za-z0-9_]*) tracks within ([0-9.]+)(%?)(?: every ([0-9]+))?$/;
const NOT_WORSE = /^([A-Za-z][A-Za-z0-9_]*) not worse by ([0-9.]+)(%?)(?: every ([0-9]+))?$/;

/** Parses a gate. Lines are separated by line breaks or semicolons; an empty gate is a fault. */
export function parseGate(text: string, metrics: MetricTable): ParsedGate {
  const lines = text
    .split(/[\n;]/)
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '');
  if (lines.length === 0) return { kind: 'fault', line: 1, message: 'the gate has no criterion: without one, nothing can be judged' };

  const criteria: Criterion[] = [];
  for (const [index, line] of lines.entries()) {
    const parsed = parseLine(line, metrics);
    if (typeof parsed === 'string') return { kind: 'fault', line: index + 1, message: parsed };
    if (criteria.some(({ id }) => id === parsed.id)) {
      return { kind: 'fault', line: index + 1, message: `"${parsed.id}" is there twice` };
    }
    criteria.push(parsed);
  }
  return { kind: 'gate', criteria };
}

function parseLine(line: string, metrics: MetricTable): Criterion | string {
  const tracks = TRACKS.exec(line);
  const match = tracks ?? NOT_WORSE.exec(line);
  if (match === null) {
    return `"${line}" is not a criterion this build can judge; write "<metric> tracks within <size>" or "<metric> not worse by <size>"`;
  }
  const [, metric = '', size = '', percent = '', every] = match;
  const known = metrics[metric];
  if (known === undefined) return `"${metric}" is not in the fleet file's table of metrics, so which way is better is not known`;
  const amount = /^(\d+(\.\d+)?|\.\d+)$/.test(size) ? Number(size) : Number.NaN;
  if (!(amount > 0)) return `"${size}" is not a size above zero`;
  const logEvery = every === undefined ? known.every : Number(every);
  if (!(logEvery >= 1)) return `"every ${every}" is not a number of steps`;
  return {
    id: metric,
    kind: tracks === null ? 'not-worse' : 'tracks',
    metric,
    better: known.better,
    margin: percent === '%' ? { rel: amount / 100 } : { abs: amount },
    logEvery,
  };
}

/** The one canonical line of a criterion. */
export function printCriterion(criterion: Criterion): string {
  const size = criterion.margin.rel === undefined ? `${criterion.margin.abs}` : `${Number((criterion.margin.rel * 100).toPrecision(12))}%`;
  const every = criterion.logEvery === 1 ? '' : ` every ${criterion.logEvery}`;
  return criterion.kind === 'tracks'
    ? `${criterion.metric} tracks within ${size}${every}`
    : `${criterion.metric} not worse by ${size}${every}`;
}
