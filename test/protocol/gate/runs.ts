import type { ComparativeCriterion } from '../../../src/protocol/gate/criterion.js';
import type { GateInput } from '../../../src/protocol/gate/judge.js';
import type { Sample } from '../../../src/protocol/outside.js';

/** Seeded runs for the judge's tests: the same seed, the same rows. */
export class Dice {
  private state: number;

  constructor(readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** Uniform on [0, 1): mulberry32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  chance(p: number): boolean {
    return this.next() < p;
  }

  upTo(n: number): number {
    return Math.floor(this.next() * n);
  }

  pick<T>(...choices: readonly [T, ...T[]]): T {
    return choices[this.upTo(choices.length)] ?? choices[0];
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, at: this.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }
}

export const WINDOW = { start: 1000, end: 1200 };

export const LOSS: ComparativeCriterion = {
  id: 'loss',
  kind: 'tracks',
  metric: 'loss',
  better: 'lower',
  margin: { abs: 0.005 },
  logEvery: 1,
  sameBatches: true,
};

/** Rows of consecutive steps; `value` may leave a step out by answering undefined. */
export function rowsOf(
  value: (step: number) => Sample['value'] | undefined,
  options: { metric?: string; from?: number; to?: number; every?: number; attempt?: number; at?: number } = {},
): Sample[] {
  const { metric = 'loss', from = WINDOW.start, to = WINDOW.end, every = 1, attempt = 0, at = 0 } = options;
  const rows: Sample[] = [];
  for (let step = from; step <= to; step += every) {
    const logged = value(step);
    if (logged !== undefined) rows.push({ metric, step, value: logged, attempt, atMs: at + step, seq: rows.length });
  }
  return rows;
}

/** What every run sees at a step: the batch's own noise. */
export function batch(step: number): number {
  return 2.5 + 0.04 * new Dice(step * 7919).normal();
}

/** A gate of one criterion over a clean pair of runs; a test changes what it is about. */
export function clean(changes: Partial<GateInput> = {}): GateInput {
  const dice = new Dice(1);
  return {
    window: WINDOW,
    state: 'ended',
    criteria: [LOSS],
    candidate: { loss: rowsOf((step) => batch(step) + 0.001 * dice.normal()) },
    control: { loss: rowsOf(batch) },
    ...changes,
  };
}
