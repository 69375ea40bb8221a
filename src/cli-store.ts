import { resolve } from 'node:path';
import { UsageError } from './errors.js';
import { type Fleet, loadFleet } from './fleet.js';
import { backupJournal, restoreJournal } from './journal/store.js';

/** Copies the journal beside a running bot. Prints what the copy holds, as one line of JSON; returns the exit code. */
export async function backupCommand(fleetFile: string, to: string | undefined): Promise<number> {
  if (to === undefined || to === '') throw new UsageError('backup: say where to with --to FILE');
  const copied = await backupJournal(dataOf(fleetFile), resolve(to));
  process.stdout.write(`${JSON.stringify(copied)}\n`);
  return 0;
}

/** Puts a backup in the journal's place while no bot runs. Prints what it holds and where the journal before it is; returns the exit code. */
export async function restoreCommand(fleetFile: string, from: string | undefined, now: Date): Promise<number> {
  if (from === undefined || from === '') throw new UsageError('restore: say what from with --from FILE');
  const restored = await restoreJournal(dataOf(fleetFile), resolve(from), now);
  process.stdout.write(`${JSON.stringify(restored)}\n`);
  return 0;
}

function dataOf(fleetFile: string): string {
  const fleet: Fleet = loadFleet(fleetFile);
  return fleet.data;
}
