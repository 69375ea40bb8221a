import { z } from 'zod';
import type { Known, Reading } from '../protocol/reading.js';
import { parseLines } from './frames.js';
import type { Outside } from './outside.js';
import { combined, doubtOf, notUnderstood, type Parsed, type Question, understood } from './question.js';

/** Rows of one query, to be read in pages: a page is one process. */
export interface Pages<Row> {
  readonly name: string;
  readonly columns: string;
  /** The namespace and the condition: what follows FROM. */
  readonly matching: string;
  readonly parse: (stdout: string) => Parsed<readonly Row[]>;
}

export const PAGE_ROWS = 900;
const PAGES_MAX = 40;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

const Count = z.strictObject({ n: z.int().min(0) });

/** The frame of a question to the telemetry that holds a family's freshest rows. */
export function finelogQuestion(outside: Outside, family: string, name: string, sql: string): Omit<Question<never>, 'parse'> {
  return {
    name: `finelog query ${name}`,
    command: outside.commands.finelog,
    args: ['query', outside.clusterOf(family).telemetry, sql],
    outputBytesMax: OUTPUT_BYTES_MAX,
  };
}

/**
 * All rows, by `seq`: the order in which they arrived, so that a row that comes late, or with an old time, cannot slip
 * between two pages. Printing nothing is how telemetry says "no rows" and also how a broken pipe looks: no rows at all
 * are believed only with a count that says so.
 */
export async function readPages<Row extends { readonly seq: number }>(
  outside: Outside,
  family: string,
  pages: Pages<Row>,
): Promise<Reading<readonly Row[]>> {
  const first = await readPage(outside, family, pages, null);
  if (first.kind === 'unknown') return first;
  if (first.value.length === 0) return confirmEmpty(outside, family, pages, first);

  const rows = [...first.value];
  const further: Known<readonly Row[]>[] = [];
  for (let last: readonly Row[] = first.value; last.length === PAGE_ROWS; ) {
    if (further.length + 1 === PAGES_MAX) return doubtOf('truncated', `more than ${rows.length} rows`, first, ...further);
    const page = await readPage(outside, family, pages, rows.at(-1)?.seq ?? null);
    if (page.kind === 'unknown') return page;
    rows.push(...page.value);
    further.push(page);
    last = page.value;
  }
  return combined(rows, first, ...further);
}

function readPage<Row extends { readonly seq: number }>(
  outside: Outside,
  family: string,
  pages: Pages<Row>,
  afterSeq: number | null,
): Promise<Reading<readonly Row[]>> {
  const further = afterSeq === null ? '' : ` AND seq > ${afterSeq}`;
  const sql = `SELECT ${pages.columns} FROM ${pages.matching}${further} ORDER BY seq LIMIT ${PAGE_ROWS}`;
  return outside.ask({
    ...finelogQuestion(outside, family, pages.name, sql),
    emptyIsAnswer: true,
    parse: (stdout) => ascending(pages.parse(stdout), afterSeq),
  });
}

async function confirmEmpty<Row>(
  outside: Outside,
  family: string,
  pages: Pages<Row>,
  empty: Known<readonly Row[]>,
): Promise<Reading<readonly Row[]>> {
  const sql = `SELECT count(*) AS n FROM ${pages.matching}`;
  const count = await outside.ask({
    ...finelogQuestion(outside, family, `count of ${pages.name}`, sql),
    parse: (stdout) => {
      const lines = parseLines(stdout, Count);
      const [line, ...more] = lines.kind === 'understood' ? lines.value : [];
      if (lines.kind === 'not_understood') return lines;
      return line === undefined || more.length > 0
        ? notUnderstood('unparsable', `${lines.value.length} rows of a count`)
        : understood(line.n);
    },
  });
  if (count.kind === 'unknown') return count;
  if (count.value !== 0) return doubtOf('inconsistent', `nothing was printed, and the count is ${count.value}`, empty, count);
  return combined([], empty, count);
}

// A full page is followed by the one after its last `seq`: out of order, or twice the same, rows would be left out. A
// short page is the last one, and its order does not matter.
function ascending<Row extends { readonly seq: number }>(page: Parsed<readonly Row[]>, afterSeq: number | null): Parsed<readonly Row[]> {
  if (page.kind === 'not_understood') return page;
  const { length } = page.value;
  if (length > PAGE_ROWS) return notUnderstood('inconsistent', `${length} rows of at most ${PAGE_ROWS}`);
  const rows = length < PAGE_ROWS ? page.value.toSorted((a, b) => a.seq - b.seq) : page.value;
  let last = afterSeq;
  for (const { seq } of rows) {
    if (last !== null && seq <= last) return notUnderstood('inconsistent', `seq ${seq} after ${last}`);
    last = seq;
  }
  return understood(rows);
}
