import type Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { gist, registryOf } from './asking.js';
import { fakeCommand, fakeFleet, fakeReply } from './fake-command.js';
import { sqlCommand } from './sql-command.js';

const RUNS = Array.from({ length: 30 }, (_, n) => `hero-r${n}_x-step1k`);
const jobOf = (run: string) => `/marin/${run}-coord-1a2b3c4d`;

function telemetry(rows: (insert: (run: string, step: number, atMs: number, name?: string) => void) => void) {
  return sqlCommand('jsonl', (db: Database.Database) => {
    db.exec('CREATE TABLE "levanter.metrics" (timestamp_ms, run_id, execution_uid, step, name, value, seq)');
    db.exec('CREATE TABLE "log" (key, seq, epoch_ms, data)');
    const metric = db.prepare(`INSERT INTO "levanter.metrics" VALUES (?, ?, 'e', ?, ?, 1.5, ?)`);
    const line = db.prepare(`INSERT INTO "log" VALUES (?, ?, ?, 'JaxRuntimeError')`);
    let seq = 0;
    db.transaction(() => {
      rows((run, step, atMs, name = 'train_loss') => {
        seq += 1;
        metric.run(atMs, run, step, name, seq);
        if (step === 0) line.run(`${jobOf(run)}/g/0:0`, seq, atMs);
      });
    })();
  });
}

test('the states that one tick asks for are one process, and each is told of its own job', async () => {
  const iris = sqlCommand('csv', (db) => {
    db.exec('CREATE TABLE jobs (job_id TEXT, depth INTEGER, state INTEGER)');
    for (const [n, run] of RUNS.entries()) if (n !== 5) db.prepare('INSERT INTO jobs VALUES (?, 1, ?)').run(jobOf(run), n === 7 ? 42 : 3);
  });
  const registry = registryOf(fakeFleet({ iris }));

  const states = await Promise.all(
    [...RUNS, RUNS[0] ?? ''].map((run) => registry.read('job_state', { family: 'hero', jobId: jobOf(run) })),
  );
  const lists = await Promise.all([1, 2, 3].map(() => registry.read('coordinators', { family: 'hero' })));

  // A bad row blinds the operation that it is about, and no other.
  expect(states.map(gist)).toEqual(
    [...RUNS, ''].map((_run, n) =>
      n === 5 ? { known: 'absent' } : n === 7 ? { unknown: 'unlisted_state', detail: 'job state "42"' } : { known: 'running' },
    ),
  );
  expect(lists.map(({ kind }) => kind)).toEqual(['unknown', 'unknown', 'unknown']);
  expect(iris.calls().length).toBe(2);
});

test('a bad header, and a row that nobody asked for, blind all that asked', async () => {
  const asked = RUNS.slice(0, 3).map(jobOf);
  const read = async (stdout: string) => {
    const registry = registryOf(fakeFleet({ iris: fakeReply(stdout) }));
    return (await Promise.all(asked.map((jobId) => registry.read('job_state', { family: 'hero', jobId })))).map(gist);
  };

  const why = (unknown: string) => asked.map(() => expect.objectContaining({ unknown }));
  expect(await read('id,state\r\n')).toEqual(why('unparsable'));
  expect(await read(`job_id,state\r\n${asked[0]},3\r\n/marin/hero-z-coord-1,3\r\n`)).toEqual(why('inconsistent'));
});

test('what is asked in another turn is asked anew: two readings are two', async () => {
  const iris = fakeReply(`job_id,state\r\n`);
  const registry = registryOf(fakeFleet({ iris }));
  const once = () => registry.read('job_state', { family: 'hero', jobId: jobOf('hero-x') });

  await once();
  await once();

  expect(iris.calls().length).toBe(2);
});

test('the last steps of many runs are one process, by time, each since its own instant; a run without rows says so', async () => {
  const finelog = telemetry((insert) => {
    for (const [n, run] of RUNS.entries()) {
      if (n === 4) continue;
      insert(run, 100 + n, 1_000);
      insert(run, 50 + n, 2_000);
      insert(run, 500, 3_000, 'throughput_mfu');
    }
    insert('hero-r1Xx-step1k', 900, 9_000);
  });
  const registry = registryOf(fakeFleet({ finelog }));

  const steps = await Promise.all(
    RUNS.map((runId, n) => registry.read('last_step', { family: 'hero', runId, sinceMs: n === 6 ? 2_001 : n === 8 ? 1_500 : 0 })),
  );

  expect(steps.map(gist)).toEqual(
    RUNS.map((_run, n) => ({
      known: n === 4 || n === 6 ? { step: null, atMs: null, rows: 0 } : { step: 50 + n, atMs: 2_000, rows: n === 8 ? 1 : 2 },
    })),
  );
  expect(finelog.calls().length).toBe(1);
});

