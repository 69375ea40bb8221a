import { LogLevel, WebClient } from '@slack/web-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Desk } from '../../../src/local/desk/desk.js';
import { ANA, BO, HERO, openDesk, TOKENS } from './support/small-bot.js';

/** What is refused here on purpose is no news on the console. */
const logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

let desk: Desk;
let slack: WebClient;

beforeAll(async () => {
  desk = await openDesk();
  slack = new WebClient(TOKENS.botToken, {
    slackApiUrl: desk.slackApiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger,
  });
});
afterAll(() => desk.stop());

const section = (text: string) => ({ type: 'section' as const, text: { type: 'mrkdwn' as const, text } });

async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return 'not refused';
  } catch (error) {
    return error instanceof Error && 'data' in error ? error.data : error;
  }
}

test('people and channels have the ids of the fleet file, and the bot knows its own author', async () => {
  const [auth, ana, channel] = await Promise.all([
    slack.auth.test(),
    slack.users.info({ user: ANA.id }),
    slack.conversations.info({ channel: HERO.id }),
  ]);

  expect(ana.user).toMatchObject({ id: ANA.id, name: 'ana', real_name: 'Ana Ng', is_bot: false });
  expect(channel.channel).toMatchObject({ id: HERO.id, name: 'hero', is_member: true });
  const posted = await slack.chat.postMessage({ channel: HERO.id, text: 'who am I' });
  expect(posted.message).toMatchObject({ bot_id: auth.bot_id, user: auth.user_id, text: 'who am I' });
});

test('a token that Slack does not know gets nowhere', async () => {
  const stranger = new WebClient('xoxb-stranger', { slackApiUrl: desk.slackApiUrl, retryConfig: { retries: 0 }, logger });

  expect(await refusalOf(stranger.chat.postMessage({ channel: HERO.id, text: 'hello' }))).toMatchObject({ error: 'invalid_auth' });
  expect((await desk.messages()).some(({ text }) => text === 'hello')).toBe(false);
});

test('metadata is kept, and read back only by those who ask for it', async () => {
  const metadata = { event_type: 'told', event_payload: { key: 'hero-1:3' } };
  const root = await slack.chat.postMessage({ channel: HERO.id, text: 'card', metadata });

  const without = await slack.conversations.history({ channel: HERO.id, limit: 1 });
  const withIt = await slack.conversations.history({ channel: HERO.id, limit: 1, include_all_metadata: true });

  expect(without.messages?.[0]).not.toHaveProperty('metadata');
  expect(withIt.messages?.[0]).toMatchObject({ ts: root.ts, metadata });
});

