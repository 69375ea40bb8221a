import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { openDatabase } from '../src/journal/database.js';
import { type Append, Journal } from '../src/journal/journal.js';
import { checkStore } from '../src/journal/store.js';

/** Figures of design section 9 that are about the journal, as ratios in one run: both sides on the same disk, in alternating rounds. */

const at = new Date('2026-11-30T12:00:00.000Z');

function rowOf(operationId: string, n: number): Append {
  return {
    operationId,
    from: n === 0 ? null : 'planned',
    event: n === 0 ? 'plan_made' : 'plan_revised',
    to: 'planned',
    actor: 'U1',
    at,
    requestKey: `${operationId}:${n}`,
    facts: { agreedBy: null, approval: null },
    details: { sentence: 'x'.repeat(200) },
    evidence: [`evidence ${operationId} ${n} ${'y'.repeat(400)}`],
    tell: ['thread', 'issue'],
    open: true,
    locked: false,
    ...(n === 0 ? { plan: { body: { n }, inferred: [] } } : {}),
    intent: { effect: 'cancel_old', verb: 'cancel', args: { jobId: '/m/x' }, proof: 'gone', recordedAt: at, startBefore: at },
  };
}

/** Durable transitions a second, the whole record, against raw inserts of 1 kB with one commit each. */
export function transitionsPerSecond(folder: string, rounds = 6, each = 300): { ours: number; raw: number; ratio: number } {
  const journal = new Journal(openDatabase(join(folder, 'ours.db')));
  const raw = new Sqlite(join(folder, 'raw.db'));
  raw.pragma('journal_mode = WAL');
  raw.pragma('synchronous = FULL');
  raw.exec('CREATE TABLE t (body TEXT)');
  const insert = raw.prepare('INSERT INTO t VALUES (?)');
  const body = 'z'.repeat(1_000);
  let oursMs = 0;
  let rawMs = 0;
  for (let round = 0; round < rounds; round++) {
    const operationId = journal.transaction(() =>
      journal.createOperation({ protocol: 'hero', subject: 's', requester: 'U1', channel: 'C1' }, at),
    );
    let begin = performance.now();
    for (let n = 0; n < each; n++) journal.transaction(() => journal.append(rowOf(operationId, n)));
    oursMs += performance.now() - begin;
    begin = performance.now();
    for (let n = 0; n < each; n++) insert.run(body);
    rawMs += performance.now() - begin;
  }
  journal.database.close();
  raw.close();
  const ours = (rounds * each) / (oursMs / 1000);
  const rawRate = (rounds * each) / (rawMs / 1000);
  return { ours: Math.round(ours), raw: Math.round(rawRate), ratio: ours / rawRate };
}

/**
 * Opening a journal that holds a million transitions in closed operations, until its open operations are known and verified;
 * and what is read through before that when the last stop was not clean.
 */
export function bootMs(folder: string, transitions = 1_000_000): { ms: number; afterUncleanStopMs: number; transitions: number } {
  const path = join(folder, 'boot.db');
  fill(path, transitions);
  const begin = performance.now();
  const journal = new Journal(openDatabase(path));
  for (const { operation_id } of journal.openOperations()) journal.verify(operation_id);
  const ms = performance.now() - begin;
  journal.database.close();
  const checkBegin = performance.now();
  checkStore(path, 'open');
  return { ms, afterUncleanStopMs: performance.now() - checkBegin + ms, transitions };
}

/** Real rows where they are read at a start (one open operation), filler where they are only carried. */
function fill(path: string, transitions: number): void {
  const journal = new Journal(openDatabase(path));
  const { database } = journal;
  database.pragma('synchronous = OFF');
  const perOperation = 50;
  const operation = database.prepare(
    `INSERT INTO operation (operation_id, protocol, number, subject, requester, channel, created_at, seq, state, head, plan_version, open)
     VALUES (?, 'hero', ?, 's', 'U1', 'C1', '2026-11-30T12:00:00.000Z', ?, 'closed', 'h', 1, 0)`,
  );
  const transition = database.prepare(
    `INSERT INTO transition VALUES (?, ?, ?, 'phase_reached', 'starting', 'bot', '2026-11-30T12:00:00.000Z', ?, 1, '{}', '{"sentence":"filler"}', '[]', 'h')`,
  );
  const count = transitions / perOperation;
  for (let first = 0; first < count; first += 1_000) {
    database.transaction(() => {
      for (let n = first; n < Math.min(count, first + 1_000); n++) {
        const id = `old-${n + 1}`;
        operation.run(id, n + 1, perOperation);
        for (let seq = 1; seq <= perOperation; seq++) transition.run(id, seq, seq === 1 ? null : 'starting', `${id}:${seq}`);
      }
    })();
  }
  const open = journal.transaction(() => journal.createOperation({ protocol: 'hero', subject: 's', requester: 'U1', channel: 'C1' }, at));
  for (let n = 0; n < perOperation; n++) journal.transaction(() => journal.append(rowOf(open, n)));
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

const folder = mkdtempSync(join(tmpdir(), 'harbor-bench-'));
try {
  const figures = { transitions: transitionsPerSecond(folder), boot: bootMs(folder) };
  const goals = { transitions: 'ratio at least 0.5', boot: 'at most 1,000 ms for 1,000,000 transitions' };
  process.stdout.write(`${JSON.stringify({ figures, goals, rssMb: Math.round(process.memoryUsage.rss() / 1e6) }, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
