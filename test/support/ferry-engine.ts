import { Engine } from '../../src/engine/engine.js';
import { Monitor } from '../../src/engine/monitor.js';
import { Worker } from '../../src/engine/worker.js';
import { openDatabase } from '../../src/journal/database.js';
import { Journal } from '../../src/journal/journal.js';
import { nextInstant } from '../../src/lanes.js';
import { createFerry } from '../../src/protocol/ferry/ferry.js';
import type { LanePeople } from '../../src/protocol/ferry/people.js';
import { createLane } from '../../src/protocol/lane/lane.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { ferryDocuments } from '../../src/render/ferry/documents.js';
import { ferryBody } from './ferry-plan.js';
import { FerryWorld } from './ferry-world.js';

export const REQUESTER = 'U0ASK';
export const DECIDER = 'U0DECIDE';
export const BYSTANDER = 'U0BY';
const people = { ask: [REQUESTER, DECIDER], decide: [DECIDER], onCall: [] };
export const FERRY_POLICY = { lanes: { daily: { people }, 'canary-tpu': { people } }, requestSeconds: 300, tickSeconds: 5 };
export const DOCUMENTS = ferryDocuments({ repository: 'marin-community/marin' });

/** The engine with the real ferry protocols and the real SQLite, over a world in memory and virtual time. */
export function startFerries(options: { readonly file?: string; readonly world?: FerryWorld; readonly people?: LanePeople } = {}) {
  const world = options.world ?? new FerryWorld();
  const database = openDatabase(options.file ?? ':memory:');
  const journal = new Journal(database);
  const lanes =
    options.people === undefined ? FERRY_POLICY.lanes : { daily: { people: options.people }, 'canary-tpu': { people: options.people } };
  const policy = { ...FERRY_POLICY, lanes };
  const protocols = [createFerry(policy, DOCUMENTS), createLane({ ...policy, nextInstant })];
  const engine = new Engine({ journal, protocols, now: world.now });
  const faults: unknown[] = [];
  const worker = new Worker(
    engine,
    world,
    () => {},
    (_intentId, fault) => faults.push(fault),
  );
  const monitor = new Monitor(engine, world, worker);
  let keys = 0;

  const tick = async (times = 1, seconds = 5): Promise<void> => {
    for (let n = 0; n < times; n++) {
      world.advance(seconds);
      await monitor.tick();
      await worker.idle();
    }
  };
  const ask = (by: string, on: string, details: JsonObject = {}, operationId = 'ferry-1') =>
    engine.request({ operationId, on, by, details, requestKey: `test:${++keys}` });
  const plan = (body: JsonObject = ferryBody(), by = REQUESTER) =>
    engine.plan({ protocol: 'ferry', body, inferred: [], by, channel: 'C1', requestKey: `test:${++keys}` });
  const state = (operationId = 'ferry-1') => engine.view(operationId)?.state;
  const events = (operationId = 'ferry-1') => journal.history(operationId).map(({ event }) => event);
  const told = (operationId = 'ferry-1') => {
    const rows = database.prepare("SELECT seq FROM outbox WHERE operation_id = ? AND sink = 'thread' ORDER BY seq").all(operationId) as {
      seq: number;
    }[];
    return rows.map(({ seq }) => journal.history(operationId)[seq - 1]?.event);
  };
  const said = (event: string, operationId = 'ferry-1') =>
    `${JSON.parse(journal.history(operationId).findLast((row) => row.event === event)?.details ?? '{}').sentence ?? ''}`;
  const until = async (wanted: string, times = 40, operationId = 'ferry-1'): Promise<void> => {
    for (let n = 0; n < times && state(operationId) !== wanted; n++) await tick();
  };

  /** A ferry whose job is on record and runs. */
  const toRunning = async (body: JsonObject = ferryBody()): Promise<void> => {
    plan(body);
    await until('proposed');
    ask(`${body.clears}`, 'approved');
    ask(REQUESTER, 'launch_asked');
    await until('running');
  };
  return { world, engine, journal, worker, monitor, database, faults, tick, ask, plan, state, events, told, said, until, toRunning };
}
