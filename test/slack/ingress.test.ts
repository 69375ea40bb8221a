import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/journal/database.js';
import { Ingress } from '../../src/journal/ingress.js';
import { createSlackApp } from '../../src/slack/app.js';
import { Door } from '../../src/slack/ingress.js';

/** Where answers to the person who asked arrive. */
const answers: string[] = [];
const server = createServer(async (request, response) => {
  answers.push(await text(request));
  response.end('ok');
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
});
afterAll(() => void server.close());

const NOW = new Date('2026-11-30T12:00:00Z');

/** A door in front of a handler, and the ledger behind it. */
function open(handler: (typed: string) => void) {
  const database = openDatabase(':memory:');
  const ingress = new Ingress(database);
  const slack = createSlackApp({
    botToken: 'xoxb-test',
    signingSecret: 'test',
    apiUrl: url,
    port: 0,
    log: pino({ level: 'silent' }),
  });
  const door = new Door(
    ingress,
    () => NOW,
    (typed) => typed.replaceAll(/token=\S+/g, 'token=…'),
    { standing: async () => ({ kind: 'member', groups: {} }) },
  );
  slack.app.command('/hero-deploy', door.command, async ({ command }) => handler(command.text));
  const says = (typed: string): Promise<void> => {
    const body = {
      command: '/hero-deploy',
      text: typed,
      user_id: 'U1',
      team_id: 'T1',
      channel_id: 'C1',
      trigger_id: 'T1.1',
      response_url: url,
    };
    const stored = {
      request_key: 'command:T1.1',
      kind: 'command',
      actor: 'U1',
      received_at: NOW.toISOString(),
      handled_at: null,
      answer: null,
    } as const;
    return slack.resume({ ...stored, body: JSON.stringify(body) });
  };
  return { slack, database, ingress, says };
}

test('a handler that faults is answered for, and is not handed in again', async () => {
  const { ingress, says } = open(() => {
    throw new Error('a fault');
  });
  await says('go');
  await new Promise((later) => setImmediate(() => setImmediate(later)));

  expect(answers).toEqual([expect.stringContaining('A fault of mine stopped that')]);
  expect(ingress.takeUnhandled()).toEqual([]);
});

test('secrets are out of what was typed before it is stored or handled, and no field swallows the next', async () => {
  const handled: string[] = [];
  const { database, says } = open((typed) => void handled.push(typed));
  await says('plan reason="token=" gate="g token=abc"');

  expect(handled).toEqual(['plan reason="token=" gate="g token=…"']);
  expect(JSON.stringify(database.prepare('SELECT * FROM ingress').all())).not.toContain('token=abc');
});

test.each([
  ['GET', '/'],
  ['GET', '/slack/events'],
  ['PUT', '/slack/events'],
  ['POST', '/favicon.ico'],
])('%s %s, which is not Slack, is answered and ends nothing', async (method, path) => {
  const { slack } = open(() => undefined);
  const port = await slack.listen();

  expect((await fetch(`http://127.0.0.1:${port}${path}`, { method })).status).toBe(404);
  expect((await fetch(`http://127.0.0.1:${port}/slack/events`, { method: 'POST', body: 'x' })).status).toBe(401);

  await slack.close();
});
