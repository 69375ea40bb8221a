import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { OperationRow, TransitionRow } from '../journal/journal.js';
import { keysIn } from '../outbox/github.js';
import { HERO_FINALS } from '../protocol/hero/table.js';
import type { ClusterState } from './cluster/state.js';
import { APPROVER, ASKER } from './fleet.js';
import type { Harbour } from './harbour.js';

/** A row of history as it is handed on. */
export interface Step {
  readonly operation: string;
  readonly seq: number;
  readonly from: string | null;
  readonly event: string;
  readonly to: string;
  readonly actor: string;
  readonly at: string;
}

/** Rows that were to be told, and what stands in the thread and on the issue, by their numbers. */
export interface Told {
  readonly told: readonly string[];
  readonly thread: readonly string[];
  readonly issue: readonly string[];
}

/** How long anything is waited for; less than a test may take, so that what was waited for is said. */
const SCENARIO_MS = 240_000;

/** A person's hands and eyes in the local harbour, for demos and scenario tests. */
export class Player {
  private readonly seen = new Map<string, number>();

  constructor(
    readonly harbour: Harbour,
    private readonly onStep: (step: Step) => void = () => {},
  ) {}

  async says(userId: string, text: string): Promise<void> {
    await this.harbour.desk({ do: 'says', userId, text });
  }

  /** Presses a button of the card, once it is drawn for the present state. */
  async clicks(userId: string, operationId: string, action: string): Promise<void> {
    const { ts, value } = await this.drawn(operationId, action);
    await this.harbour.desk({ do: 'clicks', userId, ts, choice: { value } });
  }

  /** The card with a button of this action for the present state, as somebody would remember it. */
  async drawn(operationId: string, action: string): Promise<{ ts: string; value: string; card: Record<string, unknown> }> {
    return this.until(`the button ${action} of ${operationId}`, async () => {
      const entered = this.history(operationId).findLast(({ from_state, to_state }) => from_state !== to_state)?.seq ?? 0;
      const card = await this.card(operationId);
      const drawn = new RegExp(`"(${operationId}:${entered}:${action}:[0-9a-f]{8})"`).exec(JSON.stringify(card ?? null));
      return drawn?.[1] === undefined || card === undefined ? undefined : { ts: `${card.ts}`, value: drawn[1], card };
    });
  }

  async card(operationId: string): Promise<Record<string, unknown> | undefined> {
    const messages = await this.harbour.desk<Record<string, unknown>[]>({ do: 'messages' });
    return messages.findLast(({ metadata }) => keyOf(metadata)?.startsWith(`${operationId}:card:`) === true);
  }

  /** Waits for a state that does not end by itself; fails at once in a final one that is another. For others, see `happens`. */
  async reaches(operationId: string, state: string): Promise<void> {
    await this.until(`${operationId} to be ${state}`, async () => {
      const now = this.operation(operationId);
      if (now !== undefined && now.open === 0 && now.state !== state) throw new Error(`${operationId} ended ${now.state}, not ${state}`);
      return now?.state === state ? true : undefined;
    });
  }

  operation(operationId: string): OperationRow | undefined {
    return this.query(
      (journal) => journal.prepare('SELECT * FROM operation WHERE operation_id = ?').get(operationId) as OperationRow | undefined,
    );
  }

  history(operationId: string): readonly TransitionRow[] {
    return this.query(
      (journal) => journal.prepare('SELECT * FROM transition WHERE operation_id = ? ORDER BY seq').all(operationId) as TransitionRow[],
    );
  }

  operations(): number {
    return this.operationsNow().length;
  }

  /** The operation that was made last, of any protocol but the schedules'. */
  newest(): string | undefined {
    const newest = "SELECT operation_id AS id FROM operation WHERE protocol <> 'lane' ORDER BY created_at DESC LIMIT 1";
    return this.query((journal) => (journal.prepare(newest).get() as { id: string } | undefined)?.id);
  }

  private operationsNow(): readonly OperationRow[] {
    return this.query(
      (journal) => journal.prepare("SELECT * FROM operation WHERE protocol = 'hero' ORDER BY number").all() as OperationRow[],
    );
  }

  /** Rows of history, over all operations. */
  rows(): number {
    return this.query((journal) => (journal.prepare('SELECT count(*) AS n FROM transition').get() as { n: number }).n);
  }

