import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { isAlive } from '../../support/alive.js';
import { ANA, GITHUB, HERO, TOKENS, until } from './support/small-bot.js';

/** The built desk: `npm test` builds first, since Node itself runs no TypeScript. */
const MAIN = 'dist/src/local/desk/main.js';
const Ready = z.object({
  url: z.url(),
  slackApiUrl: z.url(),
  githubApiUrl: z.url(),
  pageUrl: z.url(),
  controlUrl: z.url(),
  issueNumber: z.int(),
});
const controlToken = 'a control token of the test';
const options = { ...TOKENS, controlToken, people: [ANA], channels: [HERO], github: GITHUB, page: { token: 'a-token-of-the-page' } };

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function start(command: string, args: readonly string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no stdout');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('ended without a line');
}

test('the desk as a process says where it is, takes orders with its token, and ends when told', async () => {
  const child = start(process.execPath, [MAIN, JSON.stringify(options)]);
  const ready = Ready.parse(JSON.parse(await firstLine(child)));
  const order = (body: unknown, token = controlToken): Promise<Response> =>
    fetch(ready.controlUrl, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) });

  const said = await (await order({ do: 'says', userId: ANA.id, text: '/hero-deploy list' })).json();
  const wrongToken = await order({ do: 'issue' }, 'another token');
  const nonsense = await order({ do: 'dance' });
  const impossible = await order({ do: 'clicks', userId: ANA.id, ts: '1.2', choice: { actionId: 'go' } });

  expect(said).toMatchObject({ ok: true, answer: { kind: 'dispatch_failed', detail: 'no bot is connected' } });
  expect([wrongToken.status, nonsense.status, impossible.status]).toEqual([401, 400, 409]);
  expect((await fetch(ready.pageUrl)).status).toBe(200);

  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('options that are not understood are named, and nothing is started', async () => {
  const child = start(process.execPath, [MAIN, JSON.stringify({ ...options, people: [], colour: 'red' })]);
  let errors = '';
  child.stderr?.on('data', (text) => {
    errors += String(text);
  });

  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(2);
  expect(errors).toContain('people');
  expect(errors).toContain('colour');
});

test('the desk ends when whoever started it has gone', async () => {
  const parent = start('bash', ['-c', '"$0" "$1" "$2" & echo $!; wait', process.execPath, MAIN, JSON.stringify(options)]);
  const lines: string[] = [];
  if (parent.stdout !== null) createInterface({ input: parent.stdout }).on('line', (line) => lines.push(line));
  const number = /^\d+$/;
  await until('the desk is ready', () => lines.some((line) => line.startsWith('{')) && lines.some((line) => number.test(line)));
  const pid = Number(lines.find((line) => number.test(line)));
  expect(isAlive(pid)).toBe(true);

  parent.kill('SIGKILL');

  await until('the desk has gone', () => !isAlive(pid));
});
