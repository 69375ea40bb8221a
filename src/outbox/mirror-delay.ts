import type { Outbox, OutboxRow } from '../journal/outbox.js';
import { isLimitError } from './github.js';

/** While a limit is met lines go out no faster than this: GitHub counts what creates content. */
const PACE_MS = 1_000;

/** What is said of a delay in the thread of an operation. `seq`: the oldest row that waits, by which it is said once. */
export interface DelayWords {
  delayed(operationId: string, seq: number, until: Date): boolean;
  over(operationId: string, seq: number): void;
}

/**
 * The time between the first limit that GitHub sets and the last line that waited for it. Each operation is told once
 * that its mirror is delayed, and once that it goes on, however often the limit is met meanwhile.
 */
export class MirrorDelay {
  /** By operation, the row under which the delay was said. */
  private readonly told = new Map<string, number>();
  private until: Date | null = null;

  constructor(
    private readonly outbox: Outbox,
    private readonly words: DelayWords,
    private readonly now: () => Date,
  ) {}

  /** GitHub asks us to wait. */
  begins(until: Date): void {
    this.until = until;
    this.tell();
  }

  /** Tells operations whose first line came during the wait. */
  tell(): void {
    if (this.until === null || this.now() >= this.until) return;
    for (const { operation_id: operationId, seq } of this.outbox.undelivered('issue')) {
      if (!this.told.has(operationId) && this.words.delayed(operationId, seq, this.until)) this.told.set(operationId, seq);
    }
  }

  /** Lines of an operation have arrived. One that a limit had kept back shows it, also to the next process. */
  took(rows: readonly OutboxRow[]): void {
    const [first] = rows;
    if (first === undefined) return;
    const { operation_id: operationId, seq } = first;
    if (isLimitError(first.last_error)) this.told.set(operationId, this.told.get(operationId) ?? seq);
    if (this.told.size === 0) return;
    const waiting = this.outbox.undelivered('issue');
    const said = this.told.get(operationId);
    if (said !== undefined && waiting.every((row) => row.operation_id !== operationId)) {
      this.words.over(operationId, said);
      this.told.delete(operationId);
    }
    if (waiting.length > 0) this.outbox.pause('issue', new Date(this.now().getTime() + PACE_MS));
    else this.until = null;
  }
}
