import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';
import { HANDOFF, OLD_RUN } from '../support/plan.js';

test('F86: a step that faults after the lock was taken takes it back with all else, or keeps it with a reason', () => {
  const bot = startEngine();
  bot.plan();
  bot.journal.evidence.keep = () => {
    throw new Error('disk full');
  };

  expect(() => bot.engine.request({ operationId: 'hero-1', on: 'plan_agreed', by: APPROVER, requestKey: 'k', evidence: ['x'] })).toThrow(
    'disk full',
  );

  expect(bot.journal.operation('hero-1')).toMatchObject({ state: 'planned', locked: 0, seq: 1 });
  expect(bot.journal.holderOf('family:hero')).toBeUndefined();
});

test('F86: the lock of an operation says whose it is and since when, and is given back by a person who abandons', async () => {
  const bot = startEngine();
  bot.plan();
  bot.plan({ reason: 'another' });
  bot.ask(APPROVER, 'plan_agreed');

  const refused = bot.ask(APPROVER, 'plan_agreed', {}, 'hero-2');
  expect(refused).toMatchObject({
    refusal: 'subject_locked',
    details: { holder: 'hero-1', by: REQUESTER, since: expect.stringMatching(/^2026-/) },
  });

  bot.ask(REQUESTER, 'cancel_asked');
  expect(bot.ask(APPROVER, 'plan_agreed', {}, 'hero-2')).toMatchObject({ kind: 'advanced' });
});

test('F88: looking, planning another and refused requests change neither lock nor plan nor approval', async () => {
  const bot = startEngine();
  await bot.toTrial();
  const before = bot.engine.view('hero-1');

  bot.plan({ newRun: 'hero-other-step54k' });
  bot.ask(REQUESTER, 'preflight_asked');
  bot.ask(APPROVER, 'plan_agreed', {}, 'hero-2');
  bot.ask(REQUESTER, 'preflight_asked', {}, 'hero-2');

  const after = bot.engine.view('hero-1');
  expect(after?.seq).toBe(before?.seq);
  expect(after?.facts.approval).toEqual(before?.facts.approval);
  expect(bot.journal.holderOf('family:hero')?.operation_id).toBe('hero-1');
});

test('F91: while another connection writes, a decision is not half taken: it faults whole, and is taken when it is asked again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'harbor-busy-'));
  const file = join(folder, 'journal.db');
  const bot = startEngine({ file });
  bot.plan();
  bot.database.pragma('busy_timeout = 50');
  const other = new Sqlite(file);
  other.exec('BEGIN IMMEDIATE');
  const request = { operationId: 'hero-1', on: 'plan_agreed', by: APPROVER, requestKey: 'k' };

  expect(() => bot.engine.request(request)).toThrow('locked');
  expect(bot.state()).toBe('planned');
  other.exec('COMMIT');
  expect(bot.engine.request(request)).toMatchObject({ kind: 'advanced' });

  other.close();
  bot.database.close();
  rmSync(folder, { recursive: true, force: true });
});

test('no reading of another family or run is taken for ours: ids are compared whole', async () => {
  const bot = startEngine();
  bot.world.start(OLD_RUN, HANDOFF);
  bot.world.start(`${OLD_RUN}8`, HANDOFF, `/marin/${OLD_RUN}8-coord-1`);
  bot.world.train(5);
  bot.plan();
  bot.ask(APPROVER, 'plan_agreed');
  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick();

  expect(bot.state()).toBe('blocked');
});