  /** Lines that are on their way to a sink and not marked as delivered yet. */
  sending(): number {
    return this.query((journal) => (journal.prepare("SELECT count(*) AS n FROM outbox WHERE stage = 'sending'").get() as { n: number }).n);
  }

  /** The newest plan of a ferry. */
  planOf(operationId: string): { readonly commit: string } {
    const newest = 'SELECT body FROM plan WHERE operation_id = ? ORDER BY version DESC';
    const { body } = this.query((journal) => journal.prepare(newest).get(operationId) as { body: string });
    return JSON.parse(body);
  }

  plan(operationId: string): { readonly oldRun: string; readonly newRun: string } {
    const { body } = this.query(
      (journal) =>
        journal.prepare('SELECT body FROM plan WHERE operation_id = ? ORDER BY version DESC').get(operationId) as { body: string },
    );
    return JSON.parse(body);
  }

  /** The effects that an operation put on file. */
  intents(operationId: string): readonly string[] {
    const rows = this.query(
      (journal) => journal.prepare('SELECT effect FROM intent WHERE operation_id = ?').all(operationId) as { effect: string }[],
    );
    return rows.map(({ effect }) => effect);
  }

  /** How often an effect was put on file by all operations whose old run is this one. */
  allIntents(oldRun: string, effect: string): number {
    const ids = this.operationsNow().map(({ operation_id }) => operation_id);
    return ids.filter((id) => this.plan(id).oldRun === oldRun).flatMap((id) => this.intents(id).filter((each) => each === effect)).length;
  }

  /** As `clicks`, once and without waiting: a bot that is down, or a button that is not drawn, is no fault of the player. */
  async triesToClick(userId: string, operationId: string, action: string): Promise<void> {
    const card = JSON.stringify((await this.card(operationId)) ?? null);
    const entered = this.history(operationId).findLast(({ from_state, to_state }) => from_state !== to_state)?.seq ?? 0;
    const value = new RegExp(`"(${operationId}:${entered}:${action}:[0-9a-f]{8})"`).exec(card)?.[1];
    const ts = /"ts":"([0-9.]+)"/.exec(card)?.[1];
    if (value === undefined || ts === undefined) return;
    await this.harbour.desk({ do: 'clicks', userId, ts, choice: { value } }).catch(() => undefined);
  }

  async triesToSay(userId: string, text: string): Promise<void> {
    await this.harbour.desk({ do: 'says', userId, text }).catch(() => undefined);
  }

  /** Keys of what was to be told, and what stands in the thread and on the issue under our keys, each in its order. */
  async told(operationId: string): Promise<Told> {
    return this.until(`one look at all that is told of ${operationId}`, async () => {
      const before = this.rows();
      const told = await this.lookAtTold(operationId);
      return this.rows() === before && this.untold(operationId) === 0 ? told : undefined; // a row that came meanwhile is in some lists only
    });
  }

  private async lookAtTold(operationId: string): Promise<Told> {
    const rows = this.query(
      (journal) =>
        journal.prepare("SELECT seq FROM outbox WHERE operation_id = ? AND sink = 'thread' ORDER BY seq").all(operationId) as {
          seq: number;
        }[],
    );
    const card = await this.card(operationId);
    const replies = await this.harbour.desk<Record<string, unknown>[]>({ do: 'thread', ts: `${card?.ts ?? ''}` });
    const { comments } = await this.harbour.desk<{ comments: { body: string }[] }>({ do: 'issue' });
    const own = (key: string): boolean => key.startsWith(`${operationId}:`);
    return {
      told: rows.map(({ seq }) => `${seq}`),
      thread: replies
        .flatMap(({ metadata }) => keyOf(metadata) ?? [])
        .filter(own)
        .map(seqOf),
      issue: comments
        .flatMap(({ body }) => keysIn(body))
        .filter(own)
        .map(seqOf),
    };
  }

  /** Waits until both sinks hold what was told, or the time is over. */
  async settled(operationId: string): Promise<void> {
    await this.until(`all of ${operationId} to be told`, async () => {
      const acting = this.query(
        (journal) =>
          journal
            .prepare("SELECT count(*) AS n FROM intent WHERE operation_id = ? AND stage IN ('recorded', 'starting', 'acting')")
            .get(operationId) as { n: number },
      );
      // What an operation publishes at its end is still to be told about, and keeps it open.
      const { open = 0, state = '' } = this.operation(operationId) ?? {};
      const ends = open === 1 && HERO_FINALS.has(state);
      return this.untold(operationId) + acting.n === 0 && !ends ? true : undefined;
    });
  }

