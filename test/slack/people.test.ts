import { afterEach, expect, test } from 'vitest';
import type { AccountKind } from '../../src/local/desk/membership.js';
import { ADA, BOB, GATE, GRACE, LIN, Office, type OfficeOptions } from '../support/office.js';

let office: Office;
afterEach(() => office.stop());

async function opens(options: OfficeOptions = {}): Promise<Office> {
  office = await Office.open(options);
  return office;
}

const LEADS = 'S0LEADS001';

/** Grace asks how things stand: then no lookup of hers is under way any more. */
async function looks(bot: Office): Promise<void> {
  await bot.says(GRACE, '/hero-deploy status');
}

test.each([
  ['is not there', undefined],
  ['is empty', []],
  ['is an empty text', ''],
  ['is a comma', ','],
  ['names only whoever asks', [ADA.id]],
  ['is a user group that nobody can read', ['S0NOTTHERE']],
])('F50: when the approver list %s, nobody can approve, and the preflight says so before anything is touched', async (_how, approve) => {
  const bot = await opens({ people: { approve } });
  await bot.plans();
  await bot.presses(GRACE, 'agree');
  await bot.reaches('agreed');
  await bot.presses(ADA, 'preflight');
  await bot.ticksTo('blocked', { steps: 1, seconds: 2 });

  expect(bot.state()).toBe('blocked');
  await bot.until('the thread says why', async () => ((await bot.thread()).length >= 3 ? true : undefined));
  const card = await bot.until('the card says why', async () => {
    bot.world.advance(0.5);
    return JSON.stringify(await bot.card()).includes('list empty or unreadable') ? true : undefined;
  });
  expect(card).toBe(true);
  expect(bot.world.acts).toEqual([]);
});

test.each([
  ['guest', "is a guest's"],
  ['deactivated', 'is deactivated'],
  ['other_team', 'belongs to another workspace'],
  ['missing', 'does not exist'],
] as const)(
  'F51: an account that is %s is refused, though its id is on the list, and the attempt is on file without a name',
  async (kind, words) => {
    const bot = await opens();
    await bot.plans();
    await looks(bot);
    bot.desk.setAccount(GRACE.id, kind satisfies AccountKind);
    bot.world.advance(61);

    const answer = await bot.asks(GRACE, 'agree');
    const typed = await bot.says(GRACE, '/hero-deploy agree');

    expect(answer).toContain(words);
    expect(typed).toContain(words);
    expect(bot.state()).toBe('planned');
    const [looked, ...refused] = bot.arrivals().filter(({ actor }) => actor === GRACE.id);
    expect(looked?.answer).toBe('handled');
    expect(refused.map(({ answer: became }) => became?.slice(0, 24))).toEqual(['refused: account_refused', 'refused: account_refused']);
    expect(JSON.stringify(refused)).not.toMatch(/grace|Grace/);
  },
);

test('F51: whoever cannot be looked up may do nothing, and is told so; looking stays possible', async () => {
  const bot = await opens();
  await bot.plans();
  await looks(bot);
  bot.desk.fault({ sink: 'slack', method: 'users.info', kind: 'status', status: 200, error: 'missing_scope', times: 1_000 });
  bot.world.advance(16 * 60);

  expect(await bot.says(GRACE, '/hero-deploy agree')).toContain('whoever cannot be looked up may do nothing');
  expect(await bot.says(GRACE, '/hero-deploy cancel')).toContain('whoever cannot be looked up may do nothing');
  expect(await bot.says(GRACE, '/hero-deploy status')).toContain('hero-1 · planned');
  expect(bot.state()).toBe('planned');
  expect(bot.arrivals().filter(({ answer }) => answer === 'refused: account_unread')).toHaveLength(2);
});

test('while Slack does not answer, who was a member minutes ago may call things off, and open nothing', async () => {
  const bot = await opens();
  await bot.plans();
  await looks(bot);
  bot.desk.fault({ sink: 'slack', method: 'users.info', kind: 'status', status: 503, times: 1_000 });
  bot.world.advance(5 * 60);

  expect(await bot.says(GRACE, '/hero-deploy agree')).toContain('whoever cannot be looked up may do nothing');
  expect(await bot.says(GRACE, '/hero-deploy cancel')).toContain('Now: cancelled');
});

