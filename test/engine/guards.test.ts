import { expect, test } from 'vitest';
import type { GuardAnswer } from '../../src/protocol/hero/guards.js';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';
import { HANDOFF, NEW_RUN, OLD_RUN } from '../support/plan.js';
import { checkpointOf, type World } from '../support/world.js';

/** What shuts each guard, and what its sentence must say. */
const SHUT: readonly (readonly [string, (world: World) => void, string])[] = [
  [
    'deploy worktree',
    (world) => {
      world.remoteHead = 'e'.repeat(40);
    },
    'main moved to eeeeeeeeee',
  ],
  ['deploy worktree', (world) => world.dirty.push('train.py'), 'is not pristine (train.py)'],
  [
    'launch record',
    (world) => {
      world.placeholders = ['RUN_ID'];
    },
    'still has a placeholder in RUN_ID',
  ],
  [
    'handoff checkpoint',
    (world) => {
      world.trees[OLD_RUN] = [{ ...checkpointOf(HANDOFF), complete: false, permanent: false, recordedStep: null }];
    },
    'no metadata.json',
  ],
  [
    'handoff checkpoint',
    (world) => {
      world.trees[OLD_RUN] = [{ ...checkpointOf(HANDOFF), permanent: false }];
    },
    'temporary',
  ],
  [
    'handoff checkpoint',
    (world) => {
      world.trees[OLD_RUN] = [];
    },
    'is not in the tree',
  ],
  ['handoff checkpoint', (world) => world.trees[OLD_RUN]?.push(checkpointOf(HANDOFF + 40)), '40 more steps would be thrown away'],
  [
    'new tree',
    (world) => {
      world.trees[NEW_RUN] = [checkpointOf(HANDOFF)];
    },
    'already holds step-54000',
  ],
  ['coordinators', (world) => void world.start('hero-other-step1k', 5, '/alice/hero-other-step1k-coord-1'), '2 coordinators are live'],
  [
    'credentials',
    (world) => {
      world.loggedOut = true;
    },
    'iris: logged out',
  ],
  [
    'tracker child',
    (world) => void world.children.set(NEW_RUN, { handoffCheckpoint: 'x', forkFrom: 'y', launchCommit: 'z' }),
    'made from another checkpoint or commit',
  ],
];

function guardsOf(bot: ReturnType<typeof startEngine>): readonly GuardAnswer[] {
  return (bot.engine.view('hero-1')?.history.at(-1)?.details.guards ?? []) as unknown as GuardAnswer[];
}

test.each(SHUT)('a shut guard blocks the swap and says what would open it: %s (%#)', async (guard, shut, sentence) => {
  const bot = startEngine();
  bot.world.start(OLD_RUN, HANDOFF);
  bot.world.train(5);
  shut(bot.world);

  bot.plan();
  bot.ask(APPROVER, 'plan_agreed');
  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick();

  expect(bot.state()).toBe('blocked');
  expect(guardsOf(bot).find((each) => each.guard === guard)).toMatchObject({ answer: 'shut', sentence: expect.stringContaining(sentence) });
  expect(bot.ask(APPROVER, 'launch_approved')).toMatchObject({ kind: 'refused', refusal: 'no_such_transition' });
  expect(bot.world.acts).toEqual([]);
});

test.each(['worktree', 'launch_record', 'checkpoints', 'last_step', 'coordinators', 'tracker_child', 'credentials'])(
  'a guard that does not answer blocks the swap, and no approval can launch it: %s',
  async (verb) => {
    const bot = startEngine();
    bot.world.start(OLD_RUN, HANDOFF);
    bot.world.train(5);
    bot.world.unknown.set(verb, 'timed_out');

    bot.plan();
    bot.ask(APPROVER, 'plan_agreed');
    bot.ask(REQUESTER, 'preflight_asked');
    await bot.tick(6);

    expect(bot.state()).toBe('blocked');
    expect(bot.engine.view('hero-1')?.history.at(-1)?.event).toBe('guards_unknown');
    expect(guardsOf(bot).some(({ answer, sentence }) => answer === 'unknown' && sentence.includes('did not answer in time'))).toBe(true);
    expect(bot.ask(APPROVER, 'launch_approved')).toMatchObject({ kind: 'refused' });
    expect(bot.world.acts).toEqual([]);
  },
);

