import { Octokit } from '@octokit/rest';
import { LogLevel, WebClient } from '@slack/web-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/journal/database.js';
import { Outbox } from '../../src/journal/outbox.js';
import type { Desk } from '../../src/local/desk/desk.js';
import { Charts } from '../../src/outbox/charts.js';
import { FailureIssues } from '../../src/outbox/failure-issues.js';
import { GITHUB, HERO, openDesk, TOKENS } from '../local/desk/support/small-bot.js';

const NOW = new Date('2026-11-30T12:00:00Z');
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 10, 13, 0x80]);
const quiet = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, getLevel: () => LogLevel.ERROR, setName() {} };

let desk: Desk;
let slack: WebClient;
let outbox: Outbox;
const database = openDatabase(':memory:');

beforeAll(async () => {
  desk = await openDesk();
  slack = new WebClient(TOKENS.botToken, { slackApiUrl: desk.slackApiUrl, retryConfig: { retries: 0 }, logger: quiet });
  database.exec(
    `INSERT INTO operation (operation_id, protocol, number, subject, requester, channel, created_at) VALUES ('hero-1', 'hero', 1, 'f', 'U1', '${HERO.id}', '2026-11-30T11:00:00.000Z');
     INSERT INTO card (operation_id, channel) VALUES ('hero-1', '${HERO.id}')`,
  );
  outbox = new Outbox(database);
});
afterAll(() => desk.stop());

async function upload(url: string, bytes: Buffer): Promise<void> {
  const response = await fetch(url, { method: 'POST', body: new Uint8Array(bytes) });
  if (!response.ok) throw new Error(`status ${response.status}`);
}

const charts = (draw: () => Promise<Buffer>) => new Charts(slack, outbox, { draw, upload }, () => NOW);

test('a chart needs a thread; without one nothing is drawn, and it is known not to be there', async () => {
  const told = charts(() => Promise.reject(new Error('drawn')));

  expect(await told.post('hero-1', 7)).toMatchObject({ problem: 'not_started' });
  expect(await told.find('hero-1', 7)).toMatchObject({ kind: 'known', value: { url: null } });
});

test('a chart is shared in the thread with its bytes whole, and found again by its row alone', async () => {
  const { ts } = await slack.chat.postMessage({ channel: HERO.id, text: 'the card' });
  outbox.markCardPosted('hero-1', `${ts}`, '');
  const told = charts(() => Promise.resolve(PNG));

  expect(await told.post('hero-1', 7)).toMatchObject({ exitCode: 0, problem: null });
  const found = await told.find('hero-1', 7);
  const url = found.kind === 'known' ? found.value.url : null;

  expect(Buffer.from(await (await fetch(`${url}`)).arrayBuffer())).toEqual(PNG);
  expect(await told.find('hero-1', 8)).toMatchObject({ value: { url: null } });
  expect((await desk.thread(`${ts}`, HERO.id)).map(({ files }) => files)).toMatchObject([
    [{ title: 'hero-1 chart of row 7', mimetype: 'image/png' }],
  ]);
});

test('a chart that is not drawn, or not taken, is no fault of anybody: it is reported, and nothing is in the thread', async () => {
  expect(await charts(() => Promise.reject(new Error('no paint'))).post('hero-1', 9)).toMatchObject({
    problem: 'failed',
    evidence: expect.stringContaining('no paint'),
  });
  desk.fault({ sink: 'slack', kind: 'status', status: 500, method: 'upload', times: 1 });
  expect(await charts(() => Promise.resolve(PNG)).post('hero-1', 9)).toMatchObject({ problem: 'failed' });
  desk.mend('slack');
  expect(await charts(() => Promise.resolve(PNG)).find('hero-1', 9)).toMatchObject({ value: { url: null } });
});

test('a failure issue is found by its marker among our own issues; what somebody else quotes is not it', async () => {
  const repository = { owner: GITHUB.owner, repo: GITHUB.repository };
  const as = (auth: string) => new Octokit({ auth, baseUrl: desk.githubApiUrl, log: quiet });
  const bot = as(TOKENS.githubToken);
  const login = async () => (await bot.rest.users.getAuthenticated()).data.login;
  const issues = new FailureIssues(
    bot,
    repository,
    login,
    () => ({ title: 'it failed', body: 'why', head: 'a'.repeat(64) }),
    () => NOW,
  );
  await as(TOKENS.ghToken).rest.issues.create({
    ...repository,
    title: 'quoted',
    body: '<!-- harbor:1 failure-of=hero-1 head=aaaaaaaaaaaaaaaa -->',
  });

  expect(await issues.find('hero-1')).toMatchObject({ kind: 'known', value: { url: null } });
  expect(await issues.file('hero-1')).toMatchObject({ exitCode: 0, problem: null });
  expect(await issues.find('hero-1')).toMatchObject({ kind: 'known', value: { url: expect.stringContaining('/issues/') } });
  expect(await issues.find('hero-10')).toMatchObject({ value: { url: null } });
});

test('a sink that does not answer makes both unknown, never absent', async () => {
  const nowhere = new Octokit({ baseUrl: 'http://127.0.0.1:9', log: quiet, request: { retries: 0 } });
  const issues = new FailureIssues(
    nowhere,
    { owner: 'a', repo: 'b' },
    async () => 'me',
    () => ({ title: '', body: '', head: '' }),
    () => NOW,
  );
  const silent = new WebClient(TOKENS.botToken, { slackApiUrl: 'http://127.0.0.1:9/', retryConfig: { retries: 0 }, logger: quiet });

  expect(await issues.find('hero-1')).toMatchObject({ kind: 'unknown', why: 'unreachable' });
  expect(await new Charts(silent, outbox, { draw: async () => PNG, upload }, () => NOW).find('hero-1', 7)).toMatchObject({
    kind: 'unknown',
  });
});
