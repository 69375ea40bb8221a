import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCommand } from '../src/cli-read.js';
import { type FakeCommand, fakeCommand, fakeReply, temporaryFolder } from './adapters/fake-command.js';

const NOW = new Date('2026-09-20T23:26:00.000Z');
const TABLE = 'job_id,state\r\n/marin/hero-nopdl-step108k-coord-9f31c2aa,6\r\n/bob/hero-main-step121638-coord-4be07d15,3\r\n';

/** What the command prints and with which code it ends. */
async function read(args: readonly string[], env: NodeJS.ProcessEnv = { PATH: process.env.PATH }) {
  const out: string[] = [];
  const err: string[] = [];
  const exit = await readCommand(args, { out: (text) => out.push(text), err: (text) => err.push(text) }, env, () => NOW);
  return { exit, out: out.join(''), err: err.join('') };
}

/** The one line of JSON, of an executable that is asked. */
async function ask(args: readonly string[], command: FakeCommand) {
  const { exit, out, err } = await read([...args, '--json', '--command', command.path]);
  expect(out.split('\n').length, out).toBe(2);
  expect(err).toBe('');
  return { exit, ...JSON.parse(out) };
}

test('a known answer is one line of JSON with its value, its source and its instant, and exit code 0', async () => {
  const iris = fakeReply(TABLE);

  const { exit, out } = await read(['coordinators', '--family', 'hero', '--json', '--command', iris.path]);

  const { source, ...reading } = JSON.parse(out);
  expect({ exit, ...reading }).toEqual({
    exit: 0,
    kind: 'known',
    value: [
      { jobId: '/marin/hero-nopdl-step108k-coord-9f31c2aa', user: 'marin', runId: 'hero-nopdl-step108k', state: 'killed' },
      { jobId: '/bob/hero-main-step121638-coord-4be07d15', user: 'bob', runId: 'hero-main-step121638', state: 'running' },
    ],
    readAt: '2026-09-20T23:26:00.000Z',
  });
  expect(source).toMatch(/^iris query coordinators \(exit 0, \d+ B, \d+ ms\)$/);
  expect(out.endsWith('}\n')).toBe(true);
  expect(iris.calls()).toHaveLength(1);
});