test('a user group of the fleet file is its members as Slack lists them now, and not those of an hour ago', async () => {
  const bot = await opens({ people: { agree: [LEADS], approve: [LEADS] }, groups: [{ id: LEADS, users: [LIN.id] }] });
  await bot.plans();

  expect(await bot.asks(GRACE, 'agree')).toContain('You may not do that');
  await bot.presses(LIN, 'agree');
  await bot.reaches('agreed');
  await bot.says(ADA, '/hero-deploy revise reason="again"');
  await bot.reaches('planned');
  bot.desk.setGroup({ id: LEADS, users: [GRACE.id] });
  bot.world.advance(61);

  expect(await bot.says(LIN, '/hero-deploy agree')).toContain('You may not do that');
  expect(await bot.says(GRACE, '/hero-deploy agree')).toContain('Now: agreed');
});

test('F50: ids are matched, never names: a bystander who takes the name of an approver is nobody', async () => {
  const bot = await opens();
  await bot.plans();

  expect(await bot.asks(BOB, 'agree')).toContain('You may not do that');
  expect(await bot.says(BOB, `/hero-deploy plan ${GATE} reason="r"`)).toContain('You may not do that');
  expect(bot.state('hero-2')).toBeUndefined();
});

test('F101: an approver who leaves before the launch takes the approval along, and it can be given by somebody else', async () => {
  const bot = await opens({ people: { approve: [GRACE.id, LIN.id] } });
  await bot.plans();
  await bot.presses(GRACE, 'agree');
  await bot.reaches('agreed');
  await bot.presses(ADA, 'preflight');
  await bot.ticksTo('ready', { steps: 1 });
  await bot.presses(GRACE, 'approve');
  await bot.until('the approval is on file', () => bot.assembly.engine.view('hero-1')?.facts.approval ?? undefined);

  bot.desk.setAccount(GRACE.id, 'deactivated');
  bot.world.advance(61);
  await bot.until('the approval is void', async () => {
    await bot.tick(0);
    return bot.assembly.engine.view('hero-1')?.facts.approval === null ? true : undefined;
  });

  await bot.until('the thread says so', async () =>
    (await bot.thread()).some((line) => line.includes('the account is deactivated')) ? true : undefined,
  );
  expect(bot.state()).toBe('ready');
  expect(await bot.says(LIN, '/hero-deploy launch')).toContain('accepted');
  expect(bot.world.acts).toEqual([]);
});

test('F101: an approver who leaves the user group that made them one takes the approval along', async () => {
  const bot = await opens({ people: { approve: [LEADS] }, groups: [{ id: LEADS, users: [GRACE.id, LIN.id] }] });
  await bot.plans();
  await bot.presses(GRACE, 'agree');
  await bot.reaches('agreed');
  await bot.presses(ADA, 'preflight');
  await bot.ticksTo('ready', { steps: 1 });
  await bot.presses(GRACE, 'approve');
  await bot.until('the approval is on file', () => bot.assembly.engine.view('hero-1')?.facts.approval ?? undefined);

  bot.desk.setGroup({ id: LEADS, users: [LIN.id] });
  bot.world.advance(61);
  await bot.until('the approval is void', async () => {
    await bot.tick(0);
    return bot.assembly.engine.view('hero-1')?.facts.approval === null ? true : undefined;
  });
  await bot.until('the thread says so', async () =>
    (await bot.thread()).some((line) => line.includes("is not on the fleet file's list for it any more")) ? true : undefined,
  );
  expect(bot.world.acts).toEqual([]);
});

test('F101: when whoever asked for it leaves in the middle, it goes on, and the thread asks who takes it', async () => {
  const bot = await opens();
  await bot.toGate();
  await bot.presses(GRACE, 'approve');
  await bot.ticksTo('trial', { steps: 1, seconds: 5 });
  bot.desk.setAccount(ADA.id, 'missing');
  bot.world.advance(61);
  await bot.until('that Ada has left is on file', async () => {
    await bot.tick(0);
    return bot.assembly.engine.view('hero-1')?.history.find(({ event }) => event === 'owner_left');
  });
  await bot.told();
  const line = (await bot.thread()).find((text) => text.includes('Whoever had it has left'));
  expect(bot.state()).toBe('trial');
  expect(line).toContain(`Who takes it (<@${GRACE.id}>)`);
  await bot.says(GRACE, '/hero-deploy take');
  for (let n = 0; n < 3; n++) await bot.tick(1, 40);
  await bot.told();
  expect((await bot.thread()).filter((text) => text.includes('Whoever had it has left'))).toHaveLength(1);
});
