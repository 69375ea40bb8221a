import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { OpsError } from '../errors.js';

export type Database = Sqlite.Database;

/** The database was written by a newer build: nothing was started, and nothing was changed. */
export class NewerDatabaseError extends OpsError {
  readonly code = 'newer_database';
  override readonly exitCode = 4;
}

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** The schema's only source: `migrations/NNNN_name.sql`, in order. */
export function loadMigrations(folder = migrationsFolder()): readonly Migration[] {
  const files = readdirSync(folder)
    .filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file))
    .sort();
  return files.map((file, index) => {
    const version = Number(file.slice(0, 4));
    if (version !== index + 1) throw new Error(`migrations are not contiguous at ${file}`);
    return { version, name: file.replace(/\.sql$/, ''), sql: readFileSync(`${folder}/${file}`, 'utf8') };
  });
}

/**
 * Opens the journal (a path, or the image of one that was serialised) and brings it to this build's schema. A file and its version commit together.
 * Throws NewerDatabaseError when the database is ahead of this build.
 */
export function openDatabase(path: string | Buffer, migrations: readonly Migration[] = loadMigrations()): Database {
  const database = new Sqlite(path);
  try {
    // Its own number, in the first page of the file: by it a log that belongs to another journal is found out.
    if (journalNumber(database) === 0) database.pragma(`application_id = ${randomInt(1, 2 ** 31 - 1)}`);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    // A transition writes some thirteen pages: emptied half as often as usual, the log (8 MB) still fits twice into the disk's reserve.
    database.pragma('wal_autocheckpoint = 2000');
    database.pragma('foreign_keys = ON');
    database.pragma('busy_timeout = 1000');
    migrate(database, migrations);
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/** The number that a journal was given when it was made; 0 for one that has none yet. */
export function journalNumber(database: Database): number {
  return Number(database.pragma('application_id', { simple: true }));
}

/** Opens the journal beside a running bot, to look only. Throws NewerDatabaseError as `openDatabase` does. */
export function openToLook(path: string): Database {
  const database = new Sqlite(path, { readonly: true });
  try {
    refuseNewer(database, loadMigrations().length);
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

function refuseNewer(database: Database, newest: number): number {
  const current = Number(database.pragma('user_version', { simple: true }));
  if (current <= newest) return current;
  throw new NewerDatabaseError(`open journal: its schema is version ${current}, this build knows up to ${newest}; start the newer build`);
}

/** Applies what is missing; safe to call twice. */
export function migrate(database: Database, migrations: readonly Migration[]): void {
  const current = refuseNewer(database, migrations.at(-1)?.version ?? 0);
  for (const { version, sql } of migrations.filter((migration) => migration.version > current)) {
    database
      .transaction(() => {
        database.exec(sql);
        database.pragma(`user_version = ${version}`);
      })
      .immediate();
  }
}

/** The folder stands beside `src` in the sources and beside `dist` in a build. */
function migrationsFolder(): string {
  const folders = ['../../migrations', '../../../migrations'].map((up) => fileURLToPath(new URL(up, import.meta.url)));
  const found = folders.find((folder) => existsSync(folder));
  if (found === undefined) throw new Error('open journal: the migrations folder is missing from this installation');
  return found;
}
