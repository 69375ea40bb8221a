import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { UnsafeArgumentError } from '../../src/adapters/binding.js';
import { gist, registryOf } from './asking.js';
import { fakeFleet, temporaryFolder } from './fake-command.js';

const SCRIPT = 'experiments/grug/moe_hero_ep/trigger_hero.sh';
const RUN_ID_FILE = 'experiments/grug/moe_hero_ep/current_run.py';

/** A real repository with its remote beside it. */
async function repository() {
  const folder = temporaryFolder();
  const dir = join(folder, 'work');
  const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const git = async (...args: string[]) =>
    (await execa('git', args, { cwd: dir, env: { ...identity, GIT_CONFIG_GLOBAL: '/dev/null' } })).stdout;
  await execa('git', ['init', '--quiet', '--bare', '--initial-branch=main', join(folder, 'remote.git')]);
  await execa('git', ['init', '--quiet', '--initial-branch=main', dir]);
  await git('remote', 'add', 'origin', join(folder, 'remote.git'));
  const commit = async (files: Readonly<Record<string, string>>, subject: string) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(dir, path, '..'), { recursive: true });
      writeFileSync(join(dir, path), text);
    }
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '--message', subject);
    return git('rev-parse', 'HEAD');
  };
  return { dir, git, commit };
}

const registry = () => registryOf(fakeFleet({}));

describe('a worktree', () => {
  test('is read without its remote when that is left out, though the remote is away', async () => {
    const { dir, git, commit } = await repository();
    const head = await commit({ 'a file': '1' }, 'first');
    await git('remote', 'set-url', 'origin', '/nowhere/at/all');

    expect(await registry().read('worktree', { family: 'hero', dir })).toMatchObject({ kind: 'unknown' });
    const alone = await registry().read('worktree', { family: 'hero', dir, remote: false });

    expect(gist(alone)).toEqual({ known: { dir, head, dirty: [], remoteHead: null } });
  });

  test('is read with its head, what is changed in it, and where its remote branch is by now', async () => {
    const { dir, git, commit } = await repository();
    const first = await commit({ 'a file': '1', moved: 'some text that is long enough to be told as moved' }, 'first');
    const second = await commit({}, 'second');
    await git('push', '--quiet', 'origin', 'main');
    await git('checkout', '--quiet', '--detach', first);

    const clean = await registry().read('worktree', { family: 'hero', dir });
    await git('mv', 'moved', 'new name');
    writeFileSync(join(dir, 'a file'), '2');
    mkdirSync(join(dir, 'deep'));
    writeFileSync(join(dir, 'deep/новый'), '');
    const dirty = await registry().read('worktree', { family: 'hero', dir });

    expect(gist(clean)).toEqual({ known: { dir, head: first, dirty: [], remoteHead: second } });
    expect(gist(dirty)).toEqual({ known: { dir, head: first, dirty: ['a file', 'new name', 'deep/новый'], remoteHead: second } });
  });

  test.each(['--assume-unchanged', '--skip-worktree'])('in which a file is hidden from git by %s is not clean', async (flag) => {
    const { dir, commit, git } = await repository();
    await commit({ 'train.py': 'as agreed', other: '' }, 'first');
    await git('update-index', flag, 'train.py');
    writeFileSync(join(dir, 'train.py'), 'changed');

    const reading = await registry().read('worktree', { family: 'hero', dir, remote: false });

    expect(gist(reading)).toMatchObject({ known: { dirty: ['train.py (git was told not to look at it)'] } });
  });

  test('without a remote branch, or without being a worktree, is unknown', async () => {
    const { dir, commit } = await repository();
    await commit({ 'sub/file': '' }, 'first');

    expect(gist(await registry().read('worktree', { family: 'hero', dir }))).toMatchObject({ unknown: 'failed' });
    expect(gist(await registry().read('worktree', { family: 'hero', dir: join(dir, 'sub') }))).toMatchObject({ unknown: 'inconsistent' });
    expect(gist(await registry().read('worktree', { family: 'hero', dir: temporaryFolder() }))).toMatchObject({ unknown: 'failed' });
    expect(gist(await registry().read('worktree', { family: 'hero', dir: '/nowhere' }))).toMatchObject({ unknown: 'not_started' });
    await expect(registry().read('worktree', { family: 'hero', dir: 'work' })).rejects.toThrow(UnsafeArgumentError);
  });
});