test('replies stand in their thread in order, and are paged from the time asked for', async () => {
  const root = await slack.chat.postMessage({ channel: HERO.id, text: 'root' });
  const thread_ts = String(root.ts);
  const stamps: string[] = [];
  for (const text of ['one', 'two', 'three']) stamps.push(String((await slack.chat.postMessage({ channel: HERO.id, text, thread_ts })).ts));

  const firstPage = await slack.conversations.replies({ channel: HERO.id, ts: thread_ts, limit: 2 });
  const rest = await slack.conversations.replies({
    channel: HERO.id,
    ts: thread_ts,
    cursor: String(firstPage.response_metadata?.next_cursor),
  });
  const later = await slack.conversations.replies({ channel: HERO.id, ts: thread_ts, oldest: String(stamps[0]) });

  expect((await desk.thread(thread_ts)).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
  expect(firstPage.messages?.map(({ text }) => text)).toEqual(['root', 'one']);
  expect(rest.messages?.map(({ text }) => text)).toEqual(['two', 'three']);
  expect(later.messages?.map(({ text }) => text)).toEqual(['two', 'three']);
});

test('a reply to a thread that is not there is refused', async () => {
  const lost = slack.chat.postMessage({ channel: HERO.id, text: 'lost', thread_ts: '1000000000.000001' });

  expect(await refusalOf(lost)).toMatchObject({ error: 'thread_not_found' });
});

test('an update with text alone takes the blocks away, and only own messages can be updated', async () => {
  const card = await slack.chat.postMessage({ channel: HERO.id, text: 'card', blocks: [section('card')] });
  const ts = String(card.ts);

  await slack.chat.update({ channel: HERO.id, ts, text: 'new', blocks: [section('new')] });
  const drawn = (await desk.messages()).find((message) => message.ts === ts);
  await slack.chat.update({ channel: HERO.id, ts, text: 'bare' });
  const bare = (await desk.messages()).find((message) => message.ts === ts);

  expect(drawn).toMatchObject({ text: 'new', blocks: [{ text: { text: 'new' } }] });
  expect(drawn).not.toHaveProperty('edited');
  expect(bare).toMatchObject({ text: 'bare', edited: {} });
  expect(bare?.blocks ?? []).toEqual([]);
  expect(await refusalOf(slack.chat.update({ channel: HERO.id, ts: '1.2', text: 'x' }))).toMatchObject({ error: 'message_not_found' });
  expect(await refusalOf(slack.chat.update({ channel: HERO.id, ts, text: 'x'.repeat(4_001) }))).toMatchObject({ error: 'msg_too_long' });
});

test('blocks that Slack would not draw are refused with the place of each fault', async () => {
  const post = (blocks: unknown[]) => refusalOf(slack.apiCall('chat.postMessage', { channel: HERO.id, text: 'x', blocks }));
  const button = { type: 'button', text: { type: 'plain_text', text: 'Go' }, action_id: 'go', value: 'hero-1:4:go:00000000' };

  expect(await post([section('x'.repeat(3_001))])).toMatchObject({
    error: 'invalid_blocks',
    response_metadata: { messages: ['[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]'] },
  });
  expect(await post(Array.from({ length: 51 }, () => ({ type: 'divider' })))).toMatchObject({ error: 'invalid_blocks' });
  expect(await post([{ type: 'carousel' }])).toMatchObject({
    response_metadata: { messages: ['[ERROR] unsupported type: carousel [json-pointer:/blocks/0/type]'] },
  });
  expect(await post([{ type: 'header', text: { type: 'mrkdwn', text: 'no' } }])).toMatchObject({ error: 'invalid_blocks' });
  expect(await post([{ type: 'actions', elements: [button, button] }])).toMatchObject({ error: 'invalid_blocks' });
  expect(await post([{ type: 'actions', elements: [{ ...button, style: 'default' }] }])).toMatchObject({ error: 'invalid_blocks' });
  expect(await post([{ type: 'actions', elements: [{ ...button, value: 'v'.repeat(2_001) }] }])).toMatchObject({ error: 'invalid_blocks' });
  expect(await post([{ type: 'context', elements: [] }])).toMatchObject({ error: 'invalid_blocks' });
  expect(await post([{ type: 'section', text: { type: 'mrkdwn', text: 'x' }, colour: 'red' }])).toMatchObject({ error: 'invalid_blocks' });
  expect(await post(Array.from({ length: 5 }, () => section('x'.repeat(2_900))))).toMatchObject({ error: 'msg_blocks_too_long' });
  expect(await post([section('fine'), { type: 'actions', elements: [button] }])).toBe('not refused');
});

test('an ephemeral message is seen by the one it is for, and by nobody else', async () => {
  await slack.chat.postEphemeral({ channel: HERO.id, user: ANA.id, text: 'only you' });

  expect(desk.ephemerals(ANA.id).map(({ text }) => text)).toContain('only you');
  expect(desk.ephemerals(BO.id)).toEqual([]);
  expect((await desk.messages()).some(({ text }) => text === 'only you')).toBe(false);
});

test('a reply that is lost after the write leaves exactly one message', async () => {
  desk.fault({ sink: 'slack', method: 'chat.postMessage', kind: 'drop_after_write', times: 1 });

  await expect(slack.chat.postMessage({ channel: HERO.id, text: 'written, not heard of' })).rejects.toThrow();

  expect((await desk.messages()).filter(({ text }) => text === 'written, not heard of')).toHaveLength(1);
});

test('a connection that breaks before the write leaves no message', async () => {
  desk.fault({ sink: 'slack', method: 'chat.postMessage', kind: 'drop_before_write', times: 1 });

  await expect(slack.chat.postMessage({ channel: HERO.id, text: 'never written' })).rejects.toThrow();

  expect((await desk.messages()).some(({ text }) => text === 'never written')).toBe(false);
});

test('a rate limit says how long to wait, for as many requests as it is set for', async () => {
  desk.fault({ sink: 'slack', method: 'chat.postMessage', kind: 'status', status: 429, headers: { 'retry-after': '7' }, times: 1 });

  await expect(slack.chat.postMessage({ channel: HERO.id, text: 'too fast' })).rejects.toMatchObject({ retryAfter: 7 });
  await expect(slack.chat.postMessage({ channel: HERO.id, text: 'slower' })).resolves.toMatchObject({ ok: true });
});

test('an outage lasts until it is mended', async () => {
  desk.fault({ sink: 'slack', kind: 'status', error: 'service_unavailable', times: 1_000 });
  const during = await refusalOf(slack.chat.postMessage({ channel: HERO.id, text: 'x' }));
  desk.mend('slack');

  expect(during).toMatchObject({ error: 'service_unavailable' });
  await expect(slack.auth.test()).resolves.toMatchObject({ ok: true });
});
