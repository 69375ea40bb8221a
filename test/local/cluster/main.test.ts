import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ClusterState } from '../../../src/local/cluster/state.js';
import { isAlive } from '../../support/alive.js';
import { execute, PACE, until } from './harbour.js';

/** The compiled process: Node 20 runs no TypeScript. */
const MAIN = resolve(import.meta.dirname, '../../../dist/src/local/cluster/main.js');

interface Ready {
  readonly controlUrl: string;
  readonly token: string;
  readonly bin: string;
}

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'harbour-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

function start(program: string, args: readonly string[]): { child: ChildProcess; ready: Promise<Ready>; ended: Promise<number | null> } {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const { stdout } = child;
  const ready = new Promise<Ready>((fulfil, reject) => {
    createInterface({ input: stdout }).once('line', (line) => fulfil(JSON.parse(line) as Ready));
    child.once('exit', () => reject(new Error('the cluster ended before it was ready')));
  });
  return { child, ready, ended: new Promise((fulfil) => child.once('exit', fulfil)) };
}

function options(): string {
  return JSON.stringify({ home, pace: PACE, gangTasks: 1 });
}

async function state(ready: Ready): Promise<ClusterState> {
  const response = await fetch(`${ready.controlUrl}/state`, { headers: { authorization: `Bearer ${ready.token}` } });
  return (await response.json()) as ClusterState;
}

async function trainer(ready: Ready): Promise<number> {
  let pid: number | null = null;
  await until('a trainer works', async () => {
    const run = (await state(ready)).runs[0];
    pid = run?.phase === 'training' ? run.pid : null;
    return pid !== null;
  });
  return pid ?? 0;
}

test('the process answers its control API with the token only, ends on SIGTERM with its trainers, and goes on later from where it was', async () => {
  const first = start(process.execPath, [MAIN, options()]);
  const ready = await first.ready;
  const pid = await trainer(ready);
  const post = (body: unknown, token = ready.token) =>
    fetch(`${ready.controlUrl}/control`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) });
  expect((await fetch(`${ready.controlUrl}/state`)).status).toBe(401);
  expect((await post({ kind: 'control_dies' }, 'guess')).status).toBe(401);
  expect((await post({ kind: 'dance' })).status).toBe(422);
  expect((await post({ kind: 'cancel_by_hand', jobId: '/marin/nobody' })).status).toBe(409);
  expect(await (await post({ kind: 'switch', name: 'slow_replies', on: false })).json()).toEqual({ result: null });
  const before = (await state(ready)).runs[0]?.step ?? 0;
  first.child.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  expect(isAlive(pid)).toBe(false);

  const gone = await execute(join(ready.bin, 'iris'), ['--cluster', 'marin', 'query', 'SELECT 1'], { env: { PATH: process.env.PATH } });
  expect([gone.code, gone.stdout, gone.stderr]).toEqual([1, '', 'Error: Could not connect to controller: Connection refused\n']);

  const second = start(process.execPath, [MAIN, options()]);
  const again = await second.ready;
  await trainer(again);
  await until('it trains on', async () => ((await state(again)).runs[0]?.step ?? 0) > before);
  const after = await state(again);
  expect(after.runs.map((run) => [run.attempt, run.live])).toEqual([[1, true]]);
  expect(after.maxLiveCoordinators).toEqual({ 'cw-us-east-08a': 1 });
  second.child.kill('SIGTERM');
  expect(await second.ended).toBe(0);
});

test('a cluster whose parent is killed ends by itself, and its trainers with it', async () => {
  const note = join(home, 'cluster.pid');
  const script = `
    const { pid } = require('node:child_process').spawn(process.execPath, ${JSON.stringify([MAIN, options()])}, { stdio: 'inherit' });
    require('node:fs').writeFileSync(${JSON.stringify(note)}, String(pid));`;
  const parent = start(process.execPath, ['-e', script]);
  const ready = await parent.ready;
  const cluster = Number(await readFile(note, 'utf8'));
  const pid = await trainer(ready);

  parent.child.kill('SIGKILL');

  await until('the trainer is gone', () => !isAlive(pid));
  await until('the cluster is gone', () => !isAlive(cluster));
  await expect(fetch(ready.controlUrl)).rejects.toThrow();
});

test('options that are not understood end it at once with exit code 2', async () => {
  const ran = await execute(process.execPath, [MAIN, '{"home":"x","speed":2}'], { env: {} });
  expect([ran.code, ran.stdout]).toEqual([2, '']);
  expect(ran.stderr).toContain('speed');
});
