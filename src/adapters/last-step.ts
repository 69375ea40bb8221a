import { z } from 'zod';
import type { LastStep, Reads } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import { Batching, parcelsOf, partOf } from './batching.js';
import { checkedRunId, checkedWholeNumber, sqlText } from './binding.js';
import { finelogQuestion } from './finelog-pages.js';
import { parseLines } from './frames.js';
import type { Outside } from './outside.js';
import { notUnderstood, type Parsed, understood } from './question.js';

type Part = Reads['last_step']['args'];

/** Clocks of one cluster and ours differ by seconds; a stamp further ahead than this is a wrong one. */
const CLOCKS_APART_MS_MAX = 5 * 60_000;

const Newest = {
  last_step: z.int().min(0).nullable(),
  last_ms: z.int().min(0).nullable(),
  n: z.int().min(0),
};
const NewestRow = z.strictObject(Newest);
type NewestRow = z.infer<typeof NewestRow>;
/** `ask` numbers the runs that were asked for, so that a run without a row is an answer and not silence. */
const NumberedRow = z.strictObject({ ask: z.int().min(0), ...Newest });
type NumberedRow = z.infer<typeof NumberedRow>;

/**
 * The newest row of the metric that is logged every step. Newest by time, not by number: a retry starts again at a
 * lower step. Asked with a count, so that "no row" is an answer and not silence.
 */
export async function readLastStep(outside: Outside, part: Part): Promise<Reading<LastStep>> {
  checkedRunId(part.runId);
  checkedWholeNumber(part.sinceMs);
  return LAST_STEPS.read(outside, outside.clusterOf(part.family).telemetry, part);
}

const LAST_STEPS = new Batching<Part, LastStep>(async (outside, _telemetry, parts) => {
  const parcels = await Promise.all(parcelsOf(parts, (part) => asked(part, parts.length)).map((parcel) => askParcel(outside, parcel)));
  return parcels.flat();
});

function askParcel(outside: Outside, parts: readonly Part[]): Promise<readonly Reading<LastStep>[]> {
  const [only, ...more] = parts;
  return only !== undefined && more.length === 0 ? askOne(outside, only) : askMany(outside, parts);
}

async function askOne(outside: Outside, { family, runId, sinceMs }: Part): Promise<readonly Reading<LastStep>[]> {
  const sql =
    'WITH seen AS (SELECT step, timestamp_ms FROM "levanter.metrics" ' +
    `WHERE run_id = ${sqlText(runId)} AND name = 'train_loss' AND timestamp_ms >= ${sinceMs}), ` +
    'newest AS (SELECT max(timestamp_ms) AS newest_ms FROM seen) ' +
    'SELECT max(CASE WHEN seen.timestamp_ms = newest.newest_ms THEN seen.step END) AS last_step, ' +
    'max(seen.timestamp_ms) AS last_ms, count(*) AS n FROM seen CROSS JOIN newest';
  const answer = await outside.ask({
    ...finelogQuestion(outside, family, 'last step', sql),
    parse: (stdout, _exitCode, readAt) => {
      const rows = parseLines(stdout, NewestRow);
      return rows.kind === 'not_understood' ? rows : onlyRow(rows.value, sinceMs, readAt);
    },
  });
  return [answer];
}

async function askMany(outside: Outside, parts: readonly Part[]): Promise<readonly Reading<LastStep>[]> {
  const family = parts[0]?.family ?? '';
  const sinceMs = Math.min(...parts.map((part) => part.sinceMs));
  const sql =
    `WITH asked(ask, run_id, since_ms) AS (VALUES ${parts.map(asked).join(', ')}), ` +
    'seen AS (SELECT asked.ask AS ask, m.step AS step, m.timestamp_ms AS timestamp_ms FROM asked JOIN "levanter.metrics" AS m ' +
    `ON m.run_id = asked.run_id AND m.timestamp_ms >= asked.since_ms WHERE m.name = 'train_loss' AND m.timestamp_ms >= ${sinceMs}), ` +
    'newest AS (SELECT ask, max(timestamp_ms) AS newest_ms FROM seen GROUP BY ask) ' +
    'SELECT asked.ask AS ask, max(CASE WHEN seen.timestamp_ms = newest.newest_ms THEN seen.step END) AS last_step, ' +
    'max(seen.timestamp_ms) AS last_ms, count(seen.timestamp_ms) AS n ' +
    'FROM asked LEFT JOIN seen ON seen.ask = asked.ask LEFT JOIN newest ON newest.ask = asked.ask GROUP BY asked.ask';
  const answer = await outside.ask({
    ...finelogQuestion(outside, family, `last steps of ${parts.length} runs`, sql),
    parse: (stdout) => numbered(parseLines(stdout, NumberedRow), parts.length),
  });
  if (answer.kind === 'unknown') return parts.map(() => answer);
  return parts.map((part, ask) => {
    const own = answer.value.filter((row) => row.ask === ask);
    return partOf(answer, onlyRow(own, part.sinceMs, answer.readAt), outside.scrub);
  });
}

function asked({ runId, sinceMs }: Part, ask: number): string {
  return `(${ask}, ${sqlText(runId)}, ${sinceMs})`;
}

function numbered(rows: Parsed<readonly NumberedRow[]>, count: number): Parsed<readonly NumberedRow[]> {
  if (rows.kind === 'not_understood') return rows;
  const stranger = rows.value.find(({ ask }) => ask >= count);
  return stranger === undefined ? rows : notUnderstood('inconsistent', `asked for ${count} runs, told of number ${stranger.ask}`);
}

function onlyRow(rows: readonly NewestRow[], sinceMs: number, readAt: Date): Parsed<LastStep> {
  const [row, ...more] = rows;
  if (row === undefined || more.length > 0) return notUnderstood('unparsable', `${rows.length} rows of an aggregate`);
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
