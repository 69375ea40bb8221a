import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../src/journal/database.js';
import { takeOwnership } from '../src/journal/owner.js';
import { startChild } from '../src/local/child.js';
import { localFleet } from '../src/local/fleet.js';

const CLI = join(import.meta.dirname, '..', 'dist', 'src', 'cli.js');
const SECRETS = { SLACK_BOT_TOKEN: 'x', SLACK_SIGNING_SECRET: 'y', GITHUB_TOKEN: 'z', WANDB_API_KEY: 'w' };

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'harbor-cli-'));
  // Executables that are there, and answer nothing: the start looks for them, and these tests ask them nothing.
  mkdirSync(join(home, 'bin'));
  for (const name of ['iris', 'finelog', 'kubectl', 'objectstore', 'tracker', 'gh', 'wandb']) {
    writeFileSync(join(home, 'bin', name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs a command of the CLI to its end. */
function harbor(
  args: readonly string[],
  env: Readonly<Record<string, string>> = SECRETS,
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { env: { PATH: process.env.PATH, ...env }, timeout: 120_000 }, (fault, out, err) =>
      resolve({ code: fault === null ? 0 : Number(fault.code), out, err }),
    );
  });
}

function fleetFile(name: string, change: (text: string) => string = (text) => text): string {
  const world = {
    data: join(home, name),
    bin: join(home, 'bin'),
    deployWorktree: '/nowhere/deploy',
    rollbackWorktree: '/nowhere/rollback',
    slackApiUrl: 'http://127.0.0.1:9/api/',
    githubApiUrl: 'http://127.0.0.1:9',
    issueNumber: 1,
    pace: 1,
    hoursShut: false,
    rehearsalAsked: false,
    trackerKey: 'local-key',
  };
  const file = join(home, `${name}.yaml`);
  writeFileSync(file, change(localFleet(world)));
  return file;
}

test.each([
  ['a missing fleet file', () => join(home, 'nowhere.yaml'), 'read fleet file'],
  ['a file that is not YAML', () => fleetFile('broken', () => 'a: [b'), 'parse fleet file'],
  ['an unknown key', () => fleetFile('unknown', (text) => `${text}\ncolour: blue\n`), 'colour'],
  ['a key twice', () => fleetFile('twice', (text) => `${text}\nversion: 1\n`), 'parse fleet file'],
  ['a display name for an id', () => fleetFile('names', (text) => text.replace('U0APPROVE1', 'grace')), 'people.hero'],
  ['a zone that does not exist', () => fleetFile('zone', (text) => text.replace('zone: UTC', 'zone: Mars/Base')), 'an IANA time zone'],
])('%s stops the start with its reason and exit code 2', async (_what, file, reason) => {
  const { code, err, out } = await harbor(['start', '--fleet', file()]);

  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(reason);
});

test('a secret that is not set is named, and nothing is started', async () => {
  const { SLACK_SIGNING_SECRET: _, ...rest } = SECRETS;

  const { code, err } = await harbor(['start', '--fleet', fleetFile('secret')], rest);

  expect(code).toBe(2);
  expect(err).toContain('SLACK_SIGNING_SECRET');
});

test('a database of a newer build stops the start with exit code 4', async () => {
  const file = fleetFile('newer');
  mkdirSync(join(home, 'newer'));
  const database = openDatabase(join(home, 'newer', 'journal.db'));
  database.pragma('user_version = 99');
  database.close();

  const { code, err } = await harbor(['start', '--fleet', file]);

  expect(code).toBe(4);
  expect(err).toContain('start the newer build');
});

test('a second process on the same data is refused with exit code 7 and told who holds it', async () => {
  const file = fleetFile('owned');
  const first = await startChild<{ port: number }>(CLI, ['start', '--fleet', file], { env: SECRETS, log: join(home, 'owned.log') });

  const { code, err } = await harbor(['start', '--fleet', file]);
  await first.kill();
  const after = await startChild<{ port: number }>(CLI, ['start', '--fleet', file], { env: SECRETS, log: join(home, 'owned.log') });
  await after.stop();

  expect(code).toBe(7);
  expect(err).toContain(`process ${first.pid} on `);
});

