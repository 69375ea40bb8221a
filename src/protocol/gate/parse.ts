import type { AbsentCriterion, BoundedCriterion, ComparativeCriterion, Criterion, Margin, Sampling } from './criterion.js';
import { Cursor, type GateFault } from './cursor.js';
import { readPercent } from './print.js';

export type ParsedGate = { readonly kind: 'gate'; readonly criteria: readonly Criterion[] } | GateFault;

/**
 * Which way each metric is better, every how many steps it is logged, and whether both runs see it on the same batches: a
 * table in the fleet file, never guessed.
 */
export type MetricTable = Readonly<
  Record<string, { readonly better: 'lower' | 'higher'; readonly every: number; readonly sameBatches?: boolean | undefined }>
>;

/** Values of the fleet file that a limit may be named after, such as `hbm_release_threshold`. */
export type NamedValues = Readonly<Record<string, number>>;

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;
const FORMS = '"tracks within", "not worse by", "improves by", "below", "above" or "between"';

/**
 * Reads a gate: one criterion a line; `;` and `·` part criteria too. Answers with all criteria, or with the first fault and
 * where it stands. A line that is not understood is never skipped.
 */
export function parseGate(text: string, metrics: MetricTable, values: NamedValues = {}): ParsedGate {
  const criteria: Criterion[] = [];
  for (const segment of text.matchAll(/[^\n;·]+/g)) {
    const cursor = new Cursor(text, segment.index, segment.index + segment[0].length);
    if (cursor.isEmpty) continue;
    readLine(cursor, { metrics, values, criteria });
    if (cursor.fault !== null) return cursor.fault;
  }
  const whole = new Cursor(text, 0, 0);
  if (criteria.length === 0) whole.failBack('the gate has no criterion: without one, nothing can be judged');
  else if (criteria.every(({ reportOnly }) => reportOnly === true))
    whole.failBack('every criterion is report only: nothing would be judged');
  return whole.fault ?? { kind: 'gate', criteria };
}

interface Context {
  readonly metrics: MetricTable;
  readonly values: NamedValues;
  readonly criteria: Criterion[];
}

function readLine(cursor: Cursor, context: Context): void {
  const reported = cursor.take('report', 'only') ? { reportOnly: true } : {};
  if (cursor.take('absent')) readAbsent(cursor, context, reported);
  else readMetric(cursor, context, reported);
  if (cursor.fault === null && !cursor.isAtEnd) cursor.failHere('nothing more is expected');
}

type Reported = { readonly reportOnly?: boolean };

function readAbsent(cursor: Cursor, { criteria }: Context, reported: Reported): void {
  const ids: string[] = [];
  do {
    const id = readName(cursor, 'the name of what must be absent');
    if (id === null || !isNew(cursor, id, [...ids, ...criteria.map((each) => each.id)])) return;
    ids.push(id);
  } while (cursor.take(','));
  let options: Pick<AbsentCriterion, 'allow' | 'maxBlindSeconds'> = {};
  if (cursor.take('allowing')) options = { allow: readWhole(cursor, 0) };
  if (cursor.take('blind', 'at', 'most')) {
    options = { ...options, maxBlindSeconds: readPositive(cursor) };
    cursor.need('s');
  }
  if (cursor.fault === null) criteria.push(...ids.map((id): AbsentCriterion => ({ id, kind: 'absent', ...reported, ...options })));
}

