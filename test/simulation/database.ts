import { type Database, openDatabase } from '../../src/journal/database.js';

/** Where the bot may die around a commit. `pass` throws when it does. */
export interface CrashPoints {
  pass(point: string): void;
}

/** A safety that is turned off, to see that it is missed: statements and schema as they would be without it. */
export interface Sabotage {
  readonly statement?: (sql: string) => string;
  readonly schema?: string;
}

let empty: Buffer | null = null;

/** The image of a new, migrated journal. */
export function emptyImage(): Buffer {
  if (empty === null) {
    const database = openDatabase(':memory:');
    empty = database.serialize();
    database.close();
  }
  return empty;
}

/**
 * Opens the image of a journal as the bot would open its file. Each commit passes two crash points: before it, when
 * nothing of it is there yet, and after it, when all of it is.
 */
export function openImage(image: Buffer, points: CrashPoints, sabotage: Sabotage = {}): Database {
  const database = openDatabase(image);
  if (sabotage.schema !== undefined) database.exec(sabotage.schema);
  watchStatements(database, points, sabotage.statement ?? ((sql) => sql));
  watchTransactions(database, points);
  return database;
}

function watchStatements(database: Database, points: CrashPoints, patch: (sql: string) => string): void {
  const prepare = database.prepare;
  Object.defineProperty(database, 'prepare', {
    value: (sql: string) => {
      const statement = Reflect.apply(prepare, database, [patch(sql)]);
      if (statement.reader) return statement;
      const { run } = statement;
      Object.defineProperty(statement, 'run', {
        value: (...parameters: readonly unknown[]) =>
          database.inTransaction
            ? Reflect.apply(run, statement, parameters)
            : around(points, () => Reflect.apply(run, statement, parameters)),
      });
      return statement;
    },
  });
}

function watchTransactions(database: Database, points: CrashPoints): void {
  const { transaction } = database;
  Object.defineProperty(database, 'transaction', {
    value: (work: (...args: unknown[]) => unknown) => {
      const { immediate } = Reflect.apply(transaction, database, [work]);
      const watched = (...args: readonly unknown[]) =>
        database.inTransaction
          ? Reflect.apply(immediate, undefined, args)
          : around(points, () => Reflect.apply(immediate, undefined, args));
      return Object.assign(() => watched(), { immediate: watched });
    },
  });
}

function around<T>(points: CrashPoints, commit: () => T): T {
  points.pass('before a commit');
  const result = commit();
  points.pass('after a commit');
  return result;
}