describe('an answer that is none is exit code 3 with why, asked once', () => {
  const cases: readonly (readonly [what: string, command: () => FakeCommand, why: string, detail: RegExp])[] = [
    ['F96: nothing printed', () => fakeReply(''), 'unparsable', /an empty answer is not an answer/],
    ['F96: exit 1 with a good answer', () => fakeReply(TABLE, { exit: 1, stderr: 'boom\n' }), 'failed', /^exit 1: boom$/],
    [
      'F95: exit 0 with words',
      () => fakeReply('', { stderr: 'iris: command not found\n' }),
      'unparsable',
      /beside the answer: iris: command not found/,
    ],
    ['F97: a column more', () => fakeReply(TABLE.replace('job_id,state', 'job_id,state,n')), 'unparsable', /./],
    ['a row cut', () => fakeReply(TABLE.slice(0, -5)), 'unparsable', /the last line is not ended/],
    ['a state nobody listed', () => fakeReply(TABLE.replace(',3', ',13')), 'unlisted_state', /job state "13" of \/bob/],
    ['a name for a code', () => fakeReply(TABLE.replace(',3', ',running')), 'unlisted_state', /"running"/],
    ['one coordinator twice', () => fakeReply(`${TABLE}/bob/hero-main-step121638-coord-4be07d15,3\r\n`), 'inconsistent', /listed twice/],
    ['a live row that leads no run', () => fakeReply(TABLE.replace('-coord-4', '-coorx-4')), 'inconsistent', /leads no run/],
    [
      'an old CLI',
      () => fakeReply('', { exit: 2, stderr: "Usage: iris\nError: No such option: '-f'\n" }),
      'failed',
      /exit 2: Error: No such/,
    ],
    ['the end by a signal', () => fakeCommand(`printf 'job_id,state\\r\\n'; kill -9 $$`), 'killed', /SIGKILL/],
    ['more than the limit', () => fakeCommand('yes job_id,state'), 'output_too_long', /more than 4 MiB/],
  ];

  test.each(cases)('%s', async (_what, command, why, detail) => {
    const exe = command();

    const reading = await ask(['coordinators'], exe);

    expect(reading).toMatchObject({ exit: 3, kind: 'unknown', why, readAt: NOW.toISOString() });
    expect(reading.detail).toMatch(detail);
    expect(exe.calls()).toHaveLength(1);
  });

  test('F93: a grandchild that holds the pipe holds nobody, and the limit is said', async () => {
    const reading = await ask(['coordinators', '--timeout', '0.3'], fakeCommand('sleep 600 & echo ok'));

    expect(reading).toMatchObject({ exit: 3, why: 'timed_out', detail: 'timed out after 0.3 s' });
  });

  test('an executable that is not there, or may not be run, is named', async () => {
    const closed = join(temporaryFolder(), 'closed');
    writeFileSync(closed, '#!/bin/sh\n');
    chmodSync(closed, 0o644);
    const missing = JSON.parse((await read(['coordinators', '--json', '--command', '/nowhere/iris'])).out);
    const denied = JSON.parse((await read(['coordinators', '--json', '--command', closed])).out);

    expect(missing).toMatchObject({ why: 'not_started', detail: 'not started: ENOENT, there is no executable /nowhere/iris' });
    expect(denied).toMatchObject({ why: 'not_started', detail: `not started: EACCES, permission denied for ${closed}` });
  });
});

test('each verb asks its own provider, with the places that were named', async () => {
  const state = fakeReply('job_id,state\r\n/marin/hero-x-step1k-coord-1,6\r\n');
  const pods = fakeReply(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [] }));
  const step = fakeReply('{"last_step": 54071, "last_ms": 1000, "n": 72}\n');
  const tracker = fakeReply('{"exists":false}\n');

  const answers = [
    await ask(['job-state', '/marin/hero-x-step1k-coord-1', '--cluster', 'other'], state),
    await ask(['pods', 'hero-x-step1k', '--namespace', 'jobs', '--provider', 'kubernetes'], pods),
    await ask(['last-step', 'hero-x-step1k', '--deployment', 'cw-rno2a'], step),
    await ask(['tracker-child', 'hero-x-step1k', '--entity', 'e', '--project', 'p', '--provider', 'wandb'], tracker),
  ];

  expect(answers.map(({ value }) => value)).toEqual([
    'killed',
    [],
    { step: 54_071, atMs: 1_000, rows: 72 },
    { exists: false, handoffCheckpoint: null, forkFrom: null, launchCommit: null, lastHistoryStep: null },
  ]);
  expect(state.calls()[0]?.slice(0, 2)).toEqual(['--cluster', 'other']);
  expect(pods.calls()[0]?.slice(0, 4)).toEqual(['get', 'pods', '--namespace', 'jobs']);
  expect(step.calls()[0]?.slice(0, 2)).toEqual(['query', 'cw-rno2a']);
  expect(tracker.calls()).toEqual([['show', 'e/p/hero-x-step1k']]);
});

