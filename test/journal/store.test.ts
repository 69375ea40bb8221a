import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/journal/database.js';
import { BrokenChainError } from '../../src/journal/journal.js';
import { OwnedError, takeOwnership } from '../../src/journal/owner.js';
import { backupJournal, checkSideFiles, checkStore, DamagedStoreError, restoreJournal } from '../../src/journal/store.js';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';
import { HANDOFF, OLD_RUN } from '../support/plan.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'harbor-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const now = new Date('2026-11-30T12:00:00.000Z');
const path = (name = 'journal.db') => join(folder, name);

test('a backup is made while the bot writes, is whole, and never replaces a file', async () => {
  const bot = startEngine({ file: path() });
  bot.plan();
  const copied = await backupJournal(folder, path('copy.db'));
  bot.ask(APPROVER, 'plan_agreed');

  expect(copied).toEqual({ path: path('copy.db'), operations: 1, open: ['hero-1'], rows: 1 });
  checkStore(path('copy.db'), 'all');
  await expect(backupJournal(folder, path('copy.db'))).rejects.toThrow('exists already');
  expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
});

test('out of a backup no button works before the outside was read twice, and nothing acts by itself before a person moves it', async () => {
  const before = startEngine({ file: path() });
  await before.toGate();
  await backupJournal(folder, path('copy.db'));
  before.database.close();

  const { kept, open } = await restoreJournal(folder, path('copy.db'), now);
  expect(open).toEqual(['hero-1']);
  expect(existsSync(`${kept}`)).toBe(true);
  const bot = startEngine({ file: path(), world: before.world });
  bot.engine.tellRestored();

  expect(bot.ask(APPROVER, 'launch_approved')).toMatchObject({ kind: 'refused', refusal: 'not_compared' });
  await bot.tick(3);
  expect(bot.journal.history('hero-1').map(({ event }) => event)).toEqual(expect.arrayContaining(['restored', 'compared']));
  expect(bot.ask(APPROVER, 'launch_approved')).toMatchObject({ kind: 'advanced' });
  for (let n = 0; n < 20 && bot.state() !== 'starting'; n++) await bot.tick();
  expect(bot.state()).toBe('starting');
});

test('while the outside cannot be read, what came out of a backup can only be let go of', async () => {
  const before = startEngine({ file: path() });
  await before.toGate();
  await backupJournal(folder, path('copy.db'));
  before.database.close();
  await restoreJournal(folder, path('copy.db'), now);
  const bot = startEngine({ file: path(), world: before.world });
  bot.world.unknown.set('coordinators', 'timed_out');

  await bot.tick(4);

  expect(bot.ask(APPROVER, 'launch_approved')).toMatchObject({ refusal: 'not_compared' });
  expect(bot.ask(REQUESTER, 'taken')).toMatchObject({ refusal: 'not_compared' });
  expect(bot.ask(REQUESTER, 'cancel_asked')).toMatchObject({ kind: 'advanced' });
});

test('a swap that went on after the backup is not cut, launched or cancelled again by the restored bot', async () => {
  const bot = startEngine({ file: path() });
  await bot.toGate();
  bot.ask(APPROVER, 'launch_approved');
  for (let n = 0; n < 20 && bot.state() !== 'stopping_old'; n++) await bot.tick();
  await backupJournal(folder, path('copy.db'));
  for (let n = 0; n < 20 && bot.state() !== 'starting'; n++) await bot.tick();
  const acts = bot.world.acts.length;
  bot.database.close();

  await restoreJournal(folder, path('copy.db'), now);
  const restored = startEngine({ file: path(), world: bot.world });
  for (let n = 0; n < 12; n++) await restored.tick();

  expect(bot.world.acts).toHaveLength(acts);
  expect(restored.state()).toBe('held');
});

test('numbers that may have been given after the backup are not given again', async () => {
  const bot = startEngine({ file: path() });
  bot.world.start(OLD_RUN, HANDOFF);
  bot.plan();
  await backupJournal(folder, path('copy.db'));
  bot.plan();
  bot.database.close();
  await restoreJournal(folder, path('copy.db'), now);

  startEngine({ file: path() }).plan();

  expect(operations()).toEqual(['hero-1', 'hero-101']);
});

