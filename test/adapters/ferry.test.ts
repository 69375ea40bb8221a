import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markerLine } from '../../src/adapters/github.js';
import { knobsOf } from '../../src/adapters/lane-tree.js';
import type { Registry } from '../../src/adapters/registry.js';
import type { Desk } from '../../src/local/desk/desk.js';
import { GITHUB, openDesk, TOKENS } from '../local/desk/support/small-bot.js';
import { localFleetWith } from '../support/local-fleet.js';
import { gist, registryOf } from './asking.js';

/** As `gh api` does: GitHub's answer on standard output, exit 1 for everything that is not 2xx. */
const GH = `#!/usr/bin/env node
import { readFileSync } from 'node:fs';
const argv = process.argv.slice(2);
const value = (name) => (argv.includes(name) ? argv[argv.indexOf(name) + 1] : undefined);
const input = value('--input');
const response = await fetch('API/' + argv[3], {
  method: value('--method'),
  headers: { authorization: 'token TOKEN', 'content-type': 'application/json' },
  ...(input === undefined ? {} : { body: readFileSync(input, 'utf8') }),
});
process.stdout.write(await response.text());
process.exitCode = response.ok ? 0 : 1;
`;

let home: string;
let desk: Desk;
let registry: Registry;
let first: string;
let second: string;
const lanes = (): string => join(home, 'lanes');

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

function commit(settings: string): string {
  const folder = join(lanes(), 'experiments/ferries');
  execFileSync('mkdir', ['-p', folder]);
  writeFileSync(join(folder, 'daily.py'), settings);
  git(lanes(), 'add', '--all');
  git(lanes(), 'commit', '--quiet', '--message', 'Change a setting');
  return git(lanes(), 'rev-parse', 'HEAD');
}

beforeAll(async () => {
  desk = await openDesk();
  home = mkdtempSync(join(tmpdir(), 'harbor-ferry-'));
  writeFileSync(join(home, 'gh'), GH.replace('API', desk.githubApiUrl).replace('TOKEN', TOKENS.ghToken));
  chmodSync(join(home, 'gh'), 0o755);
  writeFileSync(join(home, 'package.json'), '{"type":"module"}');
  git(home, 'init', '--quiet', '--bare', '--initial-branch=main', 'origin.git');
  git(home, 'clone', '--quiet', join(home, 'origin.git'), 'lanes');
  first = commit('# how it learns\nLEARNING_RATE = 0.001\nSTEPS = 60\n');
  git(lanes(), 'push', '--quiet', 'origin', 'HEAD:main');
  second = commit('# how it learns now\nLEARNING_RATE = 0.002\nSTEPS = 60\nSEED = 3\n');
  const fleet = localFleetWith({ bin: home, lanesWorktree: lanes(), githubApiUrl: desk.githubApiUrl });
  registry = registryOf(
    { ...fleet, github: { ...fleet.github, repository: `${GITHUB.owner}/${GITHUB.repository}` } },
    { env: { ...process.env, WANDB_API_KEY: 'k' } },
  );
});
afterAll(async () => {
  await desk.stop();
  rmSync(home, { recursive: true, force: true });
});

let acts = 0;
const act = { id: 'ferry-1:1', onSpawn: () => {} };
const intent = () => ({ ...act, id: `ferry-1:${++acts}` });

test('a commit that is on no branch of the remote is not pushed; settings are compared by name, comments left out', async () => {
  const args = { lane: 'daily', dir: lanes(), commit: null, since: first };

  expect(gist(await registry.read('lane_tree', args))).toMatchObject({
    known: {
      head: second,
      pushed: false,
      hasFile: true,
      dirty: [],
      delta: [
        { name: 'LEARNING_RATE', was: '0.001', is: '0.002' },
        { name: 'SEED', was: null, is: '3' },
      ],
      commits: [{ sha: second, subject: 'Change a setting' }],
    },
  });
  expect(gist(await registry.read('lane_tree', { ...args, commit: first, since: null }))).toMatchObject({ known: { pushed: true } });
  expect(gist(await registry.read('lane_tree', { ...args, commit: 'f'.repeat(40) }))).toMatchObject({ unknown: 'failed' });
});

