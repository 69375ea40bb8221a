import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openDatabase } from '../src/journal/database.js';
import { Ingress } from '../src/journal/ingress.js';
import { createSlackApp, type HttpApp } from '../src/slack/app.js';
import { Door } from '../src/slack/ingress.js';

/**
 * Command → acknowledged, on file before the acknowledgement, fifty at once, against a bare Bolt acknowledgement that
 * stores nothing: the same receiver, the same loopback, alternating rounds. Design section 9: p99 at most 1.25 times,
 * at most three commits a burst.
 */
const SECRET = 'of the benchmark';
const AT_ONCE = 50;
const ROUNDS = 40;

function signed(round: number, n: number): RequestInit {
  const body = new URLSearchParams({
    command: '/hero-deploy',
    text: 'list',
    user_id: 'U1',
    channel_id: 'C1',
    team_id: 'T1',
    trigger_id: `${round}.${n}.${Math.random()}`,
    response_url: 'http://127.0.0.1:9/',
  }).toString();
  const timestamp = `${Math.floor(Date.now() / 1000)}`;
  const signature = `v0=${createHmac('sha256', SECRET).update(`v0:${timestamp}:${body}`).digest('hex')}`;
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': signature,
  };
  return { method: 'POST', body, headers };
}

async function burst(port: number, round: number, waits: number[]): Promise<void> {
  const requests = Array.from({ length: AT_ONCE }, (_, n) => signed(round, n));
  await Promise.all(
    requests.map(async (request) => {
      const begin = performance.now();
      const response = await fetch(`http://127.0.0.1:${port}/slack/events`, request);
      await response.text();
      waits.push(performance.now() - begin);
    }),
  );
}

function p99(waits: readonly number[]): number {
  return [...waits].sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? Number.NaN;
}

function app(): HttpApp {
  return createSlackApp({
    botToken: 'xoxb-bench',
    signingSecret: SECRET,
    apiUrl: 'http://127.0.0.1:9/api/',
    port: 0,
    log: pino({ level: 'silent' }),
  });
}

const folder = mkdtempSync(join(tmpdir(), 'harbor-bench-'));
const bare = app();
bare.app.command('/hero-deploy', async ({ ack }) => ack());
const ours = app();
const database = openDatabase(join(folder, 'journal.db'));
let commits = 0;
const begin = database.transaction.bind(database);
database.transaction = ((work: () => unknown) => {
  commits += 1;
  return begin(work);
}) as typeof database.transaction;
ours.app.command(
  '/hero-deploy',
  new Door(
    new Ingress(database),
    () => new Date(),
    (text) => text,
    { standing: async () => ({ kind: 'member', groups: {} }) },
  ).command,
  async () => {},
);

const [barePort, oursPort] = [await bare.listen(), await ours.listen()];
for (let warm = 0; warm < 5; warm++) for (const port of [barePort, oursPort]) await burst(port, -1 - warm, []);
const waits = { bare: [] as number[], ours: [] as number[] };
let mostCommits = 0;
for (let round = 0; round < ROUNDS; round++) {
  await burst(barePort, round, waits.bare);
  commits = 0;
  await burst(oursPort, round, waits.ours);
  mostCommits = Math.max(mostCommits, commits);
}
const figures = {
  bareP99Ms: p99(waits.bare),
  oursP99Ms: p99(waits.ours),
  ratio: p99(waits.ours) / p99(waits.bare),
  mostCommitsABurst: mostCommits,
};
process.stdout.write(`${JSON.stringify({ figures, goals: { ratio: 'at most 1.25', mostCommitsABurst: 'at most 3' } }, null, 2)}\n`);
await Promise.all([bare.close(), ours.close()]);
database.close();
rmSync(folder, { recursive: true, force: true });
