import type { HeroPlan } from './plan.js';

/** One report that follows the run elsewhere, and how it is put back after a rollback. */
export type DownstreamRow = HeroPlan['downstream'][number];

export interface ReadRows {
  readonly rows: readonly DownstreamRow[];
  /** What is wrong, each by its row and column. */
  readonly faults: readonly string[];
}

/** How a row is written. */
export const ROW_FORM = 'what | link | open or done | how it is undone on a rollback';
const COLUMNS = ROW_FORM.split(' | ');

/** Reads rows as they were written, one text a row. A row that is not understood is a fault, and never left out. */
export function readRows(texts: readonly string[]): ReadRows {
  const rows: DownstreamRow[] = [];
  const faults: string[] = [];
  for (const [index, text] of texts.entries()) {
    // A phone's keyboard has bars of its own.
    const columns = text.split(/[|｜¦│]/).map((column) => column.trim());
    const wrong = wrongWith(columns);
    if (wrong.length > 0) faults.push(...wrong.map((fault) => `row ${index + 1}${fault}`));
    const [what = '', link = '', state = '', undo = ''] = columns;
    if (wrong.length === 0) rows.push({ what, link, done: state.toLowerCase() === 'done', undo });
  }
  return { rows, faults };
}

function wrongWith(columns: readonly string[]): readonly string[] {
  if (columns.length !== COLUMNS.length) {
    const count = columns.length === 1 ? '1 column' : `${columns.length} columns`;
    return [`, "${cut(columns.join(' | '))}": ${count} where ${COLUMNS.length} belong: ${ROW_FORM}; one row a line`];
  }
  return columns.flatMap((column, at) => {
    const wrong = column === '' ? `${COLUMNS[at]} is missing` : wrongIn(at + 1, column);
    return wrong === null ? [] : [`, column ${at + 1}: ${wrong}`];
  });
}

function wrongIn(number: number, column: string): string | null {
  if (number === 2 && /\s/.test(column)) return `"${cut(column)}" is no link: a link has no spaces`;
  if (number === 3 && !/^(open|done)$/i.test(column)) return `"${cut(column)}" is neither open nor done`;
  return null;
}

/** A row as it would be written: reading it again gives the same row. */
export function printRow({ what, link, done, undo }: DownstreamRow): string {
  return [what, link, done ? 'done' : 'open', undo].join(' | ');
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
