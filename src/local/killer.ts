import { setTimeout as delay } from 'node:timers/promises';
import type { Harbour } from './harbour.js';
import type { Player } from './player.js';

/** A small seeded generator (mulberry32): the same seed kills in the same windows. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Window = 'random' | 'after_record' | 'after_effect' | 'before_mark';
const WINDOWS: readonly Window[] = ['random', 'after_record', 'after_effect', 'before_mark'];

/** Kills the bot in its windows, and starts it again each time, until it is told to stop. */
export class Killer {
  kills = 0;
  private stopped = false;
  private readonly running: Promise<void>;

  constructor(
    private readonly harbour: Harbour,
    private readonly player: Player,
    private readonly random: () => number,
    private left: number,
  ) {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped && this.left > 0) {
      await this.wait(WINDOWS[Math.floor(this.random() * WINDOWS.length)] ?? 'random');
      if (this.stopped) return;
      await this.harbour.killBot();
      this.kills += 1;
      this.left -= 1;
      await this.harbour.startBot();
    }
  }

  /** Until the window opens, or for a second or so at most: a window that does not come is a random moment. */
  private async wait(window: Window): Promise<void> {
    const deadline = Date.now() + 300 + this.random() * 1_500;
    const before = await this.mark(window);
    while (!this.stopped && Date.now() < deadline) {
      await delay(window === 'random' ? 50 : 5);
      if (window !== 'random' && (await this.mark(window)) !== before) return;
    }
  }

  private async mark(window: Window): Promise<number> {
    if (window === 'after_record') return this.player.rows();
    if (window === 'before_mark') return this.player.sending();
    return window === 'after_effect' ? (await this.player.ledger()).length : 0;
  }
}