test('a run is meant by its decoded id: a name that begins alike, and another part of a label, are not it', async () => {
  const pod = (name: string, label?: string) => ({
    metadata: { name, ...(label === undefined ? {} : { labels: { 'iris.job_id': label } }) },
    status: { phase: 'Running' },
  });
  const items = [
    pod('a', 'bob.hero-ragged_a2a-ep-step54k-coord-aa11.grug-train-hero-rag'),
    pod('b', 'marin.hero-ragged_a2a-ep-step54k2-coord-aa11'),
    pod('hero-ragged-a2a-ep-step54k-coord-aa11-0-xk4f'),
    pod(`iris-marin-${'hero-ragged-a2a-ep-step54k-coord-aa11'.slice(0, 30)}`),
    pod('hero-other-step54k-coord-aa11-0-xk4f'),
  ];

  const reading = await ask(['pods', 'hero-ragged_a2a-ep-step54k'], fakeReply(JSON.stringify({ apiVersion: 'v1', kind: 'List', items })));

  // F13: the third has neither user nor label, the fourth is cut in the middle of its suffix.
  expect(reading.value.map(({ name }: { name: string }) => name)).toEqual([
    'a',
    'hero-ragged-a2a-ep-step54k-coord-aa11-0-xk4f',
    'iris-marin-hero-ragged-a2a-ep-step54k-coo',
  ]);
});

test('markers of a run are those of its coordinators under any user, and of no run whose name begins alike', async () => {
  const line = (key: string, seq: number) => `${JSON.stringify({ key, seq, epoch_ms: 5, data: 'JaxRuntimeError: x' })}\n`;
  const finelog = fakeReply(
    line('/bob/hero-x-step1k-coord-1/grug-train-hero-x-step1k/0:0', 1) +
      line('/bob/hero-x-step1k2-coord-1/g/0:0', 2) +
      line('/bob/HERO-x-step1k-coord-1/g/0:0', 3),
  );

  const { value } = await ask(['markers', 'hero-x-step1k'], finelog);

  expect(value.map(({ task }: { task: string }) => task)).toEqual(['/bob/hero-x-step1k-coord-1/grug-train-hero-x-step1k/0:0']);
  expect(finelog.calls()[0]?.[2]).toContain(`key LIKE '/%/hero-x-step1k-coord%' ESCAPE '\\'`);
});

test('markers in the layout of the documented query are read, and as many lines as it stops at may be more', async () => {
  const line = (n: number) =>
    `${JSON.stringify({ key: '/bob/hero-x-coord-1/g/0:0', epoch_ms: n, data: 'Loading checkpoint from s3://x' })}\n`;
  const lines = (count: number) => Array.from({ length: count }, (_, n) => line(n)).join('');
  const args = ['markers', '/bob/hero-x-coord-1'];

  expect(await ask(args, fakeReply(lines(199)))).toMatchObject({ value: { length: 199 } });
  expect(await ask(args, fakeReply(lines(200)))).toMatchObject({ why: 'truncated' });
  expect(await ask(args, fakeReply(lines(1) + line(1).replace('{', '{"seq":1,')))).toMatchObject({ why: 'unparsable' });
  expect(await ask(args, fakeReply(line(1).replace('"key"', '"path"')))).toMatchObject({ why: 'unparsable' });
});

test('telemetry that dates its newest row after our clock, or before what was asked for, is not believed', async () => {
  const row = (ms: number) => fakeReply(`${JSON.stringify({ last_step: 5, last_ms: ms, n: 1 })}\n`);

  expect(await ask(['last-step', 'hero-x'], row(NOW.getTime() + 600_000))).toMatchObject({
    why: 'inconsistent',
    detail: 'the newest row is dated 600 s after our clock',
  });
  expect(await ask(['last-step', 'hero-x', '--since', '2026-09-20T00:00:00Z'], row(5))).toMatchObject({ why: 'inconsistent' });
  expect(await ask(['last-step', 'hero-x'], row(5))).toMatchObject({ value: { step: 5, atMs: 5, rows: 1 } });
});

