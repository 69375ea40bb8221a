import { OpsError } from '../errors.js';
import type { JsonObject, Sink } from '../protocol/table.js';
import type { Database } from './database.js';
import { canonicalJson, digestOf } from './digest.js';
import { Evidence } from './evidence.js';
import { Intents, type NewIntent } from './intents.js';
import { Restored } from './restored.js';

/** Another operation holds the subject: nothing was written. */
export class SubjectLockedError extends OpsError {
  readonly code = 'subject_locked';
}

/** The chain of an operation does not fit its rows: somebody wrote past the journal. */
export class BrokenChainError extends OpsError {
  readonly code = 'broken_chain';
  override readonly exitCode = 5;
}

export interface OperationRow {
  readonly operation_id: string;
  readonly protocol: string;
  readonly number: number;
  readonly subject: string;
  readonly requester: string;
  readonly channel: string;
  readonly created_at: string;
  readonly seq: number;
  readonly state: string;
  readonly head: string;
  readonly plan_version: number;
  readonly open: 0 | 1;
  readonly locked: 0 | 1;
}

export interface TransitionRow {
  readonly operation_id: string;
  readonly seq: number;
  readonly from_state: string | null;
  readonly event: string;
  readonly to_state: string;
  readonly actor: string;
  readonly at: string;
  readonly request_key: string;
  readonly plan_version: number;
  readonly facts: string;
  readonly details: string;
  readonly evidence: string;
  readonly hash: string;
}

export interface PlanRow {
  readonly version: number;
  readonly body: string;
  readonly hash: string;
  readonly inferred: string;
}

export interface NewOperation {
  readonly protocol: string;
  readonly subject: string;
  readonly requester: string;
  readonly channel: string;
}

/** One row of history and everything that goes on file with it. */
export interface Append {
  readonly operationId: string;
  readonly from: string | null;
  readonly event: string;
  readonly to: string;
  readonly actor: string;
  readonly at: Date;
  readonly requestKey: string;
  readonly facts: JsonObject;
  readonly details: JsonObject;
  readonly evidence: readonly string[];
  readonly plan?: { readonly body: JsonObject; readonly inferred: readonly string[] };
  readonly intent?: NewIntent;
  readonly tell: readonly Sink[];
  readonly open: boolean;
  readonly locked: boolean;
}

/**
 * The append-only journal. Every call runs inside the caller's `transaction`; nothing here decides, and nothing else
 * writes history.
 */
export class Journal {
  readonly evidence: Evidence;
  readonly intents: Intents;
  readonly restored: Restored;
  private readonly statements;

  constructor(readonly database: Database) {
    this.evidence = new Evidence(database);
    this.intents = new Intents(database);
    this.restored = new Restored(database);
    this.statements = prepare(database);
  }

  /** One durable unit: all of it or nothing. Taken at once for writing, so that what was read inside cannot have changed. */
  transaction<T>(work: () => T): T {
    return this.database.transaction(work).immediate();
  }

  createOperation(operation: NewOperation, at: Date): string {
    const { number } = this.statements.nextNumber.get({ protocol: operation.protocol }) as { number: number };
    const operationId = `${operation.protocol}-${number}`;
    this.statements.insertOperation.run({ ...operation, operationId, number, at: at.toISOString() });
    this.statements.insertCard.run(operationId, operation.channel);
    return operationId;
  }

  /** Appends a row, its plan, intent and outbox rows, and moves the lock. Throws SubjectLockedError when another operation holds the subject. */
  append(row: Append): { readonly seq: number; readonly intentId: string | null } {
    const operation = this.operation(row.operationId);
    if (operation === undefined) throw new Error(`append ${row.operationId}: no such operation`);
    const seq = operation.seq + 1;
    const planVersion = row.plan === undefined ? operation.plan_version : this.insertPlan(row, operation.plan_version + 1);
    const evidence = row.evidence.map((text) => this.evidence.keep(text, row.at));
    const columns = {
      operation_id: row.operationId,
      seq,
      from_state: row.from,
      event: row.event,
      to_state: row.to,
      actor: row.actor,
      at: row.at.toISOString(),
      request_key: row.requestKey,
      plan_version: planVersion,
      facts: canonicalJson(row.facts),
      details: canonicalJson(row.details),
      evidence: canonicalJson([...new Set(evidence)]),
    };
    const hash = chain(operation.head, columns);
    this.statements.insertTransition.run({ ...columns, hash });
    this.moveOperation(row, operation, { seq, head: hash, planVersion });
    for (const sink of row.tell) this.statements.insertOutbox.run(row.operationId, seq, sink, columns.at);
    return { seq, intentId: row.intent === undefined ? null : this.intents.record(row.operationId, seq, row.intent) };
  }

