import { z } from 'zod';
import type { Reads, SharedSeries } from '../protocol/outside.js';
import type { Known, Reading } from '../protocol/reading.js';
import { checkedRunId, checkedWholeNumber, sqlText } from './binding.js';
import { readSeries } from './finelog.js';
import { finelogQuestion } from './finelog-pages.js';
import { parseLines } from './frames.js';
import type { Outside } from './outside.js';
import { combined, notUnderstood, understood } from './question.js';

/** Names that one look asks for; as many as this count as cut off. */
const NAMES_MAX = 5_000;
/** Metrics whose rows are read: a window holds some 20 rows of each, and a look should end in seconds. */
const METRICS_MAX = 60;

const NameRow = z.strictObject({ name: z.string().min(1), n: z.int().min(0) });
const METRIC = /^[A-Za-z0-9_]{1,128}$/;

/**
 * Every metric that both runs logged in a range of steps, but for those beyond `METRICS_MAX` by name, which are counted.
 * A metric whose name could not be bound safely is counted with them.
 */
export async function readSharedSeries(
  outside: Outside,
  { family, control, candidate, from, to }: Reads['shared_series']['args'],
): Promise<Reading<SharedSeries>> {
  const before = await readNames(outside, family, control, from, to);
  if (before.kind === 'unknown') return before;
  const after = await readNames(outside, family, candidate, from, to);
  if (after.kind === 'unknown') return after;
  const shared = before.value.filter((name) => after.value.includes(name)).sort();
  const metrics = shared.filter((name) => METRIC.test(name)).slice(0, METRICS_MAX);
  const left = shared.length - metrics.length;
  if (metrics.length === 0) return combined({ metrics, left, control: [], candidate: [] }, before, after);
  const ask = (runId: string) => readSeries(outside, { family, runId, metrics, from, to });
  const [old, fresh] = [await ask(control), await ask(candidate)];
  if (old.kind === 'unknown') return old;
  if (fresh.kind === 'unknown') return fresh;
  const parts: readonly Known<unknown>[] = [after, old, fresh];
  return combined({ metrics, left, control: old.value, candidate: fresh.value }, before, ...parts);
}

function readNames(outside: Outside, family: string, runId: string, from: number, to: number): Promise<Reading<readonly string[]>> {
  const sql =
    `SELECT name, count(*) AS n FROM "levanter.metrics" WHERE run_id = ${sqlText(checkedRunId(runId))} ` +
    `AND step BETWEEN ${checkedWholeNumber(from)} AND ${checkedWholeNumber(to)} GROUP BY name ORDER BY name LIMIT ${NAMES_MAX}`;
  return outside.ask({
    ...finelogQuestion(outside, family, `metrics of ${runId}`, sql),
    parse: (stdout) => {
      const rows = parseLines(stdout, NameRow);
      if (rows.kind === 'not_understood') return rows;
      if (rows.value.length >= NAMES_MAX) return notUnderstood('truncated', `${rows.value.length} metrics, and the cap is ${NAMES_MAX}`);
      return understood(rows.value.map(({ name }) => name));
    },
  });
}
