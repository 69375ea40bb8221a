import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProcessIdentity } from '../../src/adapters/process-identity.js';
import { registryOf } from './asking.js';
import { fakeFleet, temporaryFolder } from './fake-command.js';

/** A worktree whose launch script is this, and a registry that runs it with bash. */
function worktree(script: string) {
  const dir = temporaryFolder();
  mkdirSync(join(dir, 'experiments/grug/moe_hero_ep'), { recursive: true });
  writeFileSync(join(dir, 'experiments/grug/moe_hero_ep/trigger_hero.sh'), script);
  const spawned: ProcessIdentity[] = [];
  const intent = { id: 'hero-7:9', onSpawn: (identity: ProcessIdentity) => void spawned.push(identity) };
  return { dir, spawned, intent, registry: registryOf(fakeFleet({}), { backoffMs: [1, 1] }) };
}

test('a launch runs the script of the worktree as the agreed user, and names the job of its last matching line', async () => {
  const { dir, spawned, intent, registry } = worktree(
    [
      'echo "$1 $IRIS_USER $HARBOR_INTENT $PWD" > seen',
      'echo Recording hero launch on https://github.com/marin-community/marin/issues/8506',
      'echo /marin/hero-earlier-coord-00000000',
      'echo https://github.com/marin-community/marin/issues/8506#issuecomment-1',
      'printf "/marin/hero-main-step121638-coord-4be07d15\\r\\n"',
      'echo Submitting >&2',
    ].join('\n'),
  );

  const report = await registry.act('launch', { family: 'hero', dir }, intent);

  expect(report).toMatchObject({ exitCode: 0, problem: null, jobId: '/marin/hero-main-step121638-coord-4be07d15' });
  expect(report.evidence).toContain('bash experiments/grug/moe_hero_ep/trigger_hero.sh launch');
  expect(readFileSync(join(dir, 'seen'), 'utf8')).toBe(`launch marin hero-7:9 ${dir}\n`);
  expect(spawned.length).toBe(1);
});

test('F14: a submit that ends well and names nothing, and one that names a job and fails, are both told as they were, once', async () => {
  const silent = worktree('echo x >> runs; echo "memory above 4G needs an extra flag" >&2');
  const failing = worktree('echo x >> runs; echo /marin/hero-x-coord-1; exit 1');

  const first = await silent.registry.act('launch', { family: 'hero', dir: silent.dir }, silent.intent);
  const second = await failing.registry.act('launch', { family: 'hero', dir: failing.dir }, failing.intent);

  expect(first).toMatchObject({ exitCode: 0, problem: null, jobId: null });
  expect(first.evidence).toContain('memory above 4G needs an extra flag');
  expect(second).toMatchObject({ exitCode: 1, problem: 'failed', jobId: '/marin/hero-x-coord-1' });
  for (const { dir } of [silent, failing]) expect(readFileSync(join(dir, 'runs'), 'utf8')).toBe('x\n');
});

test('a fork runs the sub-command that forks, and one that was ended by a signal has no exit code', async () => {
  const { dir, intent, registry } = worktree('echo "$1" > seen; kill -TERM $$');

  const report = await registry.act('fork_tracker', { family: 'hero', dir }, intent);

  expect(report).toMatchObject({ exitCode: null, problem: 'killed', jobId: null });
  expect(readFileSync(join(dir, 'seen'), 'utf8')).toBe('fork-wandb\n');
});

test('an act that cannot start says so', async () => {
  const { intent, registry, spawned } = worktree('');

  expect(await registry.act('launch', { family: 'hero', dir: '/nowhere' }, intent)).toMatchObject({
    exitCode: null,
    problem: 'not_started',
  });
  expect(spawned).toEqual([]);
});
