import { z } from 'zod';
import type { Marker, Reads, Sample } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import { Batching, parcelsOf } from './batching.js';
import {
  checkedJobId,
  checkedMetric,
  checkedRunId,
  checkedWholeNumber,
  sqlNameStartsWith,
  sqlStartsWith,
  sqlText,
  UnsafeArgumentError,
} from './binding.js';
import { type Pages, readPages } from './finelog-pages.js';
import { parseLines, quoted } from './frames.js';
import { decodeCoordinator } from './job-name.js';
import type { Outside } from './outside.js';
import { notUnderstood, type Parsed, understood } from './question.js';

const MARKER_CHARS_MAX = 2_000;

/**
 * Source: contracts/iris-and-ferries.md 3.5; the compile lines are JAX's own. No line is sure to come: not even
 * `Loaded checkpoint from`.
 */
const MARKERS: readonly (readonly [needle: string, kind: Marker['kind']])[] = [
  ['Loading checkpoint from', 'restore_began'],
  ['Loaded checkpoint from', 'restored'],
  ['Compiling train_step', 'compiling'],
  ['Compiling jit(train_step)', 'compiling'],
  ['No progress after', 'watchdog'],
  ['JaxRuntimeError', 'runtime_error'],
  ['Non-finite loss', 'non_finite'],
  ['Fatal error in grug training loop', 'fatal'],
];

const Milliseconds = z.int().min(0);
const Step = z.int().min(0);
const Seq = z.int();

const MetricRow = z.strictObject({
  timestamp_ms: Milliseconds,
  execution_uid: z.string().min(1),
  step: Step,
  name: z.string().min(1),
  // A logged value that is not finite is a text here: neither JSON nor SQLite has a number for it.
  value: z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]).nullable(),
  seq: Seq,
});
type MetricRow = z.infer<typeof MetricRow>;
const OwnedMetricRow = MetricRow.extend({ run_id: z.string().min(1) });
const LogLine = z.strictObject({ key: z.string().min(1), seq: Seq.optional(), epoch_ms: Milliseconds, data: z.string() });
type LogLine = z.infer<typeof LogLine>;
interface LogRow extends LogLine {
  readonly seq: number;
}

/** The documented query of log lines has no `seq` and stops at this many. Source: contracts/iris-and-ferries.md 3.4. */
const LINES_WITHOUT_SEQ_MAX = 200;

/** Every logged row of some metrics in a range of steps, oldest first. */
export async function readSeries(outside: Outside, part: SeriesPart): Promise<Reading<readonly Sample[]>> {
  const { family, runId, metrics, from, to } = part;
  if (metrics.length === 0) throw new UnsafeArgumentError('ask for a series of no metric');
  for (const metric of metrics) checkedMetric(metric);
  checkedRunId(runId);
  checkedWholeNumber(from);
  checkedWholeNumber(to);
  const rows = await SERIES.read(outside, outside.clusterOf(family).telemetry, part);
  return rows.kind === 'unknown' ? rows : { ...rows, value: samplesOf(rows.value) };
}

type SeriesPart = Reads['series']['args'];

const SERIES_PAGES: Pages<SeriesPart, MetricRow> = {
  name: 'series',
  columns: 'timestamp_ms, execution_uid, step, name, value, seq',
  table: '"levanter.metrics"',
  condition: ({ runId, metrics, from, to }) =>
    `run_id = ${sqlText(runId)} AND name IN (${metrics.map(sqlText).join(', ')}) AND step BETWEEN ${from} AND ${to}`,
  parse: (stdout, parts) =>
    rowsThat(parseLines(quoteNonFinite(stdout), MetricRow), (row) =>
      parts.some((part) => isOfSeries(part, row)) ? null : `told of step ${row.step} of ${quoted(row.name)}, which was not asked for`,
    ),
  isOwn: isOfSeries,
};

/** The same for several: each row says whose it is. */
const MANY_SERIES_PAGES: Pages<SeriesPart, MetricRow & { readonly run_id: string }> = {
  ...SERIES_PAGES,
  columns: `run_id, ${SERIES_PAGES.columns}`,
  parse: (stdout, parts) =>
    rowsThat(parseLines(quoteNonFinite(stdout), OwnedMetricRow), (row) =>
      parts.some((part) => part.runId === row.run_id) ? null : `told of the run ${quoted(row.run_id)}, which was not asked for`,
    ),
  isOwn: (part, row) => row.run_id === part.runId && isOfSeries(part, row),
};

const SERIES = new Batching<SeriesPart, readonly MetricRow[]>(async (outside, _telemetry, parts) => {
  const parcels = parcelsOf(parts, SERIES_PAGES.condition).map((parcel) =>
    parcel.length === 1 ? readPages(outside, SERIES_PAGES, parcel) : readPages(outside, MANY_SERIES_PAGES, parcel),
  );
  return (await Promise.all(parcels)).flat();
});

function isOfSeries({ metrics, from, to }: SeriesPart, { name, step }: MetricRow): boolean {
  return metrics.includes(name) && step >= from && step <= to;
}

/** Lines of a job's and its children's logs that mean something; one line may mean several things. */
export async function readMarkers(
  outside: Outside,
  { family, jobId, sinceMs }: Reads['markers']['args'],
): Promise<Reading<readonly Marker[]>> {
  const prefix = `${checkedJobId(jobId)}/`;
  return readMarkersOf(outside, {
    family,
    keys: sqlStartsWith('key', prefix),
    isMeant: (key) => key.toLowerCase().startsWith(prefix.toLowerCase()),
    isOwn: (key) => key.startsWith(prefix),
    sinceMs,
  });
}

