import { expect, test } from 'vitest';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';

test('on a disk that is nearly full nothing is begun, and what runs is still ended', async () => {
  let left: number | null = null;
  const bot = startEngine({ shortage: () => left });
  await bot.toTrial();
  left = 12e6;

  expect(bot.plan()).toMatchObject({ kind: 'refused', refusal: 'disk_full', details: { freeMb: 12 } });
  expect(bot.ask(REQUESTER, 'rollback_asked')).toMatchObject({ kind: 'advanced' });
  for (let n = 0; n < 30 && bot.state() !== 'rolled_back'; n++) await bot.tick(1, 20);
  expect(bot.state()).toBe('rolled_back');
});

test('an approval on a disk that is nearly full is refused with words, and counts once there is room', async () => {
  let left: number | null = 12e6;
  const bot = startEngine({ shortage: () => left });
  left = null;
  await bot.toGate();
  left = 12e6;

  expect(bot.ask(APPROVER, 'launch_approved')).toMatchObject({ refusal: 'disk_full' });
  expect(bot.state()).toBe('awaiting_launch');
  left = null;
  expect(bot.ask(APPROVER, 'launch_approved')).toMatchObject({ kind: 'advanced' });
});

test('a disk that is full keeps a decision from being half taken, and it is taken when there is room', async () => {
  const bot = startEngine();
  bot.plan();
  const pages = Number(bot.database.pragma('page_count', { simple: true }));
  bot.database.pragma(`max_page_count = ${pages}`);
  const long = { reason: 'x'.repeat(20_000) }; // more than the pages have room for

  expect(() => bot.ask(APPROVER, 'plan_agreed', long)).toThrow('full');
  expect(bot.state()).toBe('planned');
  bot.database.pragma('max_page_count = 1000000');
  expect(bot.ask(APPROVER, 'plan_agreed', long)).toMatchObject({ kind: 'advanced' });
});
