import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SwitchName } from '../../../src/local/cluster/switches.js';
import { type Harbour, startHarbour, until } from './harbour.js';

const CONTROL = 'hero-main-step54k';
const LISTING = ['--cluster', 'marin', 'query', '-f', 'csv', 'SELECT job_id, state FROM jobs WHERE depth = 1'];
let harbour: Harbour;

beforeAll(async () => {
  harbour = await startHarbour({ retentionSeconds: 3, slowReplySeconds: 0.7 });
  await harbour.permanent(CONTROL);
});
afterAll(() => harbour.stop());

async function turn(name: SwitchName, on: boolean): Promise<void> {
  await harbour.cluster.control({ kind: 'switch', name, on });
}

/** Does something while a switch is on. */
async function during<T>(name: SwitchName, act: () => Promise<T>): Promise<T> {
  await turn(name, true);
  try {
    return await act();
  } finally {
    await turn(name, false);
  }
}

function live(): readonly string[] {
  return harbour.cluster
    .state()
    .coordinators.filter((row) => row.finishedAtMs === null)
    .map((row) => row.jobId);
}

function submit(name: string) {
  const command = ['--', 'python', '-m', 'experiments.grug.moe_hero_ep.launch_scaling_ladder', '--run-id', name, '--run'];
  return harbour.run('iris', ['--cluster', 'marin', 'job', 'run', '--no-wait', '--job-name', `${name}-coord-00000001`, ...command], {
    cwd: harbour.cluster.deployWorktree,
    env: { IRIS_USER: 'bob' },
  });
}

async function cancelAllBut(kept: string): Promise<void> {
  for (const jobId of live()) if (jobId !== kept) await harbour.cluster.control({ kind: 'cancel_by_hand', jobId });
  await until('only the control is live', () => live().length === 1);
}

test.each<[SwitchName, string, string[], RegExp]>([
  ['scheduler_down', 'iris', LISTING, /^Error: Could not connect to controller: /],
  ['no_credentials', 'iris', LISTING, /^Error: No IAP credentials[\s\S]*iris login/],
  ['telemetry_down', 'finelog', ['query', 'marin', 'SELECT 1'], /^Traceback[\s\S]*ConnectError/],
  ['kubernetes_down', 'kubectl', ['get', 'pods', '-n', 'iris', '-o', 'json'], /was refused/],
  ['objectstore_down', 'objectstore', ['list', 's3://hero/'], /^Traceback/],
  ['tracker_down', 'tracker', ['show', 'a/b/c'], /^Traceback/],
  ['gh_logged_out', 'gh', ['auth', 'status'], /gh auth login/],
])('%s: %s exits with 1 and prints nothing, until the switch is off', async (name, program, args, stderr) => {
  const down = await during(name, () => harbour.run(program, args));
  expect([down.code, down.stdout]).toEqual([1, '']);
  expect(down.stderr).toMatch(stderr);
  expect((await harbour.run(program, args)).code).toBe(0);
});

test('unlisted_state shows a live coordinator in a state that the contract does not name', async () => {
  const shown = await during('unlisted_state', () => harbour.run('iris', LISTING));
  expect(shown.stdout).toMatch(/,17\r\n$/);
  expect((await harbour.run('iris', LISTING)).stdout).toMatch(/,3\r\n$/);
});

test('cancel_not_taken answers like any cancel and cancels nothing', async () => {
  const [control = ''] = live();
  const ran = await during('cancel_not_taken', () => harbour.run('iris', ['--cluster', 'marin', 'job', 'stop', '--exact', control]));
  expect([ran.code, ran.stdout]).toEqual([0, `Terminated jobs:\n  ${control}\n`]);
  const { step } = harbour.runView(CONTROL);
  await until('the control goes on well past the time a cancel takes', () => (harbour.runView(CONTROL).step ?? 0) > (step ?? 0) + 30);
  expect(live()).toEqual([control]);
  expect(harbour.cluster.state().ledger.at(-1)).toMatchObject({ kind: 'cancel_requested', detail: 'not taken' });
});

