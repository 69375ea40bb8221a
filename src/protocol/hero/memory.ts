import type { Reading } from '../reading.js';

/**
 * What earlier ticks saw, kept in memory only: after a start nothing has been seen, so nothing is proven twice and no
 * step has an age until it has been watched again.
 */
export interface HeroMemory {
  /** The row that entered the state in which the streaks were counted. */
  readonly enteredAtSeq: number;
  readonly streaks: Readonly<Record<string, { readonly count: number; readonly readAt: string }>>;
  readonly steps: Readonly<Record<string, StepSeen>>;
  /** Executions of a run that its rows have shown so far. */
  readonly attempts: Readonly<Record<string, number>>;
  /** Sources that have not answered lately, by reading. Kept over states: an eye does not open because a row was recorded. */
  readonly blind: Readonly<Record<string, BlindSeen>>;
}

export interface BlindSeen {
  /** Readings in a row that were unknown. */
  readonly count: number;
  /** When the first of them was asked for. */
  readonly since: Date;
  readonly readAt: Date;
  readonly why: string;
}

export interface StepSeen {
  readonly step: number;
  readonly attempt: string;
  /** When *we* saw this step for the first time. */
  readonly movedAt: Date;
  /** When it was last read, moved or not. */
  readonly readAt: Date;
  /** Whether the step was seen to move at all, or has only been met as it stood. */
  readonly moved: boolean;
}

/** Memory for the state now entered: streaks start anew, steps seen are kept. */
export function remember(memory: HeroMemory | null, enteredAtSeq: number): HeroMemory {
  if (memory === null) return { enteredAtSeq, streaks: {}, steps: {}, attempts: {}, blind: {} };
  return memory.enteredAtSeq === enteredAtSeq ? memory : { ...memory, enteredAtSeq, streaks: {} };
}

/** Counts consecutive readings that prove something. Anything else, an unknown too, starts the count anew. */
export function streak(memory: HeroMemory, name: string, reading: Reading<unknown> | undefined, proves: boolean): HeroMemory {
  if (reading === undefined) return memory;
  const readAt = reading.readAt.toISOString();
  const before = memory.streaks[name];
  if (before?.readAt === readAt) return memory;
  const count = proves && reading.kind === 'known' ? (before?.count ?? 0) + 1 : 0;
  return { ...memory, streaks: { ...memory.streaks, [name]: { count, readAt } } };
}

export function twice(memory: HeroMemory, name: string): boolean {
  return (memory.streaks[name]?.count ?? 0) >= 2;
}

/** A step that was not read for longer than this is met anew: what happened meanwhile was not watched. */
const UNWATCHED_SECONDS = Number.POSITIVE_INFINITY;

/**
 * Notes the newest step of a run. The age of a step counts from here, never from the row's own time. Only a higher step
 * moves within an attempt: a source that falls behind and catches up again would hide a hang. After more than
 * `unwatchedSeconds` without a reading it is met as if for the first time.
 */
export function noteStep(
  memory: HeroMemory,
  run: string,
  step: number,
  attempt: string,
  now: Date,
  unwatchedSeconds = UNWATCHED_SECONDS,
): HeroMemory {
  const met = memory.steps[run];
  const before = met !== undefined && (now.getTime() - met.readAt.getTime()) / 1000 <= unwatchedSeconds ? met : undefined;
  const same = before !== undefined && step <= before.step && before.attempt === attempt;
  const seen: StepSeen = same ? { ...before, readAt: now } : { step, attempt, movedAt: now, readAt: now, moved: before !== undefined };
  return { ...memory, steps: { ...memory.steps, [run]: seen } };
}

/** Seconds since we saw the run's step move; null when it has not been read within `freshSeconds`: blind, not stalled. */
export function stepAge(memory: HeroMemory, run: string, now: Date, freshSeconds: number): number | null {
  const seen = memory.steps[run];
  if (seen === undefined || (now.getTime() - seen.readAt.getTime()) / 1000 > freshSeconds) return null;
  return (now.getTime() - seen.movedAt.getTime()) / 1000;
}