test('knobs are the changed settings, each once', () => {
  const scrub = (text: string): string => text;
  const diff =
    '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-  learning_rate=0.1,\n+  learning_rate=0.2,\n+# a comment\n-run(model)\n+run(model, fast)\n';

  expect(knobsOf(diff, { scrub })).toEqual([
    { name: 'learning_rate', was: '0.1', is: '0.2' },
    { name: 'run(model)', was: 'run(model)', is: null },
    { name: 'run(model, fast)', was: null, is: 'run(model, fast)' },
  ]);
});

test('a tag is pushed once, read back, and never moved', async () => {
  const tag = 'ferry/daily/20261129/ferry_daily_125m_x-1a2b3c';
  const where = { lane: 'daily', dir: lanes(), tag };
  const before = gist(await registry.read('remote_tag', where));

  const pushed = await registry.act('push_tag', { ...where, commit: first }, intent());
  const again = await registry.act('push_tag', { ...where, commit: second }, intent());

  expect(before).toEqual({ known: { commit: null } });
  expect([pushed.problem, again.problem]).toEqual([null, 'failed']);
  expect(gist(await registry.read('remote_tag', where))).toEqual({ known: { commit: first } });
  expect(git(join(home, 'origin.git'), 'rev-parse', `refs/tags/${tag}`)).toBe(first);
});

test('the log entry goes by its own branch and pull request, refused when the file is another, and is read back', async () => {
  const where = { lane: 'daily', branch: 'ferry-log/ferry-1', path: 'docs/experiments/daily-ferry-log.md' };
  const begin = await registry.read('ferry_log', where);
  if (begin.kind === 'unknown') throw new Error(begin.detail);
  expect(begin.value.branch).toBeNull();

  await registry.act('make_branch', { ...where, head: begin.value.baseHead }, intent());
  const made = await registry.read('ferry_log', where);
  if (made.kind === 'unknown' || made.value.branch === null) throw new Error('no branch was made');
  const stale = await registry.act('write_log', { ...where, fileSha: '0'.repeat(40), text: 'other', message: 'Log' }, intent());
  const written = await registry.act(
    'write_log',
    { ...where, fileSha: made.value.branch.fileSha, text: '## Runs\n\nours\n', message: 'Log' },
    intent(),
  );
  await registry.act('open_pull', { ...where, title: 'Log ferry', body: 'entry' }, intent());
  const bare = gist(await registry.read('ferry_pull', where));
  const number = 'known' in bare ? (bare.known?.number ?? 0) : 0;
  await registry.act('label_pull', { lane: 'daily', number, labels: ['ferry', 'ferry-sealed'] }, intent());

  expect([stale.problem, written.problem]).toEqual(['failed', null]);
  expect(gist(await registry.read('ferry_log', where))).toMatchObject({ known: { branch: { text: '## Runs\n\nours\n' } } });
  expect(gist(await registry.read('ferry_pull', where))).toMatchObject({
    known: { open: true, files: [where.path], labels: ['ferry', 'ferry-sealed'] },
  });
  expect(gist(await registry.read('ferry_pull', { ...where, branch: 'ferry-log/ferry-2' }))).toEqual({ known: null });
});

test('F44: what we filed is found by its marker and our login, never by its title', async () => {
  const key = 'ferry-1:issue:1';
  const labels = ['ferry', 'ferry-daily'];
  const body = `${markerLine(key)}\nwhat it is to show`;
  const before = gist(await registry.read('marked_issue', { lane: 'daily', key, labels }));

  await registry.act('file_issue', { lane: 'daily', title: '[ferry] daily', body, labels }, intent());
  const found = gist(await registry.read('marked_issue', { lane: 'daily', key, labels }));
  const number = 'known' in found ? (found.known?.number ?? 0) : 0;
  await registry.act('comment_issue', { lane: 'daily', number, body: `${markerLine('ferry-1:end:1')}\nFinal status: SUCCEEDED` }, intent());

  expect(before).toEqual({ known: null });
  expect(found).toMatchObject({ known: { open: true } });
  expect(gist(await registry.read('marked_issue', { lane: 'daily', key: 'ferry-1:issue', labels }))).toEqual({ known: null });
  expect(gist(await registry.read('marked_comment', { lane: 'daily', number, key: 'ferry-1:end:1' }))).toMatchObject({
    known: { url: expect.any(String) },
  });
  expect(gist(await registry.read('marked_comment', { lane: 'daily', number, key: 'ferry-1:end:2' }))).toEqual({ known: null });
  expect(gist(await registry.read('tagged', { lane: 'daily', since: null }))).toMatchObject({ known: [{ number, pull: false }] });
});
