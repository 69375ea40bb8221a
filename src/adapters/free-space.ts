import { statfs } from 'node:fs/promises';
import type { FreeSpace, Reads } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import type { Outside } from './outside.js';

/** A disk that does not say within this time how full it is, is no local one. */
const TIMEOUT_MS = 5_000;

/** Room on the disk of our own record. Nothing is started for it: the machine's own file system is asked. */
export async function readFreeSpace({ record, now }: Outside, _args: Reads['free_space']['args']): Promise<Reading<FreeSpace>> {
  const base = { source: `free space of ${record.folder}`, readAt: now() };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), TIMEOUT_MS);
  });
  try {
    const found = await Promise.race([statfs(record.folder), late]);
    if (found === null) return { ...base, kind: 'unknown', why: 'timed_out', detail: `no answer within ${TIMEOUT_MS / 1000} s` };
    const freeBytes = found.bavail * found.bsize;
    const value = { folder: record.folder, freeBytes, neededBytes: record.neededBytes };
    return { ...base, kind: 'known', value, evidence: `${base.source}: ${freeBytes} B, needed are ${record.neededBytes} B` };
  } catch (fault) {
    return { ...base, kind: 'unknown', why: 'failed', detail: fault instanceof Error ? fault.message : String(fault) };
  } finally {
    clearTimeout(timer);
  }
}
