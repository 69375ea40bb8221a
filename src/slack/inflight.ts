import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';

/** What has arrived and is being worked on: a shutdown waits for it, since it is stored, and perhaps not answered yet. */
export class Inflight {
  private count = 0;
  private waiting: (() => void)[] = [];

  readonly middleware: Middleware<AnyMiddlewareArgs> = async ({ next }) => {
    this.count += 1;
    try {
      await next();
    } finally {
      this.count -= 1;
      if (this.count === 0) for (const done of this.waiting.splice(0)) done();
    }
  };

  /** Resolves when nothing is worked on, or after `limitMs`: what is left is on file, and the next start hands it in again. */
  idle(limitMs: number): Promise<void> {
    if (this.count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const late = setTimeout(resolve, limitMs);
      this.waiting.push(() => {
        clearTimeout(late);
        resolve();
      });
    });
  }
}
