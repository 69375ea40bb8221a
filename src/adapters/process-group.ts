import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isGroupLive } from './process-identity.js';

/** From the hard signal on: what is stuck in the kernel longer than this is left to it. */
const HARD_KILL_WAIT_MS = 1_000;

/** Ends a process group: softly, and after the delay for good. */
export async function endGroup(group: number, killDelayMs: number): Promise<void> {
  signalGroup(group, 'SIGTERM');
  if (await groupEnds(group, passed(killDelayMs))) return;
  signalGroup(group, 'SIGKILL');
  await groupEnds(group, passed(HARD_KILL_WAIT_MS));
}

/** Whether a process group ends by itself before the time for it is over. */
export async function groupEnds(group: number, isOver: () => boolean): Promise<boolean> {
  for (let pauseMs = 5; isGroupLive(group); pauseMs = Math.min(2 * pauseMs, 100)) {
    if (isOver()) return false;
    await delay(pauseMs);
  }
  return true;
}

/** Whether so much time has passed since now. */
function passed(ms: number): () => boolean {
  const until = performance.now() + ms;
  return () => performance.now() >= until;
}

/** Signals a whole process group; one that is gone already is no fault. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (fault) {
    if (!(fault instanceof Error && 'code' in fault && (fault.code === 'ESRCH' || fault.code === 'EPERM'))) throw fault;
  }
}
