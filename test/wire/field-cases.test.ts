import { afterEach, expect, test } from 'vitest';
import { APPROVER, REQUESTER } from '../support/engine.js';
import type { Fate } from './fault-proxy.js';
import { CHANNEL, keyOf, SECOND, ToldWorld } from './told-world.js';

let world: ToldWorld;
afterEach(() => world.close());

/** A planned operation that has been told. */
async function planned(): Promise<ToldWorld> {
  world = await ToldWorld.start();
  world.bot.plan();
  await world.tell();
  return world;
}

function refusal(error: string): Fate {
  return { kind: 'answers', status: 200, body: { ok: false, error } };
}

function githubRefusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Fate {
  return { kind: 'answers', status, headers, body: { message } };
}

async function minutes(count: number): Promise<void> {
  for (let n = 0; n < count * 12; n++) {
    world.bot.world.advance(5);
    await world.tell();
  }
}

/** Texts of messages, or of their blocks where they have any. */
function textsOf(messages: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  return messages.map(({ text }) => `${text}`);
}

function posts(proxy: 'slack' | 'github'): number {
  return world[proxy].seen.filter((line) => (proxy === 'slack' ? /chat\.postMessage/ : /^POST .*\/comments/).test(line)).length;
}

async function expectToldInOrder(): Promise<void> {
  const { told, thread, issue } = await world.told();
  expect({ thread, issue }).toEqual({ thread: told, issue: told });
}

test.each(['is_archived', 'channel_not_found', 'not_in_channel', 'restricted_action_read_only_channel'])(
  'F63: a channel that answers %s keeps its queue; the second channel and the issue are told once; afterwards nothing is missing',
  async (error) => {
    await planned();
    world.slack.plays(/chat\.(postMessage|update)/, refusal(error));
    world.bot.ask(APPROVER, 'plan_agreed');
    await world.tell();
    const tries = posts('slack');
    world.bot.ask(REQUESTER, 'cancel_asked');
    await minutes(9);

    const elsewhere = textsOf(await world.roots(SECOND.id));
    expect(elsewhere).toEqual([expect.stringContaining('takes no posts any more')]);
    expect(elsewhere[0]).toContain(error);
    expect((await world.desk.issue()).comments.filter(({ body }) => body.includes('takes no posts any more'))).toHaveLength(1);
    expect((await world.told()).thread).toEqual(['1']);
    expect(posts('slack')).toBeLessThanOrEqual(tries + 1); // the second channel's; the lost one is not tried as if it were a passing fault
    expect(world.bot.state()).toBe('cancelled');

    await minutes(3);
    await expectToldInOrder();
    expect(await world.roots(SECOND.id)).toHaveLength(1);
  },
);

test('F63: after a restart the second channel is not told again', async () => {
  await planned();
  world.slack.plays(/chat\.postMessage/, refusal('is_archived'));
  world.bot.ask(APPROVER, 'plan_agreed');
  await world.tell();
  const again = world.restarted();
  world.slack.plays(/chat\.postMessage/, refusal('is_archived'));

  for (let n = 0; n < 130; n++) {
    world.bot.world.advance(5);
    await again.flushThread();
    await again.flushIssue();
  }

  expect(await world.roots(SECOND.id)).toHaveLength(1);
  expect((await world.desk.issue()).comments.filter(({ body }) => body.includes('takes no posts any more'))).toHaveLength(1);
});

