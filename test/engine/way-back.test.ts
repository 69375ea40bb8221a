import { expect, test } from 'vitest';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';
import { DEPLOY, HANDOFF, OLD_RUN, ROLLBACK, WINDOW } from '../support/plan.js';
import { checkpointOf } from '../support/world.js';

type Bot = ReturnType<typeof startEngine>;

async function until(bot: Bot, state: string, ticks = 60, steps = 0): Promise<void> {
  for (let n = 0; n < ticks && bot.state() !== state; n++) await bot.tick(1, steps);
  expect(bot.state()).toBe(state);
}

const ANCHOR = HANDOFF - 100;

/** A rollback whose old tree holds only a checkpoint from before the handoff. */
async function awaitingAnchor(): Promise<Bot> {
  const bot = startEngine();
  await bot.toTrial();
  bot.world.trees = { [OLD_RUN]: [checkpointOf(ANCHOR)] };
  bot.ask(REQUESTER, 'rollback_asked');
  await until(bot, 'awaiting_anchor');
  return bot;
}

test('an anchor is not confirmed beside a run that somebody launched by hand, though it was seen only once', async () => {
  const bot = await awaitingAnchor();
  bot.world.start(OLD_RUN, ANCHOR);
  await bot.tick();

  expect(bot.ask(APPROVER, 'anchor_confirmed', { step: `${ANCHOR}` })).toMatchObject({ kind: 'refused', refusal: 'not_proven' });
  await until(bot, 'held');

  expect(bot.world.acts).not.toContain('launch rollback');
  expect(bot.world.live()).toHaveLength(1);
});

test('an anchor is not confirmed while nobody knows what is live', async () => {
  const bot = await awaitingAnchor();
  bot.world.unknown.set('coordinators', 'timed_out');
  await bot.tick();
  expect(bot.ask(APPROVER, 'anchor_confirmed', { step: `${ANCHOR}` })).toMatchObject({ refusal: 'not_proven' });

  bot.world.unknown.clear();
  await bot.tick();
  bot.world.advance(60);
  expect(bot.ask(APPROVER, 'anchor_confirmed', { step: `${ANCHOR}` })).toMatchObject({ refusal: 'not_proven' });
  await bot.tick();

  expect(bot.ask(APPROVER, 'anchor_confirmed', { step: `${ANCHOR}` })).toMatchObject({ kind: 'advanced' });
});

test('a relaunched run that restarts is not compared with its own wrong replay', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.ask(REQUESTER, 'rollback_asked');
  await until(bot, 'replaying');
  bot.world.loss = () => 9;
  bot.world.unknown.set('series', 'failed');
  const first = bot.world.runs.at(-1);
  await bot.tick(1, WINDOW * 4);

  // One coordinator, two executions: the second replays what the first did.
  Object.assign(first ?? {}, { state: 'pending' });
  bot.world.start(OLD_RUN, HANDOFF);
  await bot.tick(1, WINDOW * 4);
  Object.assign(bot.world.runs.at(-1) ?? {}, { state: 'killed' });
  Object.assign(first ?? {}, { state: 'running' });
  bot.world.unknown.clear();
  await bot.tick(2);

  expect(bot.journal.history('hero-1').at(-1)).toMatchObject({ from_state: 'replaying', event: 'retried', to_state: 'held' });
});

test('the old run is not launched from a worktree that left its commit after the cut', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.world.rollbackHead = DEPLOY;
  bot.ask(REQUESTER, 'rollback_asked');
  await until(bot, 'held');
  expect(bot.engine.view('hero-1')?.history.at(-1)?.details.sentence).toContain('check that out');
  expect(bot.world.acts).not.toContain('launch rollback');

  bot.world.rollbackHead = ROLLBACK;
  await until(bot, 'replaying');

  expect(bot.world.acts.filter((act) => act === 'launch rollback')).toHaveLength(1);
});

test('an anchor is not confirmed while the rollback worktree is at another commit', async () => {
  const bot = await awaitingAnchor();
  bot.world.rollbackHead = DEPLOY;
  await bot.tick();

  expect(bot.ask(APPROVER, 'anchor_confirmed', { step: `${ANCHOR}` })).toMatchObject({ refusal: 'not_proven' });
});
