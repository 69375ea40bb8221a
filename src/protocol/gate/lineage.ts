import type { Sample } from '../outside.js';

/** A logged value: finite, or logged as non-finite. A row without a number never gets here: it is missing. */
export type Logged = number | 'NaN' | 'Infinity' | '-Infinity';

/**
 * What a run trained last at each step, over retries, rewinds and late rows. Source: contracts/gate-judge.md, section 3:
 * an attempt kills its predecessors' rows from its own lowest step on, even before it has reached them.
 */
export function lineageOf(samples: readonly Sample[]): ReadonlyMap<number, Logged> {
  const attempts = new Map<number, Sample[]>();
  for (const sample of samples) {
    if (!Number.isInteger(sample.step) || sample.value === null) continue;
    const rows = attempts.get(sample.attempt);
    if (rows === undefined) attempts.set(sample.attempt, [sample]);
    else rows.push(sample);
  }

  const held = new Map<number, Logged>();
  for (const attempt of [...attempts.keys()].sort((a, b) => a - b)) {
    const own = withinAttempt(attempts.get(attempt) ?? []);
    const lowest = Math.min(...own.keys());
    for (const step of [...held.keys()]) if (step >= lowest) held.delete(step);
    for (const [step, value] of own) held.set(step, value);
  }
  return held;
}

/** A held step written again with another value is a rewind: everything from it on is trained anew. */
function withinAttempt(rows: readonly Sample[]): ReadonlyMap<number, Logged> {
  const held = new Map<number, Logged>();
  const ordered = [...rows].sort((a, b) => a.atMs - b.atMs || a.seq - b.seq);
  for (const { step, value } of ordered) {
    if (value === null || held.get(step) === value) continue;
    if (held.has(step)) for (const later of [...held.keys()]) if (later >= step) held.delete(later);
    held.set(step, value);
  }
  return held;
}
