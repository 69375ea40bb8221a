import { z } from 'zod';
import type { LastStep, Marker, Reads, Sample } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
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
import { finelogQuestion, readPages } from './finelog-pages.js';
import { parseLines, quoted } from './frames.js';
import { decodeCoordinator } from './job-name.js';
import type { Outside } from './outside.js';
import { notUnderstood, type Parsed, understood } from './question.js';

const MARKER_CHARS_MAX = 2_000;

/** Clocks of one cluster and ours differ by seconds; a stamp further ahead than this is a wrong one. */
const CLOCKS_APART_MS_MAX = 5 * 60_000;

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

const NewestRow = z.strictObject({ last_step: Step.nullable(), last_ms: Milliseconds.nullable(), n: z.int().min(0) });
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
const LogRow = z.strictObject({ key: z.string().min(1), seq: Seq, epoch_ms: Milliseconds, data: z.string() });
type LogRow = z.infer<typeof LogRow>;

/**
 * The newest row of the metric that is logged every step. Newest by time, not by number: a retry starts again at a
 * lower step. Asked with a count, so that "no row" is an answer and not silence.
 */
export function readLastStep(outside: Outside, { family, runId, sinceMs }: Reads['last_step']['args']): Promise<Reading<LastStep>> {
  const sql =
    'WITH seen AS (SELECT step, timestamp_ms FROM "levanter.metrics" ' +
    `WHERE run_id = ${sqlText(checkedRunId(runId))} AND name = 'train_loss' AND timestamp_ms >= ${checkedWholeNumber(sinceMs)}), ` +
    'newest AS (SELECT max(timestamp_ms) AS newest_ms FROM seen) ' +
    'SELECT max(CASE WHEN seen.timestamp_ms = newest.newest_ms THEN seen.step END) AS last_step, ' +
    'max(seen.timestamp_ms) AS last_ms, count(*) AS n FROM seen CROSS JOIN newest';
  return outside.ask({
    ...finelogQuestion(outside, family, 'last step', sql),
    parse: (stdout, _exitCode, readAt) => parseLastStep(stdout, sinceMs, readAt),
  });
}

/** Every logged row of some metrics in a range of steps, oldest first. */
export async function readSeries(
  outside: Outside,
  { family, runId, metrics, from, to }: Reads['series']['args'],
): Promise<Reading<readonly Sample[]>> {
  if (metrics.length === 0) throw new UnsafeArgumentError('ask for a series of no metric');
  const names = metrics.map((metric) => sqlText(checkedMetric(metric))).join(', ');
  const rows = await readPages<MetricRow>(outside, family, {
    name: 'series',
    columns: 'timestamp_ms, execution_uid, step, name, value, seq',
    matching:
      `"levanter.metrics" WHERE run_id = ${sqlText(checkedRunId(runId))} AND name IN (${names}) ` +
      `AND step BETWEEN ${checkedWholeNumber(from)} AND ${checkedWholeNumber(to)}`,
    parse: (stdout) =>
      rowsThat(parseLines(quoteNonFinite(stdout), MetricRow), ({ name, step }) =>
        metrics.includes(name) && step >= from && step <= to
          ? null
          : `asked for steps ${from} to ${to} of ${metrics.join(', ')}, told of step ${step} of ${quoted(name)}`,
      ),
  });
  return rows.kind === 'unknown' ? rows : { ...rows, value: samplesOf(rows.value) };
}

/** Lines of a job's and its children's logs that mean something; one line may mean several things. */
export function readMarkers(outside: Outside, { family, jobId, sinceMs }: Reads['markers']['args']): Promise<Reading<readonly Marker[]>> {
  const prefix = `${checkedJobId(jobId)}/`;
  return markersWhere(outside, family, { keys: sqlStartsWith('key', prefix), isOwn: (key) => key.startsWith(prefix), sinceMs });
}

/** The same of every coordinator of a run, under whatever user. */
export function readMarkersOfRun(outside: Outside, family: string, runId: string, sinceMs: number): Promise<Reading<readonly Marker[]>> {
  const keys = sqlNameStartsWith('key', `${checkedRunId(runId)}-coord`);
  const isOwn = (key: string): boolean => decodeCoordinator(key.split('/').slice(0, 3).join('/'))?.runId === runId;
  return markersWhere(outside, family, { keys, isOwn, sinceMs });
}

interface MarkerRows {
  readonly keys: string;
  readonly isOwn: (key: string) => boolean;
  readonly sinceMs: number;
}

async function markersWhere(outside: Outside, family: string, { keys, isOwn, sinceMs }: MarkerRows): Promise<Reading<readonly Marker[]>> {
  const needles = MARKERS.map(([needle]) => `contains(data, ${sqlText(needle)})`).join(' OR ');
  const rows = await readPages<LogRow>(outside, family, {
    name: 'markers',
    columns: 'key, seq, epoch_ms, data',
    matching: `"log" WHERE ${keys} AND epoch_ms >= ${checkedWholeNumber(sinceMs)} AND (${needles})`,
    parse: (stdout) =>
      rowsThat(parseLines(stdout, LogRow), (row) =>
        row.epoch_ms >= sinceMs ? null : `asked for lines since ${sinceMs}, told of one at ${row.epoch_ms}`,
      ),
  });
  if (rows.kind === 'unknown') return rows;
  // LIKE knows no case; ids do.
  const own = rows.value.filter((row) => isOwn(row.key));
  return { ...rows, value: own.toSorted((a, b) => a.epoch_ms - b.epoch_ms || a.seq - b.seq).flatMap((row) => markersIn(row, outside)) };
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

function parseLastStep(stdout: string, sinceMs: number, readAt: Date): Parsed<LastStep> {
  const lines = parseLines(stdout, NewestRow);
  if (lines.kind === 'not_understood') return lines;
  const [row, ...more] = lines.value;
  if (row === undefined || more.length > 0) return notUnderstood('unparsable', `${lines.value.length} rows of an aggregate`);
  if ((row.n === 0) !== (row.last_step === null) || (row.n === 0) !== (row.last_ms === null)) {
    return notUnderstood('inconsistent', `${row.n} rows, last step ${row.last_step} at ${row.last_ms}`);
  }
  if (row.last_ms !== null && row.last_ms < sinceMs) {
    return notUnderstood('inconsistent', `asked for rows since ${sinceMs}, told of one at ${row.last_ms}`);
  }
  const aheadMs = (row.last_ms ?? 0) - readAt.getTime();
  if (aheadMs > CLOCKS_APART_MS_MAX) {
    return notUnderstood('inconsistent', `the newest row is dated ${Math.round(aheadMs / 1000)} s after our clock`);
  }
  return understood({ step: row.last_step, atMs: row.last_ms, rows: row.n });
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
