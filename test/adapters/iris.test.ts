import { describe, expect, test } from 'vitest';
import { UnsafeArgumentError } from '../../src/adapters/binding.js';
import { createShell } from '../../src/adapters/shell.js';
import { gist, registryOf, until } from './asking.js';
import { type FakeCommand, fakeCommand, fakeFleet, fakeReply } from './fake-command.js';
import { sqlCommand } from './sql-command.js';
import { TimeInHand } from './time-in-hand.js';

const JOB = '/marin/hero-main-step121638-coord-4be07d15';

async function coordinators(stdout: string, reply: { exit?: number; stderr?: string } = {}) {
  return gist(await registryOf(fakeFleet({ iris: fakeReply(stdout, reply) })).read('coordinators', { family: 'hero' }));
}

async function jobState(stdout: string, reply: { exit?: number; stderr?: string } = {}) {
  return gist(await registryOf(fakeFleet({ iris: fakeReply(stdout, reply) })).read('job_state', { family: 'hero', jobId: JOB }));
}

describe('coordinators', () => {
  test('every user, every form of the name, by the decoded run id', async () => {
    const rows = [
      `${JOB},3`,
      '/someone@lab/hero-ragged_a2a-ep-step54k-coord,1',
      '/marin/hero-coord-fix-step5k-coord-0a1b2c3d-clean-99aa88bb,2',
      '/marin/hero-x-coordinator-1,3',
    ];

    expect(await coordinators(['job_id,state', ...rows, ''].join('\r\n'))).toEqual({
      known: [
        { jobId: JOB, user: 'marin', runId: 'hero-main-step121638', state: 'running' },
        {
          jobId: '/someone@lab/hero-ragged_a2a-ep-step54k-coord',
          user: 'someone@lab',
          runId: 'hero-ragged_a2a-ep-step54k',
          state: 'pending',
        },
        {
          jobId: '/marin/hero-coord-fix-step5k-coord-0a1b2c3d-clean-99aa88bb',
          user: 'marin',
          runId: 'hero-coord-fix-step5k',
          state: 'building',
        },
      ],
    });
  });

  test('the query finds the live ones, and a row without a state is not left out', async () => {
    const iris = sqlCommand('csv', (db) => {
      db.exec('CREATE TABLE jobs (job_id TEXT, depth INTEGER, state INTEGER)');
      const insert = db.prepare('INSERT INTO jobs VALUES (?, ?, ?)');
      insert.run(JOB, 1, 3);
      insert.run(`${JOB}/grug-train-hero-main-step121638`, 2, 3);
      insert.run('/marin/hero-nopdl-step108k-coord-9f31c2aa', 1, 6);
      insert.run('/other/hero-old-step9k-coord', 1, 1);
      insert.run('/marin/ferry-1-coord-9', 1, 3);
    });
    const blind = sqlCommand('csv', (db) => {
      db.exec("CREATE TABLE jobs (job_id TEXT, depth INTEGER, state INTEGER); INSERT INTO jobs VALUES ('/m/hero-x-coord-1', 1, NULL)");
    });

    const reading = await registryOf(fakeFleet({ iris })).read('coordinators', { family: 'hero' });

    expect(gist(reading)).toMatchObject({ known: [{ jobId: JOB }, { jobId: '/other/hero-old-step9k-coord' }] });
    expect(reading.source).toMatch(/^iris query coordinators \(exit 0, \d+ B, \d+ ms\)$/);
    expect(iris.calls()[0]?.slice(0, 5)).toEqual(['--cluster', 'marin', 'query', '-f', 'csv']);
    expect(gist(await registryOf(fakeFleet({ iris: blind })).read('coordinators', { family: 'hero' }))).toMatchObject({
      unknown: 'unlisted_state',
    });
  });

  test('F97: CRLF, LF, a byte-order mark and a quoted cell are read; tunnel lines on the other stream do not matter', async () => {
    const one = { known: [{ jobId: '/m/hero-x-coord-1', user: 'm', runId: 'hero-x', state: 'running' }] };

    expect(await coordinators('job_id,state\r\n/m/hero-x-coord-1,3\r\n', { stderr: 'Establishing tunnel to controller...\n' })).toEqual(
      one,
    );
    expect(await coordinators('job_id,state\n/m/hero-x-coord-1,3\n')).toEqual(one);
    expect(await coordinators('\uFEFFjob_id,state\r\n/m/hero-x-coord-1,3\r\n')).toEqual(one);
    expect(await coordinators('state,job_id\r\n3,"/m/hero-x-coord-1"\r\n')).toEqual(one);
  });

  test('F97: another layout is unknown, never no rows', async () => {
    const layouts = [
      'cluster,job_id,state\r\nmarin,/m/hero-x-coord-1,3\r\n',
      'job_id\r\n/m/hero-x-coord-1\r\n',
      'Establishing tunnel...\njob_id,state\r\n',
      'job_id,state\r\n/m/hero-x-coord-1,3,\r\n',
      'job_id,state\r\n/m/hero-x-coord-1,3', // cut in the middle
      'job_id,state\r\n\r\n',
      'job_id,state\r\n"a, b",3\r\n',
      'No jobs found.\n',
    ];

    for (const layout of layouts) expect(await coordinators(layout), layout).toMatchObject({ unknown: 'unparsable' });
  });

  test('F96: only the exact header alone is none', async () => {
    expect(await coordinators('', { exit: 1 })).toMatchObject({ unknown: 'failed' });
    expect(await coordinators('0\n')).toMatchObject({ unknown: 'unparsable' });
    expect(await coordinators('')).toMatchObject({ unknown: 'unparsable' });
    expect(await coordinators('job_id,state\r\n')).toEqual({ known: [] });
    expect(await coordinators('job_id,state\r\n', { exit: 1, stderr: 'Traceback\nConnectError: refused\n' })).toEqual({
      unknown: 'failed',
      detail: 'exit 1: ConnectError: refused',
    });
  });

  test('F95: exit 0 with other words is unknown', async () => {
    expect(await coordinators('', { stderr: 'iris: command not found\n' })).toMatchObject({ unknown: 'unparsable' });
  });

  test('as many rows as the cap may be more', async () => {
    const rows = Array.from({ length: 1000 }, (_, n) => `/m/hero-${n}-coord-1,3\r\n`);

    expect(await coordinators(`job_id,state\r\n${rows.slice(1).join('')}`)).toMatchObject({ known: { length: 999 } });
    expect(await coordinators(`job_id,state\r\n${rows.join('')}`)).toMatchObject({ unknown: 'truncated' });
  });
});

