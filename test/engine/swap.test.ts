import { expect, test } from 'vitest';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';
import { NEW_RUN, OLD_RUN } from '../support/plan.js';

test('a good change is swapped in, watched and kept', async () => {
  const bot = startEngine();

  await bot.toTrial();
  for (let n = 0; n < 20 && bot.state() === 'trial'; n++) await bot.tick(1, 10);
  expect(bot.state()).toBe('awaiting_decision');
  bot.ask(APPROVER, 'go_approved');
  for (let n = 0; n < 60 && bot.state() === 'watching'; n++) await bot.tick(1, 1);

  expect(bot.path()).toEqual([
    'null → planned',
    'planned → agreed',
    'agreed → preflighting',
    'preflighting → ready',
    'ready → awaiting_launch',
    'awaiting_launch → arming',
    'arming → forking',
    'forking → stopping_old',
    'stopping_old → launching',
    'launching → starting',
    'starting → starting',
    'starting → trial',
    'trial → awaiting_decision',
    'awaiting_decision → watching',
    'watching → closed',
  ]);
  expect(bot.world.acts).toEqual(['fork_tracker deploy', `cancel /marin/${OLD_RUN}-coord-00000001`, 'launch deploy']);
  bot.journal.verify('hero-1');
});

test('a hang is told from step age alone, and the way back ends at the old run proven by its own rows', async () => {
  const bot = startEngine();

  await bot.toTrial();
  bot.world.stepsStop = true;
  for (let n = 0; n < 30 && bot.state() === 'trial'; n++) await bot.tick();
  expect(bot.state()).toBe('awaiting_rollback');
  bot.ask(REQUESTER, 'rollback_asked');
  bot.world.stepsStop = false;
  for (let n = 0; n < 60 && bot.state() !== 'rolled_back'; n++) await bot.tick(1, 20);

  expect(bot.path().slice(-6)).toEqual([
    'trial → awaiting_rollback',
    'awaiting_rollback → stopping_new',
    'stopping_new → anchoring',
    'anchoring → relaunching_old',
    'relaunching_old → replaying',
    'replaying → rolled_back',
  ]);
  expect(bot.world.acts.slice(-2)).toEqual([`cancel /marin/${NEW_RUN}-coord-00000002`, 'launch rollback']);
  expect(bot.engine.view('hero-1')?.history.at(-1)?.event).toBe('replay_matches');
});
