/** Runs a pass again and again: at its interval, and at once when something moved. Never two at a time. */
export class Loop {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;
  private again = false;
  private stopped = true;

  constructor(
    private readonly pass: () => Promise<void>,
    private readonly intervalMs: number,
    private readonly onFault: (fault: unknown) => void,
  ) {}

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
    clearTimeout(this.timer);
    this.running = this.run().finally(() => {
      this.running = null;
      if (this.stopped) return;
      if (this.again) {
        this.again = false;
        this.wake();
      } else {
        this.timer = setTimeout(() => this.wake(), this.intervalMs);
      }
    });
  }

  /** Resolves when the pass that is running has ended; none begins after it. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async run(): Promise<void> {
    try {
      await this.pass();
    } catch (fault) {
      this.onFault(fault);
    }
  }
}
