import { afterEach, expect, test } from 'vitest';
import { keysIn } from '../../src/outbox/github.js';
import { APPROVER, REQUESTER } from '../support/engine.js';
import type { Fate } from './fault-proxy.js';
import { ToldWorld } from './told-world.js';

const FULL: Fate = {
  kind: 'answers',
  status: 403,
  body: { message: 'Commenting is disabled on issues with more than 2,500 comments' },
};

let world: ToldWorld;
afterEach(() => world.close());

/** A planned operation that has been told, and an issue that takes no more after it. */
async function planned(opens: boolean): Promise<void> {
  world = await ToldWorld.start({}, { opens, follows: undefined });
  world.bot.plan();
  await world.tell();
  world.github.plays(new RegExp(`^POST .*/issues/${world.desk.issueNumber}/comments`), FULL, Infinity);
}

async function seconds(count: number, deliverer = world.deliverer): Promise<void> {
  for (let n = 0; n < count; n++) {
    world.bot.world.advance(1);
    await deliverer.flushThread();
    await deliverer.flushIssue();
  }
}

/** The rows that each issue tells, by issue. */
async function rows(): Promise<readonly (readonly string[])[]> {
  return (await world.issues()).map(({ comments }) => comments.flatMap(keysIn).map((key) => key.split(':')[1] ?? ''));
}

async function said(words: string): Promise<readonly string[]> {
  return (await world.replies()).map(({ text }) => `${text}`).filter((text) => text.includes(words));
}

test('F74: a full issue is followed by one of our own, both name each other, and the lines go on there in order', async () => {
  await planned(true);
  world.bot.ask(APPROVER, 'plan_agreed');
  world.bot.ask(REQUESTER, 'cancel_asked');
  await seconds(5);

  const [full, next, ...more] = await world.issues();
  expect(more).toEqual([]);
  expect(await rows()).toEqual([['1'], ['2', '3']]);
  expect(next?.title).toBe(full?.title);
  expect(next?.body).toContain(`Continues #${full?.number}`);
  expect(full?.body).toContain(`Goes on in #${next?.number}.`);
  expect(await said('takes no more comments')).toEqual([expect.stringContaining('The mirror goes on in')]);
  expect(world.github.seen.filter((line) => line.startsWith('POST') && line.includes(`/issues/${full?.number}/comments`))).toHaveLength(2);
});

test.each([
  ['after the follow-up was opened, and before anything was written there', 1],
  ['after lines went there', 5],
])('F74: a bot that was killed %s finds it again, opens no second, and says nothing twice', async (_when, count) => {
  await planned(true);
  world.bot.ask(APPROVER, 'plan_agreed');
  if (count === 1) await world.deliverer.flushIssue();
  else await seconds(count);
  const again = world.restarted();
  world.bot.ask(REQUESTER, 'cancel_asked');
  await seconds(5, again);

  expect(await rows()).toEqual([['1'], ['2', '3']]);
});

test('F74: an answer that is lost while the follow-up is opened opens no second', async () => {
  await planned(true);
  world.github.plays(/^POST .*\/issues$/, { kind: 'drops_after' });
  world.bot.ask(APPROVER, 'plan_agreed');
  await seconds(130);

  expect(await rows()).toEqual([['1'], ['2']]);
});

test('F74: a line that may have arrived in the full issue is looked up there, not said again in the next', async () => {
  world = await ToldWorld.start({}, { opens: false, follows: undefined });
  world.bot.plan();
  world.github.plays(/^POST .*\/comments/, { kind: 'drops_after' });
  await world.tell();
  const full = world.desk.issueNumber;
  const next = await world.opensIssue('Hero status, part two');
  const again = world.restarted(next, { opens: false, follows: full });
  world.bot.ask(APPROVER, 'plan_agreed');
  await seconds(5, again);

  expect(await rows()).toEqual([['1'], ['2']]);
  const issues = await world.issues();
  expect(issues[0]?.body).toContain(`Goes on in #${next}.`);
  expect(issues[1]?.body).toContain(`Continues #${full}.`);
});

test('F74: by default a person is asked for a follow-up issue, once, and none is opened', async () => {
  await planned(false);
  world.bot.ask(APPROVER, 'plan_agreed');
  await seconds(20);

  expect(await said('takes no more comments')).toEqual([expect.stringContaining('name a new issue in the fleet file')]);
  expect(await world.issues()).toHaveLength(1);
});
