import { expect, test } from 'vitest';
import type { Standing } from '../../src/protocol/people.js';
import { DECIDER, REQUESTER, startFerries } from '../support/ferry-engine.js';
import { canaryBody, ferryBody } from '../support/ferry-plan.js';

const GROUP = 'S0FERRIES1';
const DUTY = 'S0ONDUTY01';
const people = { ask: [GROUP], decide: [DECIDER], onCall: [DUTY] };

/** Ferries whose lanes name user groups; each asks as Slack lists the groups when they ask. */
function startWithGroups() {
  const bot = startFerries({ people });
  let keys = 0;
  const asks = (by: string, on: string, standing: Standing, operationId = 'ferry-1') =>
    bot.engine.request({ operationId, on, by, standing, requestKey: `group:${++keys}` });
  const plans = (by: string, standing: Standing) =>
    bot.engine.plan({
      protocol: 'ferry',
      body: ferryBody({ clears: by }),
      inferred: [],
      by,
      channel: 'C1',
      requestKey: `group:${++keys}`,
      standing,
    });
  return { ...bot, asks, plans };
}

const listed = (groups: Readonly<Record<string, readonly string[]>>): Standing => ({ kind: 'member', groups });

test('a user group of a lane is its members as Slack lists them when they ask; one that is not known is nobody', async () => {
  const bot = startWithGroups();

  expect(bot.plans(REQUESTER, listed({}))).toMatchObject({ kind: 'refused', refusal: 'nobody_may' });
  expect(bot.plans('U0OTHER', listed({ [GROUP]: [REQUESTER] }))).toMatchObject({ kind: 'refused', refusal: 'not_allowed' });
  expect(bot.plans(REQUESTER, listed({ [GROUP]: [REQUESTER] })).kind).toBe('advanced');
  await bot.until('proposed');
  expect(bot.asks(REQUESTER, 'approved', listed({ [GROUP]: ['U0OTHER'] }))).toMatchObject({ kind: 'refused', refusal: 'not_allowed' });
  expect(bot.asks(REQUESTER, 'approved', listed({ [GROUP]: [REQUESTER] })).kind).toBe('advanced');
  expect(bot.asks('U0ONCALL', 'launch_asked', listed({ [DUTY]: [] })).kind).toBe('refused');
  expect(bot.asks('U0ONCALL', 'cancel_asked', { kind: 'earlier', groups: { [DUTY]: ['U0ONCALL'] } }).kind).toBe('advanced');
});

test('a group counts for the lists that name it and for no other: whoever decides and is on duty may not propose', () => {
  const bot = startWithGroups();
  const groups = { [GROUP]: [REQUESTER], [DUTY]: [DECIDER] };

  expect(bot.plans(DECIDER, listed(groups))).toMatchObject({ kind: 'refused', refusal: 'not_allowed', details: { may: [REQUESTER] } });
});

test.each(['deactivated', 'guest', 'other_team', 'no_such_account', 'not_listed'] as const)(
  'F101: an approval whose giver is %s before the launch is void, and nobody else can give one',
  async (standing) => {
    const bot = startFerries();
    bot.plan();
    await bot.until('proposed');
    bot.ask(REQUESTER, 'approved');
    bot.world.standings.set(REQUESTER, standing);
    await bot.tick(4);

    expect(bot.state()).toBe('proposed');
    expect(bot.engine.view('ferry-1')?.facts.clearance).toBeNull();
    expect(bot.told().filter((event) => event === 'approver_left')).toHaveLength(1);
    expect(bot.said('approver_left')).toMatch(/^whoever alone could .*, and so its clearance is void\. Cancel it and propose it again$/);
    expect(bot.ask(DECIDER, 'launch_asked').kind).toBe('refused');
    expect(bot.ask(DECIDER, 'approved')).toMatchObject({ kind: 'refused', refusal: 'not_the_requester' });
    expect(bot.world.jobs).toEqual([]);
    expect(bot.ask(DECIDER, 'cancel_asked').kind).toBe('advanced');
  },
);

test('a leaver who comes back has to clear the run anew', async () => {
  const bot = startFerries();
  bot.plan();
  await bot.until('proposed');
  bot.ask(REQUESTER, 'approved');
  bot.world.standings.set(REQUESTER, 'deactivated');
  await bot.tick(2);
  bot.world.standings.clear();
  await bot.tick(2);

  expect(bot.ask(DECIDER, 'launch_asked').kind).toBe('refused');
  expect(bot.ask(REQUESTER, 'approved').kind).toBe('advanced');
  bot.ask(DECIDER, 'launch_asked');
  await bot.until('running');
  expect(bot.world.jobs).toHaveLength(1);
});

test('between the launch that was asked for and the launch, a giver who left shuts the guard', async () => {
  const bot = startFerries();
  bot.plan();
  await bot.until('proposed');
  bot.ask(REQUESTER, 'approved');
  bot.ask(DECIDER, 'launch_asked');
  bot.world.standings.set(REQUESTER, 'deactivated');
  await bot.tick(4);

  expect(bot.said('guards_shut')).toBe('whoever cleared it has left: the account is deactivated');
  expect(bot.state()).toBe('proposed');
  expect(bot.world.jobs).toEqual([]);
});

test('while nobody can say whether the giver is still there, nothing is launched, and the approval stands', async () => {
  const bot = startFerries();
  bot.plan();
  await bot.until('proposed');
  bot.ask(REQUESTER, 'approved');
  bot.world.unknown.set('entitled', 'unreachable');
  bot.ask(DECIDER, 'launch_asked');
  await bot.tick(20);

  expect(bot.state()).toBe('cleared');
  expect(bot.said('guards_unknown')).toBe('entitled: unreachable');
  expect(bot.world.jobs).toEqual([]);
  bot.world.unknown.clear();
  bot.ask(DECIDER, 'launch_asked');
  await bot.until('running');
});

test('a run whose one person leaves before any word of theirs says once that nobody can clear it', async () => {
  const bot = startFerries();
  bot.plan(canaryBody());
  await bot.until('proposed');
  bot.world.standings.set(REQUESTER, 'no_such_account');
  await bot.tick(5);

  expect(bot.events().filter((event) => event === 'approver_left')).toHaveLength(1);
  expect(bot.said('approver_left')).toBe('whoever alone could has left: there is no such account any more. Cancel it and propose it again');
});