test('F04: steps that a cut would throw away beyond what was agreed are named, and must be agreed to', async () => {
  const bot = startEngine();
  bot.world.start(OLD_RUN, HANDOFF);
  bot.world.train(4_015);

  bot.plan();
  bot.ask(APPROVER, 'plan_agreed');
  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick();

  expect(guardsOf(bot).find(({ guard }) => guard === 'discarded steps')?.sentence).toContain(
    '4014 steps after the handoff would be thrown away, agreed were at most 500',
  );
});

test('F07: a checkpoint that becomes complete later does not launch by itself', async () => {
  const bot = startEngine();
  bot.world.start(OLD_RUN, HANDOFF);
  bot.world.train(5);
  bot.world.trees[OLD_RUN] = [{ ...checkpointOf(HANDOFF), complete: false, permanent: false, recordedStep: null }];
  bot.plan();
  bot.ask(APPROVER, 'plan_agreed');
  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick();

  bot.world.trees[OLD_RUN] = [checkpointOf(HANDOFF)];
  await bot.tick(5);
  expect(bot.state()).toBe('blocked');

  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick();
  expect(bot.state()).toBe('ready');
});

test('F21: main that moved between approval and launch stops the launch, and nothing was touched', async () => {
  const bot = startEngine();
  await bot.toGate();

  bot.world.remoteHead = 'e'.repeat(40);
  bot.ask(APPROVER, 'launch_approved');
  await bot.tick();

  expect(bot.state()).toBe('blocked');
  expect(bot.world.acts).toEqual([]);
});

test('guards that go blind between approval and cut give the gate back, and the approval is kept while it lasts', async () => {
  const bot = startEngine();
  await bot.toGate();

  bot.ask(APPROVER, 'launch_approved');
  bot.world.unknown.set('coordinators', 'failed');
  await bot.tick(6);

  expect(bot.state()).toBe('awaiting_launch');
  expect(bot.engine.view('hero-1')?.facts.approval).toMatchObject({ by: APPROVER });
  expect(bot.world.acts).toEqual([]);
});

test('a clock that went back lets nothing through that needs an age, but a rollback', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.advance(-3_600);
  expect(bot.ask(APPROVER, 'launch_approved')).toMatchObject({ kind: 'refused', refusal: 'clock_behind' });
  bot.world.advance(3_600);

  bot.ask(APPROVER, 'launch_approved');
  for (let n = 0; n < 20 && bot.state() !== 'starting'; n++) await bot.tick();
  bot.world.advance(-3_600);
  expect(bot.ask(REQUESTER, 'rollback_asked')).toMatchObject({ kind: 'advanced' });
});

test('outside working hours the clock guard shuts', async () => {
  const bot = startEngine();
  bot.world.start(OLD_RUN, HANDOFF);
  bot.world.train(5);

  bot.plan({ workingHours: { zone: 'Europe/Berlin', from: '09:00', until: '13:05', days: ['mon'] } });
  bot.ask(APPROVER, 'plan_agreed');
  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick();

  expect(guardsOf(bot).find(({ guard }) => guard === 'clock')).toMatchObject({ answer: 'shut' });
});

test('pods that cannot be read give the gate back before the cut: nobody could prove the old run gone', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.unknown.set('pods', 'failed');
  bot.ask(APPROVER, 'launch_approved');
  await bot.tick(6);

  expect(bot.state()).toBe('awaiting_launch');
  expect(bot.world.acts).toEqual([]);
});
