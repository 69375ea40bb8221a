import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { OpsError } from '../errors.js';

/** Another process works on this data folder: nothing was started. */
export class OwnedError extends OpsError {
  readonly code = 'owned';
  override readonly exitCode = 7;
}

export interface Ownership {
  /** Whether the owner before did not come to its end: then what it left is looked through before it is built upon. */
  readonly afterUncleanStop: boolean;
  /** `ended`: the owner came to its end, and left nothing that would have to be looked through. */
  release(ended: boolean): void;
}

/**
 * One owner for as long as the process lives: an exclusive lock on `owner.db`, which the system releases at once when
 * the process dies, however it dies. Who holds it stands beside it in words. Needs a local disk.
 */
export function takeOwnership(folder: string, now: Date): Ownership {
  const database = new Sqlite(join(folder, 'owner.db'), { timeout: 0 });
  const note = join(folder, 'owner.json');
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    if (!(cause instanceof Sqlite.SqliteError) || cause.code !== 'SQLITE_BUSY') throw cause;
    throw new OwnedError(`start on ${folder}: ${holderOf(note)} works on it; stop that one first`, { cause });
  }
  const afterUncleanStop = existsSync(note) && !/"stopped":true/.test(readFileSync(note, 'utf8'));
  const holder = { pid: process.pid, host: hostname(), since: now.toISOString() };
  writeFileSync(note, `${JSON.stringify(holder)}\n`);
  const release = (ended: boolean): void => {
    if (ended) writeFileSync(note, `${JSON.stringify({ ...holder, stopped: true })}\n`);
    database.close();
  };
  return { afterUncleanStop, release };
}

function holderOf(note: string): string {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(note, 'utf8'));
    return `process ${pid} on ${host}, since ${since},`;
  } catch {
    return 'another process'; // it has not written its note yet
  }
}