test('submits: refused, accepted without a word, accepted but failed, accepted twice', async () => {
  const [control = ''] = live();

  const refused = await during('submit_refused', () => submit('hero-a'));
  expect([refused.code, refused.stdout, live()]).toEqual([2, '', [control]]);
  const silent = await during('submit_prints_nothing', () => submit('hero-b'));
  expect([silent.code, silent.stdout, live()]).toEqual([0, '', [control, '/bob/hero-b-coord-00000001']]);
  const broken = await during('submit_fails_after_acceptance', () => submit('hero-c'));
  expect([broken.code, broken.stdout, live().at(-1)]).toEqual([1, '', '/bob/hero-c-coord-00000001']);
  const twice = await during('submit_twice', () => submit('hero-d'));
  expect([twice.code, twice.stdout]).toEqual([0, '/bob/hero-d-coord-00000001\n']);
  expect(live().slice(-2)).toEqual(['/bob/hero-d-coord-00000001', expect.stringMatching(/^\/bob\/hero-d-coord-[0-9a-f]{8}$/)]);
  expect((await submit('hero-d')).code).toBe(1);

  await cancelAllBut(control);
  expect(harbour.cluster.state().maxLiveCoordinators).toEqual({ 'cw-us-east-08a': 5 });
});

test('a foreign coordinator is live under another user, queues behind the live gang, and goes when it is switched off', async () => {
  const [control = ''] = live();
  await turn('foreign_coordinator', true);
  const foreign = live().at(-1) ?? '';
  expect(foreign).toMatch(/^\/alice\/hero-probe-step\d+-coord-[0-9a-f]{8}$/);
  await until('its pods are pending', () => harbour.cluster.state().pods.filter((pod) => pod.phase === 'Pending').length === 2);
  expect(harbour.runView(foreign.slice('/alice/'.length, -15))).toMatchObject({ phase: 'queued', user: 'alice' });

  await turn('foreign_coordinator', false);
  await until('the foreign coordinator is gone', () => live().length === 1);
  expect(live()).toEqual([control]);
});

test('the next run: its tree is not empty, its handoff incomplete, its worktrees dirty, for as long as the switch is on', async () => {
  const prepared = await harbour.prepare('fast-a2a');
  const tree = () => harbour.run('objectstore', ['list', prepared.permanentTree]);
  const metadata = () => harbour.run('objectstore', ['read', `${prepared.handoffCheckpoint}/metadata.json`]);
  const clean = async () => (await harbour.run('git', ['status', '--porcelain'], { cwd: prepared.rollbackWorktree })).stdout === '';

  expect((await during('tree_not_empty', tree)).stdout).toContain('/params.json');
  expect((await during('checkpoint_incomplete', metadata)).code).toBe(1);
  expect(await during('rollback_worktree_dirty', clean)).toBe(false);

  expect([(await tree()).stdout, (await metadata()).code, await clean()]).toEqual(['[]\n', 0, true]);
});

test('pods that are stuck outlive their job until they are let go, and the next gang waits for their nodes', async () => {
  const [control = ''] = live();
  await until('only the pods of the control are left', () => harbour.cluster.state().pods.every((pod) => pod.deletedAtMs === null));
  await turn('pods_stuck', true);
  await harbour.cluster.control({ kind: 'cancel_by_hand', jobId: control });
  await until('the control is gone', () => live().length === 0);
  await harbour.cluster.control({ kind: 'launch_by_hand', dir: harbour.cluster.rollbackWorktree });
  await until('the next gang is pending', () => harbour.cluster.state().pods.some((pod) => pod.phase === 'Pending'));
  expect(harbour.cluster.state().pods.filter((pod) => pod.deletedAtMs !== null).length).toBe(3);

  await turn('pods_stuck', false);
  await until('the next gang trains', () => harbour.runView(CONTROL).phase === 'training');
  expect(harbour.cluster.state().pods.every((pod) => pod.deletedAtMs === null)).toBe(true);
});

test('finished jobs age out of the listing, and stay in the ledger', async () => {
  await until('only the live coordinator is listed', () => harbour.cluster.state().coordinators.length === 1);
  expect(harbour.cluster.state().ledger.filter((entry) => entry.kind === 'coordinator_ended').length).toBeGreaterThan(4);
});

test('hide_restored_marker leaves only the beginning of a restore in the log', async () => {
  await during('hide_restored_marker', async () => {
    process.kill(harbour.runView(CONTROL).pid ?? 0, 'SIGKILL');
    await until('the next attempt trains', () => harbour.runView(CONTROL).attempt === 1 && harbour.runView(CONTROL).phase === 'training');
  });
  const rows = await harbour.query(`SELECT data FROM "log" WHERE key LIKE '%/0:1' AND contains(data, 'checkpoint from')`);
  expect(rows.map((row) => String(row.data).includes('Loading'))).toEqual([true]);
});

test('replies can be slow', async () => {
  const startedAt = Date.now();
  const ran = await during('slow_replies', () => harbour.run('gh', ['auth', 'status']));
  expect([ran.code, Date.now() - startedAt >= 700]).toEqual([0, true]);
});
