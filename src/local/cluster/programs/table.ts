import type { Table } from '../query.js';

/** CSV as `iris query -f csv` prints it: header always, CRLF after each line, quotes only where they are needed. */
export function renderCsv(table: Table): string {
  const line = (cells: readonly unknown[]) => `${cells.map((cell) => quoted(textOf(cell))).join(',')}\r\n`;
  return [table.columns, ...table.rows].map(line).join('');
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The aligned table for people: numbers to the right, LF line ends. */
export function renderTable(table: Table): string {
  const cells = table.rows.map((row) => row.map(textOf));
  const widths = table.columns.map((column, at) => Math.max(column.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[], values: readonly unknown[]) =>
    row
      .map((text, at) => (typeof values[at] === 'number' ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(table.columns, table.columns), ...cells.map((row, at) => line(row, table.rows[at] ?? []))]
    .map((text) => `${text}\n`)
    .join('');
}

function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return Buffer.isBuffer(cell) ? `<blob:${cell.length} bytes>` : String(cell);
}

/** JSONL as `finelog query` prints it: one object a row, with Python's separators. */
export function renderJsonLines(table: Table): string {
  return table.rows
    .map((row) => `{${table.columns.map((column, at) => `${JSON.stringify(column)}: ${JSON.stringify(row[at] ?? null)}`).join(', ')}}\n`)
    .join('');
}
