import type { Sink } from '../protocol/table.js';
import type { Database } from './database.js';

export interface OutboxRow {
  readonly operation_id: string;
  readonly seq: number;
  readonly sink: Sink;
  readonly stage: 'waiting' | 'sending' | 'delivered';
  readonly tries: number;
  readonly not_before: string;
  readonly last_error: string | null;
  readonly external_id: string | null;
  /** The root of the thread under which it was sent last; null for what was not, and for the issue. */
  readonly sent_under: string | null;
}

export interface BacklogRow {
  readonly sink: Sink;
  readonly waiting: number;
  readonly error: string | null;
  /** When the oldest of it was recorded. */
  readonly oldest_at: string;
}

export interface CardRow {
  readonly operation_id: string;
  readonly channel: string;
  readonly generation: number;
  readonly stage: 'waiting' | 'sending' | 'posted';
  readonly ts: string | null;
  readonly body_digest: string | null;
}

/** What is to be told, and the cards. `sending` is on file before anything is sent: what follows a crash is looked up first. */
export class Outbox {
  private readonly statements;
  /** By sink, and by channel. */
  private readonly pausedUntil = new Map<string, Date>();

  constructor(database: Database) {
    this.statements = {
      undelivered: database.prepare("SELECT * FROM outbox WHERE sink = ? AND stage <> 'delivered' ORDER BY operation_id, seq"),
      sending: database.prepare(
        "UPDATE outbox SET stage = 'sending', tries = tries + 1, sent_under = ? WHERE operation_id = ? AND seq = ? AND sink = ?",
      ),
      delivered: database.prepare(
        "UPDATE outbox SET stage = 'delivered', external_id = @id, delivered_at = @at, last_error = NULL WHERE operation_id = @operationId AND seq = @seq AND sink = @sink",
      ),
      backToWaiting: database.prepare(
        "UPDATE outbox SET stage = 'waiting', last_error = @error WHERE operation_id = @operationId AND seq = @seq AND sink = @sink",
      ),
      unclear: database.prepare('UPDATE outbox SET last_error = @error WHERE operation_id = @operationId AND seq = @seq AND sink = @sink'),
      pause: database.prepare("UPDATE outbox SET not_before = max(not_before, @until) WHERE sink = @sink AND stage <> 'delivered'"),
      park: database.prepare(
        `UPDATE outbox SET not_before = max(not_before, @until) WHERE sink = 'thread' AND stage <> 'delivered'
         AND operation_id IN (SELECT operation_id FROM card WHERE channel = @channel)`,
      ),
      rootBefore: database.prepare(
        `SELECT external_id FROM outbox WHERE operation_id = @operationId AND sink = 'thread' AND stage = 'delivered'
         AND sent_under IS NOT @root ORDER BY seq DESC LIMIT 1`,
      ),
      counts: database.prepare(
        `SELECT sink, count(*) AS waiting, min(last_error) AS error, min(at) AS oldest_at
         FROM outbox JOIN transition USING (operation_id, seq) WHERE stage <> 'delivered' GROUP BY sink`,
      ),
      card: database.prepare('SELECT * FROM card WHERE operation_id = ?'),
      cardSending: database.prepare("UPDATE card SET stage = 'sending' WHERE operation_id = ?"),
      cardWaiting: database.prepare("UPDATE card SET stage = 'waiting' WHERE operation_id = ?"),
      cardPosted: database.prepare("UPDATE card SET stage = 'posted', ts = ?, body_digest = ? WHERE operation_id = ?"),
      cardLost: database.prepare(
        "UPDATE card SET stage = 'waiting', generation = generation + 1, ts = NULL, body_digest = NULL WHERE operation_id = ?",
      ),
    };
  }

  undelivered(sink: Sink): readonly OutboxRow[] {
    return this.statements.undelivered.all(sink) as OutboxRow[];
  }

  markSending(rows: readonly OutboxRow[], root: string | null): void {
    for (const row of rows) this.statements.sending.run(root, row.operation_id, row.seq, row.sink);
  }

  markDelivered(row: OutboxRow, id: string, at: Date): void {
    this.statements.delivered.run({ operationId: row.operation_id, seq: row.seq, sink: row.sink, id, at: at.toISOString() });
  }

  /** It was surely not sent. */
  markNotSent(row: OutboxRow, error: string): void {
    this.statements.backToWaiting.run({ operationId: row.operation_id, seq: row.seq, sink: row.sink, error });
  }

  /** It may have been sent: it stays `sending` until it has been looked up. */
  markUnclear(row: OutboxRow, error: string): void {
    this.statements.unclear.run({ operationId: row.operation_id, seq: row.seq, sink: row.sink, error });
  }

  /** Nothing is sent to a sink before this instant: what waits keeps that over a restart, what comes meanwhile waits too. */
  pause(sink: Sink, until: Date): void {
    this.holdBack(sink, until);
    this.statements.pause.run({ sink, until: until.toISOString() });
  }

  /** Whether nothing may be sent now to a sink, or to a channel. */
  isPaused(place: string, now: Date): boolean {
    const until = this.pausedUntil.get(place);
    return until !== undefined && now < until;
  }

  private holdBack(place: string, until: Date): void {
    if (!this.isPaused(place, until)) this.pausedUntil.set(place, until);
  }

  /** Nothing is sent to the threads of a channel before this instant; other channels go on. */
  parkChannel(channel: string, until: Date): void {
    this.holdBack(channel, until);
    this.statements.park.run({ channel, until: until.toISOString() });
  }

  /** The last reply that was told under another root than this one; null if there is none. */
  lastReplyBefore(operationId: string, root: string | null): string | null {
    const row = this.statements.rootBefore.get({ operationId, root }) as { external_id: string } | undefined;
    return row?.external_id ?? null;
  }

  /** What each sink has still to be told; a sink with nothing is left out. */
  backlog(): readonly BacklogRow[] {
    return this.statements.counts.all() as BacklogRow[];
  }

  card(operationId: string): CardRow {
    return this.statements.card.get(operationId) as CardRow;
  }

  /** Where the card of an operation is now; null while it is not posted, or was lost. */
  postedCard(operationId: string): { readonly channel: string; readonly ts: string } | null {
    const row = this.statements.card.get(operationId) as CardRow | undefined;
    return row?.stage === 'posted' && row.ts !== null ? { channel: row.channel, ts: row.ts } : null;
  }

  markCardSending(operationId: string): void {
    this.statements.cardSending.run(operationId);
  }

  markCardNotSent(operationId: string): void {
    this.statements.cardWaiting.run(operationId);
  }

  markCardPosted(operationId: string, ts: string, digest: string): void {
    this.statements.cardPosted.run(ts, digest, operationId);
  }

  /** The root is gone: the thread continues under a new one. */
  markCardLost(operationId: string): void {
    this.statements.cardLost.run(operationId);
  }
}