test('a series holds what was asked for, in whatever order a single page has it', async () => {
  const row = (step: number, seq: number, name = 'train_loss') =>
    `${JSON.stringify({ step, name, value: 1.5, execution_uid: 'e', timestamp_ms: step, seq })}\n`;
  const args = ['series', 'hero-x', '--metrics', 'train_loss', '--from', '10', '--to', '12'];

  expect(await ask(args, fakeReply(row(10, 9) + row(11, 8)))).toMatchObject({ value: [{ step: 10 }, { step: 11 }] });
  expect(await ask(args, fakeReply(row(10, 9) + row(13, 10)))).toMatchObject({ why: 'inconsistent' });
  expect(await ask(args, fakeReply(row(10, 9) + row(11, 10, 'grad_norm')))).toMatchObject({ why: 'inconsistent' });
  expect(await ask(args, fakeReply(row(10, 9) + row(11, 9)))).toMatchObject({ why: 'inconsistent' });
});

test('F84: what is no id, no verb, no option, no provider is usage, exit code 2, and nothing is run', async () => {
  const iris = fakeReply(TABLE);
  const wrong = [
    [],
    ['nothing'],
    ['job-state'],
    ['job-state', '/marin/x;y'],
    ['job-state', '/marin/x', '/marin/y'],
    ['last-step', 'hero-x$(id)'],
    ['last-step', '-rf'],
    ['last-step', 'hero-х-step54k'],
    ['coordinators', '--provider', 'git'],
    ['coordinators', '--provider', 'constructor'],
    ['coordinators', '--cluster', '--evil'],
    ['coordinators', '--cluster=-evil'],
    ['coordinators', '--frobnicate'],
    ['coordinators', '--timeout', '0'],
    ['coordinators', '--env', 'NOT_SET_ANYWHERE'],
    ['coordinators', '--fleet', '/nowhere/harbor.yaml'],
    ['series', 'hero-x', '--metrics', 'a', '--from', '5', '--to', '4'],
    ['series', 'hero-x', '--metrics', "a'", '--from', '5', '--to', '6'],
    ['checkpoints', 's3://hero/../x'],
    ['checkpoints', 's3://hero/$(id)'],
    ['worktree', '/tmp', '--at', '--upload-pack=x'],
  ];

  for (const args of wrong) {
    const { exit, out, err } = await read([...args, '--json', '--command', iris.path]);
    expect({ exit, out }, args.join(' ')).toEqual({ exit: 2, out: '' });
    expect(err).toMatch(/^harbor read: /);
  }
  expect(iris.calls()).toEqual([]);
});

test('only what is named is handed on, and a secret of it is in no answer', async () => {
  const iris = fakeCommand('echo "$MY_TOKEN [$OTHER]" >&2; exit 1');
  const env = { PATH: process.env.PATH, MY_TOKEN: 'abc123secret', OTHER: 'x' };

  const { out } = await read(['coordinators', '--json', '--env', 'MY_TOKEN', '--command', iris.path], env);

  expect(JSON.parse(out).detail).toBe('exit 1: [redacted] []');
});

test('with a fleet file the typed executable stands for itself, and only the places are the file’s', async () => {
  const file = join(import.meta.dirname, '../harbor.example.yaml');
  const store = fakeReply('[]\n');
  const iris = fakeReply(TABLE);

  // Neither its folders nor its variables are there on this machine.
  expect(await ask(['checkpoints', 'hero-x-step1k', '--fleet', file, '--provider', 'objectstore'], store)).toMatchObject({
    exit: 0,
    value: [],
  });
  expect(await ask(['coordinators', '--fleet', file, '--family', 'hero'], iris)).toMatchObject({ exit: 0, value: { length: 2 } });
  // Both are listed at once, in no order.
  expect(
    store
      .calls()
      .map(([, tree]) => tree)
      .toSorted(),
  ).toEqual([
    's3://hero-checkpoints/tmp/ttl=14d/checkpoints-temp/hero/marin/grug/hero-x-step1k/2026.08.19.2/checkpoints/',
    's3://hero/grug/hero-x-step1k/2026.08.19.2/checkpoints/',
  ]);
  expect(await read(['coordinators', '--fleet', file, '--family', 'other', '--command', iris.path])).toMatchObject({ exit: 2, out: '' });
});