test('nothing is restored under a bot that runs, from a file that is damaged, or from none', async () => {
  const bot = startEngine({ file: path() });
  bot.plan();
  await backupJournal(folder, path('copy.db'));
  const owner = takeOwnership(folder, now);
  await expect(restoreJournal(folder, path('copy.db'), now)).rejects.toThrow(OwnedError);
  owner.release(true);
  bot.database.close();
  const untouched = readFileSync(path());

  const bytes = readFileSync(path('copy.db'));
  writeFileSync(path('cut.db'), bytes.subarray(0, bytes.length / 2));
  writeFileSync(path('other.db'), 'not a database at all, and longer than its header would be '.repeat(4));
  await expect(restoreJournal(folder, path('cut.db'), now)).rejects.toThrow(DamagedStoreError);
  await expect(restoreJournal(folder, path('other.db'), now)).rejects.toThrow(DamagedStoreError);
  await expect(restoreJournal(folder, path('nowhere.db'), now)).rejects.toThrow('there is no file');
  expect(readFileSync(path())).toEqual(untouched);
});

test('a row that was changed in a backup keeps it from being restored', async () => {
  const bot = startEngine({ file: path() });
  bot.plan();
  await backupJournal(folder, path('copy.db'));
  bot.database.close();
  const copy = openDatabase(path('copy.db'));
  copy.exec("DROP TRIGGER transition_is_never_updated; UPDATE transition SET actor = 'U9'");
  copy.close();

  await expect(restoreJournal(folder, path('copy.db'), now)).rejects.toThrow(BrokenChainError);
});

test.each([
  ['a write-ahead log without its journal', 'journal.db-wal', 'without its journal.db'],
  ['a shared index without its journal', 'journal.db-shm', 'without its journal.db'],
  ['a rollback journal', 'journal.db-journal', 'is not of this journal'],
])('%s is refused, and stays where it is', (_what, name, why) => {
  writeFileSync(path(name), 'x');

  expect(() => checkSideFiles(folder)).toThrow(why);
  expect(existsSync(path(name))).toBe(true);
});

test('a restore takes a log without its journal out of the way, so that it is not played into what is put there', async () => {
  const bot = startEngine({ file: path() });
  bot.plan();
  await backupJournal(folder, path('copy.db'));
  bot.ask(APPROVER, 'plan_agreed');
  copyFileSync(path('journal.db-wal'), path('saved-wal'));
  bot.database.close();
  for (const name of ['journal.db', 'journal.db-shm']) rmSync(path(name), { force: true });
  copyFileSync(path('saved-wal'), path('journal.db-wal'));

  const { kept } = await restoreJournal(folder, path('copy.db'), now);

  expect(existsSync(path('journal.db-wal'))).toBe(false);
  expect(existsSync(`${kept}-wal`)).toBe(true);
  expect(startEngine({ file: path() }).journal.history('hero-1')).toHaveLength(1);
});

test('what a restore that died has left is not started upon, and the restore can be made again', async () => {
  const bot = startEngine({ file: path() });
  bot.plan();
  await backupJournal(folder, path('copy.db'));
  bot.database.close();
  writeFileSync(path('journal.db.restoring'), 'half');
  rmSync(path());

  expect(() => checkSideFiles(folder)).toThrow('a restore was cut short');
  await restoreJournal(folder, path('copy.db'), now);
  expect(() => checkSideFiles(folder)).not.toThrow();
  expect(operations()).toEqual(['hero-1']);
});

test('there is nothing to back up where there is no journal', async () => {
  await expect(backupJournal(folder, path('copy.db'))).rejects.toThrow('there is no journal');
});

test('the write-ahead log of another journal is found out, and changes nothing', () => {
  const other = mkdtempSync(join(tmpdir(), 'harbor-other-'));
  const far = startEngine({ file: join(other, 'journal.db') });
  for (let n = 0; n < 30; n++) far.plan();
  const bot = startEngine({ file: path() });
  bot.plan();
  bot.database.close();
  const untouched = readFileSync(path());
  copyFileSync(join(other, 'journal.db-wal'), path('journal.db-wal'));

  expect(() => checkStore(path(), 'all')).toThrow();

  expect(readFileSync(path())).toEqual(untouched);
  far.database.close();
  rmSync(other, { recursive: true, force: true });
});

function operations(): readonly string[] {
  const database = openDatabase(path());
  const rows = database.prepare('SELECT operation_id AS id FROM operation ORDER BY number').all() as { id: string }[];
  database.close();
  return rows.map(({ id }) => id);
}
