import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpsError } from '../errors.js';
import { takeOwnership } from '../journal/owner.js';

/** The folder holds something that no harbour put there: nothing was removed, nothing was started. */
export class HomeError extends OpsError {
  readonly code = 'home';
  override readonly exitCode = 2;
}

/** The folder of a harbour, held for as long as it runs. */
export interface Home {
  stop(): Promise<void>;
}

const MARK = 'local-harbour';
/** What ownership itself keeps there. */
const HELD = ['owner.db', 'owner.db-journal', 'owner.json', MARK];

/**
 * Takes a folder and empties it: one that is new or empty, or that a harbour marked as its own and that no other works
 * in now. Throws HomeError, OwnedError.
 */
export function takeHome(folder: string): Home {
  const own = existsSync(join(folder, MARK));
  if (!own && existsSync(folder) && readdirSync(folder).length > 0) {
    throw new HomeError(`start in ${folder}: it is not empty and no local harbour made it; name another folder with --home, or empty it`);
  }
  mkdirSync(folder, { recursive: true });
  const owner = takeOwnership(folder, new Date());
  writeFileSync(join(folder, MARK), 'A local harbour removes all that is in this folder when it starts.\n');
  for (const name of readdirSync(folder)) if (!HELD.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
  return { stop: async () => owner.release(true) };
}
