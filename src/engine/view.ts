import type { IntentRow } from '../journal/intents.js';
import type { Journal, OperationRow, TransitionRow } from '../journal/journal.js';
import type { Entry, IntentView, JsonObject, Protocol, View } from '../protocol/table.js';

/** Any protocol, as the engine holds it: plans, facts and memories are its own business. */
// biome-ignore lint/suspicious/noExplicitAny: the engine hands a protocol's own values back to it and never looks inside
export type AnyProtocol = Protocol<any, any, any>;
export type AnyView = View<JsonObject, JsonObject>;

interface Known {
  readonly head: string;
  readonly intent: string;
  readonly view: AnyView;
}

/**
 * The folds of open operations, kept for as long as nothing was put on file: the head of a chain names every row before
 * it, so that the same head and the same intents always mean the same view.
 */
export class Views {
  private readonly known = new Map<string, Known>();

  of(journal: Journal, protocol: AnyProtocol, operation: OperationRow): AnyView {
    const intents = journal.intents.all(operation.operation_id);
    const intent = intents.map(({ intent_id, stage, problem, job_id }) => `${intent_id} ${stage} ${problem} ${job_id}`).join();
    const before = this.known.get(operation.operation_id);
    if (before !== undefined && before.head === operation.head && before.intent === intent) return before.view;
    const view = viewOf(journal, protocol, operation);
    if (operation.open === 1) this.known.set(operation.operation_id, { head: operation.head, intent, view });
    else this.known.delete(operation.operation_id);
    return view;
  }
}

/** The fold of an operation's rows, all of them or those up to one: nothing else says what it is, or was. */
export function viewOf(journal: Journal, protocol: AnyProtocol, operation: OperationRow, untilSeq = operation.seq): AnyView {
  const rows = journal.history(operation.operation_id).filter(({ seq }) => seq <= untilSeq);
  const history = rows.map(entryOf);
  const last = history.at(-1);
  const planVersion = rows.at(-1)?.plan_version;
  if (last === undefined || planVersion === undefined) throw new Error(`view ${operation.operation_id}: it has no rows`);
  const entered = history.findLast(({ from, to }) => from !== to) ?? last;
  const plan = journal.plan(operation.operation_id, planVersion);
  const intents = journal.intents.all(operation.operation_id).map(intentView);
  const held = last.to === 'held' ? history.findLast(({ from, to }) => to === 'held' && from !== 'held') : undefined;
  return {
    operationId: operation.operation_id,
    state: last.to,
    seq: last.seq,
    enteredAtSeq: entered.seq,
    enteredAt: entered.at,
    lastAt: last.at,
    plan: protocol.parsePlan(JSON.parse(plan.body)),
    planVersion: plan.version,
    planHash: plan.hash,
    requester: operation.requester,
    origin: held?.from ?? null,
    facts: Object.assign({}, ...history.map(({ facts }) => facts)),
    history,
    intent: intents.findLast(({ effect }) => !isAside(protocol, effect)) ?? null,
    asides: intents.filter(({ effect }) => isAside(protocol, effect)),
    acting: journal.intents.actingOf(operation.operation_id),
  };
}

function entryOf(row: TransitionRow): Entry<JsonObject> {
  return {
    seq: row.seq,
    from: row.from_state,
    event: row.event,
    to: row.to_state,
    actor: row.actor,
    at: new Date(row.at),
    facts: JSON.parse(row.facts),
    details: JSON.parse(row.details),
  };
}

const STAGES: Readonly<Record<IntentRow['stage'], IntentView['stage']>> = {
  recorded: 'waiting',
  starting: 'acting',
  acting: 'acting',
  over: 'over',
  expired: 'expired',
};

/** Whether an effect only publishes for people. */
export function isAside(protocol: AnyProtocol, name: string): boolean {
  const effect = protocol.effects[name];
  return effect !== undefined && effect !== 'reads' && effect.aside === true;
}

function intentView(row: IntentRow): IntentView {
  return {
    intentId: row.intent_id,
    seq: row.seq,
    effect: row.effect,
    verb: row.verb,
    stage: STAGES[row.stage],
    recordedAt: new Date(row.recorded_at),
    jobId: row.job_id,
    problem: row.problem,
  };
}
