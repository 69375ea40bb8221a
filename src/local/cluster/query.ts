import type Database from 'better-sqlite3';

/** The scheduler's tables and the telemetry's: each provider answers for its own only. */
export const SCHEDULER_TABLES = ['jobs', 'job_config', 'tasks', 'task_attempts'] as const;
export const TELEMETRY_TABLES = ['levanter.metrics', 'log', 'iris.task', 'iris.task_event'] as const;

/** Every table of the file: a name that is none of these is a table expression of the question itself, or SQLite's own error. */
const TABLES: readonly string[] = [
  ...SCHEDULER_TABLES,
  ...TELEMETRY_TABLES,
  'sqlite_master',
  'ledger',
  'submission',
  'pod',
  'tracker_run',
  'tracker_report',
  'prepared',
];

/** An answer: names of its columns, and its rows in the same order. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** A question that the provider refuses, or that SQLite cannot make sense of. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
}

/** Runs one reading statement over the given tables. Throws QueryError. At most `rowsMax` rows come back, silently. */
export function ask(reader: Database.Database, sql: string, tables: readonly string[], rowsMax = Number.POSITIVE_INFINITY): Table {
  for (const match of sql.matchAll(/\b(?:from|join)\s+(?:"([^"]+)"|([A-Za-z_][\w.]*))/gi)) {
    const table = match[1] ?? match[2] ?? '';
    if (TABLES.includes(table) && !tables.includes(table)) throw new QueryError(`no such table: ${table}`);
  }
  try {
    const statement = reader.prepare(sql);
    if (!statement.reader) throw new QueryError('only reading statements are allowed');
    const columns = statement.columns().map((column) => column.name);
    const rows: unknown[][] = [];
    for (const row of statement.raw().iterate()) {
      if (rows.length >= rowsMax) break;
      rows.push(row as unknown[]);
    }
    return { columns, rows };
  } catch (error) {
    if (error instanceof QueryError) throw error;
    throw new QueryError((error as Error).message, { cause: error });
  }
}