test('a run that is missing among the last steps of many is unknown, not without steps', async () => {
  const finelog = fakeReply('{"ask":0,"last_step":5,"last_ms":5,"n":1}\n{"ask":2,"last_step":null,"last_ms":null,"n":0}\n');
  const registry = registryOf(fakeFleet({ finelog }));

  const steps = await Promise.all(RUNS.slice(0, 3).map((runId) => registry.read('last_step', { family: 'hero', runId, sinceMs: 0 })));

  expect(steps.map(gist)).toMatchObject([{ known: { step: 5 } }, { unknown: 'unparsable' }, { known: { rows: 0 } }]);
});

test('series and markers of many are read in pages together, and what is silent is confirmed by one count', async () => {
  const finelog = telemetry((insert) => {
    for (let step = 0; step < 100; step++) for (const [n, run] of RUNS.entries()) if (n !== 4) insert(run, step, 1_000 + step);
  });
  const registry = registryOf(fakeFleet({ finelog }));

  const series = await Promise.all(
    RUNS.map((runId, n) => registry.read('series', { family: 'hero', runId, metrics: ['train_loss'], from: n, to: 70 })),
  );
  const rows = series.map((reading) => (reading.kind === 'known' ? reading.value : []));
  const calls = finelog.calls().length;
  const markers = await Promise.all(RUNS.map((run) => registry.read('markers', { family: 'hero', jobId: jobOf(run), sinceMs: 0 })));

  expect(series.every(({ kind }) => kind === 'known')).toBe(true);
  expect(rows.map((all) => [all[0]?.step, all.length])).toEqual(RUNS.map((_run, n) => (n === 4 ? [undefined, 0] : [n, 71 - n])));
  // ⌈rows / 900⌉ pages, and a count for the run that has none.
  expect(calls).toBe(Math.ceil(rows.flat().length / 900) + 1);
  expect(markers.map((reading) => (reading.kind === 'known' ? reading.value.length : -1))).toEqual(
    RUNS.map((_run, n) => (n === 4 ? 0 : 1)),
  );
  expect(finelog.calls().length).toBe(calls + 2);
});

test('a silence among many that a count contradicts is unknown, and the others are known', async () => {
  const row = '{"run_id":"hero-r0_x-step1k","timestamp_ms":1,"execution_uid":"e","step":1,"name":"train_loss","value":1,"seq":1}';
  const finelog = fakeCommand(`case "$3" in *count*) echo '{"n":3}';; *) echo '${row}';; esac`);
  const registry = registryOf(fakeFleet({ finelog }));

  const series = await Promise.all(
    RUNS.slice(0, 2).map((runId) => registry.read('series', { family: 'hero', runId, metrics: ['train_loss'], from: 0, to: 9 })),
  );

  expect(series.map(gist)).toMatchObject([
    { known: [{ step: 1 }] },
    { unknown: 'inconsistent', detail: 'nothing was printed, and the count is 3' },
  ]);
});

test('pods of all operations of a namespace are one list', async () => {
  const items = RUNS.map((run) => ({
    metadata: { name: `p-${run}`, labels: { 'iris.job_id': jobOf(run).slice(1).replace('/', '.') } },
    status: { phase: run === RUNS[3] ? 'Frozen' : 'Running' },
  }));
  const kubectl = fakeReply(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const registry = registryOf(fakeFleet({ kubectl }));

  const pods = await Promise.all(RUNS.map((run) => registry.read('pods', { family: 'hero', jobId: jobOf(run) })));

  expect(pods.map((reading) => (reading.kind === 'known' ? reading.value.map(({ name }) => name) : reading.why))).toEqual(
    RUNS.map((run) => (run === RUNS[3] ? 'unlisted_state' : [`p-${run}`])),
  );
  expect(kubectl.calls().length).toBe(1);
});
