/** A small generator (mulberry32): the same seed and the same questions always give the same answers. */
export class Prng {
  private state: number;

  constructor(seed: number) {
    this.state = (seed * 2_654_435_761 + 0x9e3779b9) >>> 0;
  }

  /** From 0, included, to 1, not included. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A number from `low` to `high`. */
  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[Math.floor(this.next() * items.length)] ?? items[0];
  }

  /** One of a list that may be empty. */
  any<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.next() * items.length)];
  }

  /** A generator of its own, so that one kind of question does not shift the answers to another. */
  fork(): Prng {
    return new Prng(Math.floor(this.next() * 4_294_967_296));
  }
}