describe('commits', () => {
  test('between two are listed oldest first, with their subjects as they are', async () => {
    const { dir, commit } = await repository();
    const from = await commit({}, 'first');
    const middle = await commit({}, 'second | "quoted" <!channel>');
    const to = await commit({}, 'third');

    expect(gist(await registry().read('commits', { family: 'hero', dir, from, to }))).toEqual({
      known: [
        { sha: middle, subject: 'second | "quoted" <!channel>' },
        { sha: to, subject: 'third' },
      ],
    });
    expect(gist(await registry().read('commits', { family: 'hero', dir, from: to, to }))).toEqual({ known: [] });
    expect(gist(await registry().read('commits', { family: 'hero', dir, from: 'f'.repeat(40), to }))).toMatchObject({ unknown: 'failed' });
    await expect(registry().read('commits', { family: 'hero', dir, from: '--output=x', to })).rejects.toThrow(UnsafeArgumentError);
  });
});

describe('the launch record', () => {
  const script = (handoff: string, fork: string) =>
    `#!/bin/bash\nHANDOFF_CHECKPOINT="${handoff}"\nWANDB_FORK_FROM="${fork}"\necho "$HANDOFF_CHECKPOINT"\n`;
  const runId = (value: string) => `"""The run."""\n\nCURRENT_HERO_RUN_ID = "${value}"\n`;
  const read = async (files: Readonly<Record<string, string>>) => {
    const { dir, commit } = await repository();
    await commit(files, 'launch');
    // What is only in the folder is not what the commit would launch.
    writeFileSync(join(dir, RUN_ID_FILE), runId('hero-other'));
    return gist(await registry().read('launch_record', { family: 'hero', dir }));
  };

  test('is what the commit says', async () => {
    expect(
      await read({ [SCRIPT]: script('s3://hero/step-54000', 'hero-main?_step=53999'), [RUN_ID_FILE]: runId('hero-x-step54k') }),
    ).toEqual({
      known: {
        runId: 'hero-x-step54k',
        handoffCheckpoint: 's3://hero/step-54000',
        trackerForkFrom: 'hero-main?_step=53999',
        placeholders: [],
      },
    });
  });

  test('names the values that still hold a placeholder', async () => {
    const files = {
      [SCRIPT]: script('s3://REPLACE_BEFORE_DEPLOYMENT', 'x?_step=1'),
      [RUN_ID_FILE]: runId('hero-REPLACE_BEFORE_DEPLOYMENT'),
    };

    expect(await read(files)).toMatchObject({ known: { placeholders: ['CURRENT_HERO_RUN_ID', 'HANDOFF_CHECKPOINT'] } });
  });

  test('that is computed, missing or given twice is unknown', async () => {
    const plain = script('s3://hero/step-54000', 'hero-main?_step=53999');
    const id = runId('hero-x-step54k');

    expect(await read({ [SCRIPT]: script('$BUCKET/step-54000', 'x'), [RUN_ID_FILE]: id })).toMatchObject({ unknown: 'unparsable' });
    expect(await read({ [SCRIPT]: `${plain}export HANDOFF_CHECKPOINT=other\n`, [RUN_ID_FILE]: id })).toMatchObject({
      unknown: 'unparsable',
    });
    for (const more of [
      'declare -r HANDOFF_CHECKPOINT="s3://hero/step-5400"',
      'true && HANDOFF_CHECKPOINT="s3://hero/step-5400"',
      'if true; then HANDOFF_CHECKPOINT="s3://hero/step-5400"; fi',
      'unset -v HANDOFF_CHECKPOINT',
      'read -r HANDOFF_CHECKPOINT < ./checkpoint',
      'while IFS= read -r HANDOFF_CHECKPOINT; do :; done < ./checkpoint',
      'printf -v HANDOFF_CHECKPOINT "%s" "$1"',
      `: "\${HANDOFF_CHECKPOINT:=s3://hero/step-5400}"`,
    ]) {
      expect(await read({ [SCRIPT]: `${plain}${more}\n`, [RUN_ID_FILE]: id }), more).toMatchObject({ unknown: 'unparsable' });
    }
    expect(await read({ [SCRIPT]: `${plain}# HANDOFF_CHECKPOINT="…" is set before a deploy\n`, [RUN_ID_FILE]: id })).toHaveProperty(
      'known',
    );
    expect(await read({ [SCRIPT]: plain, [RUN_ID_FILE]: `${id}  CURRENT_HERO_RUN_ID = "hero-y"\n` })).toMatchObject({
      unknown: 'unparsable',
    });
    expect(await read({ [SCRIPT]: 'echo\n', [RUN_ID_FILE]: id })).toMatchObject({ unknown: 'unparsable' });
    expect(await read({ [SCRIPT]: plain, 'experiments/grug/moe_hero_ep/other.py': id })).toMatchObject({ unknown: 'failed' });
  });
});