  private untold(operationId: string): number {
    const { n } = this.query(
      (journal) =>
        journal.prepare("SELECT count(*) AS n FROM outbox WHERE operation_id = ? AND stage <> 'delivered'").get(operationId) as {
          n: number;
        },
    );
    return n;
  }

  async until<T>(what: string, look: () => Promise<T | undefined>, limitMs = SCENARIO_MS): Promise<T> {
    const deadline = Date.now() + limitMs;
    while (Date.now() < deadline) {
      this.report();
      const found = await look();
      if (found !== undefined) return found;
      await delay(50);
    }
    const stands = this.operationsNow().map(({ operation_id, state }) => `${operation_id} is ${state}`);
    throw new Error(`waited ${limitMs / 1000} s for ${what}; ${stands.join(', ') || 'there is no operation'}`);
  }

  /** Hands on the rows that are new since the last look. */
  report(): void {
    for (const { operation_id: operation } of this.operationsNow()) {
      const rows = this.history(operation);
      for (const row of rows.slice(this.seen.get(operation) ?? 0)) {
        this.onStep({ operation, seq: row.seq, from: row.from_state, event: row.event, to: row.to_state, actor: row.actor, at: row.at });
      }
      this.seen.set(operation, rows.length);
    }
  }

  private query<T>(ask: (journal: Sqlite.Database) => T): T {
    const journal = new Sqlite(join(this.harbour.home, 'data', 'journal.db'), { readonly: true });
    try {
      return ask(journal);
    } finally {
      journal.close();
    }
  }

  /** Turns a fault of the cluster on or off. */
  async switches(name: string, on: boolean): Promise<void> {
    await this.harbour.cluster({ kind: 'switch', name, on });
  }

  /** The cluster's own record of what was done to it. */
  async ledger(): Promise<ClusterState['ledger']> {
    return (await this.harbour.clusterState()).ledger;
  }

  /** Waits until a run whose id begins so has a complete permanent checkpoint. */
  async permanent(beginning: string): Promise<void> {
    await this.until(`a permanent checkpoint of ${beginning}`, async () => {
      const { checkpoints } = await this.harbour.clusterState();
      const own = Object.entries(checkpoints).find(([runId]) => runId.startsWith(beginning))?.[1] ?? [];
      return own.some(({ complete, permanent }) => complete && permanent) ? true : undefined;
    });
  }

  /** Waits until no coordinator is live. */
  async gone(): Promise<void> {
    await this.until('no coordinator to be live', async () =>
      (await this.harbour.clusterState()).runs.some(({ live }) => live) ? undefined : true,
    );
  }

  /** Waits until an event stands in the history. */
  async happens(operationId: string, event: string): Promise<void> {
    await this.until(`${event} of ${operationId}`, async () => (this.passed(operationId, [event]) ? true : undefined));
  }

  /** Whether these events stand in the history, in this order. */
  passed(operationId: string, events: readonly string[]): boolean {
    const happened = this.history(operationId).map(({ event }) => event);
    let from = 0;
    return events.every((event) => {
      const at = happened.indexOf(event, from);
      from = at + 1;
      return at !== -1;
    });
  }

  /** Makes a plan; resolves with its operation once it is on file. */
  async plans(fields: string): Promise<string> {
    const n = this.operations();
    await this.says(ASKER.id, `/hero-deploy plan ${fields}`);
    await this.reaches(`hero-${n + 1}`, 'planned');
    return `hero-${n + 1}`;
  }

  /** A swap up to its open launch gate, by the hands of two people. */
  async toGate(change: string, fields = 'gate="train_loss tracks within 0.01"'): Promise<string> {
    await this.harbour.prepare(change);
    const operationId = await this.plans(`${fields} reason="try ${change}"`);
    await this.clicks(APPROVER.id, operationId, 'agree');
    await this.clicks(ASKER.id, operationId, 'preflight');
    await this.reaches(operationId, 'awaiting_launch');
    return operationId;
  }
}

function keyOf(metadata: unknown): string | undefined {
  const payload = (metadata as { event_payload?: { key?: unknown } } | undefined)?.event_payload;
  return typeof payload?.key === 'string' ? payload.key : undefined;
}

function seqOf(key: string): string {
  return key.split(':')[1] ?? '';
}
