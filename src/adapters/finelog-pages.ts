import { z } from 'zod';
import type { Known, Reading } from '../protocol/reading.js';
import { parseLines } from './frames.js';
import type { Outside } from './outside.js';
import { combined, doubtOf, notUnderstood, type Parsed, type Question, understood } from './question.js';

/** Rows that several ask for at once, to be read in pages: a page is one process. */
export interface Pages<Part, Row> {
  readonly name: string;
  readonly columns: string;
  readonly table: string;
  /** Which rows one part means, as SQL. */
  readonly condition: (part: Part) => string;
  /** What holds of the rows of every part. */
  readonly also?: string;
  readonly parse: (stdout: string, parts: readonly Part[]) => Parsed<readonly Row[]>;
  readonly isOwn: (part: Part, row: Row) => boolean;
  /** Whether the condition holds of a row, own or not; left out where `parse` refuses every other row. */
  readonly isMeant?: (part: Part, row: Row) => boolean;
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
 * The rows of each part, by `seq`: the order in which they arrived, so that a row that comes late, or with an old time,
 * cannot slip between two pages. Printing nothing is how telemetry says "no rows" and also how a broken pipe looks: no
 * rows at all are believed only with a count that says so.
 */
export async function readPages<Part extends { readonly family: string }, Row extends { readonly seq: number }>(
  outside: Outside,
  pages: Pages<Part, Row>,
  parts: readonly Part[],
): Promise<readonly Reading<readonly Row[]>[]> {
  const rows = await readRows(outside, pages, parts);
  if (rows.kind === 'unknown') return parts.map(() => rows);
  const own = parts.map((part) => rows.value.filter((row) => pages.isOwn(part, row)));
  const { isMeant = () => true } = pages;
  // One alone is sure of its silence by a row that was asked for, though it be none of its own: a row of something else says
  // as little of it as none.
  const silent = parts.filter((part, index) =>
    parts.length === 1 ? !rows.value.some((row) => isMeant(part, row)) : own[index]?.length === 0,
  );
  const confirmed = silent.length === 0 ? rows : await confirmEmpty(outside, pages, silent, rows);
  return parts.map((part, index) => (silent.includes(part) ? confirmed : { ...rows, value: own[index] ?? [] }));
}

async function readRows<Part extends { readonly family: string }, Row extends { readonly seq: number }>(
  outside: Outside,
  pages: Pages<Part, Row>,
  parts: readonly Part[],
): Promise<Reading<readonly Row[]>> {
  const first = await readPage(outside, pages, parts, null);
  if (first.kind === 'unknown') return first;
  const rows = [...first.value];
  const further: Known<readonly Row[]>[] = [];
  for (let last: readonly Row[] = first.value; last.length === PAGE_ROWS; ) {
    if (further.length + 1 === PAGES_MAX * parts.length) return doubtOf('truncated', `more than ${rows.length} rows`, first, ...further);
    const page = await readPage(outside, pages, parts, rows.at(-1)?.seq ?? null);
    if (page.kind === 'unknown') return page;
    rows.push(...page.value);
    further.push(page);
    last = page.value;
  }
  return combined(rows, first, ...further);
}

function readPage<Part extends { readonly family: string }, Row extends { readonly seq: number }>(
  outside: Outside,
  pages: Pages<Part, Row>,
  parts: readonly Part[],
  afterSeq: number | null,
): Promise<Reading<readonly Row[]>> {
  const further = afterSeq === null ? '' : ` AND seq > ${afterSeq}`;
  const sql = `SELECT ${pages.columns} FROM ${matching(pages, parts)}${further} ORDER BY seq LIMIT ${PAGE_ROWS}`;
  return outside.ask({
    ...finelogQuestion(outside, parts[0]?.family ?? '', nameOf(pages, parts), sql),
    emptyIsAnswer: true,
    parse: (stdout) => ascending(pages.parse(stdout, parts), afterSeq),
  });
}

async function confirmEmpty<Part extends { readonly family: string }, Row>(
  outside: Outside,
  pages: Pages<Part, Row>,
  silent: readonly Part[],
  rows: Known<readonly Row[]>,
): Promise<Reading<readonly Row[]>> {
  const sql = `SELECT count(*) AS n FROM ${matching(pages, silent)}`;
  const count = await outside.ask({
    ...finelogQuestion(outside, silent[0]?.family ?? '', `count of ${nameOf(pages, silent)}`, sql),
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
  if (count.value !== 0) return doubtOf('inconsistent', `nothing was printed, and the count is ${count.value}`, rows, count);
  return combined([], rows, count);
}

function matching<Part, Row>({ table, condition, also }: Pages<Part, Row>, parts: readonly Part[]): string {
  const meant = parts.length === 1 ? parts.map(condition).join('') : `(${parts.map((part) => `(${condition(part)})`).join(' OR ')})`;
  return `${table} WHERE ${meant}${also === undefined ? '' : ` AND ${also}`}`;
}

function nameOf<Part, Row>({ name }: Pages<Part, Row>, parts: readonly Part[]): string {
  return parts.length === 1 ? name : `${name} of ${parts.length}`;
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
