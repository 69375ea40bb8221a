import { expect, test } from 'vitest';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';
import { HANDOFF, OLD_RUN } from '../support/plan.js';
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
