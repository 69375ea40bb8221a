import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { OpsError } from '../errors.js';
import { type Database, journalNumber, openDatabase, openToLook } from './database.js';
import { type TransitionRow, verifyChain } from './journal.js';
import { takeOwnership } from './owner.js';
import { Restored } from './restored.js';

/** The journal's file, or one beside it, is not what it should be: nothing was started and nothing was changed. */
export class DamagedStoreError extends OpsError {
  readonly code = 'damaged_store';
  override readonly exitCode = 5;
}

const JOURNAL = 'journal.db';
/** Written by SQLite beside a journal in WAL mode. */
const SIDE_FILES = ['-wal', '-shm'] as const;
/** What a journal that is restored is called until it has taken its place. */
const RESTORING = '.restoring';

/**
 * Refuses what a restore that died has left half done, since the journal may lack its newest rows or be away. Refuses files that do not belong: a write-ahead log without its journal would be lost, and a rollback journal is none of
 * ours; SQLite would play it back into the journal. Throws DamagedStoreError.
 */
export function checkSideFiles(folder: string): void {
  const path = join(folder, JOURNAL);
  const advice = 'move it away, or restore a backup (harbor restore)';
  if (existsSync(`${path}${RESTORING}`)) {
    throw new DamagedStoreError(`open journal: a restore was cut short (${path}${RESTORING} lies there): run harbor restore again`);
  }
  if (!existsSync(path)) {
    const orphan = SIDE_FILES.map((end) => `${path}${end}`).find((file) => existsSync(file));
    if (orphan !== undefined) throw new DamagedStoreError(`open journal: ${orphan} lies there without its ${JOURNAL}; ${advice}`);
  }
  if (existsSync(`${path}-journal`)) {
    throw new DamagedStoreError(`open journal: ${path}-journal is not of this journal, which keeps none; ${advice}`);
  }
}

/**
 * Reads a journal through, side files and all, and changes nothing: SQLite's own check, and the chain of every operation or
 * only of the open ones. Throws DamagedStoreError, BrokenChainError or NewerDatabaseError.
 */
export function checkStore(path: string, chains: 'all' | 'open'): void {
  const database = lookAt(path);
  try {
    const given = numberInFile(path);
    if (given !== 0 && given !== journalNumber(database)) throw damaged(path, 'the log beside it was written for another journal');
    const [first] = database.pragma('quick_check(1)') as { quick_check: string }[];
    if (first?.quick_check !== 'ok') throw damaged(path, first?.quick_check ?? 'no answer');
    // By SQL of its own: what an older build wrote is checked before it is brought to this one's schema.
    const which = chains === 'all' ? '' : 'WHERE open = 1';
    const operations = database.prepare(`SELECT operation_id AS id, head FROM operation ${which} ORDER BY operation_id`);
    const history = database.prepare('SELECT * FROM transition WHERE operation_id = ? ORDER BY seq');
    for (const { id, head } of operations.all() as { id: string; head: string }[]) {
      verifyChain(id, history.all(id) as TransitionRow[], head);
    }
  } catch (cause) {
    if (cause instanceof OpsError) throw cause;
    throw damaged(path, cause instanceof Error ? cause.message : `${cause}`);
  } finally {
    database.close();
  }
}

/** The journal's number as the file itself has it, without what its log says: at byte 68 of the header of an SQLite file. */
function numberInFile(path: string): number {
  const header = Buffer.alloc(72);
  const file = openSync(path, 'r');
  try {
    return readSync(file, header, 0, 72, 0) === 72 ? header.readUInt32BE(68) : 0;
  } finally {
    closeSync(file);
  }
}

function lookAt(path: string): Database {
  try {
    return openToLook(path);
  } catch (cause) {
    if (cause instanceof OpsError) throw cause;
    throw damaged(path, cause instanceof Error ? cause.message : `${cause}`);
  }
}

