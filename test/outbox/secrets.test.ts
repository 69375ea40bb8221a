import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createFleetScrub } from '../../src/adapters/registry.js';
import { createLog } from '../../src/log.js';
import { registryOf } from '../adapters/asking.js';
import { fakeCommand, fakeFleet } from '../adapters/fake-command.js';
import { ADA, GRACE, Office } from '../support/office.js';

/** Of the environment; in no form may it be found. */
const KEY = 'w4ndb/S3cret+Val?ue=x7Q';
const BASE64 = Buffer.from(KEY).toString('base64');
const BASIC = Buffer.from(`api:${KEY}`).toString('base64');
/** Each secret, by what of it must be found nowhere. */
const PLANTED = [
  'S3cret',
  BASE64.slice(4, 20),
  BASIC.slice(8, 24),
  'abc0ffee12345678',
  'hunter2tok',
  'hdr-0a1b2c3d',
  'ghp_planted0planted',
  'xoxb-77-planted',
];
const SAID = `WANDB_API_KEY=abc0ffee12345678 clone https://user:hunter2tok@host/x.git Authorization: Bearer hdr-0a1b2c3d ${BASE64} Basic ${BASIC} ghp_planted0planted xoxb-77-planted`;

let bot: Office | null = null;
afterEach(async () => {
  await bot?.stop();
  bot = null;
});

test('F82: secrets that a tool prints, that somebody types and that a fault carries are in no table, post, comment or log', async () => {
  // The key comes in two chunks, on both streams.
  const leaks = fakeCommand(
    `for out in 1 2; do printf '%s\\n%s' ${quoted(SAID)} ${quoted(KEY.slice(0, 9))} >&$out; sleep 0.05; printf '%s\\n' ${quoted(KEY.slice(9))} >&$out; done; exit 1`,
  );
  const fleet = fakeFleet({ iris: leaks, finelog: leaks, kubectl: leaks, objectstore: leaks, tracker: leaks, gh: leaks });
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, WANDB_API_KEY: KEY };
  const registry = registryOf(fleet, { env });
  const scrub = createFleetScrub(fleet, env);
  const logged: string[] = [];
  const log = createLog({ write: (line: string) => void logged.push(line) }, scrub);
  let leaking = false;
  bot = await Office.open({
    scrub,
    log,
    outside: (world) => ({
      ...world,
      read: async (verb, args) => (leaking ? registry.read(verb as never, args as never) : world.read(verb, args)),
      act: async (verb, args, intent) => (leaking ? registry.act(verb as never, args as never, intent) : world.act(verb, args, intent)),
    }),
  });

  await bot.toGate(`reason="see ${SAID} ${KEY}"`);
  leaking = true;
  await bot.presses(GRACE, 'approve');
  for (let n = 0; n < 12; n++) {
    await bot.tick(0, 30);
    await delay(20);
  }
  await bot.says(ADA, `/hero-deploy cancel ${KEY}`);
  await bot.says(ADA, `/hero-deploy status hero-1`);
  log.error({ fault: new Error(`fetch ${SAID} ${KEY}`).stack }, 'a pass failed');
  await bot.tick(0, 30);
  await bot.told();

  const roots = await bot.desk.messages();
  const places = {
    database: bot.database.serialize().toString('latin1'),
    posts: JSON.stringify([roots, await Promise.all(roots.map(({ ts }) => bot?.desk.thread(`${ts}`)))]),
    answers: JSON.stringify([bot.desk.ephemerals(ADA.id), bot.desk.ephemerals(GRACE.id)]),
    issue: JSON.stringify(await bot.desk.issue()),
    log: logged.join(''),
  };
  expect(leaks.calls().length).toBeGreaterThan(0);
  for (const [place, text] of Object.entries(places)) {
    expect(`${place}: ${PLANTED.filter((secret) => text.includes(secret))}`).toBe(`${place}: `);
    expect(text.includes('redacted') || place === 'answers').toBe(true);
  }
});

function quoted(text: string): string {
  return `'${text}'`;
}
