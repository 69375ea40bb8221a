import type { Database } from '../../src/journal/database.js';
import { canonicalJson, digestOf } from '../../src/journal/digest.js';
import type { TransitionRow } from '../../src/journal/journal.js';
import type { HeroFacts } from '../../src/protocol/hero/facts.js';
import { HERO_FINALS, HERO_ROWS } from '../../src/protocol/hero/table.js';
import type { Row } from '../../src/protocol/table.js';
import { checkCover } from './cover.js';
import { mayDo } from './fleet.js';
import type { Arrival, Scene, Spawn } from './scene.js';
import { checkTruth } from './truth.js';

/** One operation as the rows have told it so far. */
export interface Told {
  readonly operationId: string;
  readonly requester: string;
  readonly rows: TransitionRow[];
  facts: Partial<HeroFacts>;
  state: string;
  origin: string | null;
  head: string;
}

interface IntentState {
  readonly intent_id: string;
  readonly stage: string;
  readonly verb: string;
  readonly args: string;
}

const ROWS = new Map(HERO_ROWS.map((row) => [`${row.from} ${row.on}`, row as Row]));

/** The invariants of the design, held against what is on file and what the world knows itself, after every step. */
export class Invariants {
  readonly operations = new Map<string, Told>();
  /** What each arrival has moved. */
  private readonly moved = new Set<string>();
  private readonly lines = new Map<string, number>();
  private newest = 0;
  private changes = -1;
  private statements: ReturnType<typeof prepare> | null = null;

  constructor(
    private readonly scene: Scene,
    private readonly answers: ReadonlyMap<string, readonly string[]>,
  ) {}

  /** The journal as it is open now. */
  attach(database: Database): void {
    this.statements = prepare(database);
    this.changes = -1;
  }

  detach(): void {
    this.statements = null;
  }

  check(): void {
    if (this.statements === null) return;
    const changes = this.statements.changes.get()?.changes ?? 0;
    if (changes === this.changes) return;
    this.changes = changes;
    for (const { number, ...row } of this.statements.rows.all(this.newest)) {
      this.newest = number;
      this.checkRow(row);
    }
    for (const { intent_id } of this.statements.ended.all()) {
      if (this.scene.spawns.some((spawn) => spawn.intentId === intent_id && spawn.alive)) {
        this.scene.breaks(`${intent_id} counts as over while its process is alive`);
      }
    }
  }

  private checkRow(row: TransitionRow): void {
    const told = this.operations.get(row.operation_id) ?? this.begin(row);
    const { scene } = this;
    const name = `${row.operation_id} row ${row.seq} (${row.event})`;
    scene.tell(`${row.operation_id} ${row.seq}: ${row.from_state} → ${row.to_state}, ${row.event} by ${row.actor} ${sentenceOf(row)}`);
    if (row.seq !== told.rows.length + 1) scene.breaks(`${name} does not follow row ${told.rows.length}`);
    if ((row.from_state ?? '') !== told.state) scene.breaks(`${name} leaves ${row.from_state}, the operation was ${told.state}`);
    const { hash, ...columns } = row;
    if (hash !== digestOf(`${told.head}\n${canonicalJson(columns)}`)) scene.breaks(`${name} does not fit the chain`);
    const rule = ROWS.get(`${row.from_state} ${row.event}`);
    const to = rule?.to === '@origin' ? told.origin : rule?.to;
    if (rule === undefined || to !== row.to_state) scene.breaks(`${name} to ${row.to_state} is not in the table`);
    else this.checkActor(row, rule, name);
    const before = { ...told.facts };
    told.facts = { ...told.facts, ...JSON.parse(row.facts) };
    told.origin = row.to_state === 'held' ? (row.from_state === 'held' ? told.origin : row.from_state) : null;
    told.state = row.to_state;
    told.head = hash;
    told.rows.push(row);
    checkTruth(scene, told, row, before);
  }

  private begin(row: TransitionRow): Told {
    const told: Told = { operationId: row.operation_id, requester: row.actor, rows: [], facts: {}, state: '', origin: null, head: '' };
    this.operations.set(row.operation_id, told);
    return told;
  }

  /** A row of the bot's says so; a row of a person's was asked for by that person, once, and that person may. */
  private checkActor(row: TransitionRow, rule: Row, name: string): void {
    const { scene } = this;
    if (rule.who === 'bot' || row.actor === 'bot') {
      if (rule.who !== 'bot' || row.actor !== 'bot') scene.breaks(`${name} by ${row.actor}, but it takes the word of ${rule.who}`);
      return;
    }
    const arrival = this.arrivalOf(row.request_key);
    if (arrival === undefined || arrival.by !== row.actor || arrival.deliveredMs === null) {
      scene.breaks(`${name}: ${row.actor} did not ask for it`);
      return;
    }
    if (arrival.operationId !== null && arrival.operationId !== row.operation_id)
      scene.breaks(`${name} was asked of ${arrival.operationId}`);
    if (!mayDo(rule.who, row.actor)) scene.breaks(`${name}: ${row.actor} may not`);
    if (this.moved.has(arrival.id)) scene.breaks(`${name}: ${arrival.id} had moved something already`);
    if (this.answers.has(arrival.id)) scene.breaks(`${name}: ${arrival.id} had been answered before, and acts afterwards`);
    this.moved.add(arrival.id);
  }

