import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { APPROVER, startEngine } from '../support/engine.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'harbor-settle-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Bot = ReturnType<typeof startEngine>;

/** A swap in which the bot dies while an act is on its way: the world goes on, the memory of the bot does not. */
async function diesIn(state: string, verb: string): Promise<{ world: Bot['world']; reopen: () => Bot }> {
  const file = join(folder, 'journal.db');
  const first = startEngine({ file });
  await first.toGate();
  first.world.hold = verb;
  first.ask(APPROVER, 'launch_approved');
  for (let n = 0; n < 30 && first.state() !== state; n++) await first.tickWithoutActs();
  expect(first.state()).toBe(state);
  first.database.close();
  return { world: first.world, reopen: () => startEngine({ file, world: first.world }) };
}

test('F89: killed in the middle of a submit, the next start waits for the orphan and launches nothing twice', async () => {
  const { world, reopen } = await diesIn('launching', 'launch');
  const next = reopen();
  world.orphans = 'alive';
  await next.tick(3);
  expect(next.state()).toBe('launching');

  world.releaseActs();
  await next.tick(2, 2);
  world.orphans = 'gone';
  await next.tick(4, 2);

  expect(next.state()).toBe('trial');
  expect(world.acts.filter((act) => act === 'launch deploy')).toHaveLength(1);
  expect(next.journal.intents.unsettled()).toEqual([]);
  expect(next.engine.view('hero-1')?.history.find(({ event }) => event === 'launched_once')?.details.sentence).toContain(
    'reported a problem: lost',
  );
});

test('killed in a submit that never reached the cluster, the launch is absent only once the orphan is gone', async () => {
  const { world, reopen } = await diesIn('launching', 'launch');
  const next = reopen();
  world.orphans = 'alive';
  await next.tick(5);
  expect(next.state()).toBe('launching');

  world.orphans = 'gone';
  await next.tick(4);

  expect(next.state()).toBe('nothing_running');
  expect(world.acts.filter((act) => act === 'launch deploy')).toHaveLength(1);
});

test('where it cannot be told whether the orphan is gone, nothing is concluded, and a person is asked in the end', async () => {
  const { world, reopen } = await diesIn('launching', 'launch');
  const next = reopen();
  world.orphans = 'unknown';
  for (let n = 0; n < 30 && next.state() === 'launching'; n++) await next.tick();

  expect(next.state()).toBe('held');
  expect(next.engine.view('hero-1')?.history.at(-1)?.event).toBe('launch_unknown');
});

test('an intent that was recorded but never started is started once by the next process while it is fresh', async () => {
  const file = join(folder, 'journal.db');
  const first = startEngine({ file });
  await first.toGate();
  first.ask(APPROVER, 'launch_approved');
  first.worker.stop();
  await first.tickWithoutActs();
  expect(first.journal.intents.unsettled().map(({ stage }) => stage)).toEqual(['recorded']);
  first.database.close();

  const next = startEngine({ file, world: first.world });
  await next.tick(3);

  expect(first.world.acts.filter((act) => act === 'fork_tracker deploy')).toHaveLength(1);
  expect(next.state()).not.toBe('forking');
});

test('an intent that was never started is not started when it is found too late', async () => {
  const file = join(folder, 'journal.db');
  const first = startEngine({ file });
  await first.toGate();
  first.ask(APPROVER, 'launch_approved');
  first.worker.stop();
  await first.tickWithoutActs();
  first.database.close();

  first.world.advance(3_600);
  const next = startEngine({ file, world: first.world });
  await next.tick(4);

  expect(first.world.acts).toEqual([]);
  expect(next.state()).toBe('awaiting_launch');
});

test('the next start ends where a run without the kill would', async () => {
  const { world, reopen } = await diesIn('stopping_old', 'cancel');
  world.releaseActs();
  const next = reopen();
  for (let n = 0; n < 60 && next.state() !== 'awaiting_decision'; n++) await next.tick(1, 5);

  expect(next.state()).toBe('awaiting_decision');
  expect(world.acts.filter((act) => act.startsWith('cancel'))).toHaveLength(1);
  next.journal.verify('hero-1');
});
