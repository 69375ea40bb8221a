import { canonicalJson, digestOf } from '../journal/digest.js';
import { type Append, type Journal, type OperationRow, SubjectLockedError, type TransitionRow } from '../journal/journal.js';
import type { Standing } from '../protocol/people.js';
import {
  type Decision,
  type JsonObject,
  type Readings,
  type Refusal,
  type Request,
  type Row,
  refuse,
  rowFor,
  type Who,
} from '../protocol/table.js';
import { type AnyProtocol, type AnyView, isAside, Views } from './view.js';

/** What became of a request. A refusal changed nothing; a repetition had been taken before. */
export type Answer =
  | { readonly kind: 'advanced'; readonly view: AnyView; readonly seq: number }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly details: JsonObject; readonly view: AnyView | null }
  | { readonly kind: 'repeated'; readonly view: AnyView; readonly event: string; readonly actor: string; readonly at: Date };

/** A plan that somebody asks to put on file: as a new operation, or as the next version of one. */
export interface PlanRequest {
  readonly standing?: Standing;
  readonly protocol: string;
  readonly body: JsonObject;
  readonly inferred: readonly string[];
  readonly by: string;
  readonly channel: string;
  readonly requestKey: string;
  readonly askedAt?: Date;
  readonly details?: JsonObject;
  readonly evidence?: readonly string[];
}

/** What the monitor last saw of an operation. Lives in memory only: after a start nothing has been seen. */
export interface WatchedOperation {
  // biome-ignore lint/suspicious/noExplicitAny: a protocol's own memory, handed back to it unread
  readonly memory: any;
  readonly readings: Readings;
  readonly seq: number;
}

export interface EngineOptions {
  readonly journal: Journal;
  readonly protocols: readonly AnyProtocol[];
  readonly now: () => Date;
  /** A person's request without a standing is refused: set wherever people can get in. */
  readonly standingRequired?: boolean;
  /** Bytes left on the journal's disk when that is too few to begin anything; null while there is room. */
  readonly shortage?: () => number | null;
}

/**
 * Ask → decide → record. The one place that appends: between the view and the append nothing else runs, and what a row
 * puts on file goes in with it. Acting and reading are the worker's and the monitor's.
 */
export class Engine {
  readonly journal: Journal;
  readonly now: () => Date;
  private readonly shortage: () => number | null;
  readonly watched = new Map<string, WatchedOperation>();
  private readonly views = new Views();
  private readonly protocols: ReadonlyMap<string, AnyProtocol>;
  private readonly listeners: ((operationId: string, intentId: string | null) => void)[] = [];
  private pending: { operationId: string; intentId: string | null }[] | null = null;

  private readonly standingRequired: boolean;

  constructor({ journal, protocols, now, standingRequired = false, shortage = () => null }: EngineOptions) {
    this.standingRequired = standingRequired;
    this.journal = journal;
    this.now = now;
    this.shortage = shortage;
    this.protocols = new Map(protocols.map((protocol) => [protocol.name, protocol]));
  }

  /** Called after the commit of each row, with the intent it put on file. */
  onRecorded(listener: (operationId: string, intentId: string | null) => void): void {
    this.listeners.push(listener);
  }

  protocol(name: string): AnyProtocol {
    const protocol = this.protocols.get(name);
    if (protocol === undefined) throw new Error(`no protocol named ${name}`);
    return protocol;
  }

  view(operationId: string): AnyView | null {
    const operation = this.journal.operation(operationId);
    return operation === undefined ? null : this.viewOf(operation);
  }

  viewOf(operation: OperationRow): AnyView {
    return this.views.of(this.journal, this.protocol(operation.protocol), operation);
  }

  /** Puts a plan on file as a new operation. */
  plan(request: PlanRequest): Answer {
    const protocol = this.protocol(request.protocol);
    return this.record(() => {
      const repeated = this.repeated(request.requestKey);
      if (repeated !== null) return repeated;
      const unwelcome = this.unwelcome(request, false);
      if (unwelcome !== null) return { ...refused(unwelcome), view: null };
      const now = this.now();
      const bytes = this.shortage();
      if (bytes !== null) return { ...refused(diskFull(bytes)), view: null };
      const plan = protocol.parsePlan(request.body);
      const decision = protocol.decideNew({ by: request.by, askedAt: request.askedAt ?? null, standing: request.standing, plan }, now);
      if (decision.kind === 'refuse') return { ...refused(decision), view: null };
      const row = protocol.rows.find(({ from }) => from === null);
      if (row === undefined) throw new Error(`${protocol.name} has no row that makes an operation`);
      const subject = protocol.subject(plan);
      const holder = protocol.locked.has(row.to) ? this.journal.holderOf(subject) : undefined;
      if (holder !== undefined) return { ...refused(refuse('subject_locked', this.holderDetails(holder))), view: null };
      const operation = { protocol: protocol.name, subject, requester: request.by, channel: request.channel };
      const operationId = this.journal.createOperation(operation, now);
      const base = { operationId, on: row.on, by: request.by, requestKey: request.requestKey };
      const asked: Request<JsonObject> = { ...base, details: request.details ?? {}, evidence: request.evidence ?? [] };
      const advance = { kind: 'advance', row, to: row.to, facts: {}, details: request.details ?? {} } as const;
      return this.append(protocol, null, asked, advance, { body: request.body, inferred: request.inferred });
    });
  }

