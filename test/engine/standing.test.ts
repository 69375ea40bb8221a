import { expect, test } from 'vitest';
import type { GuardAnswer } from '../../src/protocol/hero/guard.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';
import { HANDOFF, NEW_RUN, OLD_RUN } from '../support/plan.js';
import { checkpointOf, type World } from '../support/world.js';

/** Runs a preflight in a world that something was done to, and answers what its guards said. */
async function preflight(shut: (world: World) => void, changes: JsonObject = {}) {
  const bot = startEngine();
  bot.world.start(OLD_RUN, HANDOFF);
  bot.world.train(5);
  shut(bot.world);
  bot.plan(changes);
  bot.ask(APPROVER, 'plan_agreed');
  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick(6);
  return { bot, guards: guardsOf(bot) };
}

function guardsOf(bot: ReturnType<typeof startEngine>): readonly GuardAnswer[] {
  const told = bot.engine.view('hero-1')?.history.findLast(({ details }) => details.guards !== undefined);
  return (told?.details.guards ?? []) as unknown as readonly GuardAnswer[];
}

const node = (n: number, more = {}) => ({ name: `node-${n}`, ready: true, schedulable: true, diskPressure: false, devices: 16, ...more });
const well = [node(0), node(1), node(2)];

/** What is done to the world or the plan, the one guard that is no longer open, its answer, and what it must say. */
const CASES: readonly (readonly [string, 'shut' | 'unknown', string, (world: World) => void, JsonObject?])[] = [
  [
    'capacity',
    'shut',
    'room for 12 of 16 tasks: the gang starts whole or not at all. Bring back node-3',
    (world) => {
      world.nodes = [...well, node(3, { ready: false })];
    },
  ],
  [
    'capacity',
    'shut',
    '3 of 4 nodes are well',
    (world) => {
      world.nodes = [...well, node(3, { schedulable: false })];
    },
  ],
  [
    'capacity',
    'shut',
    '4 of 4 nodes are well, with room for 13 of 16 tasks',
    (world) => {
      world.nodes = [...well, node(3, { devices: 7 })];
    },
  ],
  [
    'capacity',
    'unknown',
    'no node with devices is listed',
    (world) => {
      world.nodes = [];
    },
  ],
  [
    'disk',
    'shut',
    'the disk of node-3 is full, which leaves room for 12 of 16 tasks',
    (world) => {
      world.nodes = [...well, node(3, { diskPressure: true })];
    },
  ],
  [
    'disk',
    'shut',
    'only 12 MB free for our own record in data, agreed are 500 MB',
    (world) => {
      world.freeBytes = 12_000_000;
    },
  ],
  [
    'user',
    'shut',
    'the new run would be launched as bob, the old run belongs to marin',
    (world) => {
      world.identities.deploy = { user: 'bob', project: 'marin_moe' };
    },
  ],
  [
    'user',
    'shut',
    'a rollback would be launched as bob, the old run belongs to marin',
    (world) => {
      world.identities.rollback = { user: 'bob', project: null };
    },
  ],
  [
    'tracker project',
    'shut',
    'the new run would log to scratch, agreed was marin_moe',
    (world) => {
      world.identities.deploy = { user: 'marin', project: 'scratch' };
    },
  ],
  [
    'tracker project',
    'shut',
    'a rollback would log to scratch',
    (world) => {
      world.identities.rollback = { user: 'marin', project: 'scratch' };
    },
  ],
  [
    'tracker project',
    'unknown',
    'names no tracker project',
    (world) => {
      world.identities.deploy = { user: 'marin', project: null };
    },
  ],
  [
    'tracker project',
    'shut',
    `${OLD_RUN} has no page in marin/marin_moe`,
    (world) => {
      world.oldPage = false;
    },
  ],
  ['final step', 'shut', 'the window would end at step 54060, but the run ends at step 54060', () => {}, { finalStep: 54_060 }],
  [
    'pods',
    'unknown',
    `no pod of ${OLD_RUN} is listed although it runs`,
    (world) => {
      for (const run of world.runs) run.pods = [];
    },
  ],
];

/** The same with no change of the plan where none is named. */
const WITH_CHANGES = CASES.map(([name, answer, sentence, shut, changes]) => ({ name, answer, sentence, shut, changes: changes ?? {} }));

test.each(WITH_CHANGES)(
  'exactly one guard is not open, and says why: $name is $answer, "$sentence"',
  async ({ name, answer, sentence, shut, changes }) => {
    const { bot, guards } = await preflight(shut, changes);

    expect(guards.filter((each) => each.answer !== 'open')).toEqual([
      expect.objectContaining({ guard: name, answer, sentence: expect.stringContaining(sentence) }),
    ]);
    expect(bot.state()).toBe('blocked');
    expect(bot.world.acts).toEqual([]);
  },
);

