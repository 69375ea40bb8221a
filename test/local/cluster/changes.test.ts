import { afterEach, expect, test } from 'vitest';
import type { Prepared } from '../../../src/local/cluster/prepare.js';
import { type Harbour, startHarbour, until } from './harbour.js';

let harbour: Harbour;
afterEach(() => harbour.stop());

/** Swaps to the change, once the control has trained far enough to be compared with. */
async function swapTo(change: Parameters<Harbour['swap']>[0]): Promise<Prepared> {
  harbour = await startHarbour();
  await until('the control has a window', () => (harbour.runView('hero-main-step54k').step ?? 0) >= 54_055);
  return harbour.swap(change);
}

async function losses(runId: string): Promise<Map<unknown, unknown>> {
  const rows = await harbour.query(
    `SELECT step, value FROM "levanter.metrics" WHERE run_id = '${runId}' AND name = 'train_loss' ORDER BY seq`,
  );
  return new Map(rows.map((row) => [row.step, row.value]));
}

/** The seconds of a run's shortest step: a busy machine makes steps longer, and none shorter than what it waits for. */
async function shortestStep(runId: string): Promise<number> {
  const [row] = await harbour.query(
    `SELECT min(value) AS seconds FROM "levanter.metrics" WHERE run_id = '${runId}' AND name = 'progress_time_seconds'`,
  );
  return Number(row?.seconds);
}

test('fast-a2a trains the same losses in shorter steps', async () => {
  const { runId, controlRunId, handoffStep } = await swapTo('fast-a2a');
  expect([runId, handoffStep]).toEqual(['hero-fast-a2a-step54020', 54_020]);
  await until('the candidate has a window', () => (harbour.runView(runId).step ?? 0) >= 54_050);

  const [control, candidate] = [await losses(controlRunId), await losses(runId)];
  const common = [...candidate].filter(([step]) => control.has(step));
  expect(common.length).toBeGreaterThan(25);
  expect(common.filter(([step, value]) => control.get(step) !== value)).toEqual([]);
  expect([...candidate.keys()][0]).toBe(handoffStep);
  const usual = await shortestStep(controlRunId);
  await until('a step is shorter than any without the change', async () => (await shortestStep(runId)) < 0.85 * usual);
  expect(harbour.runView(runId)).toMatchObject({ change: 'fast-a2a', live: true, attempt: 0, phase: 'training' });
  expect(harbour.cluster.state().maxLiveCoordinators).toEqual({ 'cw-us-east-08a': 1 });
});

test('silent-hang stops stepping without a word while job and process stay', async () => {
  const { runId, handoffStep } = await swapTo('silent-hang');
  await until('the candidate hangs where it does', () => harbour.runView(runId).step === handoffStep + 24);
  const logged = await harbour.query('SELECT count(*) AS n FROM "log"');

  // Ten times the length of a step, by the trainer's own clock, without a new one.
  const [last] = await harbour.query(
    `SELECT max(timestamp_ms) AS at FROM "levanter.metrics" WHERE run_id = '${runId}' AND name = 'train_loss'`,
  );
  await until('ten steps would have passed', () => Date.now() - Number(last?.at) > 500);

  const view = harbour.runView(runId);
  expect(view).toMatchObject({ step: handoffStep + 24, live: true, attempt: 0 });
  expect(process.kill(view.pid ?? 0, 0)).toBe(true);
  expect(await harbour.query('SELECT count(*) AS n FROM "log"')).toEqual(logged);
  const states = await harbour.run('iris', [
    '--cluster',
    'marin',
    'query',
    '-f',
    'csv',
    `SELECT DISTINCT state FROM jobs WHERE job_id LIKE '%${runId}%'`,
  ]);
  expect(states.stdout).toBe('state\r\n3\r\n');
});

test('nan overflows some fifteen steps in, dies with the lines of the contract, and is tried again', async () => {
  const { runId, handoffStep } = await swapTo('nan');
  const executions = () => harbour.query(`SELECT DISTINCT execution_uid FROM "levanter.metrics" WHERE run_id = '${runId}' AND step >= 0`);
  await until('a second attempt has trained', async () => (await executions()).length >= 2);

  const notFinite = await harbour.query(
    `SELECT step, value FROM "levanter.metrics" WHERE run_id = '${runId}' AND name = 'train_loss' AND typeof(value) = 'text'`,
  );
  const step = Number(notFinite[0]?.step);
  expect(notFinite[0]?.value).toBe('NaN');
  expect(Math.abs(step - handoffStep - 15)).toBeLessThanOrEqual(2);
  const lines = await harbour.query(
    `SELECT key, data FROM "log" WHERE contains(data, 'Non-finite') OR contains(data, 'Fatal') ORDER BY seq LIMIT 2`,
  );
  expect(lines.map((line) => String(line.data).replace(/^.* levanter /, ''))).toEqual([
    `Non-finite loss (nan) at step ${step}.`,
    `Fatal error in grug training loop; Non-finite loss (nan) at step ${step}.`,
  ]);
  expect(String(lines[0]?.key)).toMatch(/\/0:0$/);
});

test('garbage-restore is far off at its first step', async () => {
  const { runId, controlRunId, handoffStep } = await swapTo('garbage-restore');
  await until('the candidate steps', () => (harbour.runView(runId).step ?? 0) >= handoffStep + 5);

  const [control, candidate] = [await losses(controlRunId), await losses(runId)];
  for (let step = handoffStep; step < handoffStep + 5; step += 1) {
    expect(Number(candidate.get(step)) - Number(control.get(step))).toBeGreaterThan(1);
  }
});

test('a change prepared after a failed one carries nothing of it, and a run id is never given twice', async () => {
  const failed = await swapTo('garbage-restore');
  const candidate = harbour.cluster.state().coordinators.find((row) => row.runId === failed.runId);
  await harbour.cluster.control({ kind: 'cancel_by_hand', jobId: candidate?.jobId ?? '' });
  await until('the candidate is gone', () => !harbour.runView(failed.runId).live);
  await harbour.cluster.control({ kind: 'launch_by_hand', dir: harbour.cluster.rollbackWorktree });

  const again = await harbour.prepare('garbage-restore');
  const next = await harbour.prepare('fast-a2a');

  expect([again.runId, again.controlRunId]).toEqual(['hero-garbage-restore-2-step54020', failed.controlRunId]);
  const changed = await harbour.run('git', ['diff', '--name-only', next.rollbackCommit, next.deployCommit], {
    cwd: harbour.cluster.deployWorktree,
  });
  expect(
    changed.stdout
      .split('\n')
      .slice(0, -1)
      .map((path) => path.split('/').at(-1)),
  ).toEqual(['current_run.py', 'exchange.mjs', 'trigger_hero.sh']);
  const heads = harbour.cluster.state().worktrees.map((worktree) => [worktree.role, worktree.head, worktree.clean]);
  expect(heads).toEqual([
    ['deploy', next.deployCommit, true],
    ['rollback', next.rollbackCommit, true],
  ]);
  expect(harbour.cluster.state().main).toEqual({ head: next.deployCommit, subject: next.subject });
});
