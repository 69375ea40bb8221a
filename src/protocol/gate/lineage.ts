import type { Sample } from '../outside.js';

/** A logged value: finite, or logged as non-finite. A row without a number never gets here: it is missing. */
export type Logged = number | 'NaN' | 'Infinity' | '-Infinity';

/** One metric of one run: each step once, ascending. A logged non-finite value is held as such; a missing row is not there. */
export interface Column {
  readonly steps: Float64Array;
  readonly values: Float64Array;
}

/** A column, with what was seen on the way to it. */
export interface Lineage extends Column {
  /** The newest attempt that logged a value; null when none did. */
  readonly newestAttempt: number | null;
  /** Rows that were left out: no whole step, or no number. */
  readonly dropped: number;
}

/**
 * What a run trained last at each step, over retries, rewinds and late rows. Source: contracts/gate-judge.md, section 3:
 * an attempt kills its predecessors' rows from its own lowest step on, even before it has reached them.
 */
export function lineageOf(samples: readonly Sample[]): ReadonlyMap<number, Logged> {
  const attempts = new Map<number, Sample[]>();
  for (const sample of samples) {
    if (isMissing(sample)) continue;
    const rows = attempts.get(sample.attempt);
    if (rows === undefined) attempts.set(sample.attempt, [sample]);
    else rows.push(sample);
  }

  const held = new Map<number, Logged>();
  for (const attempt of [...attempts.keys()].sort((a, b) => a - b)) {
    const own = withinAttempt(attempts.get(attempt) ?? []);
    let lowest = Number.POSITIVE_INFINITY;
    for (const step of own.keys()) lowest = Math.min(lowest, step);
    deleteFrom(held, lowest);
    for (const [step, value] of own) held.set(step, value);
  }
  return held;
}

/** As `lineageOf`, as a column. */
export function columnOf(samples: readonly Sample[]): Lineage {
  const held = lineageOf(samples);
  const steps = Float64Array.from(held.keys()).sort();
  const values = steps.map((step) => Number(held.get(step)));
  const kept = samples.filter((sample) => !isMissing(sample));
  const newestAttempt = kept.reduce<number | null>((newest, { attempt }) => Math.max(newest ?? attempt, attempt), null);
  return { steps, values, newestAttempt, dropped: samples.length - kept.length };
}

function isMissing({ step, value }: Sample): boolean {
  return !Number.isInteger(step) || value === null;
}

/**
 * By time, then arrival. A step that is not held yet is a late delivery; a held step with the same value is the same row
 * again; with another value it is a rewind, from which on everything is trained anew.
 */
function withinAttempt(rows: readonly Sample[]): ReadonlyMap<number, Logged> {
  const held = new Map<number, Logged>();
  const ordered = [...rows].sort((a, b) => a.atMs - b.atMs || a.seq - b.seq);
  for (const { step, value } of ordered) {
    if (value === null || held.get(step) === value) continue;
    if (held.has(step)) deleteFrom(held, step);
    held.set(step, value);
  }
  return held;
}

function deleteFrom(held: Map<number, Logged>, from: number): void {
  for (const step of [...held.keys()]) if (step >= from) held.delete(step);
}
