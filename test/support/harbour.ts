import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Harbour, startHarbour } from '../../src/local/harbour.js';
import { Player } from '../../src/local/player.js';

/** Faster than for people, and still slower than the readings. */
export const PACE = 0.4;
/** Slack's three seconds are for people; a test asks what is answered, not how soon. */
export const ACK_MS = 60_000;

/** A harbour of a test's own: real processes, which `close` ends. */
export async function openHarbour(): Promise<{ harbour: Harbour; player: Player; close: () => Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'harbor-test-'));
  const harbour = await startHarbour({ home, pace: PACE, ackMs: ACK_MS });
  const close = async (): Promise<void> => {
    await harbour.stop();
    rmSync(home, { recursive: true, force: true });
  };
  return { harbour, player: new Player(harbour), close };
}

/** What only this person was told, newest last. */
export async function whispers(harbour: Harbour, userId: string): Promise<readonly string[]> {
  const all = await harbour.desk<{ text?: string }[]>({ do: 'ephemerals', userId });
  return all.map(({ text }) => text ?? '');
}