test('F64: a thread whose first message was deleted goes on under a new one that links the old; nothing is said again or loose', async () => {
  await planned();
  world.bot.ask(APPROVER, 'plan_agreed');
  await world.tell();
  const [root] = await world.roots();
  await world.deletes(`${root?.ts}`);
  world.bot.ask(REQUESTER, 'cancel_asked');
  await minutes(1);

  const roots = await world.roots();
  const last = roots.at(-1);
  expect(JSON.stringify(last)).toContain('goes on here: the first message of its thread was lost');
  expect(JSON.stringify(last)).toContain('the thread so far>');
  expect(roots.filter((each) => each.ts !== root?.ts).map(keyOf)).toEqual(['hero-1:card:2']);
  expect((await world.desk.thread(`${last?.ts}`, CHANNEL.id)).map(keyOf)).toEqual([expect.stringMatching(/^hero-1:3:thread/)]);
  expect((await world.desk.issue()).comments.filter(({ body }) => body.includes('was lost; it goes on under a new one'))).toHaveLength(1);
  expect((await world.told()).issue).toEqual(['1', '2', '3']);
  expect(world.bot.state()).toBe('cancelled');
});

test('F64: a reply that Slack puts loose into the channel is taken back, and said under a new first message', async () => {
  await planned();
  const loose = (body: string): string => {
    const fields = new URLSearchParams(body);
    fields.delete('thread_ts');
    return `${fields}`;
  };
  world.slack.plays(/chat\.postMessage/, { kind: 'changes', body: loose });
  world.bot.ask(APPROVER, 'plan_agreed');
  await minutes(1);

  expect((await world.roots()).map(keyOf)).toEqual(['hero-1:card:1', 'hero-1:card:2']);
  await expectToldInOrder();
});

test.each(['cant_update_message', 'edit_window_closed', 'block_mismatch'])(
  'F69: a card that answers %s is dead: its thread says so, a new card follows, and the decision stands',
  async (error) => {
    await planned();
    world.slack.plays(/chat\.update/, refusal(error), 2);
    world.bot.ask(APPROVER, 'plan_agreed');
    await minutes(1);

    const [old, next, ...more] = await world.roots();
    expect([keyOf(old ?? {}), keyOf(next ?? {}), more]).toEqual(['hero-1:card:1', 'hero-1:card:2', []]);
    const said = textsOf(await world.desk.thread(`${old?.ts}`, CHANNEL.id));
    expect(said.filter((text) => text.includes('its buttons are dead'))).toHaveLength(1);
    expect(JSON.stringify(next)).toContain('goes on here');
    expect(world.bot.state()).toBe('agreed');
    await expectToldInOrder();
  },
);

test('F69: a card that was deleted is followed by another, and the old buttons stay refused', async () => {
  await planned();
  world.slack.plays(/chat\.update/, refusal('message_not_found'));
  world.bot.ask(APPROVER, 'plan_agreed');
  await minutes(1);

  expect((await world.roots()).map(keyOf)).toEqual(['hero-1:card:1', 'hero-1:card:2']);
  const late = world.bot.engine.request({
    operationId: 'hero-1',
    on: 'plan_agreed',
    by: APPROVER,
    requestKey: 'a late click',
    drawnFor: 1,
    details: {},
  });
  expect(late).toMatchObject({ kind: 'refused' });
  expect(world.bot.state()).toBe('agreed');
});

test('F71: a locked issue is no rate limit: the thread says it once, and the lines follow in order after the unlock', async () => {
  await planned();
  world.github.plays(/^POST .*\/comments/, githubRefusal(403, 'Unable to create comment because issue is locked.'), 3);
  world.bot.ask(APPROVER, 'plan_agreed');
  await world.tell();
  await minutes(1);
  const tries = posts('github');
  world.bot.ask(REQUESTER, 'cancel_asked');
  await minutes(3);

  const said = textsOf(await world.replies()).filter((text) => text.includes('The mirror is blocked'));
  expect(said).toEqual([expect.stringContaining('is locked: unlock the conversation')]);
  expect(posts('github')).toBe(tries);
  expect((await world.told()).issue).toEqual(['1']);

  await minutes(12);
  await expectToldInOrder();
  expect(textsOf(await world.replies()).filter((text) => text.includes('The mirror is blocked'))).toHaveLength(1);
});