  arrivalOf(requestKey: string): Arrival | undefined {
    return this.scene.arrivals.get(requestKey.replace(/^[a-z]+:/, '').replace(/~.*$/, ''));
  }

  /** A process is started: it is on file, it is the only one, and something covers it. */
  spawned(spawn: Spawn): void {
    const { scene } = this;
    const name = `${spawn.verb} for ${spawn.intentId}`;
    this.check();
    if (this.statements === null) return;
    const intent = this.statements.intent.get(spawn.intentId);
    if (intent === undefined || this.statements.open()) scene.breaks(`${name} acts before its intent is on file`);
    else if (intent.stage !== 'starting') scene.breaks(`${name} acts before its start is on file`);
    else if (intent.verb !== spawn.verb || intent.args !== canonicalJson(spawn.args)) scene.breaks(`${name} is not what is on file`);
    if (scene.spawns.filter(({ intentId }) => intentId === spawn.intentId).length > 1) scene.breaks(`${name} acts twice`);
    const told = this.operations.get(spawn.intentId.split(':')[0] ?? '');
    if (told !== undefined) checkCover(scene, told, spawn, (key) => this.arrivalOf(key));
  }

  /** A line has arrived in a sink: it is the first of its key, and later than those before it. */
  lineArrived(key: string): void {
    const [operationId, seq, sink] = key.split(':');
    const queue = `${operationId} ${sink}`;
    const last = this.lines.get(queue) ?? 0;
    if (Number(seq) === last) this.scene.breaks(`${key} was told twice`);
    else if (Number(seq) < last) this.scene.breaks(`${key} was told after row ${last}`);
    this.lines.set(queue, Math.max(last, Number(seq)));
  }

  /** An arrival is acknowledged as taken: it is on file. */
  acknowledged(arrival: Arrival, requestKey: string): void {
    arrival.acknowledged = true;
    if (this.statements === null) return;
    if (this.statements.ingress.get(requestKey) === undefined || this.statements.open()) {
      this.scene.breaks(`${arrival.id} was acknowledged before it was on file`);
    }
  }

  /** Once quiet: all that is told is in both sinks, once and in order; nothing is left undone. */
  atRest(linesOf: (sink: 'thread' | 'issue', operationId: string) => readonly string[]): void {
    const { scene, statements } = this;
    if (statements === null) return;
    for (const told of this.operations.values()) {
      for (const sink of ['thread', 'issue'] as const) {
        const due = told.rows
          .filter(({ from_state, event }) => ROWS.get(`${from_state} ${event}`)?.tell.includes(sink) === true)
          .map(({ seq, hash }) => `${told.operationId}:${seq}:${sink}:${hash.slice(0, 8)}`);
        const got = linesOf(sink, told.operationId);
        if (canonicalJson(due) !== canonicalJson(got))
          scene.breaks(`${sink} of ${told.operationId}: due ${due.join(' ')}, got ${got.join(' ')}`);
      }
    }
    const unhandled = statements.unhandled.all();
    if (unhandled.length > 0) scene.breaks(`never handled: ${unhandled.map(({ request_key }) => request_key).join(' ')}`);
    const unsettled = statements.unsettled.all();
    if (unsettled.length > 0) scene.breaks(`never settled: ${unsettled.map(({ intent_id, stage }) => `${intent_id} ${stage}`).join(' ')}`);
  }

  open(): readonly Told[] {
    return [...this.operations.values()].filter(({ state }) => !HERO_FINALS.has(state));
  }
}

function sentenceOf({ details }: TransitionRow): string {
  const { sentence }: { sentence?: string } = JSON.parse(details);
  return sentence === undefined ? '' : `(${sentence.slice(0, 160)})`;
}

function prepare(database: Database) {
  return {
    open: () => database.inTransaction,
    changes: database.prepare<[], { changes: number }>('SELECT total_changes() AS changes'),
    rows: database.prepare<[number], TransitionRow & { number: number }>(
      'SELECT rowid AS number, transition.* FROM transition WHERE rowid > ? ORDER BY rowid',
    ),
    ended: database.prepare<[], { intent_id: string }>("SELECT intent_id FROM intent WHERE stage = 'over'"),
    unsettled: database.prepare<[], IntentState>("SELECT * FROM intent WHERE stage IN ('recorded', 'starting', 'acting')"),
    intent: database.prepare<[string], IntentState>('SELECT * FROM intent WHERE intent_id = ?'),
    ingress: database.prepare<[string], { request_key: string }>('SELECT request_key FROM ingress WHERE request_key = ?'),
    unhandled: database.prepare<[], { request_key: string }>('SELECT request_key FROM ingress WHERE handled_at IS NULL'),
  };
}