  /** Offers an event to an operation. `plan` comes with a revision. */
  request(request: Request<JsonObject>, plan?: { readonly body: JsonObject; readonly inferred: readonly string[] }): Answer {
    const answer = this.record(() => {
      const repeated = this.repeated(request.requestKey);
      if (repeated !== null) return repeated;
      const operation = this.journal.operation(request.operationId);
      if (operation === undefined) return { ...refused(refuse('no_such_operation')), view: null };
      const protocol = this.protocol(operation.protocol);
      const view = this.viewOf(operation);
      const unwelcome = this.unwelcome(request, protocol.safe?.has(request.on) === true);
      if (unwelcome !== null) return { ...refused(unwelcome), view };
      const seen = this.watched.get(request.operationId);
      const watched = seen === undefined ? { memory: null, readings: {} } : seen;
      const decision = this.holdBack(protocol, view, protocol.decide(view, request, watched, this.now()));
      if (decision.kind === 'refuse') return { ...refused(decision), view };
      if (plan !== undefined && digestOfPlan(plan.body) === view.planHash) return { ...refused(refuse('nothing_changed')), view };
      const taken = this.append(protocol, view, request, decision, plan);
      if (taken.kind === 'advanced' && decision.row.who !== 'bot') this.journal.restored.markReleased(operation.operation_id, this.now());
      return taken;
    });
    return answer;
  }

  /**
   * What the store cannot bear now, whatever the protocol says: a beginning on a full disk, an act on what only a backup
   * says. Out of a backup nothing acts by itself until a person has moved the operation, and no person moves it until it has
   * been compared with the outside; only letting go of it is always possible.
   */
  private holdBack(protocol: AnyProtocol, view: AnyView, decision: Decision<JsonObject>): Decision<JsonObject> {
    if (decision.kind === 'refuse') return decision;
    const { row, to } = decision;
    const restored = this.journal.restored.of(view.operationId);
    if (restored !== undefined) {
      const acts = row.then !== null && protocol.effects[row.then] !== 'reads';
      const letsGo = row.who === 'duty' && row.then === null && protocol.finals.has(to);
      if (row.who === 'bot' ? acts : restored.compared_at === null && !letsGo) return refuse('not_compared', { at: restored.at });
    }
    const bytes = BEGINS.has(row.who) ? this.shortage() : null;
    return bytes === null ? decision : diskFull(bytes);
  }

  /** Says of what came back open from a backup that it did, once each; whoever waits for it should know. */
  tellRestored(): void {
    for (const { operation_id, at } of this.journal.restored.pending()) {
      this.request({ operationId: operation_id, on: 'restored', by: 'bot', requestKey: `${operation_id}:restored:${at}`, details: { at } });
    }
  }

  /** Readings and record agree again: what people ask for is done again. */
  compared(operationId: string): void {
    this.record(() => {
      const restored = this.journal.restored.of(operationId);
      if (restored === undefined || restored.compared_at !== null) return null;
      this.journal.restored.markCompared(operationId, this.now());
      this.request({ operationId, on: 'compared', by: 'bot', requestKey: `${operationId}:compared:${restored.at}` });
      return null;
    });
  }

  /** Several events of one operation that stand or fall together, in order; stops at the first that is not taken. */
  requestAll(requests: readonly Request<JsonObject>[]): void {
    this.record(() => {
      for (const request of requests) if (this.request(request).kind === 'refused') return null;
      return null;
    });
  }

  /** One durable unit; listeners hear of its rows only once they are committed. A held subject is a refusal, not a fault. */
  private record<T extends Answer | null>(work: () => T): T | Extract<Answer, { kind: 'refused' }> {
    if (this.pending !== null) return this.journal.transaction(work);
    const recorded: { operationId: string; intentId: string | null }[] = [];
    this.pending = recorded;
    let answer: T;
    try {
      answer = this.journal.transaction(work);
    } catch (cause) {
      if (!(cause instanceof SubjectLockedError)) throw cause;
      return { kind: 'refused', refusal: 'subject_locked', details: {}, view: null };
    } finally {
      this.pending = null;
    }
    for (const { operationId, intentId } of recorded) for (const listener of this.listeners) listener(operationId, intentId);
    return answer;
  }

