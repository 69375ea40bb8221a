import { canonicalJson } from '../journal/digest.js';
import type { OperationRow } from '../journal/journal.js';
import type { Reading } from '../protocol/reading.js';
import type { JsonObject, Need, Proposal, Readings, Request } from '../protocol/table.js';
import type { Engine } from './engine.js';
import type { AnyView } from './view.js';
import type { Worker } from './worker.js';

/** What reads the outside. Never throws for what the outside did: it answers unknown. */
export interface Reader {
  read(verb: string, args: JsonObject): Promise<Reading<unknown>>;
}

/**
 * One pass over all open operations: due times, readings, what they prove. A reading is asked once a pass, however many
 * operations want it; it counts only for the row for which it was asked.
 */
export class Monitor {
  constructor(
    private readonly engine: Engine,
    private readonly reader: Reader,
    private readonly worker: Worker,
  ) {}

  /** What is asked beside the passes, with the newest answer to it. */
  private readonly beside = new Map<string, { reading: Reading<unknown> | null; running: boolean }>();
  /** In how many passes in a row all that an operation out of a backup asks for was known, for the same row. */
  private readonly known = new Map<string, { readonly seq: number; readonly passes: number }>();

  async tick(): Promise<void> {
    await this.worker.settle();
    this.fireDues();
    const wanted = this.engine.journal.openOperations().map((operation) => this.want(operation));
    const needs = wanted.flatMap((each) => each.needs);
    const beside = this.lookBeside(needs.filter((need) => need.beside === true));
    const read = await this.readAll(needs.filter((need) => need.beside !== true));
    const answers = new Map([...beside, ...read]);
    for (const each of wanted) this.watch(each.operationId, each.seq, each.needs, answers);
    for (const { operation_id } of this.engine.journal.restored.pending()) this.compare(operation_id);
  }

  /**
   * An operation out of a backup is compared once nothing of it can still act, and everything that its state reads was known
   * twice without moving it: what the readings disprove would have been taken as an event.
   */
  private compare(operationId: string): void {
    const view = this.engine.view(operationId);
    const seen = this.engine.watched.get(operationId);
    if (view === null || seen === undefined) return;
    const beside = this.besides(view);
    const readings = Object.entries(seen.readings).filter(([name]) => !beside.has(name));
    const isKnown = view.acting.length === 0 && seen.seq === view.seq && readings.every(([, { kind }]) => kind === 'known');
    const before = this.known.get(operationId);
    const passes = !isKnown ? 0 : before?.seq === view.seq ? before.passes + 1 : 1;
    this.known.set(operationId, { seq: view.seq, passes });
    if (passes >= COMPARED_AFTER) this.engine.compared(operationId);
  }

  /** Names of the readings that nothing of a run waits for. */
  private besides(view: AnyView): ReadonlySet<string> {
    const protocol = this.engine.journal.operation(view.operationId)?.protocol ?? '';
    const needs = this.engine.protocol(protocol).needs(view, this.engine.now());
    return new Set(needs.flatMap(({ name, beside }) => (beside === true ? [name] : [])));
  }

  /** What was to happen by itself and has come due. The same instant fires once, however often it is looked at. */
  fireDues(): void {
    for (const due of this.engine.journal.duesBefore(this.engine.now())) {
      const requestKey = `${due.operation_id}:${due.name}:${due.at}`;
      this.engine.request({ operationId: due.operation_id, on: due.event, by: 'bot', requestKey });
    }
  }

  private want(operation: OperationRow): { readonly operationId: string; readonly seq: number; readonly needs: readonly Need[] } {
    const protocol = this.engine.protocol(operation.protocol);
    const view = this.engine.viewOf(operation);
    return { operationId: view.operationId, seq: view.seq, needs: protocol.needs(view, this.engine.now()) };
  }