test.each(['run_pods', 'nodes', 'free_space', 'launch_identity', 'series'])(
  'a reading that the newer guards rest on and that does not come blocks the swap: %s',
  async (verb) => {
    const { bot, guards } = await preflight((world) => void world.unknown.set(verb, 'timed_out'));

    expect(bot.state()).toBe('blocked');
    expect(guards.filter(({ answer }) => answer === 'unknown').map(({ sentence }) => sentence)).toEqual(
      expect.arrayContaining([expect.stringContaining('it did not answer in time')]),
    );
    expect(guards.some(({ answer }) => answer === 'shut')).toBe(false);
  },
);

test('F11: a run that is listed as running and whose newest step is 47 minutes old is no control', async () => {
  const { bot, guards } = await preflight((world) => world.advance(47 * 60));

  expect(guards.find(({ guard }) => guard === 'old run')).toMatchObject({
    answer: 'unknown',
    sentence: expect.stringMatching(/its newest step, 54004, is 47 min old: stale, so treat it as not running well/),
  });
  expect(bot.state()).toBe('blocked');
});

test('F11: a step that is stamped in the future says nothing about now', async () => {
  const { guards } = await preflight((world) => world.advance(-3_600));

  expect(guards.find(({ guard }) => guard === 'old run')).toMatchObject({
    answer: 'unknown',
    sentence: expect.stringContaining('from now'),
  });
});

test('F12: a run that is launched again waits until no pod of its dead coordinators is left, whoever they belonged to', async () => {
  const bot = startEngine();
  bot.world.start(NEW_RUN, HANDOFF, `/alice/${NEW_RUN}-coord-1`);
  bot.world.train(5);
  const [dead] = bot.world.runs;
  if (dead === undefined) throw new Error('no run was started');
  dead.state = 'killed';
  bot.world.trees[NEW_RUN] = [checkpointOf(HANDOFF)];
  bot.world.children.set(NEW_RUN, {
    handoffCheckpoint: checkpointOf(HANDOFF).path,
    forkFrom: `${OLD_RUN}?_step=${HANDOFF - 1}`,
    launchCommit: 'd'.repeat(40),
  });
  bot.plan({ kind: 'recover', forkFrom: null });
  bot.ask(APPROVER, 'plan_agreed');
  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick();

  expect(guardsOf(bot).find(({ guard }) => guard === 'pods')).toMatchObject({
    answer: 'shut',
    sentence: `${NEW_RUN} still has 1 pods, the first is pod-${NEW_RUN}: a new gang would meet them. Wait until they are gone, or delete them`,
  });

  dead.pods = [];
  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick(2);
  expect(guardsOf(bot).find(({ guard }) => guard === 'pods')).toMatchObject({ answer: 'open' });
});

test('a temporary handoff is agreed to only with a copy that holds everything', async () => {
  const temporary = (world: World): void => {
    world.trees[OLD_RUN] = [{ ...checkpointOf(HANDOFF), permanent: false }];
  };
  const copy = { permanentWaiver: { copy: 's3://kept/hero/step-54000' } };
  const lacking = await preflight((world) => {
    temporary(world);
    world.copyLacks = ['params/7'];
  }, copy);
  const whole = await preflight(temporary, copy);
  const handoff = ({ guards }: typeof whole) => guards.find(({ guard }) => guard === 'handoff checkpoint');

  expect(handoff(lacking)).toMatchObject({ answer: 'shut', sentence: expect.stringContaining('lacks params/7') });
  expect(handoff(whole)).toMatchObject({ answer: 'open', sentence: expect.stringContaining('its copy holds all 12 objects') });
  expect(handoff(await preflight(temporary))).toMatchObject({ answer: 'shut', sentence: expect.stringContaining('copy=') });
});

test('each guard names the transcripts that it rests on, by their places among the evidence of its row', async () => {
  const { bot } = await preflight(() => {});
  const row = bot.journal.history('hero-1').findLast(({ event }) => event === 'guards_open');
  const digests = JSON.parse(row?.evidence ?? '[]') as string[];
  const guards = JSON.parse(row?.details ?? '{}').guards as { guard: string; evidence: number[] }[];
  const bodies = (name: string) =>
    guards.find(({ guard }) => guard === name)?.evidence.map((place) => bot.journal.evidence.read(digests[place] ?? '')?.body);

  expect(bodies('coordinators')).toEqual([expect.stringMatching(/^coordinators at /)]);
  expect(bodies('disk')).toEqual([expect.stringMatching(/^free_space at /), expect.stringMatching(/^nodes at /)]);
  expect(guards.flatMap(({ evidence }) => evidence).every((place) => place >= 0 && place < digests.length)).toBe(true);
});
