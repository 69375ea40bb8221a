/** What wakes a loop later: the machine's timers, or a test's own time. */
export interface Timers {
  /** Calls `work` once after so many milliseconds, unless it is called off before. */
  after(delayMs: number, work: () => void): { cancel(): void };
}

export const MACHINE_TIMERS: Timers = {
  after(delayMs, work) {
    const timer = setTimeout(work, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

export interface LoopOptions {
  readonly pass: () => Promise<void>;
  readonly intervalMs: number;
  readonly onFault: (fault: unknown) => void;
  readonly timers: Timers;
}

/** Runs a pass again and again: at its interval, and at once when something moved. Never two at a time. */
export class Loop {
  private timer: { cancel(): void } | undefined;
  private running: Promise<void> | null = null;
  private again = false;
  private stopped = true;

  constructor(private readonly options: LoopOptions) {}

  start(): void {
    this.stopped = false;
    this.wake();
  }

  /** Runs a pass now, or once more after the one that is running. */
  wake(): void {
    if (this.stopped) return;
    if (this.running !== null) {
      this.again = true;
      return;
    }
    this.timer?.cancel();
    this.running = this.run().finally(() => {
      this.running = null;
      if (this.stopped) return;
      if (this.again) {
        this.again = false;
        this.wake();
      } else {
        this.timer = this.options.timers.after(this.options.intervalMs, () => this.wake());
      }
    });
  }

  /** Resolves when the pass that is running has ended; none begins after it. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.timer?.cancel();
    await this.running;
  }

  private async run(): Promise<void> {
    try {
      await this.options.pass();
    } catch (fault) {
      this.options.onFault(fault);
    }
  }
}
