import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Prepared } from '../../../src/local/cluster/prepare.js';
import { type Harbour, startHarbour, until } from './harbour.js';

let harbour: Harbour;
let prepared: Prepared;

beforeAll(async () => {
  harbour = await startHarbour();
  prepared = await harbour.prepare('fast-a2a');
});
afterAll(() => harbour.stop());

test('setup forked and launched the first run through its own launch script', () => {
  const { ledger, coordinators } = harbour.cluster.state();
  expect(ledger.map((entry) => entry.kind).slice(0, 3)).toEqual(['fork', 'submit', 'coordinator_started']);
  expect(coordinators[0]?.jobId).toMatch(/^\/marin\/hero-main-step54k-coord-[0-9a-f]{8}$/);
  expect(harbour.comments[0]).toContain(coordinators[0]?.jobId.slice('/marin/'.length));
});

test.each([[[]], [['launch', 'now']], [['deploy']]])('arguments %j are a usage error', async (args) => {
  const ran = await harbour.launchScript(prepared.deployWorktree, ...args);
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([2, '', 'Usage: trigger_hero.sh fork-wandb|launch\n']);
});

test('without its key, with an untracked file, or with a placeholder left, it refuses and touches nothing', async () => {
  const keyless = await harbour.run('bash', ['experiments/grug/moe_hero_ep/trigger_hero.sh', 'fork-wandb'], {
    cwd: prepared.deployWorktree,
  });
  expect([keyless.code, keyless.stderr]).toEqual([1, 'trigger_hero.sh: WANDB_API_KEY: must be set\n']);

  await harbour.cluster.control({ kind: 'switch', name: 'deploy_worktree_dirty', on: true });
  const dirty = await harbour.launchScript(prepared.deployWorktree, 'fork-wandb');
  await harbour.cluster.control({ kind: 'switch', name: 'deploy_worktree_dirty', on: false });
  expect([dirty.code, dirty.stderr]).toEqual([1, 'Launch and fork creation require a pristine worktree.\n']);

  await harbour.cluster.control({ kind: 'switch', name: 'launch_record_placeholder', on: true });
  const open = await harbour.launchScript(prepared.deployWorktree, 'fork-wandb');
  await harbour.cluster.control({ kind: 'switch', name: 'launch_record_placeholder', on: false });
  expect([open.code, open.stderr]).toMatchObject([1, expect.stringMatching(/^Handoff is not finalized/)]);

  expect(harbour.cluster.state().main.head).toBe(prepared.deployCommit);
  expect(harbour.cluster.state().ledger.filter((entry) => entry.kind === 'fork').length).toBe(1);
});

test('a fork needs the newest main', async () => {
  await harbour.cluster.control({ kind: 'switch', name: 'main_moved', on: true });
  const stale = await harbour.launchScript(prepared.deployWorktree, 'fork-wandb');
  await harbour.cluster.control({ kind: 'switch', name: 'main_moved', on: false });
  expect([stale.code, stale.stderr]).toEqual([1, 'Fork creation requires HEAD to be the newest origin/main.\n']);
});

test('a launch needs a fork, and no live coordinator of parent or child', async () => {
  const live = harbour.cluster.state().coordinators[0]?.jobId ?? '';
  const early = await harbour.launchScript(prepared.deployWorktree, 'launch');
  expect([early.code, early.stderr]).toEqual([1, `A coordinator is still live: ${live}\n`]);

  await harbour.cluster.control({ kind: 'cancel_by_hand', jobId: live });
  await until('the control is gone', () => !harbour.runView('hero-main-step54k').live);
  const unforked = await harbour.launchScript(prepared.deployWorktree, 'launch');
  expect([unforked.code, unforked.stderr]).toMatchObject([1, expect.stringContaining('does not carry hero_handoff_checkpoint')]);

  const forked = await harbour.launchScript(prepared.deployWorktree, 'fork-wandb');
  expect([forked.code, forked.stdout]).toMatchObject([0, expect.stringMatching(/^W&B fork created\. /)]);
  const twice = await harbour.launchScript(prepared.deployWorktree, 'fork-wandb');
  expect([twice.code, twice.stderr]).toEqual([1, `The W&B run ${prepared.runId} exists already.\n`]);
});

test('a launch that cannot be recorded, or whose scheduler or tracker is away, submits nothing', async () => {
  for (const name of ['gh_logged_out', 'scheduler_down', 'tracker_down', 'no_credentials', 'submit_refused'] as const) {
    await harbour.cluster.control({ kind: 'switch', name, on: true });
    const ran = await harbour.launchScript(prepared.deployWorktree, 'launch');
    await harbour.cluster.control({ kind: 'switch', name, on: false });
    expect([name, ran.code === 0]).toEqual([name, false]);
  }
  expect(harbour.cluster.state().ledger.filter((entry) => entry.kind === 'submit').length).toBe(1);
});

test('a launch records itself first and prints the job id last', async () => {
  const ran = await harbour.launchScript(prepared.deployWorktree, 'launch');

  const job = harbour.cluster.state().coordinators.find((row) => row.runId === prepared.runId)?.jobId ?? '';
  expect(ran.stdout.split('\n')).toEqual([
    'Recording hero launch on https://github.com/marin-community/marin/issues/8506',
    expect.stringMatching(/^https:\/\/github\.example\/.*\/comments\/\d+$/),
    `Launching hero from commit ${prepared.deployCommit}`,
    job,
    '',
  ]);
  expect(ran.stderr).toMatch(/^I\d{8} [\d:]{8} \d+ iris\.cli\.job Submitting job: .*\nI\d{8} .* Job submitted: .*\n$/);
  expect(harbour.comments.at(-1)).toContain(job.slice('/marin/'.length));
  expect(harbour.cluster.state().ledger.findLast((entry) => entry.kind === 'submit')).toMatchObject({
    jobId: job,
    runId: prepared.runId,
    user: 'marin',
    commit: prepared.deployCommit,
    family: 'cw-us-east-08a',
  });
});

test('values of a wrong form are refused as Python would', async () => {
  const script = join(prepared.rollbackWorktree, 'experiments/grug/moe_hero_ep/trigger_hero.sh');
  const text = (await harbour.run('cat', [script])).stdout;
  await writeFile(script, text.replace(/^WANDB_FORK_FROM=.*$/m, 'WANDB_FORK_FROM="hero-base?_step=54000"'));
  await harbour.run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qam', 'Fork at the handoff'], {
    cwd: prepared.rollbackWorktree,
  });
  const ran = await harbour.launchScript(prepared.rollbackWorktree, 'launch');
  expect([ran.code, ran.stdout, ran.stderr]).toMatchObject([
    1,
    '',
    expect.stringMatching(/^Traceback[\s\S]*ValueError: fork step 54000 must be below/),
  ]);
});
