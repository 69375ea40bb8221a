import { readdirSync, readFileSync } from 'node:fs';
import type { Reading } from '../protocol/reading.js';

/**
 * Who a spawned child is, across a restart of ours, and whether anything of it is left.
 *
 * Source: proc(5): /proc/<pid>/stat fields 3 (state), 4 (parent), 5 (group), 6 (session) and 22 (start, in clock ticks
 * since boot). On a system without /proc the identity is the bare pid with an empty boot id: a group that still answers
 * a null signal is known to be live there, and "gone" can never be proven, so that a person has to say it.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot; 0 on a system without /proc. */
  readonly startTicks: number;
  /** The boot during which the pid means something; empty on a system without /proc. */
  readonly bootId: string;
}

/** The variable by which every process that descends from an act can be told, even one that left its group. */
export const INTENT_VARIABLE = 'HARBOR_INTENT';

interface Row {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTicks: number;
}

/**
 * The identity of a child that was spawned in this very turn of the event loop: it cannot have been reaped yet, so its
 * row is there even if it has already ended.
 */
export function identify(pid: number): ProcessIdentity {
  const bootId = readBootId();
  const row = rowOf(pid);
  return bootId === null || row === null ? { pid, startTicks: 0, bootId: '' } : { pid, startTicks: row.startTicks, bootId };
}

/**
 * Whether nothing of an act is left: no process of its group or session, and none that carries its intent id. `unknown`
 * where that cannot be told; never a guess.
 */
export function isGone(trace: ProcessIdentity & { readonly intentId: string }, now: Date): Reading<boolean> {
  const source = `processes of group ${trace.pid} and intent ${trace.intentId}`;
  const bootId = readBootId();
  if (bootId === null || trace.bootId === '') {
    if (isGroupSignallable(trace.pid)) return { kind: 'known', value: false, source, readAt: now };
    const detail = 'the group is gone, but without /proc its descendants cannot be told';
    return { kind: 'unknown', why: 'unreachable', detail, source, readAt: now };
  }
  if (bootId !== trace.bootId) return { kind: 'known', value: true, source: `${source} (of an earlier boot)`, readAt: now };
  return searchTwice(source, now, (row) => belongsTo(row, trace) || carries(row.pid, trace.intentId), trace.startTicks);
}

/**
 * As `isGone` for an intent whose process was never noted, because we died between the spawn and the note: only the
 * intent id can be looked for.
 */
export function isIntentGone(intentId: string, now: Date): Reading<boolean> {
  const source = `processes of intent ${intentId}`;
  if (readBootId() === null) {
    return { kind: 'unknown', why: 'unreachable', detail: 'without /proc the processes of an intent cannot be told', source, readAt: now };
  }
  return searchTwice(source, now, (row) => carries(row.pid, intentId), 0);
}

/** Whether a process group has a member that is not a zombie. */
export function isGroupLive(group: number): boolean {
  if (!isGroupSignallable(group)) return false;
  const rows = allRows();
  return rows === null || rows.some((row) => row.group === group && isLive(row));
}

// Two passes: a process may fork behind the pass and end before it is reached.
function searchTwice(source: string, readAt: Date, isOurs: (row: Row) => boolean | null, sinceTicks: number): Reading<boolean> {
  for (let pass = 0; pass < 2; pass += 1) {
    const rows = allRows();
    if (rows === null) return { kind: 'unknown', why: 'unreachable', detail: '/proc cannot be listed', source, readAt };
    const doubtful: number[] = [];
    for (const row of rows) {
      if (!isLive(row)) continue;
      const ours = isOurs(row);
      if (ours === true) return { kind: 'known', value: false, source: `${source} (pid ${row.pid} is live)`, readAt };
      if (ours === null && mayDescend(row, sinceTicks)) doubtful.push(row.pid);
    }
    if (doubtful.length > 0) {
      return { kind: 'unknown', why: 'unreachable', detail: `environment of pid ${doubtful.join(', ')} cannot be read`, source, readAt };
    }
  }
  return { kind: 'known', value: true, source, readAt };
}

// A leader's pid is not given out again while its group or session has a member. So if the pid is now a process with
// another start, whatever has that group number is not ours.
function belongsTo(row: Row, { pid, startTicks }: ProcessIdentity): boolean {
  if (row.group !== pid && row.session !== pid) return false;
  const leader = rowOf(pid);
  return leader === null || leader.startTicks === startTicks;
}

/** null: its environment may not be read, or not now. */
function carries(pid: number, intentId: string): boolean | null {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    // In the middle of an exec a process shows neither an environment nor a command line: what it carries is to be seen only after it.
    if (environment === '' && readFileSync(`/proc/${pid}/cmdline`, 'latin1') === '') return null;
    return environment.split('\0').includes(`${INTENT_VARIABLE}=${intentId}`);
  } catch (fault) {
    return isVanished(fault) ? false : null;
  }
}

// Whose environment cannot be read can be a descendant of an act only if it is our user's, younger than the act, and
// an orphan: one that left the session of its act has no parent of its own left.
function mayDescend(row: Row, sinceTicks: number): boolean {
  if (row.startTicks < sinceTicks || row.parent !== 1) return false;
  try {
    const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${row.pid}/status`, 'latin1'))?.[1];
    return uid === undefined || Number(uid) === process.getuid?.();
  } catch (fault) {
    return !isVanished(fault);
  }
}

function allRows(): readonly Row[] | null {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => rowOf(Number(name)))
      .filter((row) => row !== null);
  } catch {
    return null;
  }
}

function rowOf(pid: number): Row | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The command name is in parentheses and may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  return { pid, state, parent: Number(parent), group: Number(group), session: Number(session), startTicks: Number(fields[19]) };
}

function isLive(row: Row): boolean {
  return row.state !== 'Z' && row.state !== 'X';
}

function isGroupSignallable(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (fault) {
    return codeOf(fault) !== 'ESRCH';
  }
}

function readBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return null;
  }
}

function isVanished(fault: unknown): boolean {
  const code = codeOf(fault);
  return code === 'ENOENT' || code === 'ESRCH';
}

function codeOf(fault: unknown): string | undefined {
  return fault instanceof Error && 'code' in fault && typeof fault.code === 'string' ? fault.code : undefined;
}
