import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isGroupLive } from './process-identity.js';

/** From the hard signal on: what is stuck in the kernel longer than this is left to it. */
const HARD_KILL_WAIT_MS = 1_000;

/** Ends a process group: softly, and after the delay for good. */
export async function endGroup(group: number, killDelayMs: number): Promise<void> {
  signalGroup(group, 'SIGTERM');
  if (await groupEnds(group, killDelayMs)) return;
  signalGroup(group, 'SIGKILL');
  await groupEnds(group, HARD_KILL_WAIT_MS);
}

/** Whether a process group ends by itself in this time. */
export async function groupEnds(group: number, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  for (let pauseMs = 5; isGroupLive(group); pauseMs = Math.min(2 * pauseMs, 100)) {
    if (performance.now() >= until) return false;
    await delay(pauseMs);
  }
  return true;
}

/** Signals a whole process group; one that is gone already is no fault. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (fault) {
    if (!(fault instanceof Error && 'code' in fault && (fault.code === 'ESRCH' || fault.code === 'EPERM'))) throw fault;
  }
}
