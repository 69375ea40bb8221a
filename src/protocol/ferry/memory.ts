import type { Reading } from '../reading.js';

/** What earlier ticks saw of a ferry, in memory only: after a start nothing has been seen. */
export interface FerryMemory {
  /** The row that entered the state in which the streaks were counted. */
  readonly enteredAtSeq: number;
  readonly streaks: Readonly<Record<string, { readonly count: number; readonly readAt: string }>>;
  /** When the scheduler last answered while the job ran; null: not since the start. */
  readonly seenAt: Date | null;
  /** When we began to look. */
  readonly since: Date;
}

/** Memory for the state now entered: streaks start anew. */
export function remember(memory: FerryMemory | null, enteredAtSeq: number, now: Date): FerryMemory {
  if (memory !== null && memory.enteredAtSeq === enteredAtSeq) return memory;
  return { enteredAtSeq, streaks: {}, seenAt: null, since: now };
}

/** Counts consecutive readings that prove something. Anything else, an unknown too, starts the count anew. */
export function streak(memory: FerryMemory, name: string, reading: Reading<unknown> | undefined, proves: boolean): FerryMemory {
  if (reading === undefined) return memory;
  const readAt = reading.readAt.toISOString();
  const before = memory.streaks[name];
  if (before?.readAt === readAt) return memory;
  const count = proves && reading.kind === 'known' ? (before?.count ?? 0) + 1 : 0;
  return { ...memory, streaks: { ...memory.streaks, [name]: { count, readAt } } };
}

export function twice(memory: FerryMemory, name: string): boolean {
  return (memory.streaks[name]?.count ?? 0) >= 2;
}