  /**
   * The newest answer that has come to what is asked beside the passes; a new question is begun once the one before is
   * over. What nobody wants any more is forgotten.
   */
  private lookBeside(needs: readonly Need[]): ReadonlyMap<string, Reading<unknown>> {
    const wanted = new Map(needs.map((need) => [keyOf(need), need]));
    for (const key of this.beside.keys()) if (!wanted.has(key)) this.beside.delete(key);
    const answers = new Map<string, Reading<unknown>>();
    for (const [key, need] of wanted) {
      const asked = this.beside.get(key) ?? { reading: null, running: false };
      this.beside.set(key, asked);
      if (asked.reading !== null) answers.set(key, asked.reading);
      if (asked.running) continue;
      asked.running = true;
      void this.readBeside(need).then((reading) => Object.assign(asked, { reading, running: false }));
    }
    return answers;
  }

  /** A question that could not even be put is a doubt here: no pass is there to fail by it. */
  private async readBeside({ verb, args }: Need): Promise<Reading<unknown>> {
    try {
      return await this.reader.read(verb, args);
    } catch (fault) {
      const detail = fault instanceof Error ? fault.message : `${fault}`;
      return { kind: 'unknown', why: 'not_started', detail, source: verb, readAt: this.engine.now() };
    }
  }

  private async readAll(needs: readonly Need[]): Promise<ReadonlyMap<string, Reading<unknown>>> {
    const asked = new Map(needs.map((need) => [keyOf(need), need]));
    const pairs = [...asked].map(async ([key, need]) => [key, await this.read(need)] as const);
    return new Map(await Promise.all(pairs));
  }

  private async read(need: Need): Promise<Reading<unknown>> {
    return need.verb === 'stored' ? this.readStored(`${need.args.digest}`) : this.reader.read(need.verb, need.args);
  }

  /** A reading that was frozen earlier and is on file by its digest. */
  private readStored(digest: string): Reading<unknown> {
    const source = `our record ${digest.slice(0, 12)}`;
    const kept = this.engine.journal.evidence.read(digest);
    if (kept === undefined) return { kind: 'unknown', why: 'failed', detail: 'not on file', source, readAt: this.engine.now() };
    return { kind: 'known', value: JSON.parse(kept.body), source, readAt: kept.storedAt };
  }

  private watch(operationId: string, seq: number, needs: readonly Need[], answers: ReadonlyMap<string, Reading<unknown>>): void {
    const view = this.engine.view(operationId);
    if (view === null || view.seq !== seq) return; // it moved while we read: what was read was for another row
    const readings: Record<string, Reading<unknown>> = {};
    for (const need of needs) {
      const reading = answers.get(keyOf(need));
      if (reading !== undefined) readings[need.name] = reading;
    }
    this.propose(view, readings);
  }

  private propose(view: AnyView, readings: Readings): void {
    const operation = this.engine.journal.operation(view.operationId);
    if (operation === undefined) return;
    const before = this.engine.watched.get(view.operationId)?.memory ?? null;
    const { proposals, memory } = this.engine.protocol(operation.protocol).watch(view, readings, before, this.engine.now());
    this.engine.watched.set(view.operationId, { memory, readings, seq: view.seq });
    if (proposals.length > 0) this.engine.requestAll(proposals.map((proposal) => requestOf(view, proposal)));
  }
}

const COMPARED_AFTER = 2;

function keyOf({ verb, args }: Need): string {
  return `${verb} ${canonicalJson(args)}`;
}

/** The key makes one proof one row, for as long as the state it was seen in is not left. */
function requestOf(view: AnyView, proposal: Proposal<JsonObject>): Request<JsonObject> {
  return {
    operationId: view.operationId,
    by: 'bot',
    requestKey: `${view.operationId}:${view.enteredAtSeq}:${proposal.on}${proposal.key === undefined ? '' : `:${proposal.key}`}`,
    on: proposal.on,
    facts: proposal.facts ?? {},
    details: proposal.details ?? {},
    evidence: proposal.evidence ?? [],
    attach: proposal.attach ?? {},
  };
}