function damaged(path: string, what: string): DamagedStoreError {
  return new DamagedStoreError(
    `check journal: ${path} is damaged, or a file beside it belongs to another journal: ${what}; nothing was changed; restore a backup (harbor restore)`,
  );
}

/** What a copy holds. */
export interface Copied {
  readonly path: string;
  readonly operations: number;
  readonly open: readonly string[];
  readonly rows: number;
}

/**
 * Copies the journal while its bot works on it, and checks the copy whole before it gets its name. Throws
 * DamagedStoreError when the target exists.
 */
export async function backupJournal(folder: string, target: string): Promise<Copied> {
  if (existsSync(target)) throw new DamagedStoreError(`backup: ${target} exists already; nothing was written`);
  if (!existsSync(join(folder, JOURNAL))) throw new DamagedStoreError(`backup: there is no journal in ${folder}; nothing was written`);
  const partial = `${target}.part`;
  for (const end of ['', ...SIDE_FILES]) rmSync(`${partial}${end}`, { force: true });
  const database = lookAt(join(folder, JOURNAL));
  try {
    await database.backup(partial);
  } finally {
    database.close();
  }
  detach(partial);
  checkStore(partial, 'all');
  const copied = describe(partial);
  settle(partial, target);
  return { path: target, ...copied };
}

/**
 * Puts a backup in the place of the journal, whose bot must not run; the journal that was there is kept beside it. What
 * was open in the backup answers no request until it has been compared with the outside. Throws OwnedError while a bot runs.
 */
export async function restoreJournal(folder: string, from: string, now: Date): Promise<Copied & { readonly kept: string | null }> {
  const owner = takeOwnership(folder, now);
  let ended = !owner.afterUncleanStop;
  try {
    if (!existsSync(from)) throw new DamagedStoreError(`restore: there is no file ${from}; nothing was changed`);
    checkStore(from, 'all');
    const path = join(folder, JOURNAL);
    const partial = `${path}${RESTORING}`;
    for (const end of ['', ...SIDE_FILES]) rmSync(`${partial}${end}`, { force: true });
    const source = lookAt(from);
    try {
      await source.backup(partial);
    } finally {
      source.close();
    }
    const database = openDatabase(partial);
    new Restored(database).markAll(now);
    database.close();
    detach(partial);
    const copied = describe(partial);
    const kept = setAside(path, now);
    settle(partial, path);
    ended = true;
    return { path, kept, ...copied };
  } finally {
    owner.release(ended);
  }
}

/** Folds a write-ahead log into its file, so that the file alone is the journal. */
function detach(path: string): void {
  const database = new Sqlite(path);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.pragma('journal_mode = DELETE');
  database.close();
}

function describe(path: string): Omit<Copied, 'path'> {
  const database = openToLook(path);
  try {
    const count = (sql: string): number => (database.prepare(sql).get() as { n: number }).n;
    const open = database.prepare('SELECT operation_id AS id FROM operation WHERE open = 1 ORDER BY created_at, operation_id').all();
    return {
      operations: count('SELECT count(*) AS n FROM operation'),
      rows: count('SELECT count(*) AS n FROM transition'),
      open: (open as { id: string }[]).map(({ id }) => id),
    };
  } finally {
    database.close();
  }
}

/** Side files go too, whether their journal is there or not: left behind, they would be played into the one that takes its place. */
function setAside(path: string, now: Date): string | null {
  const there = [...SIDE_FILES, '-journal', ''].filter((end) => existsSync(`${path}${end}`));
  if (there.length === 0) return null;
  const kept = `${path}.before-${now.toISOString().replaceAll(/[-:]/g, '').slice(0, 15)}Z`;
  for (const end of there) renameSync(`${path}${end}`, `${kept}${end}`);
  return kept;
}

/** Gives a file its name durably. */
function settle(partial: string, target: string): void {
  sync(partial);
  renameSync(partial, target);
  sync(dirname(target));
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