  private append(
    protocol: AnyProtocol,
    view: AnyView | null,
    request: Request<JsonObject>,
    decision: Extract<Decision<JsonObject>, { kind: 'advance' }>,
    plan?: { readonly body: JsonObject; readonly inferred: readonly string[] },
  ): Answer {
    const now = this.now();
    const { row, to } = decision;
    const holder = protocol.locked.has(to) ? this.otherHolder(request.operationId) : undefined;
    if (holder !== undefined) return { ...refused(refuse('subject_locked', this.holderDetails(holder))), view };
    const attached = Object.entries(request.attach ?? {}).map(([name, body]) => [name, this.journal.evidence.keep(body, now)]);
    const facts = { ...decision.facts, ...Object.fromEntries(attached) };
    const intent = view === null ? undefined : this.intentFor(protocol, { ...view, facts: { ...view.facts, ...facts } }, row, now);
    const append: Append = {
      operationId: request.operationId,
      from: view?.state ?? null,
      event: row.on,
      to,
      actor: request.by,
      at: now,
      requestKey: request.requestKey,
      facts,
      details: decision.details,
      evidence: request.evidence ?? [],
      tell: row.tell,
      // What the last row still publishes is followed to its outcome; the row that tells it closes the operation.
      open: !protocol.finals.has(to) || (intent !== undefined && isAside(protocol, intent.effect)),
      locked: protocol.locked.has(to),
      ...(plan === undefined ? {} : { plan }),
      ...(intent === undefined ? {} : { intent }),
    };
    const { seq, intentId } = this.journal.append(append);
    const next = this.view(request.operationId);
    if (next === null) throw new Error(`append ${request.operationId}: it is not there`);
    this.journal.setDues(request.operationId, protocol.dues(next));
    this.pending?.push({ operationId: request.operationId, intentId });
    return { kind: 'advanced', view: next, seq };
  }

  /** What acts after the record. A row whose effect only reads puts nothing on file: its state's watch does the reading. */
  private intentFor(protocol: AnyProtocol, view: AnyView, row: Row, now: Date): Append['intent'] {
    const effect = row.then === null ? 'reads' : protocol.effects[row.then];
    if (effect === undefined) throw new Error(`${protocol.name} has no effect named ${row.then}`);
    if (effect === 'reads' || row.then === null) return undefined;
    const args = effect.args(view);
    if (args === null) return undefined;
    return {
      effect: row.then,
      verb: effect.verb,
      args,
      proof: effect.proof,
      recordedAt: now,
      startBefore: new Date(now.getTime() + effect.actWithinMs),
    };
  }

  /** Nobody is heard of whom Slack does not say, just now, that they are a member; for what is safe, lately is enough. */
  private unwelcome({ by, standing }: { readonly by: string; readonly standing?: Standing }, safe: boolean) {
    if (by === 'bot') return null;
    switch (standing?.kind) {
      case 'member':
        return null;
      case 'refused':
        return refuse('account_refused', { account: standing.account });
      case 'earlier':
        return safe ? null : refuse('account_unread');
      case 'unread':
        return refuse('account_unread');
      case undefined:
        return this.standingRequired ? refuse('account_unread') : null;
    }
  }

  private otherHolder(operationId: string): OperationRow | undefined {
    const subject = this.journal.operation(operationId)?.subject ?? '';
    const holder = this.journal.holderOf(subject);
    return holder?.operation_id === operationId ? undefined : holder;
  }

  /** What somebody who is refused the subject is told about its holder; held since the newest row that took it. */
  private holderDetails(holder: OperationRow): JsonObject {
    const { locked } = this.protocol(holder.protocol);
    const took = this.journal
      .history(holder.operation_id)
      .findLast(({ from_state, to_state }) => locked.has(to_state) && (from_state === null || !locked.has(from_state)));
    return { holder: holder.operation_id, state: holder.state, by: holder.requester, since: took?.at ?? holder.created_at };
  }

  private repeated(requestKey: string): Extract<Answer, { kind: 'repeated' }> | null {
    const row: TransitionRow | undefined = this.journal.byRequestKey(requestKey);
    if (row === undefined) return null;
    const view = this.view(row.operation_id);
    if (view === null) return null;
    return { kind: 'repeated', view, event: row.event, actor: row.actor, at: new Date(row.at) };
  }
}

/** Whose rows begin something. Ending, rolling back and letting go go on when the disk is full. */
const BEGINS: ReadonlySet<Who> = new Set(['ask', 'agree', 'approve']);

function diskFull(bytes: number): ReturnType<typeof refuse> {
  return refuse('disk_full', { freeMb: Math.floor(bytes / 1e6) });
}

function refused(decision: ReturnType<typeof refuse>): { kind: 'refused'; refusal: Refusal; details: JsonObject } {
  return { kind: 'refused', refusal: decision.refusal, details: decision.details };
}

/** As the journal hashes a plan. */
function digestOfPlan(body: JsonObject): string {
  return digestOf(canonicalJson(body));
}

/** The row that an event would take from a state, for those who only want to know what is possible. */
export function possible(protocol: AnyProtocol, state: string, on: string): boolean {
  return rowFor(protocol.rows, state, on) !== undefined;
}