test.each([
  ['deleted', githubRefusal(410, 'This issue was deleted'), 'is deleted, moved, or hidden'],
  ['not there', githubRefusal(404, 'Not Found'), 'is deleted, moved, or hidden'],
  ['full', githubRefusal(403, 'Commenting is disabled on issues with more than 2,500 comments'), 'takes no more comments'],
  ['not ours to write', githubRefusal(403, 'Resource not accessible by integration'), 'may not be written by the bot'],
])('F71 and its kind: an issue that is %s is said in the thread, and not tried on and on', async (_what, fate, words) => {
  await planned();
  world.github.plays(/^POST .*\/comments/, fate, 100);
  world.bot.ask(APPROVER, 'plan_agreed');
  await minutes(10);

  expect(textsOf(await world.replies()).filter((text) => text.includes(words))).toHaveLength(1);
  expect(posts('github')).toBeLessThanOrEqual(1 + 3);
  world.github.mend();
  await minutes(6);
  await expectToldInOrder();
});

test.each([
  ['a secondary limit with its wait', githubRefusal(403, 'You have exceeded a secondary rate limit', { 'retry-after': '90' }), 90],
  ['a secondary limit as 429', githubRefusal(429, 'Too many requests', { 'retry-after': '90' }), 90],
  ['a secondary limit that names no wait', githubRefusal(403, 'You have exceeded a secondary rate limit'), 60],
])('%s is waited for, whatever comes meanwhile, and is not said to be a lock', async (_what, fate, waitSeconds) => {
  await planned();
  world.github.plays(/^POST .*\/comments/, fate);
  world.bot.ask(APPROVER, 'plan_agreed');
  await world.tell();
  const tries = posts('github');
  world.bot.ask(REQUESTER, 'cancel_asked');
  world.bot.world.advance(waitSeconds - 5);
  await world.tell();

  expect(posts('github')).toBe(tries);
  await minutes(1);
  await expectToldInOrder();
  expect(await saidOfMirror()).toEqual(['Mirror delayed', 'Mirror goes on']);
});

/** What the threads say of the mirror, by its first words. */
async function saidOfMirror(): Promise<readonly string[]> {
  return textsOf(await world.replies()).flatMap((text) => /^The mirror is blocked|^Mirror delayed|^Mirror goes on/.exec(text) ?? []);
}

test('F77: what waits for a limit follows in order, about one comment a second; each thread is told once, and the issue nothing of it', async () => {
  await planned();
  const limit = githubRefusal(403, 'You have exceeded a secondary rate limit', { 'retry-after': '60' });
  world.github.plays(/^POST .*\/comments/, limit, 2);
  world.bot.ask(APPROVER, 'plan_agreed');
  await world.tell();
  world.bot.ask(REQUESTER, 'cancel_asked');
  world.bot.plan();
  await world.tell();
  world.bot.ask(APPROVER, 'plan_agreed', {}, 'hero-2');
  world.bot.ask(REQUESTER, 'cancel_asked', {}, 'hero-2');
  const tries = posts('github');
  world.bot.world.advance(59);
  await world.tell();
  expect(posts('github')).toBe(tries);

  world.bot.world.advance(1); // and GitHub asks for another minute
  await world.tell();
  world.bot.world.advance(60);
  for (let n = 0; n < 5; n++) await world.tell();
  expect(posts('github')).toBe(tries + 2);
  world.bot.world.advance(1);
  await world.tell();
  expect(posts('github')).toBe(tries + 3);
  await minutes(2);

  await expectToldInOrder();
  const second = await world.told('hero-2');
  expect(second.issue).toEqual(second.told);
  expect(await saidOfMirror()).toEqual(['Mirror delayed', 'Mirror delayed', 'Mirror goes on', 'Mirror goes on']);
  expect((await world.desk.issue()).comments.filter(({ body }) => /harbor-notice|limit|delayed/.test(body))).toEqual([]);
});