  private insertPlan(row: Append, version: number): number {
    const body = canonicalJson(row.plan?.body);
    this.statements.insertPlan.run({
      operationId: row.operationId,
      version,
      body,
      hash: digestOf(body),
      inferred: canonicalJson(row.plan?.inferred),
      actor: row.actor,
      at: row.at.toISOString(),
    });
    return version;
  }

  private moveOperation(
    row: Append,
    was: OperationRow,
    now: { readonly seq: number; readonly head: string; readonly planVersion: number },
  ): void {
    const { operationId, to } = row;
    const [open, locked] = [row.open ? 1 : 0, row.locked ? 1 : 0];
    this.statements.moveOperation.run({ operationId, to, ...now });
    if (open === was.open && locked === was.locked) return; // most rows move neither, and need not touch their indexes
    try {
      this.statements.standOperation.run({ operationId, open, locked });
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_CONSTRAINT_UNIQUE') {
        throw new SubjectLockedError(`append ${operationId} seq ${now.seq}: its subject is held by another operation`, { cause });
      }
      throw cause;
    }
  }

  operation(operationId: string): OperationRow | undefined {
    return this.statements.operation.get(operationId) as OperationRow | undefined;
  }

  /** Operations in a state that is not final, oldest first. */
  openOperations(): readonly OperationRow[] {
    return this.statements.openOperations.all() as OperationRow[];
  }

  /** The newest operations of a channel, newest first. */
  recentOperations(channel: string, count: number): readonly OperationRow[] {
    return this.statements.recentOperations.all(channel, count) as OperationRow[];
  }

  /** The newest operations about a subject, newest first. */
  ofSubject(subject: string, count = 50): readonly OperationRow[] {
    return this.statements.ofSubject.all(subject, count) as OperationRow[];
  }

  /** Operations that came to an end, the newest first. */
  lastEnded(count: number): readonly OperationRow[] {
    return this.statements.lastEnded.all(count) as OperationRow[];
  }

  holderOf(subject: string): OperationRow | undefined {
    return this.statements.holder.get(subject) as OperationRow | undefined;
  }

  history(operationId: string): readonly TransitionRow[] {
    return this.statements.history.all(operationId) as TransitionRow[];
  }

  byRequestKey(requestKey: string): TransitionRow | undefined {
    return this.statements.byRequestKey.get(requestKey) as TransitionRow | undefined;
  }

  plan(operationId: string, version: number): PlanRow {
    return this.statements.plan.get(operationId, version) as PlanRow;
  }

  /** Replaces what will happen by itself for an operation. */
  setDues(operationId: string, dues: readonly { readonly name: string; readonly at: Date; readonly on: string }[]): void {
    this.statements.clearDues.run(operationId);
    for (const { name, at, on } of dues) this.statements.insertDue.run(operationId, name, at.toISOString(), on);
  }

  /** Wake-ups whose instant has come, in order. */
  duesBefore(now: Date): readonly { readonly operation_id: string; readonly name: string; readonly at: string; readonly event: string }[] {
    return this.statements.duesBefore.all(now.toISOString()) as { operation_id: string; name: string; at: string; event: string }[];
  }

  /** Checks one operation's chain. Throws BrokenChainError naming the first row that does not fit. */
  verify(operationId: string): void {
    verifyChain(operationId, this.history(operationId), this.operation(operationId)?.head);
  }

  /** Checks what the rows of an operation point at: its plans, and its evidence by digest. Throws BrokenChainError. */
  verifyKept(operationId: string): void {
    const rows = this.history(operationId);
    for (const version of new Set(rows.map(({ plan_version }) => plan_version))) {
      const { body, hash } = this.plan(operationId, version);
      if (digestOf(body) !== hash) throw new BrokenChainError(`verify ${operationId}: plan version ${version} does not fit its hash`);
    }
    for (const { seq, evidence } of rows) {
      for (const digest of JSON.parse(evidence) as string[]) {
        const kept = this.evidence.read(digest);
        if (kept === undefined)
          throw new BrokenChainError(`verify ${operationId}: evidence ${digest.slice(0, 12)} of row ${seq} is missing`);
        if (digestOf(kept.body) !== digest) {
          throw new BrokenChainError(`verify ${operationId}: evidence ${digest.slice(0, 12)} of row ${seq} does not fit its digest`);
        }
      }
    }
  }
}

