import { expect, test } from 'vitest';
import type { Ask } from '../../commands/plan-entry.js';
import { FerrySchedule } from '../../src/ferry-schedule.js';
import type { Fleet } from '../../src/fleet.js';
import { REQUESTER, startFerries } from '../support/ferry-engine.js';
import { localFleetWith } from '../support/local-fleet.js';

const local = localFleetWith();

/** One scheduled canary, owned by the requester, in the world in memory. */
function fleetWith(schedule: boolean): Fleet {
  const tpu = local.lanes['canary-tpu'];
  if (tpu === undefined) throw new Error('the local fleet has no canary-tpu');
  const due = { cron: '0 13 * * *', owner: REQUESTER, late: 'skip', lateSeconds: 3_600, overdueSeconds: 28_800 } as const;
  const { schedule: _, ...lane } = { ...tpu, schedule: undefined };
  const people = { ask: [REQUESTER, 'U0DECIDE'], decide: ['U0DECIDE'], onCall: [], urgent: [] };
  return { ...local, lanes: { 'canary-tpu': { ...lane, people, ...(schedule ? { schedule: due } : {}) } } };
}

function start(fleet = fleetWith(true)) {
  const bot = startFerries();
  const ask = (async (verb: string, args: object) => bot.world.read(verb, { ...args })) as Ask;
  const scheduleOf = (of: Fleet): FerrySchedule => new FerrySchedule(bot.engine, of, ask);
  const schedule = scheduleOf(fleet);
  schedule.ensure(() => bot.monitor.fireDues());
  const pass = async (times = 1, seconds = 5): Promise<void> => {
    for (let n = 0; n < times; n++) {
      await bot.tick(1, seconds);
      await schedule.pass();
    }
  };
  return { ...bot, schedule, scheduleOf, pass };
}

test('what is due is proposed once and asks its owner; nothing is launched without a word', async () => {
  const bot = start();

  await bot.pass(2, 1_810);
  await bot.pass(20);

  expect(bot.state()).toBe('proposed');
  expect(bot.engine.view('ferry-1')?.plan).toMatchObject({
    scheduledFor: '2026-11-30T13:00:00.000Z',
    clears: REQUESTER,
    run: '20261130-130000-canary-tpu-ferry',
  });
  expect(bot.ask(REQUESTER, 'approved').kind).toBe('advanced');
  expect(bot.world.jobs).toEqual([]);
  expect(bot.journal.operation('ferry-2')).toBeUndefined();
});

test('under a standing waiver the due canary is cleared and launched by itself, once, and the record says by whose word', async () => {
  const bot = start();
  bot.ask(REQUESTER, 'waiver_given', { until: '2026-12-05', reason: 'same canary every night' }, 'lane-1');

  await bot.pass(2, 1_810);
  await bot.pass(20);

  expect(bot.state()).toBe('running');
  expect(bot.engine.view('ferry-1')?.facts.clearance).toMatchObject({ kind: 'standing', by: REQUESTER });
  expect(bot.world.acts).toEqual(['ferry_launch ferry-20261130-130000-canary-tpu-ferry']);
});

test('a card drawn before the schedule was switched turns nothing on, and turning off is never too late', () => {
  const bot = start();
  const press = (on: string, requestKey: string) =>
    bot.engine.request({ operationId: 'lane-1', on, by: REQUESTER, requestKey, drawnFor: 1, standing: { kind: 'member', groups: {} } });
  bot.ask(REQUESTER, 'switched_off', {}, 'lane-1');

  expect(press('switched_on', 'old card on')).toMatchObject({ kind: 'refused', refusal: 'stale_button' });
  bot.ask(REQUESTER, 'switched_on', {}, 'lane-1');
  expect(press('switched_off', 'old card off').kind).toBe('advanced');
});

test('with a clock that went back no instant comes a second time by switching on', () => {
  const bot = start();
  bot.ask(REQUESTER, 'switched_off', {}, 'lane-1');
  bot.world.nowMs -= 3_600_000;

  expect(bot.ask(REQUESTER, 'switched_on', {}, 'lane-1')).toMatchObject({ kind: 'refused', refusal: 'clock_behind' });
});

