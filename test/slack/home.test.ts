import { afterEach, expect, test } from 'vitest';
import { AWAITED } from '../../commands/waiting.js';
import { recordsOf, textOf } from '../../src/local/desk/record.js';
import { FERRY_ROWS } from '../../src/protocol/ferry/table.js';
import { HERO_ROWS, WAITING_FOR_A_PERSON } from '../../src/protocol/hero/table.js';
import { ADA, BOB, GRACE, LIN, Office, type OfficeOptions } from '../support/office.js';

let bot: Office;
afterEach(() => bot?.stop());

async function opens(options: OfficeOptions = {}): Promise<void> {
  bot = await Office.open(options);
}

/** The Home tab as somebody finds it who opens it now: what stands under each heading. */
async function homeOf(person: { readonly id: string }): Promise<Readonly<Record<string, string>>> {
  const before = bot.desk.home(person.id);
  await bot.desk.opensHome(person.id);
  const view = await bot.until(`the Home tab of ${person.id}`, () => {
    const now = bot.desk.home(person.id);
    return now === before ? undefined : now;
  });
  const parts: Record<string, string> = {};
  let heading = '';
  for (const block of recordsOf(view.blocks)) {
    const text = textOf((block.text as { text?: unknown }).text);
    if (block.type === 'header') heading = text;
    else parts[heading] = `${parts[heading] ?? ''}${text}\n`;
  }
  return parts;
}

test('before anything was planned the Home tab says that nothing is open, locked, decided or awaited, and how the bot does', async () => {
  await opens();

  const home = await homeOf(ADA);

  expect(Object.keys(home)).toEqual(['Waits for you', 'Open operations', 'Locks', 'Last decisions', 'Health of the bot']);
  expect(home['Waits for you']).toMatch(/^As of <!date.*\nNothing\.\n$/);
  expect(home['Open operations']).toBe('None.\n');
  expect(home.Locks).toBe('None: every family and lane is free.\n');
  expect(home['Last decisions']).toBe('None yet.\n');
  expect(home['Health of the bot']).toBe('🟢 monitor: in a test\n');
});

test('a plan waits for whoever may agree to it, not for its requester; agreed, it waits for another, holds its lock, and is a decision', async () => {
  await opens();
  await bot.plans('reason="faster <!channel>"');
  await bot.told();

  const [ada, grace, bob] = [await homeOf(ADA), await homeOf(GRACE), await homeOf(BOB)];

  expect(ada['Waits for you']).toMatch(/^Nothing\.$/m);
  expect(grace['Waits for you']).toMatch(/\n📝 \*hero-1 · planned\* · <http[^|]+\|thread>\nNext: agree to the plan \(<@U0GRACE001>\)/);
  expect(bob['Waits for you']).toMatch(/^Nothing\.$/m);
  for (const home of [ada, grace, bob]) {
    expect(home['Open operations']).toContain('hero-1 · planned');
    expect(home['Last decisions']).toMatch(/`hero-1`: A plan was made, by <@U0ADA00001>/);
    expect(JSON.stringify(home)).not.toContain('faster'); // what was typed stays in the channel
  }

  await bot.presses(GRACE, 'agree');
  await bot.reaches('agreed');
  const after = await homeOf(ADA);
  expect(after['Waits for you']).toContain('hero-1 · agreed');
  expect(after.Locks).toMatch(/^🔒 `family:hero` is held by `hero-1` since <!date.*\(<@U0GRACE001>\)\.\n$/);
  expect(after['Last decisions']?.split('\n')[0]).toContain('The plan was agreed, by <@U0GRACE001>');
});

test('opening the Home tab puts nothing on file', async () => {
  await opens();
  await bot.plans();
  const [rows, arrivals] = [bot.assembly.engine.view('hero-1')?.seq, bot.arrivals().length];

  await homeOf(GRACE);

  expect([bot.assembly.engine.view('hero-1')?.seq, bot.arrivals().length]).toEqual([rows, arrivals]);
});

test('a guest and somebody who has left are shown nothing of what is open', async () => {
  await opens();
  await bot.plans();
  bot.desk.setAccount(LIN.id, 'guest');
  bot.desk.setAccount(BOB.id, 'deactivated');

  for (const person of [LIN, BOB]) {
    const home = await homeOf(person);
    expect(Object.keys(home)).toEqual(['Harbormaster']);
    expect(JSON.stringify(home)).not.toContain('hero-1');
  }
});

test('while Slack does not say who somebody is, what waits for them is called unknown and not nothing', async () => {
  await opens();
  await bot.plans();
  bot.desk.fault({ sink: 'slack', method: 'users.info', kind: 'status', status: 503, times: 100 });

  const home = await homeOf(LIN);

  expect(home['Waits for you']).toMatch(/\n❓ Not known: Slack did not say who you are/);
  expect(home['Open operations']).toContain('hero-1');
});

test('everything that is awaited can happen in its state by the word of a person, and no state that calls for one is forgotten', () => {
  const rows = { hero: HERO_ROWS, ferry: FERRY_ROWS };
  for (const [protocol, states] of Object.entries(AWAITED)) {
    for (const [state, events] of Object.entries(states)) {
      for (const on of events) {
        const row = rows[protocol as 'hero' | 'ferry'].find((each) => each.from === state && each.on === on);
        expect([protocol, state, on, row === undefined ? 'no such row' : row.who === 'bot']).toEqual([protocol, state, on, false]);
      }
    }
  }
  expect(WAITING_FOR_A_PERSON.filter((state) => AWAITED.hero?.[state] === undefined)).toEqual([]);
});