test('F77: a bot that is killed during the wait keeps waiting, and says that the mirror goes on', async () => {
  await planned();
  world.github.plays(/^POST .*\/comments/, githubRefusal(429, 'Too many requests', { 'retry-after': '90' }));
  world.bot.ask(APPROVER, 'plan_agreed');
  await world.tell();
  await world.tell();
  const tries = posts('github');
  const again = world.restarted();
  const round = async (): Promise<void> => {
    await again.flushThread();
    await again.flushIssue();
  };
  world.bot.world.advance(80);
  await round();
  expect(posts('github')).toBe(tries);
  world.bot.world.advance(15);
  await round();
  await round();

  await expectToldInOrder();
  expect(await saidOfMirror()).toEqual(['Mirror delayed', 'Mirror goes on']);
});

test.each([
  ['301, which turns a comment into a list', 301],
  ['307, which does not', 307],
])('an issue whose repository was renamed (%s) gets each line once', async (_what, status) => {
  await planned();
  const location = `${world.github.url}/github/repos/marin-community/marin/issues/${world.desk.issueNumber}/comments`;
  world.github.plays(/^POST .*\/comments/, { kind: 'answers', status, headers: { location }, body: {} });
  world.bot.ask(APPROVER, 'plan_agreed');
  await minutes(2);

  await expectToldInOrder();
});

test('F73: an issue that house-keeping closed is written to, and the thread asks once whether to reopen it', async () => {
  await planned();
  await world.closesIssue();
  world.bot.world.advance(70);
  world.bot.ask(APPROVER, 'plan_agreed');
  await world.tell();
  world.bot.world.advance(70);
  world.bot.ask(REQUESTER, 'cancel_asked');
  await minutes(3);

  expect(textsOf(await world.replies()).filter((text) => text.includes('is closed'))).toEqual([expect.stringContaining('reopen it?')]);
  expect(world.github.seen.filter((line) => line.startsWith('PATCH'))).toEqual([]);
  await expectToldInOrder();
});

test('a storm of 429 and 500 on both sides loses nothing and doubles nothing', async () => {
  world = await ToldWorld.start();
  const storm: readonly Fate[] = [
    { kind: 'answers', status: 429, headers: { 'retry-after': '3' }, body: { ok: false, error: 'ratelimited', message: 'slow down' } },
    { kind: 'answers', status: 500, body: { ok: false, error: 'internal_error', message: 'oops' } },
    { kind: 'drops_after' },
    refusal('fatal_error'),
    { kind: 'slow', ms: 30 },
    { kind: 'drops_before' },
    refusal('service_unavailable'),
  ];
  for (const fate of [...storm, ...storm]) {
    for (const proxy of [world.slack, world.github]) proxy.plays(/chat\.|conversations\.|\/comments/, fate);
  }
  world.bot.plan();
  world.bot.ask(APPROVER, 'plan_agreed');
  world.bot.ask(REQUESTER, 'cancel_asked');
  await minutes(15);

  await expectToldInOrder();
  expect((await world.roots()).map(keyOf)).toEqual(['hero-1:card:1']);
});

test.each(['msg_too_long', 'msg_blocks_too_long', 'invalid_blocks'])(
  'a line that Slack finds too large (%s) goes out short, at once and once',
  async (error) => {
    await planned();
    world.slack.plays(/chat\.postMessage/, refusal(error));
    world.bot.ask(APPROVER, 'plan_agreed');
    await world.tell();

    expect(textsOf(await world.replies()).at(-1)).toContain('Shortened: Slack takes no more. The full text is in the record.');
    await expectToldInOrder();
  },
);

test('F76: a comment that GitHub finds too long whatever we counted goes out short, with its marker', async () => {
  await planned();
  world.github.plays(/^POST .*\/comments/, githubRefusal(422, 'Validation Failed: body is too long (maximum is 65536 characters)'));
  world.bot.ask(APPROVER, 'plan_agreed');
  await world.tell();

  expect((await world.desk.issue()).comments.at(-1)?.body).toContain('Shortened: the full text is in the record');
  await expectToldInOrder();
});