test('a port that is taken stops the start with exit code 6, and the data is free again', async () => {
  const taken = createServer();
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, '127.0.0.1', () => {
      const address = taken.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  const file = fleetFile('port', (text) => text.replace('port: 0', `port: ${port}`));

  const { code, err } = await harbor(['start', '--fleet', file]);
  taken.close();
  // On any port: whose that one is by now is left to chance.
  const elsewhere = fleetFile('port');
  const again = await startChild<{ port: number }>(CLI, ['start', '--fleet', elsewhere], { env: SECRETS, log: join(home, 'port.log') });
  await again.stop();

  expect(code).toBe(6);
  expect(err).toContain(`127.0.0.1:${port}: another program listens there`);
  expect(again.ready.port).toBeGreaterThan(0);
});

test('a port that is taken stops the local harbour with exit code 6, and says what to do', async () => {
  const taken = createServer();
  await new Promise<void>((done) => void taken.listen(0, '127.0.0.1', done));
  const address = taken.address();
  const port = `${typeof address === 'object' && address !== null ? address.port : 0}`;

  const { code, err } = await harbor(['local', '--home', join(home, 'local'), '--port', port]);
  taken.close();

  expect(code).toBe(6);
  expect(err).toContain(`127.0.0.1:${port}: another program listens there; name another port with --port`);
});

test('a workspace that is wrong stops the start with exit code 8 and its table, and the data is free again', async () => {
  const slack = createServer((_request, response) => void response.end('{"ok":false,"error":"invalid_auth"}'));
  await new Promise<void>((done) => void slack.listen(0, '127.0.0.1', done));
  const address = slack.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const file = fleetFile('wrong', (text) => text.replace('127.0.0.1:9/api', `127.0.0.1:${port}/api`));

  const { code, err, out } = await harbor(['start', '--fleet', file]);
  slack.close();

  expect({ code, out }).toEqual({ code: 8, out: '' });
  expect(err).toMatch(/^WRONG {4}slack {3}bot token .*invalid_auth$/m);
  takeOwnership(join(home, 'wrong'), new Date()).release(true);
});

test.each([['--version'], ['version']])('%s names the version of the package', async (command) => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'));

  expect(await harbor([command])).toEqual({ code: 0, out: `harbormaster ${version}\n`, err: '' });
});

test.each([['help'], ['--help'], ['-h']])('%s names every command', async (command) => {
  const { code, out } = await harbor([command]);

  expect(code).toBe(0);
  for (const name of ['start', 'local', 'demo', 'check', 'read', 'judge', 'log', 'status', 'backup', 'restore'])
    expect(out).toContain(`harbor ${name} `);
});

test.each(['judge', 'check', 'read', 'start', 'log'])('%s --help says how it is used, with exit code 0', async (command) => {
  const { code, out, err } = await harbor([command, '--help']);

  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain(`harbor ${command} `);
});

test.each([
  [['frobnicate']],
  [['start']],
  [['start', '--flet', 'x']],
  [['demo', '--scenario', 'nothing']],
  [['demo', '--scenario', 'go', '--pace', '-1']],
])('a command line that is not understood ends with exit code 2 and the usage: %j', async (args) => {
  const { code, err } = await harbor(args);

  expect(code).toBe(2);
  expect(err).not.toBe('');
});

test.each([
  ['check', '--fleet', 'a', '--fleet', 'b'],
  ['read', 'coordinators', '--family', 'a', '--family=b'],
  ['status', '--fleet', 'a', '--fleet', 'b'],
])('an option that is given twice is refused by name: %s', async (...args) => {
  const { code, err } = await harbor(args);

  expect(code).toBe(2);
  expect(err).toMatch(/--(?:fleet|family) is given twice/);
});
