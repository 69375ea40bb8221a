import type { Timers } from '../../src/engine/loop.js';

interface Entry {
  readonly atMs: number;
  readonly order: number;
  readonly work: () => void;
  off: boolean;
}

/** Virtual time: what is to happen, in order. Nothing here waits. */
export class Agenda {
  nowMs: number;
  private readonly heap: Entry[] = [];
  private orders = 0;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  after(delayMs: number, work: () => void): { cancel(): void } {
    const entry: Entry = { atMs: this.nowMs + Math.max(0, Math.round(delayMs)), order: this.orders++, work, off: false };
    this.push(entry);
    return {
      cancel: () => {
        entry.off = true;
      },
    };
  }

  delay(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Timers that fall silent when whoever set them is dead. */
  timersWhile(isAlive: () => boolean): Timers {
    return {
      after: (delayMs, work) =>
        this.after(delayMs, () => {
          if (isAlive()) work();
        }),
    };
  }

  /** When the next thing happens; null when nothing will. */
  get nextMs(): number | null {
    for (let first = this.heap[0]; first !== undefined; first = this.heap[0]) {
      if (!first.off) return first.atMs;
      this.pop();
    }
    return null;
  }

  /** Lets the next thing happen. */
  step(): void {
    const entry = this.pop();
    if (entry === undefined) return;
    this.nowMs = Math.max(this.nowMs, entry.atMs);
    if (!entry.off) entry.work();
  }

  private push(entry: Entry): void {
    const { heap } = this;
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const up = (index - 1) >> 1;
      const parent = heap[up];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[index] = parent;
      index = up;
    }
    heap[index] = entry;
  }

  private pop(): Entry | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      const [leftEntry, rightEntry] = [heap[left], heap[right]];
      if (leftEntry === undefined) break;
      const child = rightEntry !== undefined && isBefore(rightEntry, leftEntry) ? right : left;
      const entry = child === right && rightEntry !== undefined ? rightEntry : leftEntry;
      if (!isBefore(entry, last)) break;
      heap[index] = entry;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
