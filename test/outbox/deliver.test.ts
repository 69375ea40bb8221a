import { Octokit } from '@octokit/rest';
import { WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';
import { Outbox } from '../../src/journal/outbox.js';
import { Deliverer, type Telling } from '../../src/outbox/deliver.js';
import { GithubIssue, keysIn } from '../../src/outbox/github.js';
import { SlackThread } from '../../src/outbox/slack.js';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';

const message: Telling['message'] = () => ({ message: { mark: '', title: [], lines: [], evidence: [] }, head: 'head', at: new Date(0) });

type Sent = { readonly url: string; readonly body: string };
/** What the other side does with a request: takes it, takes it and says nothing, loses it, or refuses it. */
type Turn = 'takes' | 'takes in silence' | 'loses' | 'refuses';

function json(body: object, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

/** An engine with its outbox over two sinks, each of which meets its next requests to write as it is told. */
function startOutbox(turns: { slack?: Turn[]; github?: Turn[] }) {
  const bot = startEngine();
  const posts: { ts: string; root: string | null; key: string }[] = [];
  const comments: string[] = [];
  const cards: string[] = [];
  const deleted = new Set<string>();
  const onUpdate = { once: (): void => undefined };
  const meet = (left: Turn[] | undefined, write: () => Response): Response => {
    const turn = left?.shift() ?? 'takes';
    if (turn === 'loses') throw new TypeError('fetch failed');
    if (turn === 'refuses') return json({ ok: false, message: 'slow down' }, 429);
    const answer = write();
    if (turn === 'takes in silence') throw new TypeError('fetch failed');
    return answer;
  };
  const slack = (async (input, init) => {
    const { url, body }: Sent = { url: `${input}`, body: `${init?.body}` };
    const parameters = new URLSearchParams(body);
    const root = parameters.get('thread_ts');
    if (url.endsWith('chat.postMessage')) {
      if (root !== null && deleted.has(root)) return json({ ok: false, error: 'thread_not_found' });
      return meet(root === null ? [] : turns.slack, () => {
        const { event_payload: payload } = JSON.parse(parameters.get('metadata') ?? '{}');
        posts.push({ ts: `${posts.length + 1}.1`, root, key: payload.key });
        return json({ ok: true, ts: `${posts.length}.1` });
      });
    }
    const ts = parameters.get('ts');
    if (url.endsWith('chat.update')) {
      cards.push(`${parameters.get('text')}`);
      onUpdate.once();
      onUpdate.once = () => undefined;
    }
    const messages = posts
      .filter((post) => post.root === ts)
      .map((post) => ({ ts: post.ts, metadata: { event_payload: { key: post.key } } }));
    return json(
      deleted.has(`${ts}`) && url.endsWith('chat.update') ? { ok: false, error: 'message_not_found' } : { ok: true, ts, messages },
    );
  }) satisfies typeof fetch;
  const github = (async (_input, init) => {
    if (init?.method !== 'POST') return json(comments.map((body, id) => ({ id, body, user: { login: 'bot' } })));
    return meet(turns.github, () => {
      comments.push(JSON.parse(`${init.body}`).body);
      return json({ id: comments.length }, 201);
    });
  }) satisfies typeof fetch;
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const logger = { ...quiet, setLevel() {}, getLevel: () => 'error' as never, setName() {} };
  const client = new WebClient('xoxb', { fetch: slack, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true, logger });
  const octokit = new Octokit({ log: quiet, request: { fetch: github } });
  const outbox = new Outbox(bot.database);
  const issue = new GithubIssue(octokit, { owner: 'o', repo: 'r', issue_number: 1 }, async () => 'bot');
  const telling: Telling = { message, card: (operationId) => ({ text: `${bot.engine.view(operationId)?.state}`, blocks: [] }) };
  const deliverer = new Deliverer(outbox, telling, new SlackThread(client), issue, bot.world.now);
  const linesOnIssue = () => comments.flatMap(keysIn);
  return { bot, outbox, deliverer, posts, cards, onUpdate, deleted, linesOnIssue };
}

test('no line is passed over by a later one while it is not known whether it arrived', async () => {
  const { bot, deliverer, linesOnIssue } = startOutbox({ github: ['loses', 'refuses'] });
  bot.plan();
  bot.ask(APPROVER, 'plan_agreed');
  await deliverer.flushIssue();
  bot.world.advance(10);
  await deliverer.flushIssue();
  bot.ask(REQUESTER, 'cancel_asked');

  for (let n = 0; n < 4; n++) {
    bot.world.advance(120);
    await deliverer.flushIssue();
  }

  expect(linesOnIssue()).toEqual(['hero-1:1:issue:head', 'hero-1:2:issue:head', 'hero-1:3:issue:head']);
});

test('a reply that arrived under a root that was deleted since is found there, and not said again under the next root', async () => {
  const { bot, outbox, deliverer, posts, deleted } = startOutbox({ slack: ['takes', 'takes in silence'] });
  bot.plan();
  bot.ask(APPROVER, 'plan_agreed');
  await deliverer.flushThread();
  deleted.add('1.1');
  outbox.markCardLost('hero-1');

  for (let n = 0; n < 4; n++) {
    bot.world.advance(10);
    await deliverer.flushThread();
  }
  bot.ask(REQUESTER, 'cancel_asked');
  await deliverer.flushThread();

  expect(posts.map(({ key }) => key)).toEqual([
    'hero-1:card:1',
    'hero-1:1:thread:head',
    'hero-1:2:thread:head',
    'hero-1:card:2',
    'hero-1:3:thread:head',
  ]);
});

test('a card whose operation comes to its end while it is being redrawn is drawn again, and shows the end', async () => {
  const { bot, deliverer, cards, onUpdate } = startOutbox({});
  bot.engine.onRecorded((operationId) => deliverer.touch(operationId));
  bot.plan();
  await deliverer.flushThread();
  bot.ask(APPROVER, 'plan_agreed');
  onUpdate.once = () => bot.ask(REQUESTER, 'cancel_asked');

  for (let n = 0; n < 3; n++) {
    bot.world.advance(2);
    await deliverer.flushThread();
  }

  expect(cards).toEqual(['agreed', 'cancelled']);
});
