import { afterEach, expect, test } from 'vitest';
import { APPROVER, REQUESTER } from '../support/engine.js';
import { HANDOFF, OLD_RUN } from '../support/plan.js';
import { ToldWorld } from './told-world.js';

let world: ToldWorld;
afterEach(() => world.close());

/** Ten minutes, at five seconds a tick. */
const TEN_MINUTES = 120;

/** Plays on until a state, then lets the rest of the ten minutes pass. */
async function playFor(ticks: number, state: string, steps: number): Promise<void> {
  let passed = 0;
  for (; passed < ticks && world.bot.state() !== state; passed++) await world.pass(1, steps);
  expect(world.bot.state()).toBe(state);
  await world.pass(ticks - passed, 1);
}

/** Until nothing waits any more; virtual, since what is unclear is looked up only after a while. */
async function toldAll(): Promise<void> {
  for (let n = 0; n < 60 && world.outbox.backlog().length > 0; n++) await world.pass(1, 1);
  expect(world.outbox.backlog()).toEqual([]);
}

/** That both sinks hold what was told: the same, in the same order, each line once. */
async function expectSameOrder(atLeast: number): Promise<void> {
  const { told, thread, issue } = await world.told();
  expect(thread).toEqual(told);
  expect(issue).toEqual(told);
  expect(told.length).toBeGreaterThanOrEqual(atLeast);
}

async function toGate(): Promise<void> {
  world.bot.world.start(OLD_RUN, HANDOFF);
  world.bot.plan();
  world.bot.ask(APPROVER, 'plan_agreed');
  world.bot.ask(REQUESTER, 'preflight_asked');
  await world.pass(1, 10);
  await world.pass(3, 60);
  expect(world.bot.state()).toBe('awaiting_launch');
}

test('Slack down for ten minutes of a swap, from the cut on: it goes on, the issue is told on time, the thread hears the same afterwards', async () => {
  world = await ToldWorld.start();
  await toGate();
  world.bot.ask(APPROVER, 'launch_approved');
  world.slack.goesDown();

  await playFor(TEN_MINUTES, 'awaiting_decision', 10);
  const before = await world.told();
  world.slack.mend();
  await toldAll();

  expect(before.issue).toEqual(before.told);
  expect(before.thread.length).toBeLessThan(before.told.length);
  await expectSameOrder(12);
});

test('GitHub down for ten minutes of the way back: it stops and rolls back, the thread is told on time, the issue hears the same afterwards', async () => {
  world = await ToldWorld.start();
  await toGate();
  world.bot.ask(APPROVER, 'launch_approved');
  for (let n = 0; n < 40 && world.bot.state() !== 'trial'; n++) await world.pass(1, 3);
  world.github.goesDown();
  world.bot.ask(REQUESTER, 'rollback_asked');

  await playFor(TEN_MINUTES, 'rolled_back', 20);
  const before = await world.told();
  world.github.mend();
  await toldAll();

  expect(before.thread).toEqual(before.told);
  expect(before.issue.length).toBeLessThan(before.told.length);
  await expectSameOrder(14);
});

test('both down for ten minutes: what was decided is stopped and rolled back, and afterwards both hold the same list', async () => {
  world = await ToldWorld.start();
  await toGate();
  world.bot.ask(APPROVER, 'launch_approved');
  for (let n = 0; n < 40 && world.bot.state() !== 'trial'; n++) await world.pass(1, 3);
  world.slack.goesDown();
  world.github.goesDown();
  world.bot.ask(REQUESTER, 'rollback_asked');

  await playFor(TEN_MINUTES, 'rolled_back', 20);
  const before = await world.told();
  world.slack.mend();
  world.github.mend();
  await toldAll();

  expect(before.thread.length).toBeLessThan(before.told.length);
  expect(before.issue.length).toBeLessThan(before.told.length);
  await expectSameOrder(14);
});

test('an outage in which some requests take effect and none is answered leaves no line twice', async () => {
  world = await ToldWorld.start();
  await toGate();
  world.bot.ask(APPROVER, 'launch_approved');
  for (const proxy of [world.slack, world.github]) proxy.plays(/chat\.postMessage|^POST .*comments/, { kind: 'drops_after' }, 5);

  await playFor(TEN_MINUTES, 'awaiting_decision', 10);
  await toldAll();

  await expectSameOrder(12);
});
