import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeOwnership } from '../src/journal/owner.js';
import { localFleet } from '../src/local/fleet.js';
import { APPROVER, startEngine } from './support/engine.js';

const CLI = join(import.meta.dirname, '..', 'dist', 'src', 'cli.js');

/** What the status issue says; the server below answers with it. */
let comments: string[] = [];
const github = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  const own = comments.map((body, id) => ({ id, body, user: { login: 'harbor' } }));
  response.end(JSON.stringify(request.url === '/user' ? { login: 'harbor' } : own));
});
let home = '';
let fleet = '';
const data = () => join(home, 'data');
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'harbor-cli-store-'));
  mkdirSync(data());
  await new Promise<void>((done) => void github.listen(0, '127.0.0.1', done));
  const address = github.address();
  const port = typeof address === 'object' ? address?.port : 0;
  fleet = join(home, 'harbor.yaml');
  const worktrees = { bin: '/nowhere', deployWorktree: '/nowhere/deploy', rollbackWorktree: '/nowhere/rollback' };
  const sinks = { slackApiUrl: 'http://127.0.0.1:9/api/', githubApiUrl: `http://127.0.0.1:${port}`, issueNumber: 1 };
  writeFileSync(
    fleet,
    localFleet({ data: data(), ...worktrees, ...sinks, pace: 1, hoursShut: false, rehearsalAsked: false, trackerKey: 'local-key' }),
  );
  const bot = startEngine({ file: join(data(), 'journal.db') });
  bot.plan();
  bot.ask(APPROVER, 'plan_agreed');
  comments = bot.journal
    .history('hero-1')
    .map(
      ({ seq, hash }) =>
        `<!-- harbor:1 op=hero-1 seq=${seq} key=hero-1:${seq}:issue:${hash.slice(0, 8)} head=${hash.slice(0, 16)} -->\ntold`,
    );
  bot.database.close();
});
afterAll(() => {
  github.close();
  rmSync(home, { recursive: true, force: true });
});

function harbor(
  args: readonly string[],
  env: Readonly<Record<string, string>> = { GITHUB_TOKEN: 't' },
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [CLI, ...args, '--fleet', fleet],
      { env: { PATH: process.env.PATH, ...env }, timeout: 120_000 },
      (fault, out, err) => resolve({ code: fault === null ? 0 : Number(fault.code), out, err }),
    );
  });
}

test('a history that is whole is said to be, row by row and as the status issue tells it', async () => {
  const { code, out, err } = await harbor(['log', 'hero-1', '--verify']);

  expect({ code, err }).toEqual({ code: 0, err: 'harbor: hero-1 is whole: 2 rows fit their chain, 2 of them as the status issue tells\n' });
  expect(out.trim().split('\n')).toHaveLength(2);
});

test('when the issue cannot be read, a cut tail is not ruled out, and the exit code says so', async () => {
  const { code, err } = await harbor(['log', 'hero-1', '--verify'], {});

  expect(code).toBe(3);
  expect(err).toContain('GITHUB_TOKEN is not set');
});

test('a tail that was cut off is found by what the issue tells', async () => {
  comments.push('<!-- harbor:1 op=hero-1 seq=3 key=hero-1:3:issue:aaaaaaaa head=aaaaaaaaaaaaaaaa -->\ntold');

  const { code, err } = await harbor(['log', 'hero-1', '--verify']);
  comments.pop();

  expect(code).toBe(5);
  expect(err).toContain('the status issue tells row 3, the journal ends at row 2');
});

test('a backup is put back, and a changed row is named before anything is put anywhere', async () => {
  const copy = join(home, 'copy.db');
  expect(await harbor(['backup', '--to', copy])).toMatchObject({ code: 0 });
  expect(await harbor(['backup', '--to', copy])).toMatchObject({ code: 5, err: expect.stringContaining('exists already') });
  expect(await harbor(['restore', '--from', copy])).toMatchObject({ code: 0, out: expect.stringContaining('"open":["hero-1"]') });

  const changed = new Sqlite(copy);
  changed.exec("DROP TRIGGER transition_is_never_updated; UPDATE transition SET actor = 'U9' WHERE seq = 2");
  changed.close();
  expect(await harbor(['restore', '--from', copy])).toMatchObject({ code: 5, err: expect.stringContaining('row 2 does not fit') });
});

test('nothing is restored under a bot that runs', async () => {
  const owner = takeOwnership(data(), new Date());

  const { code, err } = await harbor(['restore', '--from', join(home, 'copy.db')]);
  owner.release(true);

  expect(code).toBe(7);
  expect(err).toContain('stop that one first');
});

test.each([[['backup']], [['restore']]])('%j says what is missing', async (args) => {
  expect(await harbor(args)).toMatchObject({ code: 2, out: '' });
});
