import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Saved } from '../../../src/local/cluster/trainer.js';
import { type Harbour, PACE, startHarbour, until } from './harbour.js';

const CONTROL = 'hero-main-step54k';
/** A cancel takes at least so long, before the pace. */
const CANCEL_MS = 1_000;
let harbour: Harbour;

beforeAll(async () => {
  harbour = await startHarbour({ retentionSeconds: 600 });
});
afterAll(() => harbour.stop());

/** Asks the control for a permanent checkpoint. */
async function save(): Promise<Saved> {
  return (await harbour.cluster.control({ kind: 'permanent_checkpoint', runId: CONTROL })) as Saved;
}

function coordinator(): string {
  const live = harbour.cluster.state().coordinators.filter((row) => row.finishedAtMs === null);
  if (live.length !== 1 || live[0] === undefined) throw new Error(`${live.length} live coordinators`);
  return live[0].jobId;
}

test('a cancelled run stops a while later, outlived by its pods, and repeats its steps bit by bit when it is launched again', async () => {
  await until('the control is past a temporary checkpoint', () => (harbour.runView(CONTROL).step ?? 0) >= 54_047);
  const first = coordinator();

  const stopped = await harbour.run('iris', ['--cluster', 'marin', 'job', 'stop', '--exact', first]);
  expect(stopped).toEqual({ code: 0, stdout: `Terminated jobs:\n  ${first}\n`, stderr: '' });
  await until('the coordinator is killed', () => harbour.cluster.state().coordinators[0]?.state === 'killed');
  const outliving = harbour.cluster.state().pods;
  const { ledger } = harbour.cluster.state();
  const at = (kind: string): number => ledger.find((entry) => entry.kind === kind && entry.jobId === first)?.atMs ?? Number.NaN;
  expect(at('coordinator_ended') - at('cancel_requested')).toBeGreaterThan(CANCEL_MS * PACE - 10); // a clock may be read a little early
  expect(outliving.length).toBe(3);
  expect(outliving.every((pod) => pod.deletedAtMs !== null)).toBe(true);
  const states = await harbour.run('iris', ['--cluster', 'marin', 'query', '-f', 'csv', 'SELECT state, depth FROM jobs ORDER BY depth']);
  expect(states.stdout).toBe('state,depth\r\n6,1\r\n6,2\r\n');
  await until('the pods are gone', () => harbour.cluster.state().pods.length === 0);
  const lastStep = harbour.runView(CONTROL).step ?? 0;
  // Temporary checkpoints expire: the run then goes on from its permanent one, and repeats more.
  await rm(join(harbour.cluster.database, '..', 'objects', 'hero-checkpoints'), { recursive: true });

  const launched = await harbour.launchScript(harbour.cluster.rollbackWorktree, 'launch');
  expect([launched.code, launched.stdout.split('\n').at(-2)]).toEqual([0, coordinator()]);
  await until('the control is past where it was', () => (harbour.runView(CONTROL).step ?? 0) > lastStep + 2);

  const rows = await harbour.query(
    `SELECT step, count(*) AS times, count(DISTINCT value) AS values_, count(DISTINCT execution_uid) AS executions FROM "levanter.metrics" WHERE name = 'train_loss' GROUP BY step HAVING times > 1 ORDER BY step`,
  );
  expect(rows.length).toBeGreaterThan(27);
  expect(rows[0]?.step).toBe(54_020);
  expect(rows.every((row) => row.times === 2 && row.values_ === 1 && row.executions === 2)).toBe(true);
  expect(rows.at(-1)?.step).toBe(lastStep);
});

test('checkpoints: the first is permanent, temporary ones roll, and one can be asked for', async () => {
  const saved = await save();
  const seen = new Set<number>();
  let temporary: readonly number[] = [];
  // The trainer takes the oldest away only after the newest is complete: for a moment there is one more, or a part of one.
  await until('two of four temporary checkpoints are left, and nothing of the others', () => {
    const trees = harbour.cluster.state().checkpoints[CONTROL] ?? [];
    temporary = trees.filter(({ permanent, complete }) => !permanent && complete).map(({ step }) => step);
    for (const step of temporary) seen.add(step);
    return seen.size >= 4 && temporary.length === 2 && trees.slice(0, -1).every(({ complete }) => complete);
  });

  const permanent = (harbour.cluster.state().checkpoints[CONTROL] ?? []).filter((checkpoint) => checkpoint.permanent);
  expect(permanent.map(({ path }) => path)).toEqual([expect.stringMatching(/\/step-54020$/), saved.path]);
  expect(saved.permanent).toBe(true);
  expect(temporary).toEqual([...seen].sort((a, b) => a - b).slice(-2));
});

test('a checkpoint is complete only some steps after the step it holds, so a stop always leaves rows behind it', async () => {
  for (let times = 0; times < 3; times += 1) {
    const { path, step } = await save();

    const read = await harbour.run('objectstore', ['read', `${path}/metadata.json`]);
    const completeAtMs = Date.parse((JSON.parse(read.stdout) as { timestamp: string }).timestamp);
    const [row] = await harbour.query(
      `SELECT max(timestamp_ms) AS at FROM "levanter.metrics" WHERE run_id = '${CONTROL}' AND name = 'train_loss' AND step = ${step + 3}`,
    );
    // Both by the trainer's own clock.
    expect(row?.at).toBeLessThanOrEqual(completeAtMs);
    expect(row?.at).toBeGreaterThan(0);
  }
});

test('a run whose gang is killed is started again by its coordinator under the next attempt', async () => {
  const { pid, attempt } = harbour.runView(CONTROL);
  const newest = harbour.cluster.state().checkpoints[CONTROL]?.findLast((checkpoint) => checkpoint.complete);
  if (pid === null) throw new Error('no trainer');
  process.kill(pid, 'SIGKILL');

  await until(
    'the next attempt trains',
    () => harbour.runView(CONTROL).attempt === attempt + 1 && harbour.runView(CONTROL).phase === 'training',
  );
  const [resumed] = await harbour.query(`SELECT data FROM "log" WHERE contains(data, 'Loading checkpoint from') ORDER BY seq DESC LIMIT 1`);
  expect(Number(String(resumed?.data).split('/step-')[1])).toBeGreaterThanOrEqual(newest?.step ?? 0);
  const events = await harbour.query(`SELECT attempt_id, reason FROM "iris.task_event" ORDER BY seq`);
  expect(events).toEqual([
    { attempt_id: attempt, reason: 'TaskRetryScheduled' },
    { attempt_id: attempt, reason: 'CoscheduledSiblingRequeued' },
  ]);
  const gang = `${coordinator()}/grug-train-${CONTROL}`;
  const attempts = await harbour.run('iris', [
    '--cluster',
    'marin',
    'query',
    '-f',
    'csv',
    `SELECT task_id, attempt_id, state FROM task_attempts WHERE task_id LIKE '${gang}/%' ORDER BY attempt_id, task_id`,
  ]);
  expect(attempts.stdout.split('\r\n').slice(1, -1)).toEqual([`${gang}/0,0,5`, `${gang}/1,0,11`, `${gang}/0,1,3`, `${gang}/1,1,3`]);
});

test('a control that dies leaves coordinator and gang failed', async () => {
  const dead = coordinator();

  await harbour.cluster.control({ kind: 'control_dies' });

  await until('the coordinator failed', () => harbour.cluster.state().coordinators.find((row) => row.jobId === dead)?.state === 'failed');
  expect(harbour.runView(CONTROL).live).toBe(false);
  expect(harbour.cluster.state().maxLiveCoordinators).toEqual({ 'cw-us-east-08a': 1 });
});
