import { Engine } from '../../src/engine/engine.js';
import { Monitor } from '../../src/engine/monitor.js';
import { Worker } from '../../src/engine/worker.js';
import { openDatabase } from '../../src/journal/database.js';
import { Journal } from '../../src/journal/journal.js';
import { createHero } from '../../src/protocol/hero/hero.js';
import type { HeroPeople } from '../../src/protocol/hero/policy.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { HANDOFF, OLD_RUN, planBody, WINDOW } from './plan.js';
import { World } from './world.js';

export const REQUESTER = 'U0ASK';
export const APPROVER = 'U0APPROVE';
/** Of the fleet file that these tests do without. */
export const FLEET_DIGEST = 'f'.repeat(64);
const ALL_DAY = { zone: 'UTC', from: '00:00', until: '24:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] };
export const BYSTANDER = 'U0BY';

/** Rows that are noted beside the course and move nothing. */
const BESIDE = new Set(['report_published', 'report_missing', 'chart_posted', 'chart_missing', 'looked_around', 'failure_filed']);
/** Over all engines: a click is never another's, also when one starts on the journal of one before. */
let keys = 0;

/** The engine with the real protocol and the real SQLite, over a world in memory and virtual time. */
export function startEngine(
  options: {
    readonly file?: string;
    readonly world?: World;
    readonly people?: Partial<HeroPeople>;
    readonly rehearsalHours?: number;
    readonly shortage?: () => number | null;
  } = {},
) {
  const world = options.world ?? new World();
  const database = openDatabase(options.file ?? ':memory:');
  const journal = new Journal(database);
  const both = [REQUESTER, APPROVER];
  const people = { ask: both, agree: both, approve: both, decide: both, override: [APPROVER], onCall: [], ...options.people };
  const rehearsal = { hours: options.rehearsalHours ?? 0, fleetDigest: FLEET_DIGEST };
  const hero = createHero({ people, requestSeconds: 300, tickSeconds: 5, workingHours: { hero: ALL_DAY }, rehearsal });
  const engine = new Engine({ journal, protocols: [hero], now: world.now, shortage: options.shortage ?? (() => null) });
  const faults: unknown[] = [];
  const worker = new Worker(
    engine,
    world,
    () => {},
    (_intentId, fault) => faults.push(fault),
  );
  const monitor = new Monitor(engine, world, worker);

  const tick = async (times = 1, steps = 0): Promise<void> => {
    for (let n = 0; n < times; n++) {
      world.advance(5);
      world.train(steps);
      await monitor.tick();
      await worker.idle();
    }
  };
  const tickWithoutActs = async (): Promise<void> => {
    world.advance(5);
    await monitor.tick();
    for (let n = 0; n < 10; n++) await Promise.resolve();
  };
  const ask = (by: string, on: string, details: JsonObject = {}, operationId = 'hero-1') =>
    engine.request({ operationId, on, by, details, requestKey: `test:${++keys}` });
  const plan = (changes: JsonObject = {}) =>
    engine.plan({ protocol: 'hero', body: planBody(changes), inferred: [], by: REQUESTER, channel: 'C1', requestKey: `test:${++keys}` });
  const state = (operationId = 'hero-1') => engine.view(operationId)?.state;
  const path = (operationId = 'hero-1') =>
    journal
      .history(operationId)
      .filter(({ event }) => !BESIDE.has(event))
      .map(({ from_state, to_state }) => `${from_state} → ${to_state}`);

  /** A swap up to its open launch gate. */
  const toGate = async (changes: JsonObject = {}): Promise<void> => {
    world.start(OLD_RUN, HANDOFF);
    plan(changes);
    ask(APPROVER, 'plan_agreed');
    ask(REQUESTER, 'preflight_asked');
    await tick(1, 10);
    await tick(2, WINDOW);
  };
  /** A swap whose candidate trains. */
  const toTrial = async (changes: JsonObject = {}): Promise<void> => {
    await toGate(changes);
    ask(APPROVER, 'launch_approved');
    for (let n = 0; n < 20 && state() !== 'starting'; n++) await tick();
    await tick(2, 3);
  };
  return { world, engine, journal, worker, monitor, database, faults, tick, tickWithoutActs, ask, plan, state, path, toGate, toTrial };
}
