import { parse as parseCsv } from 'csv-parse/sync';
import type { z } from 'zod';
import { readJson, TwofoldJsonError } from './json.js';
import { notUnderstood, type Parsed, understood } from './question.js';

/**
 * The frames in which answers come: CSV, JSON, a JSON object a line. A frame that is not exactly as expected is not an
 * empty one.
 */

/**
 * CSV with exactly these columns, found by name; CRLF or LF; a byte-order mark is taken off, since it changes no cell.
 * As many rows as `rowsMax` count as cut off. Source: contracts/iris-and-ferries.md 1.7.
 */
export function parseTable(text: string, columns: readonly string[], rowsMax: number): Parsed<readonly Readonly<Record<string, string>>[]> {
  if (!text.endsWith('\n')) return notUnderstood('unparsable', 'the last line is not ended');
  let records: string[][];
  try {
    records = parseCsv(text, { bom: true, record_delimiter: ['\r\n', '\n'] });
  } catch (fault) {
    return notUnderstood('unparsable', `no CSV: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
  const [header = [], ...rows] = records;
  if (header.length !== columns.length || !columns.every((column) => header.includes(column))) {
    return notUnderstood('unparsable', `header is not ${columns.join(',')} but ${quoted(header.join(','))}`);
  }
  if (rows.length >= rowsMax) return notUnderstood('truncated', `${rows.length} rows, and the cap is ${rowsMax}`);
  return understood(rows.map((row) => Object.fromEntries(header.map((column, index) => [column, row[index] ?? '']))));
}

/** One JSON value of exactly this shape, in which no name stands twice. */
export function parseJson<T>(text: string, shape: z.ZodType<T>): Parsed<T> {
  let json: unknown;
  try {
    json = readJson(withoutMark(text));
  } catch (fault) {
    // The words of the JSON reader itself quote the text, which stands behind anyway.
    const what = fault instanceof TwofoldJsonError ? fault.message : 'no JSON';
    return notUnderstood('unparsable', `${what}: ${quoted(text)}`);
  }
  return shaped(json, shape);
}

/** A JSON object a line, each of exactly this shape; no lines are no rows. */
export function parseLines<T>(text: string, shape: z.ZodType<T>): Parsed<readonly T[]> {
  if (text === '') return understood([]);
  if (!text.endsWith('\n')) return notUnderstood('unparsable', 'the last line is not ended');
  const rows: T[] = [];
  for (const line of withoutMark(text).slice(0, -1).split('\n')) {
    const row = parseJson(line, shape);
    if (row.kind === 'not_understood') return row;
    rows.push(row.value);
  }
  return understood(rows);
}

// A byte-order mark says nothing about what follows it.
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function shaped<T>(json: unknown, shape: z.ZodType<T>): Parsed<T> {
  const checked = shape.safeParse(json);
  if (checked.success) return understood(checked.data);
  const [issue] = checked.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return notUnderstood('unparsable', `another layout: ${where}${issue?.message ?? 'unknown'}, in ${quoted(JSON.stringify(json))}`);
}

/** A text from outside, as it stands at the end of a detail. Details are cut for good only after they are scrubbed. */
export function quoted(text: string): string {
  return JSON.stringify(text.length <= 16_384 ? text : `${text.slice(0, 16_383)}…`);
}
