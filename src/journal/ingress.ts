import type { Database } from './database.js';

export interface Arrival {
  readonly requestKey: string;
  readonly kind: 'command' | 'click' | 'submission';
  readonly actor: string;
  readonly body: string;
  readonly receivedAt: Date;
}

export interface IngressRow {
  readonly request_key: string;
  readonly kind: 'command' | 'click' | 'submission';
  readonly actor: string;
  readonly body: string;
  readonly received_at: string;
  readonly handled_at: string | null;
  readonly answer: string | null;
}

export type Stored =
  | { readonly kind: 'new'; readonly receivedAt: Date }
  /** It was stored before, by an earlier delivery or before a crash. */
  | { readonly kind: 'repeated'; readonly row: IngressRow };

interface Waiting {
  readonly arrival: Arrival;
  readonly resolve: (stored: Stored) => void;
  readonly reject: (fault: unknown) => void;
}

interface Handled {
  readonly requestKey: string;
  readonly answer: string;
  readonly at: Date;
  readonly resolve: () => void;
  readonly reject: (fault: unknown) => void;
}

/**
 * Every command and click is on file before it is acknowledged. All that arrive in one turn of the event loop share one
 * commit, so that fifty at once cost what one does.
 */
export class Ingress {
  private waiting: Waiting[] = [];
  private handled: Handled[] = [];
  private scheduled = false;
  private readonly statements;
  private readonly resumed = new Set<string>();

  constructor(private readonly database: Database) {
    this.statements = {
      insert: database.prepare(
        `INSERT INTO ingress (request_key, kind, actor, body, received_at) VALUES (@requestKey, @kind, @actor, @body, @receivedAt)
         ON CONFLICT (request_key) DO NOTHING`,
      ),
      one: database.prepare('SELECT * FROM ingress WHERE request_key = ?'),
      handled: database.prepare('UPDATE ingress SET handled_at = ?, answer = ? WHERE request_key = ? AND handled_at IS NULL'),
      unhandled: database.prepare('SELECT * FROM ingress WHERE handled_at IS NULL ORDER BY received_at, request_key'),
    };
  }

  /** Resolves once it is durable. Rejects when it could not be stored: then it must not be acknowledged as taken. */
  store(arrival: Arrival): Promise<Stored> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ arrival, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.commit());
  }

  private commit(): void {
    const batch = this.waiting;
    const { handled } = this;
    this.waiting = [];
    this.handled = [];
    this.scheduled = false;
    try {
      const stored = this.database
        .transaction(() => {
          for (const { requestKey, answer, at } of handled) this.statements.handled.run(at.toISOString(), answer, requestKey);
          return batch.map(({ arrival }) => this.insert(arrival));
        })
        .immediate();
      for (const [index, { resolve }] of batch.entries()) resolve(stored[index] as Stored);
      for (const { resolve } of handled) resolve();
    } catch (fault) {
      for (const { reject } of [...batch, ...handled]) reject(fault);
    }
  }

  private insert(arrival: Arrival): Stored {
    const { changes } = this.statements.insert.run({ ...arrival, receivedAt: arrival.receivedAt.toISOString() });
    if (changes === 1) return { kind: 'new', receivedAt: arrival.receivedAt };
    const row = this.statements.one.get(arrival.requestKey) as IngressRow;
    return this.resumed.delete(arrival.requestKey) ? { kind: 'new', receivedAt: new Date(row.received_at) } : { kind: 'repeated', row };
  }

  /** Resolves once it is durable, with all that is stored in the same turn. What is marked is never handed in again. */
  markHandled(requestKey: string, answer: string, at: Date): Promise<void> {
    return new Promise((resolve, reject) => {
      this.handled.push({ requestKey, answer, at, resolve, reject });
      this.schedule();
    });
  }

  /** What was stored before a crash and not handled: each may be handed in once more, and then counts as new. */
  takeUnhandled(): readonly IngressRow[] {
    const rows = this.statements.unhandled.all() as IngressRow[];
    for (const row of rows) this.resumed.add(row.request_key);
    return rows;
  }
}