function readMetric(cursor: Cursor, context: Context, reported: Reported): void {
  const { metrics, criteria } = context;
  const metric = readName(cursor, 'a metric, "absent" or "report only"');
  if (metric === null) return;
  const fail = cursor.failBack.bind(cursor);
  let was: string | null = null;
  let row = rowOf(metrics, metric);
  if (cursor.take('(')) {
    if (!cursor.need('was')) return;
    was = readName(cursor, 'the name that the metric had');
    if (was === null) return;
    row ??= rowOf(metrics, was);
    if (row === undefined) return void fail(`neither "${metric}" nor "${was}" is in the fleet file's table of metrics`);
    if (!cursor.need(')')) return;
  }
  if (row === undefined) return void fail(`"${metric}" is not in the fleet file's table of metrics, so which way is better is not known`);

  const isBounded = ['below', 'above', 'between'].includes(cursor.peek() ?? '');
  const id = isBounded ? `${metric}:bounds` : metric;
  if (
    !isNew(
      cursor,
      id,
      criteria.map((each) => each.id),
    )
  )
    return;
  const form = isBounded ? readBounds(cursor, context) : readComparison(cursor, row);
  if (form === null || cursor.fault !== null) return;
  const sampling = readSampling(cursor, row.every);
  const named = { id, metric, ...(was === null ? {} : { was }), ...reported };
  if (cursor.fault === null) criteria.push({ ...named, ...form, ...sampling });
}

type Comparison = Omit<ComparativeCriterion, keyof Sampling>;
type Bounds = Omit<BoundedCriterion, keyof Sampling>;

function readComparison(cursor: Cursor, { better, sameBatches }: MetricTable[string]): Comparison | null {
  const base = { better, ...(sameBatches === true ? { sameBatches } : {}) };
  let form: Comparison;
  if (cursor.take('tracks')) {
    cursor.need('within');
    form = { kind: 'tracks', ...base, margin: readMargin(cursor) };
  } else if (cursor.take('not')) {
    cursor.need('worse', 'by');
    form = { kind: 'not-worse', ...base, margin: readMargin(cursor) };
  } else if (cursor.take('improves')) {
    cursor.need('by');
    form = { kind: 'improves-by', ...base, expect: readMargin(cursor) };
    if (cursor.take('proving')) form = { ...form, atLeastFrac: readShare(cursor) };
  } else {
    cursor.failHere(`this is not a criterion: expected ${FORMS}`);
    return null;
  }
  return cursor.take('samples', 'at', 'least') ? { ...form, minN: readWhole(cursor, 1) } : form;
}

function readBounds(cursor: Cursor, { values }: Context): Bounds | null {
  const between = cursor.take('between');
  const low = between || cursor.take('above') ? readLimit(cursor, values) : null;
  if (between) cursor.need('and');
  const high = between || cursor.take('below') ? readLimit(cursor, values) : null;
  const min = low === null ? {} : { min: low.value, ...(low.name === null ? {} : { minName: low.name }) };
  const max = high === null ? {} : { max: high.value, ...(high.name === null ? {} : { maxName: high.name }) };
  if (cursor.fault !== null) return null;
  if (low !== null && high !== null && !(low.value <= high.value)) {
    cursor.failBack('the upper limit is below the lower one');
    return null;
  }
  const allow = cursor.take('allowing') ? { allow: readAllowance(cursor) } : {};
  return { kind: 'bounded', ...min, ...max, ...allow };
}

type Options = Omit<Sampling, 'id' | 'metric' | 'was' | 'reportOnly'>;

function readSampling(cursor: Cursor, loggedEvery: number): Options {
  let options: Options = { logEvery: loggedEvery };
  if (cursor.take('every')) {
    options = { logEvery: readWhole(cursor, 1) };
    if (options.logEvery % loggedEvery !== 0)
      cursor.failBack(`the metric is logged every ${loggedEvery} steps, so other steps have no row`);
    const phase = cursor.take('from') ? readWhole(cursor, 0) : 0;
    if (phase !== 0) options = { ...options, logPhase: phase };
  }
  const skipped = cursor.take('skip') ? readWhole(cursor, 0) : 0;
  if (skipped !== 0) options = { ...options, skipFirst: skipped };
  if (cursor.take('coverage')) options = { ...options, minCoverage: readShare(cursor) };
  if (cursor.take('gap', 'at', 'most')) options = { ...options, maxGap: readWhole(cursor, 0) };
  if (cursor.take('non-finite')) {
    cursor.need('as', 'gap');
    options = { ...options, nonFinite: 'gap' };
  }
  return options;
}

