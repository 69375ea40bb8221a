import { readFileSync } from 'node:fs';

/** Whether a process runs. One that has ended and that nobody has asked about yet does not, whoever should have. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1));
  } catch {
    return false;
  }
}
