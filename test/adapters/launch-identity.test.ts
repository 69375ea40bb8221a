import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gist, registryOf } from './asking.js';
import { fakeFleet, temporaryFolder } from './fake-command.js';

/** What is read of a worktree whose committed launch script is this. */
async function identity(script: string) {
  const dir = temporaryFolder();
  const git = (...args: string[]) => spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: dir });
  git('init', '--quiet');
  mkdirSync(join(dir, 'experiments/grug/moe_hero_ep'), { recursive: true });
  writeFileSync(join(dir, 'experiments/grug/moe_hero_ep/trigger_hero.sh'), script);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'x');
  writeFileSync(join(dir, 'experiments/grug/moe_hero_ep/trigger_hero.sh'), 'export IRIS_USER=somebody-else\n');
  return gist(await registryOf(fakeFleet({})).read('launch_identity', { family: 'hero', dir }));
}

test('a script says as whom and into which project it launches; what it leaves out is what we give it', async () => {
  expect(await identity('export IRIS_USER=marin\nWANDB_PROJECT="marin_moe"\n')).toEqual({ known: { user: 'marin', project: 'marin_moe' } });
  expect(await identity('IRIS_USER="alice" # for now\nTRACKER_PROJECT="marin-community/marin_moe"\n')).toEqual({
    known: { user: 'alice', project: 'marin_moe' },
  });
  expect(await identity('echo old\n')).toEqual({ known: { user: 'marin', project: null } });
  expect(await identity('WANDB_PROJECT=marin_moe\nTRACKER_PROJECT=marin-community/marin_moe\n')).toMatchObject({
    known: { project: 'marin_moe' },
  });
});

test('a value that depends on something else, or is set twice, is not guessed', async () => {
  expect(await identity('export IRIS_USER="$USER"\n')).toMatchObject({ unknown: 'unparsable' });
  expect(await identity(`export IRIS_USER=marin\nif [ -n "$X" ]; then\n  export IRIS_USER=bob\nfi\n`)).toMatchObject({
    unknown: 'inconsistent',
  });
  expect(await identity('WANDB_PROJECT=marin_moe\nWANDB_PROJECT=scratch\n')).toMatchObject({ unknown: 'inconsistent' });
});