test.each(['deactivated', 'not_listed'] as const)(
  'F101: a standing waiver whose giver is %s opens no launch gate, is void, and does not come back with them',
  async (standing) => {
    const bot = start();
    bot.ask(REQUESTER, 'waiver_given', { until: '2026-12-05', reason: 'every night' }, 'lane-1');
    bot.world.standings.set(REQUESTER, standing);
    await bot.pass(2, 1_810);
    await bot.pass(10);
    bot.world.standings.clear();
    await bot.pass(10);

    expect(bot.events('lane-1').filter((event) => event === 'waiver_voided')).toHaveLength(1);
    expect(bot.engine.view('lane-1')?.facts.waiver).toBeNull();
    expect(bot.state()).toBe('proposed');
    expect(bot.events()).not.toContain('standing_waiver_used');
    expect(bot.world.jobs).toEqual([]);
  },
);

test('while nobody can say whether the giver of a standing waiver is still there, it clears nothing; then it does', async () => {
  const bot = start();
  bot.ask(REQUESTER, 'waiver_given', { until: '2026-12-05', reason: 'every night' }, 'lane-1');
  bot.world.unknown.set('entitled', 'unreachable');
  await bot.pass(2, 1_810);
  await bot.pass(10);

  expect(bot.state()).toBe('proposed');
  bot.world.unknown.clear();
  await bot.pass(10);
  expect(bot.state()).toBe('running');
});

test('last week’s waiver clears nothing', async () => {
  const bot = start();
  bot.ask(REQUESTER, 'waiver_given', { until: '2026-12-01', reason: 'two nights' }, 'lane-1');
  bot.ask('U0DECIDE', 'switched_off', {}, 'lane-1');
  bot.world.advance(7 * 24 * 3_600);
  bot.ask('U0DECIDE', 'switched_on', {}, 'lane-1');

  await bot.pass(50, 1_800);

  expect(bot.events()).not.toContain('standing_waiver_used');
  expect(bot.world.jobs).toEqual([]);
});

test('a schedule that comes due during a running ferry is skipped, and says whose it is', async () => {
  const bot = start();
  bot.ask(REQUESTER, 'waiver_given', { until: '2026-12-05', reason: 'every night' }, 'lane-1');
  await bot.pass(2, 1_810);
  await bot.pass(20);

  await bot.pass(48, 1_800);

  expect(bot.said('ferry_not_proposed', 'lane-1')).toBe('due 2026-12-01T13:00Z: skipped, since ferry-1 holds the lane (running)');
  expect(bot.journal.operation('ferry-2')).toBeUndefined();
});

test('an outside that does not answer is asked again for a while, and then the instant is given up in words', async () => {
  const bot = start();
  bot.world.unknown.set('lane_tree', 'timed_out');

  await bot.pass(2, 1_810);
  expect(bot.events('lane-1')).not.toContain('ferry_not_proposed');
  await bot.pass(4, 400);

  expect(bot.said('ferry_not_proposed', 'lane-1')).toMatch(/^due 2026-11-30T13:00Z: commit: could not be read/);
});

test('killed between the ferry and its note in the schedule, the next start finds the ferry and makes no second one', async () => {
  const bot = start();
  await bot.pass(2, 1_810);
  const made = bot.journal.history('ferry-1')[0]?.request_key;
  const again = bot.scheduleOf(fleetWith(true));
  again.ensure(() => bot.monitor.fireDues());
  await again.pass();
  await again.pass();

  expect(made).toBe('lane-1:ferry:2026-11-30T13:00:00.000Z');
  expect(bot.journal.operation('ferry-2')).toBeUndefined();
  expect(bot.events('lane-1').filter((event) => event === 'ferry_proposed')).toHaveLength(1);
});

test('a schedule that is changed in the fleet file goes on with the new one; what came due before is not lost; one taken out is retired', async () => {
  const bot = start();
  bot.world.advance(26 * 3_600);
  const fleet = fleetWith(true);
  const lane = fleet.lanes['canary-tpu'];
  if (lane?.schedule === undefined) throw new Error('no schedule');
  bot
    .scheduleOf({ ...fleet, lanes: { 'canary-tpu': { ...lane, schedule: { ...lane.schedule, cron: '0 9 * * *' } } } })
    .ensure(() => bot.monitor.fireDues());

  expect(bot.events('lane-1')).toEqual(['plan_made', 'due_skipped', 'overdue', 'due_came', 'schedule_changed']);
  bot.scheduleOf(fleetWith(false)).ensure(() => bot.monitor.fireDues());
  expect(bot.state('lane-1')).toBe('retired');
});