function isNew(cursor: Cursor, id: string, taken: readonly string[]): boolean {
  if (!taken.includes(id)) return true;
  const hint = id.endsWith(':bounds') ? '; write both limits as "between … and …"' : '';
  return cursor.failBack(`"${id}" is there twice${hint}`);
}

function readName(cursor: Cursor, expected: string): string | null {
  const name = cursor.word(expected);
  if (name === null || NAME.test(name)) return name;
  cursor.failBack(`expected ${expected}, of letters, digits and "_"; found "${name}"`);
  return null;
}

/** An absolute size, a percentage of the control's mean, or both: `0.002`, `1%`, `0.002 or 1%`. */
function readMargin(cursor: Cursor): Margin {
  const first = readSize(cursor);
  if (!cursor.take('or')) return first;
  const second = readSize(cursor);
  if (Object.keys(first)[0] === Object.keys(second)[0]) cursor.failBack('expected one absolute size and one percentage');
  return { ...first, ...second };
}

function readSize(cursor: Cursor): Margin {
  const text = cursor.word('a size such as 0.002 or 1%');
  const percent = text?.endsWith('%') === true;
  const digits = percent ? text.slice(0, -1) : (text ?? '');
  const size = !NUMBER.test(digits) ? Number.NaN : percent ? readPercent(digits) : Number(digits);
  if (text !== null && !(size > 0 && Number.isFinite(size))) cursor.failBack(`"${text}" is not a size above zero`);
  return percent ? { rel: size } : { abs: size };
}

/** A percentage above 0 and up to 100. */
function readShare(cursor: Cursor): number {
  const text = cursor.word('a percentage');
  const digits = text?.endsWith('%') === true ? text.slice(0, -1) : '';
  const share = NUMBER.test(digits) ? readPercent(digits) : Number.NaN;
  if (text !== null && !(share > 0 && share <= 1)) cursor.failBack(`"${text}" is not a percentage above 0% and up to 100%`);
  return share;
}

/** Exceptions: a count, or a percentage of the expected rows. */
function readAllowance(cursor: Cursor): number {
  const percent = cursor.peek()?.endsWith('%') === true;
  if (!percent) return readWhole(cursor, 0);
  const share = readShare(cursor);
  if (share === 1) cursor.failBack('a limit that every row may break is none');
  return share;
}

function readWhole(cursor: Cursor, least: number): number {
  const text = cursor.word('a whole number');
  const value = text !== null && /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (text !== null && !(value >= least)) cursor.failBack(`"${text}" is not a whole number of at least ${least}`);
  return value;
}

function readPositive(cursor: Cursor): number {
  const text = cursor.word('a number above zero');
  const value = text !== null && NUMBER.test(text) ? Number(text) : Number.NaN;
  if (text !== null && !(value > 0 && Number.isFinite(value))) cursor.failBack(`"${text}" is not a number above zero`);
  return value;
}

/** A number, or the name of a value in the fleet file. */
function readLimit(cursor: Cursor, values: NamedValues): { readonly value: number; readonly name: string | null } | null {
  const text = cursor.word('a limit: a number, or a named value of the fleet file');
  if (text === null) return null;
  if (NUMBER.test(text) && Number.isFinite(Number(text))) return { value: Number(text) + 0, name: null }; // no negative zero
  const value = Object.hasOwn(values, text) ? values[text] : undefined;
  if (value !== undefined && Number.isFinite(value)) return { value, name: text };
  cursor.failBack(`"${text}" is neither a number nor a named value of the fleet file`);
  return null;
}

function rowOf(metrics: MetricTable, metric: string): MetricTable[string] | undefined {
  return Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
}