/** The same of every coordinator of a run, under whatever user. */
export async function readMarkersOfRun(
  outside: Outside,
  family: string,
  runId: string,
  sinceMs: number,
): Promise<Reading<readonly Marker[]>> {
  const lead = `${checkedRunId(runId)}-coord`;
  const isOwn = (key: string): boolean => decodeCoordinator(key.split('/').slice(0, 3).join('/'))?.runId === runId;
  const isMeant = (key: string): boolean => /^\/.*\//.test(key) && key.toLowerCase().includes(`/${lead.toLowerCase()}`);
  return readMarkersOf(outside, { family, keys: sqlNameStartsWith('key', lead), isMeant, isOwn, sinceMs });
}

interface MarkerPart {
  readonly family: string;
  /** A condition on the key. LIKE knows no case; ids do, and `isOwn` does. */
  readonly keys: string;
  /** Whether the condition holds of a key: a row of which it does not was not asked for. */
  readonly isMeant: (key: string) => boolean;
  readonly isOwn: (key: string) => boolean;
  readonly sinceMs: number;
}

const MARKER_PAGES: Pages<MarkerPart, LogRow> = {
  name: 'markers',
  columns: 'key, seq, epoch_ms, data',
  table: '"log"',
  condition: ({ keys, sinceMs }) => `${keys} AND epoch_ms >= ${sinceMs}`,
  also: `(${MARKERS.map(([needle]) => `contains(data, ${sqlText(needle)})`).join(' OR ')})`,
  parse: (stdout, parts) => {
    const sinceMs = Math.min(...parts.map((part) => part.sinceMs));
    return rowsThat(numberedLines(parseLines(stdout, LogLine)), (row) =>
      row.epoch_ms >= sinceMs ? null : `asked for lines since ${sinceMs}, told of one at ${row.epoch_ms}`,
    );
  },
  isMeant: ({ isMeant }, { key, data }) => isMeant(key) && MARKERS.some(([needle]) => data.includes(needle)),
  isOwn: ({ isOwn, sinceMs }, row) => isOwn(row.key) && row.epoch_ms >= sinceMs,
};

const MARKER_LINES = new Batching<MarkerPart, readonly LogRow[]>(async (outside, _telemetry, parts) => {
  const parcels = parcelsOf(parts, MARKER_PAGES.condition).map((parcel) => readPages(outside, MARKER_PAGES, parcel));
  return (await Promise.all(parcels)).flat();
});

async function readMarkersOf(outside: Outside, part: MarkerPart): Promise<Reading<readonly Marker[]>> {
  checkedWholeNumber(part.sinceMs);
  const rows = await MARKER_LINES.read(outside, outside.clusterOf(part.family).telemetry, part);
  if (rows.kind === 'unknown') return rows;
  const inOrder = rows.value.toSorted((a, b) => a.epoch_ms - b.epoch_ms || a.seq - b.seq);
  return { ...rows, value: inOrder.flatMap((row) => markersIn(row, outside)) };
}

/** Lines by `seq`. Without it there is no next page: so few that there is none are taken in the order in which they stand. */
function numberedLines(lines: Parsed<readonly LogLine[]>): Parsed<readonly LogRow[]> {
  if (lines.kind === 'not_understood') return lines;
  const numbered = lines.value.flatMap((line) => (line.seq === undefined ? [] : [{ ...line, seq: line.seq }]));
  if (numbered.length === lines.value.length) return understood(numbered);
  if (numbered.length > 0) return notUnderstood('unparsable', 'another layout: some lines have a seq, and some have none');
  if (lines.value.length >= LINES_WITHOUT_SEQ_MAX)
    return notUnderstood('truncated', `${lines.value.length} lines without a seq: there may be more`);
  return understood(lines.value.map((line, index) => ({ ...line, seq: index })));
}

/** The rows, if each is one that was asked for; `fault` says of a row why it is not. */
function rowsThat<Row>(rows: Parsed<readonly Row[]>, fault: (row: Row) => string | null): Parsed<readonly Row[]> {
  if (rows.kind === 'not_understood') return rows;
  for (const row of rows.value) {
    const detail = fault(row);
    if (detail !== null) return notUnderstood('inconsistent', detail);
  }
  return rows;
}

// A retry and a replay write the same steps again, under another execution: numbered by who wrote first.
function samplesOf(rows: readonly MetricRow[]): readonly Sample[] {
  const oldestFirst = rows.toSorted((a, b) => a.timestamp_ms - b.timestamp_ms || a.seq - b.seq);
  const attempts = new Map<string, number>();
  return oldestFirst.map((row) => {
    const attempt = attempts.get(row.execution_uid) ?? attempts.size;
    attempts.set(row.execution_uid, attempt);
    return { step: row.step, metric: row.name, value: row.value, attempt, atMs: row.timestamp_ms, seq: row.seq };
  });
}

function markersIn(row: LogRow, outside: Outside): readonly Marker[] {
  const text = outside.scrub(row.data).slice(0, MARKER_CHARS_MAX);
  return MARKERS.filter(([needle]) => row.data.includes(needle)).map(([, kind]) => ({ kind, task: row.key, atMs: row.epoch_ms, text }));
}

// Some writers of JSON print a bare NaN, which JSON does not have; no other column of these rows can hold the pattern.
function quoteNonFinite(stdout: string): string {
  return stdout.replace(/("value":\s*)(NaN|-?Infinity)(?=\s*[,}])/g, '$1"$2"');
}
