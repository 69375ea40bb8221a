import type { Outbox, OutboxRow } from '../journal/outbox.js';
import type { SlackMessage } from '../render/blocks.js';
import type { Message } from '../render/message.js';
import { code } from '../render/text.js';
import { Cards } from './cards.js';
import type { GithubIssue } from './github.js';
import type { Line, Sent } from './sink.js';
import type { SlackThread } from './slack.js';
import { type Places, Troubles } from './troubles.js';

/** What is told, as the composition root can say it: the outbox knows no protocol. */
export interface Telling {
  message(operationId: string, seq: number): { readonly message: Message; readonly head: string; readonly at: Date };
  card(operationId: string): SlackMessage;
}

/** After a send whose outcome is unclear, it is looked up no sooner than this. */
const LOOK_UP_MS = 2_000;

/**
 * Delivers what is told, in order, to each sink by itself: one that is down parks its own queue. What may have arrived
 * is looked up before it is sent again.
 */
export class Deliverer {
  private readonly cards: Cards;
  private readonly troubles: Troubles;

  constructor(
    private readonly outbox: Outbox,
    private readonly telling: Telling,
    private readonly thread: SlackThread,
    private readonly issue: GithubIssue,
    private readonly now: () => Date,
    places: Places = { issue: [code('the status issue')] },
  ) {
    this.troubles = new Troubles(outbox, thread, issue, now, places);
    this.cards = new Cards(outbox, (operationId) => telling.card(operationId), thread, this.troubles, now, places.issue);
  }

  /** The card of this operation may have to be redrawn. */
  touch(operationId: string): void {
    this.cards.touch(operationId);
  }

  async flushThread(): Promise<void> {
    if (this.outbox.isPaused('thread', this.now())) return;
    for (const [operationId, rows] of byOperation(this.outbox.undelivered('thread'))) {
      if (this.outbox.isPaused('thread', this.now())) return;
      const root = await this.cards.root(operationId);
      if (root === null) continue;
      for (const row of rows) {
        if (this.now() < new Date(row.not_before)) break;
        if (!(await this.sendReply(row, root))) break;
      }
    }
    await this.cards.redrawDirty();
    await this.troubles.flush('channel');
  }

  async flushIssue(): Promise<void> {
    if (this.outbox.isPaused('issue', this.now())) return this.troubles.delay.tell();
    for (const [operationId, rows] of byOperation(this.outbox.undelivered('issue'))) {
      if (this.outbox.isPaused('issue', this.now())) return;
      let left = rows;
      while (left.length > 0) {
        const sent = await this.sendComment(left);
        if (sent === 0) break;
        this.troubles.delay.took(left.slice(0, sent));
        left = left.slice(sent);
        if (this.outbox.isPaused('issue', this.now())) break;
        await this.troubles.askWhetherClosed(operationId);
      }
    }
    await this.troubles.flush('issue');
  }

  /** Whether the next line of this thread may go out. */
  private async sendReply(row: OutboxRow, root: string): Promise<boolean> {
    const { channel } = this.outbox.card(row.operation_id);
    const line = this.line(row);
    if (row.stage === 'sending') {
      const found = await this.thread.findReply(channel, row.sent_under ?? root, line.key);
      if (found.kind === 'unclear') return this.later(row, found.error);
      if (found.kind === 'found') {
        this.outbox.markDelivered(row, found.id, this.now());
        return true;
      }
    }
    this.outbox.markSending([row], root);
    const sent = await this.thread.reply(channel, root, line);
    if (sent.kind === 'root_lost') this.outbox.markCardLost(row.operation_id);
    if (sent.kind === 'channel_lost') this.troubles.channelLost(row.operation_id, channel, sent);
    return this.settle([row], sent);
  }

  /** How many of the rows, from the first, are delivered now. */
  private async sendComment(rows: readonly OutboxRow[]): Promise<number> {
    const [first] = rows;
    if (first === undefined || this.now() < new Date(first.not_before)) return 0;
    if (first.stage === 'sending') {
      const { at, head } = this.telling.message(first.operation_id, first.seq);
      const found = await this.issue.find(keyOf(first, head), new Date(at.getTime() - 60_000));
      if (found.kind === 'unclear') {
        this.later(first, found.error);
        return 0;
      }
      if (found.kind === 'found') {
        this.outbox.markDelivered(first, found.id, this.now());
        return 1;
      }
    }
    // What was never sent may share a comment; what may have been sent goes alone, so that it can be looked up alone. None
    // is passed over: what comes after a line that may have been sent waits for it.
    const doubtful = rows.findIndex(({ stage }) => stage === 'sending');
    const fresh = doubtful === -1 ? rows : rows.slice(0, Math.max(1, doubtful));
    const lines = this.issue.fitting(fresh.map((row) => this.line(row)));
    const batch = fresh.slice(0, lines.length);
    this.outbox.markSending(batch, null);
    const sent = await this.issue.post(lines);
    if (sent.kind === 'blocked') this.troubles.mirrorBlocked(sent);
    if (sent.kind === 'moved') this.troubles.mirrorMoved(sent);
    const settled = this.settle(batch, sent);
    if (sent.kind === 'limited') this.troubles.delay.begins(new Date(this.now().getTime() + sent.waitMs));
    return settled ? batch.length : 0;
  }

  private settle(rows: readonly OutboxRow[], sent: Sent): boolean {
    for (const row of rows) {
      if (sent.kind === 'sent') this.outbox.markDelivered(row, sent.id, this.now());
      else if (sent.kind === 'unclear') this.later(row, sent.error);
      else this.outbox.markNotSent(row, sent.error);
    }
    const [first] = rows;
    if ('waitMs' in sent && sent.kind !== 'channel_lost' && first !== undefined) {
      this.outbox.pause(first.sink, new Date(this.now().getTime() + sent.waitMs));
    }
    return sent.kind === 'sent';
  }

  private later(row: OutboxRow, error: string): false {
    this.outbox.markUnclear(row, error);
    this.outbox.pause(row.sink, new Date(this.now().getTime() + LOOK_UP_MS));
    return false;
  }

  private line(row: OutboxRow): Line {
    const { message, head } = this.telling.message(row.operation_id, row.seq);
    return { operationId: row.operation_id, seq: row.seq, key: keyOf(row, head), head, message };
  }
}

/** The deterministic key of a line in a sink. With the head of its chain: after a restore a row may be another of the same number. */
export function keyOf(row: { readonly operation_id: string; readonly seq: number; readonly sink: string }, head: string): string {
  return `${row.operation_id}:${row.seq}:${row.sink}:${head.slice(0, 8)}`;
}

function byOperation(rows: readonly OutboxRow[]): ReadonlyMap<string, readonly OutboxRow[]> {
  const grouped = new Map<string, OutboxRow[]>();
  for (const row of rows) {
    const own = grouped.get(row.operation_id);
    if (own === undefined) grouped.set(row.operation_id, [row]);
    else own.push(row);
  }
  return grouped;
}
