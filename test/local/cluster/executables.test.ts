import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harbour, startHarbour, until } from './harbour.js';

let harbour: Harbour;
const IRIS = ['--cluster', 'marin'];

beforeAll(async () => {
  harbour = await startHarbour();
  await until('the first run trains', () => (harbour.runView('hero-main-step54k').step ?? 0) >= 54_021);
  await harbour.permanent('hero-main-step54k');
});
afterAll(() => harbour.stop());

function coordinator(): string {
  const jobId = harbour.cluster.state().coordinators[0]?.jobId;
  if (jobId === undefined) throw new Error('no coordinator');
  return jobId;
}

describe('iris query', () => {
  test('CSV has a header, CRLF after each line and integer states', async () => {
    const ran = await harbour.run('iris', [...IRIS, 'query', '-f', 'csv', 'SELECT job_id, state FROM jobs WHERE depth = 1']);
    expect(ran).toEqual({ code: 0, stdout: `job_id,state\r\n${coordinator()},3\r\n`, stderr: '' });
  });

  test('an empty answer is the header alone', async () => {
    const ran = await harbour.run('iris', [...IRIS, 'query', '-f', 'csv', 'SELECT job_id, state FROM jobs WHERE depth = 9']);
    expect(ran).toEqual({ code: 0, stdout: 'job_id,state\r\n', stderr: '' });
  });

  test('cells with commas, quotes and line ends are quoted, NULL is an empty field', async () => {
    const ran = await harbour.run('iris', [
      ...IRIS,
      'query',
      '-f',
      'csv',
      `SELECT 'a,b' AS x, 'say "hi"' AS y, NULL AS z, 'l' || char(10) || 'm' AS w`,
    ]);
    expect(ran.stdout).toBe('x,y,z,w\r\n"a,b","say ""hi""",,"l\nm"\r\n');
  });

  test('at most 1000 rows come back, without a word', async () => {
    const many = 'SELECT a.name FROM sqlite_master a, sqlite_master b, sqlite_master c';
    const ran = await harbour.run('iris', [...IRIS, 'query', '-f', 'csv', many]);
    expect([ran.code, ran.stderr, ran.stdout.split('\r\n').length]).toEqual([0, '', 1002]);
  });

  test.each([
    ['WITH x AS (SELECT 1) SELECT * FROM x'],
    ['SELECT 1;'],
    ["SELECT ';'"],
    ['DELETE FROM jobs'],
    ['SELECT nonsense FROM jobs'],
    ['SELECT * FROM "levanter.metrics"'],
    ['SELECT * FROM ledger'],
  ])('%s is refused with a traceback and an empty standard output', async (sql) => {
    const ran = await harbour.run('iris', [...IRIS, 'query', '-f', 'csv', sql]);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(/^Traceback[\s\S]*ConnectError/);
  });

  test('the aligned table is for people', async () => {
    const ran = await harbour.run('iris', [...IRIS, 'query', 'SELECT job_id, state FROM jobs WHERE depth = 1']);
    expect(ran.stdout).toBe(`job_id${' '.repeat(coordinator().length - 6)}  state\n${coordinator()}      3\n`);
  });
});

describe('iris', () => {
  test.each([
    [['--cluster', 'nowhere', 'query', 'SELECT 1'], 2],
    [[...IRIS, 'query', '-f', 'json', 'SELECT 1'], 2],
    [[...IRIS, 'dance'], 2],
    [['query', 'SELECT 1'], 1],
    [[...IRIS, 'job', 'stop'], 2],
    [[...IRIS, 'job', 'stop', '--include-children', '/marin/x'], 2],
    [[...IRIS, 'job', 'run', '--no-wait', '--memory', '4g', '--', 'python', '-m', 'x'], 2],
    [[...IRIS, 'job', 'run', '--no-wait', '--ram', '4g', '--', 'python', '-m', 'x'], 2],
    [[...IRIS, 'job', 'run', '--no-wait'], 2],
  ])('%j exits with %i and prints nothing to standard output', async (args, code) => {
    const ran = await harbour.run('iris', args);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(ran.stderr).toContain('Error: ');
  });

  test('help names the flags that callers look for', async () => {
    const help = async (...args: string[]) => (await harbour.run('iris', [...IRIS, ...args, '--help'])).stdout;
    expect(await help('job', 'stop')).toMatch(/--prefix \/ --exact/);
    expect(await help('query')).toMatch(/-f, --format \[table\|csv\]/);
    for (const flag of ['--no-wait', '--target-cluster', '--system-reason', '--job-name']) expect(await help('job', 'run')).toContain(flag);
  });

  test('an unknown job cannot be stopped, and a similar one is named', async () => {
    const ran = await harbour.run('iris', [...IRIS, 'job', 'stop', '--exact', coordinator().slice(0, -4)]);
    expect(ran).toEqual({
      code: 1,
      stdout: '',
      stderr: `Error: No job named '${coordinator().slice(0, -4)}'. Did you mean: ${coordinator()}?\n`,
    });
  });

  test('a prefix without a match, and a dry run, stop nothing', async () => {
    expect((await harbour.run('iris', [...IRIS, 'job', 'stop', '--prefix', '/bob/'])).stdout).toBe('No running jobs matched.\n');
    expect((await harbour.run('iris', [...IRIS, 'job', 'stop', '--dry-run', coordinator()])).stdout).toBe(
      `[dry-run] would terminate 1 job(s):\n  ${coordinator()}\n`,
    );
    expect(harbour.cluster.state().ledger.filter((entry) => entry.kind === 'cancel_requested')).toEqual([]);
  });
});

