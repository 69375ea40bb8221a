import type { TimeLimit } from '../../src/adapters/shell.js';

/** Time limits that pass when they are told to: no process is cut before it has come to where a test wants it. */
export class TimeInHand {
  private readonly running: (() => void)[] = [];

  /** For `createShell`. */
  readonly start = (): TimeLimit => {
    let over = false;
    const passed = new Promise<'timed_out'>((resolve) => {
      this.running.push(() => {
        over = true;
        resolve('timed_out');
      });
    });
    return { passed, isPassed: () => over, clear: () => undefined };
  };

  /** The time of everything that runs is over. */
  passes(): void {
    for (const pass of this.running.splice(0)) pass();
  }
}