describe('the state of a job', () => {
  test('F10: listed codes are states, anything else is quoted and neither live nor gone', async () => {
    const states = ['pending', 'building', 'running', 'succeeded', 'failed', 'killed', 'worker_failed', 'unschedulable'];
    for (const [index, state] of states.entries()) {
      expect(await jobState(`job_id,state\r\n${JOB},${index + 1}\r\n`)).toEqual({ known: state });
    }
    for (const name of ['KILLED', 'WORKER_FAILED', 'UNSCHEDULABLE']) {
      expect(await jobState(`job_id,state\r\n${JOB},JOB_STATE_${name}\r\n`)).toEqual({ known: name.toLowerCase() });
    }
    for (const odd of ['0', '9', '13', 'JOB_STATE_FROZEN', 'killed', '']) {
      expect(await jobState(`job_id,state\r\n${JOB},${odd}\r\n`)).toEqual({ unknown: 'unlisted_state', detail: `job state "${odd}"` });
    }
  });

  test('a job without a row is absent, and a row of another job is no answer', async () => {
    expect(await jobState('job_id,state\r\n')).toEqual({ known: 'absent' });
    expect(await jobState(`job_id,state\r\n${JOB}0,6\r\n`)).toMatchObject({ unknown: 'inconsistent' });
    expect(await jobState(`job_id,state\r\n${JOB},6\r\n${JOB},3\r\n`)).toMatchObject({ unknown: 'inconsistent' });
  });

  test('F84: what cannot be a job id is refused before anything is spawned', async () => {
    const iris = fakeReply('job_id,state\r\n');
    const registry = registryOf(fakeFleet({ iris }));
    const intent = { id: 'i', onSpawn: () => undefined };
    const ids = ["/m/x' OR 1=1 --", '/m/x;y', '--exact', '-rf', '/m/x\nrm', '/m/hero-х', `/m/${'x'.repeat(600)}`, '/m', '/m/$(id)'];

    for (const jobId of ids) {
      await expect(registry.read('job_state', { family: 'hero', jobId })).rejects.toThrow(UnsafeArgumentError);
      await expect(registry.act('cancel', { family: 'hero', jobId }, intent)).rejects.toThrow(UnsafeArgumentError);
    }
    await expect(registry.read('coordinators', { family: 'constructor' })).rejects.toThrow(UnsafeArgumentError);
    expect(iris.calls()).toEqual([]);
  });
});