describe('finelog', () => {
  test('rows come as JSON lines with the columns in the order asked for', async () => {
    const sql = `SELECT step, name, value, execution_uid, timestamp_ms, seq FROM "levanter.metrics" WHERE run_id='hero-main-step54k' AND name IN ('train_loss','throughput_mfu') AND step BETWEEN 54009 AND 54011 ORDER BY step, timestamp_ms, seq`;
    const ran = await harbour.run('finelog', ['query', 'cw-us-east-08a', sql]);
    expect(ran.stdout).toMatch(
      /^\{"step": 54009, "name": "train_loss", "value": [\d.]+, "execution_uid": "e-[0-9a-f]{12}", "timestamp_ms": \d{13}, "seq": \d+\}\n/,
    );
    const rows = await harbour.query(sql);
    expect(rows.map((row) => [row.step, row.name])).toEqual([
      [54009, 'train_loss'],
      [54010, 'train_loss'],
      [54010, 'throughput_mfu'],
      [54011, 'train_loss'],
    ]);
  });

  test('a plain select without rows prints nothing, an aggregate prints nulls', async () => {
    const where = `FROM "levanter.metrics" WHERE run_id = 'hero-nobody'`;
    expect(await harbour.run('finelog', ['query', 'cw-us-east-08a', `SELECT step ${where}`])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(
      (await harbour.run('finelog', ['query', 'cw-us-east-08a', `SELECT max(step) AS last_step, count(*) AS n ${where}`])).stdout,
    ).toBe('{"last_step": null, "n": 0}\n');
  });

  test('loss and time are logged each step, the rest each tenth, phases without a step', async () => {
    const rows = await harbour.query(
      `SELECT name, count(*) AS n, min(step) AS first, max(step % 10) AS odd FROM "levanter.metrics" WHERE step < 54020 OR step IS NULL GROUP BY name ORDER BY name`,
    );
    const tenth = { n: 2, first: 54_000, odd: 0 };
    expect(rows).toEqual([
      { name: 'grad_norm_total', ...tenth },
      { name: 'memory_peak_gib', ...tenth },
      { name: 'moe_drop_fraction', ...tenth },
      { name: 'optim_skipped_step', ...tenth },
      { name: 'phase', n: expect.any(Number), first: null, odd: null },
      { name: 'progress_time_seconds', n: 20, first: 54_000, odd: 9 },
      { name: 'throughput_duration', ...tenth },
      { name: 'throughput_mfu', ...tenth },
      { name: 'train_cross_entropy_loss', ...tenth },
      { name: 'train_loss', n: 20, first: 54_000, odd: 9 },
    ]);
  });

  test('log lines are found by the key of an attempt of a task', async () => {
    const rows = await harbour.query(
      `SELECT key, data FROM "log" WHERE key LIKE '${coordinator()}/%' AND (contains(data,'Loading checkpoint from') OR contains(data,'Loaded checkpoint from')) ORDER BY epoch_ms, seq`,
    );
    const base = 's3://hero/grug/hero-base/2026.08.19.2/checkpoints/step-54000';
    const key = `${coordinator()}/grug-train-hero-main-step54k/0:0`;
    expect(rows).toEqual([
      { key, data: expect.stringMatching(new RegExp(`Loading checkpoint from ${base}$`)) },
      { key, data: expect.stringMatching(new RegExp(`Loaded checkpoint from ${base}$`)) },
    ]);
  });

  test.each([['DELETE FROM "log"'], ['SELECT * FROM jobs'], ['SELECT nonsense FROM "log"']])('%s is refused', async (sql) => {
    const ran = await harbour.run('finelog', ['query', 'cw-us-east-08a', sql]);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
  });
});

describe('kubectl', () => {
  test('pods are listed with their labels and phases', async () => {
    const ran = await harbour.run('kubectl', ['get', 'pods', '--namespace', 'iris', '--selector', 'iris.managed=true', '--output', 'json']);
    const list = JSON.parse(ran.stdout) as {
      kind: string;
      items: { metadata: { name: string; labels: Record<string, string> }; status: unknown }[];
    };
    expect([list.kind, list.items.length]).toEqual(['List', 3]);
    expect(list.items.map((item) => item.status)).toEqual([{ phase: 'Running' }, { phase: 'Running' }, { phase: 'Running' }]);
    expect(list.items[1]?.metadata.labels).toMatchObject({ 'iris.managed': 'true', 'iris.attempt_id': '0' });
    expect(Math.max(...list.items.map((item) => item.metadata.name.length))).toBeLessThanOrEqual(63);
  });

  test('no pod of another namespace or label is listed', async () => {
    for (const args of [
      ['--namespace', 'other'],
      ['-n', 'iris', '-l', 'iris.managed=no'],
    ]) {
      expect(JSON.parse((await harbour.run('kubectl', ['get', 'pods', ...args, '-o', 'json'])).stdout)).toEqual({
        apiVersion: 'v1',
        kind: 'List',
        items: [],
      });
    }
  });
});

describe('objectstore', () => {
  test('a list is one sorted JSON array, empty when there is nothing', async () => {
    const ran = await harbour.run('objectstore', ['list', 's3://hero/grug/hero-main-step54k/2026.08.19.2/checkpoints/step-54020']);
    const keys = (JSON.parse(ran.stdout) as { key: string; size: number }[]).map((object) => object.key.split('/').at(-1));
    expect(keys).toEqual(['data.json', 'metadata.json', 'optimizer.json', 'params.json']);
    expect(await harbour.run('objectstore', ['list', 's3://hero/grug/nobody'])).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });

  test('an object is read whole, a missing one is an error', async () => {
    const url = 's3://hero/grug/hero-main-step54k/2026.08.19.2/checkpoints/step-54020/metadata.json';
    expect(JSON.parse((await harbour.run('objectstore', ['read', url])).stdout)).toEqual({
      step: 54_020,
      timestamp: expect.any(String),
      is_temporary: false,
    });
    expect(await harbour.run('objectstore', ['read', `${url}x`])).toEqual({ code: 1, stdout: '', stderr: `no such object: ${url}x\n` });
    expect((await harbour.run('objectstore', ['read', 's3://hero/../cluster.db'])).code).toBe(1);
  });
});

describe('tracker and gh', () => {
  test('a run shows its config and last step, an unknown one that it does not exist', async () => {
    const shown = JSON.parse((await harbour.run('tracker', ['show', 'marin-community/marin_moe/hero-main-step54k'])).stdout);
    expect(shown).toMatchObject({ exists: true, config: { hero_wandb_fork_from: 'hero-base?_step=53999' }, last_step: expect.any(Number) });
    expect(await harbour.run('tracker', ['show', 'marin-community/marin_moe/nobody'])).toEqual({
      code: 0,
      stdout: '{"exists":false}\n',
      stderr: '',
    });
  });

  test('a run is forked once, and only from a run that exists', async () => {
    const fork = (from: string) =>
      harbour.run('tracker', ['fork', 'marin-community/marin_moe/hero-t', '--from', from, '--config', 'a', '1', '--config', 'b', 'x y']);
    expect((await fork('nobody?_step=1')).code).toBe(1);
    expect((await fork('hero-base?_step=5')).code).toBe(0);
    expect((await fork('hero-base?_step=5')).code).toBe(1);
    const shown = JSON.parse((await harbour.run('tracker', ['show', 'marin-community/marin_moe/hero-t'])).stdout);
    expect(shown).toEqual({ exists: true, config: { a: '1', b: 'x y' }, last_step: 5 });
  });

  test('gh is logged in, and its comment reaches GitHub whole', async () => {
    const body = `line one\nline "two" 'three' ünïcode ${'long '.repeat(2000)}`;
    expect((await harbour.run('gh', ['auth', 'status'])).code).toBe(0);
    const ran = await harbour.run('gh', ['issue', 'comment', '8506', '--repo', 'marin-community/marin', '--body', body]);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toMatch(/^https:\/\/github\.example\/repos\/marin-community\/marin\/issues\/8506\/comments\/\d+\n$/);
    expect(harbour.comments.at(-1)).toBe(body);
  });
});

test('fifty calls at once are each answered with their own answer', async () => {
  const calls = Array.from({ length: 50 }, (_, n) => harbour.run('iris', [...IRIS, 'query', '-f', 'csv', `SELECT ${n} AS n`]));
  expect((await Promise.all(calls)).map((ran) => ran.stdout)).toEqual(Array.from({ length: 50 }, (_, n) => `n\r\n${n}\r\n`));
});
