import { afterEach, expect, test } from 'vitest';
import { ADA, GRACE, Office } from '../support/office.js';

let bot: Office;
afterEach(() => bot?.stop());

/** What the row of the approval says of the time that was typed. */
function approval(): { readonly until: string; readonly sentence: string } {
  const view = bot.assembly.engine.view('hero-1');
  const entry = view?.history.findLast(({ event }) => event === 'launch_approved');
  const { approval: given } = (view?.facts ?? {}) as { approval?: { until: string } };
  return { until: given?.until ?? '', sentence: `${entry?.details.sentence}` };
}

/** The next instant at which the clocks of a zone show this, found the long way round. */
function next(clock: string, zone: string): string {
  const shows = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  let at = Math.ceil((bot.world.nowMs + 1) / 60_000) * 60_000;
  while (shows.format(at) !== clock) at += 60_000;
  return new Date(at).toISOString();
}

/** A swap whose control window still fills, so that it can be approved ahead. */
async function toReady(): Promise<void> {
  bot = await Office.open();
  await bot.plans();
  await bot.presses(GRACE, 'agree');
  await bot.reaches('agreed');
  await bot.presses(ADA, 'preflight');
  await bot.ticksTo('ready', { steps: 2 });
}

test('F99: a typed time is read in the zone of whoever typed it, not of the family, and read back with zone and date', async () => {
  await toReady();

  const answer = await bot.says(GRACE, '/hero-deploy launch not-after=17:30');

  const at = next('17:30', 'Europe/Berlin');
  expect(approval().until).toBe(at);
  expect(answer).toMatch(/Read as not after \d{4}-\d{2}-\d{2} 17:30 Europe\/Berlin, which is /);
  expect(answer).toContain(`${at.slice(0, 16).replace('T', ' ')}Z`);
  expect(approval().sentence).toContain('17:30 Europe/Berlin');
});

test('F99: a time typed in UTC is UTC, whoever types it', async () => {
  await toReady();

  await bot.says(GRACE, '/hero-deploy launch not-after=17:30Z');

  expect(approval().until).toBe(next('17:30', 'UTC'));
});

test('F99: what is no time of day approves nothing, and is told by name', async () => {
  await toReady();

  const answer = await bot.says(GRACE, '/hero-deploy launch not-after=5pm');

  expect(answer).toContain('"5pm" is not a time of day');
  expect(bot.assembly.engine.view('hero-1')?.history.some(({ event }) => event === 'launch_approved')).toBe(false);
});