/** As `Journal.verify`, of rows that are at hand, up to the head that the operation names. */
export function verifyChain(operationId: string, rows: readonly TransitionRow[], expected: string | undefined): void {
  let head = '';
  for (const { hash, ...columns } of rows) {
    head = chain(head, columns);
    if (head !== hash) throw new BrokenChainError(`verify ${operationId}: row ${columns.seq} does not fit the chain`);
  }
  if (head !== expected) throw new BrokenChainError(`verify ${operationId}: the last row is missing`);
}

function chain(previous: string, columns: Readonly<Record<string, string | number | null>>): string {
  return digestOf(`${previous}\n${canonicalJson(columns)}`);
}

function prepare(database: Database) {
  return {
    nextNumber: database.prepare(
      `SELECT max(coalesce((SELECT max(number) + 1 FROM operation WHERE protocol = @protocol), 1),
                  coalesce((SELECT number FROM number_floor WHERE protocol = @protocol), 1)) AS number`,
    ),
    insertOperation: database.prepare(
      `INSERT INTO operation (operation_id, protocol, number, subject, requester, channel, created_at)
       VALUES (@operationId, @protocol, @number, @subject, @requester, @channel, @at)`,
    ),
    insertCard: database.prepare('INSERT INTO card (operation_id, channel) VALUES (?, ?)'),
    insertPlan: database.prepare(
      `INSERT INTO plan (operation_id, version, body, hash, inferred, made_by, made_at)
       VALUES (@operationId, @version, @body, @hash, @inferred, @actor, @at)`,
    ),
    insertTransition: database.prepare(
      `INSERT INTO transition (operation_id, seq, from_state, event, to_state, actor, at, request_key, plan_version, facts, details, evidence, hash)
       VALUES (@operation_id, @seq, @from_state, @event, @to_state, @actor, @at, @request_key, @plan_version, @facts, @details, @evidence, @hash)`,
    ),
    moveOperation: database.prepare(
      'UPDATE operation SET seq = @seq, state = @to, head = @head, plan_version = @planVersion WHERE operation_id = @operationId',
    ),
    standOperation: database.prepare('UPDATE operation SET open = @open, locked = @locked WHERE operation_id = @operationId'),
    insertOutbox: database.prepare('INSERT INTO outbox (operation_id, seq, sink, not_before) VALUES (?, ?, ?, ?)'),
    operation: database.prepare('SELECT * FROM operation WHERE operation_id = ?'),
    openOperations: database.prepare('SELECT * FROM operation WHERE open = 1 ORDER BY created_at, operation_id'),
    recentOperations: database.prepare('SELECT * FROM operation WHERE channel = ? ORDER BY open DESC, created_at DESC LIMIT ?'),
    ofSubject: database.prepare('SELECT * FROM operation WHERE subject = ? ORDER BY number DESC LIMIT ?'),
    lastEnded: database.prepare('SELECT * FROM operation WHERE open = 0 ORDER BY created_at DESC, operation_id LIMIT ?'),
    holder: database.prepare('SELECT * FROM operation WHERE subject = ? AND locked = 1'),
    history: database.prepare('SELECT * FROM transition WHERE operation_id = ? ORDER BY seq'),
    byRequestKey: database.prepare('SELECT * FROM transition WHERE request_key = ?'),
    plan: database.prepare('SELECT version, body, hash, inferred FROM plan WHERE operation_id = ? AND version = ?'),
    clearDues: database.prepare('DELETE FROM due WHERE operation_id = ?'),
    insertDue: database.prepare('INSERT INTO due (operation_id, name, at, event) VALUES (?, ?, ?, ?)'),
    duesBefore: database.prepare('SELECT operation_id, name, at, event FROM due WHERE at <= ? ORDER BY at'),
  };
}
