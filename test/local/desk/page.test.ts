import { createServer, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Desk } from '../../../src/local/desk/desk.js';
import { ANA, HERO, openDesk, TOKENS } from './support/small-bot.js';

const Count = z.looseObject({ count: z.int() });
const asked: unknown[] = [];
const orders: { authorization: string | undefined; body: string }[] = [];
const cluster = createServer(async (incoming, response) => {
  let body = '';
  for await (const chunk of incoming) body += String(chunk);
  orders.push({ authorization: incoming.headers.authorization, body });
  response.end('{"runs":[]}');
});
let desk: Desk;
let page: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve));
  const address = cluster.address();
  const clusterControlUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const harbourControl = async (action: unknown): Promise<unknown> => {
    if (JSON.stringify(action).includes('sink the ship')) throw new Error('the harbour does not sink ships');
    return asked.push(action);
  };
  desk = await openDesk({ page: { token: 'a-token-of-the-page', harbourControl } });
  desk.connectCluster(clusterControlUrl, 'of the cluster');
  page = String(desk.pageUrl);
});
afterAll(async () => {
  await desk.stop();
  cluster.close();
});

function post(path: string, body: unknown, origin = desk.url): Promise<Response> {
  return fetch(`${page}${path}`, { method: 'POST', headers: { origin, 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

test('the page is served to those who have its token, and allows no script but its own', async () => {
  const good = await fetch(page);
  const wrong = await fetch(`${desk.url}/t/another-token-alike/`);

  expect(good.status).toBe(200);
  expect(good.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  expect(await good.text()).toContain('local, not Slack');
  expect(wrong.status).toBe(404);
  expect((await fetch(`${desk.url}/`)).status).toBe(404);
  expect((await fetch(`${page}..%2f..%2fpackage.json`)).status).toBe(404);
});

test('a name that was pointed at this machine from elsewhere is turned away', async () => {
  const status = await new Promise((resolve, reject) => {
    request(page, { headers: { host: 'evil.example' } }, (response) => resolve(response.statusCode))
      .once('error', reject)
      .end();
  });

  expect(status).toBe(403);
});

test('only the page itself may act', async () => {
  const foreign = await post('says', { as: ANA.id, text: '/hero-deploy list' }, 'http://evil.example');
  const own = await post('says', { as: ANA.id, text: '/hero-deploy list' });

  expect(foreign.status).toBe(403);
  expect(await own.json()).toMatchObject({ kind: 'dispatch_failed' });
});

test('the state holds what is drawn, and nothing when nothing changed', async () => {
  const state = Count.parse(await (await fetch(`${page}state?person=${ANA.id}`)).json());
  const again = await fetch(`${page}state?person=${ANA.id}&since=${state.count}`);

  expect(state).toMatchObject({
    channel: HERO.id,
    people: [{ id: ANA.id }, {}],
    issue: { title: 'Hero status' },
    bot: { connected: false },
  });
  expect(state.ephemerals).toContainEqual(expect.objectContaining({ from: 'slack' }));
  expect(again.status).toBe(204);
});

test('the cluster and the harbour are asked in the name of the page', async () => {
  await fetch(`${page}cluster`);
  await post('cluster', { as: ANA.id, kind: 'prepare', change: 'nan' });
  await post('harbour', { do: 'restart bot' });

  expect(orders).toEqual([
    { authorization: 'Bearer of the cluster', body: '' },
    { authorization: 'Bearer of the cluster', body: '{"kind":"prepare","change":"nan"}' },
  ]);
  expect(asked).toEqual([{ do: 'restart bot' }]);
});

test('how the harbour stands is shown, and what it cannot do is said in its own words', async () => {
  desk.showHarbour({ bot: 'down', hoursShut: true });

  const state = await (await fetch(`${page}state?person=${ANA.id}`)).json();
  const refused = await post('harbour', { kind: 'sink the ship' });

  expect(state).toMatchObject({ harbour: { bot: 'down', hoursShut: true } });
  expect([refused.status, await refused.json()]).toEqual([
    409,
    { ok: false, error: 'harbour', message: 'the harbour does not sink ships' },
  ]);
});

test('an outage can be switched on and off, and commands still reach the bot during it', async () => {
  const auth = (): Promise<number> =>
    fetch(`${desk.slackApiUrl}auth.test`, { method: 'POST', headers: { authorization: `Bearer ${TOKENS.botToken}` } }).then(
      ({ status }) => status,
    );

  await post('outage', { sink: 'slack', on: true });
  const during = [await auth(), await auth()];
  await post('outage', { sink: 'slack', on: false });

  expect(during).toEqual([503, 503]);
  expect(await auth()).toBe(200);
});

test('what cannot be done is said in words', async () => {
  const answer = await post('clicks', { as: ANA.id, ts: '1.2', actionId: 'go' });

  expect(answer.status).toBe(409);
  expect(await answer.json()).toMatchObject({ ok: false, message: expect.stringContaining('no such message') });
});