describe('repeats', () => {
  test('a read that failed is asked again, and one that was answered is not', async () => {
    const shy = fakeCommand('n=$(tr -cd "\\036" < "$dir/calls" | wc -c); [ "$n" -lt 3 ] && exit 1; printf "job_id,state\\r\\n"');
    const odd = fakeReply('something else\n');

    const first = await registryOf(fakeFleet({ iris: shy }), { backoffMs: [1, 1] }).read('coordinators', { family: 'hero' });
    const second = await registryOf(fakeFleet({ iris: odd }), { backoffMs: [1, 1] }).read('coordinators', { family: 'hero' });

    expect(gist(first)).toEqual({ known: [] });
    expect(shy.calls().length).toBe(3);
    expect(gist(second)).toMatchObject({ unknown: 'unparsable' });
    expect(odd.calls().length).toBe(1);
  });

  test('F93, F95: a cancel is done once, with the exact id, whatever comes of it', async () => {
    const intent = { id: 'hero-7:3', onSpawn: () => undefined };
    const denied = fakeReply('', { stderr: 'permission denied\n' });
    const failing = fakeReply('', { exit: 1, stderr: "Error: No job named '/marin/nope'.\n" });
    const hanging = fakeCommand('sleep 600');

    const time = new TimeInHand();
    const cancel = (iris: FakeCommand, shell = createShell()) =>
      registryOf(fakeFleet({ iris }), { backoffMs: [1, 1], shell }).act('cancel', { family: 'hero', jobId: JOB }, intent);
    const hangs = cancel(hanging, createShell(time.start));
    await until(() => hanging.calls().length > 0);
    time.passes();
    const reports = await Promise.all([cancel(denied), cancel(failing), hangs]);

    expect(reports.map(({ exitCode, problem }) => ({ exitCode, problem }))).toEqual([
      { exitCode: 0, problem: null },
      { exitCode: 1, problem: 'failed' },
      { exitCode: null, problem: 'timed_out' },
    ]);
    expect(reports[0]?.evidence).toContain('permission denied');
    for (const iris of [denied, failing, hanging]) expect(iris.calls()).toEqual([['--cluster', 'marin', 'job', 'stop', '--exact', JOB]]);
  });
});

test('F82: a secret in an output is in neither detail nor evidence', async () => {
  const iris = fakeReply('', { exit: 1, stderr: 'login with https://me:hunter2secret@host and s3cr3t-value-123\n' });
  const fleet = fakeFleet({ iris }, { env: { IRIS_TOKEN: '$MY_TOKEN' } });
  const env = { PATH: process.env.PATH, MY_TOKEN: 's3cr3t-value-123' };

  const reading = await registryOf(fleet, { env }).read('coordinators', { family: 'hero' });

  expect(JSON.stringify(reading)).not.toMatch(/hunter2|s3cr3t/);
  expect(gist(reading)).toEqual({ unknown: 'failed', detail: 'exit 1: login with https://[redacted]@host and [redacted]' });
});

test('evidence is cut at 16 kB a stream and says how much was left out', async () => {
  const iris = fakeReply(`${'x'.repeat(100_000)}the end\n`, { exit: 1 });

  const { evidence = '' } = await registryOf(fakeFleet({ iris })).read('coordinators', { family: 'hero' });

  expect(evidence.length).toBeLessThan(18_000);
  expect(evidence).toMatch(/… \d+ characters left out …/);
  expect(evidence).toContain('the end');
});
