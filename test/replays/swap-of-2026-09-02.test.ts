import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/table.js';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';
import { HANDOFF, NEW_RUN, OLD_RUN, planBody } from '../support/plan.js';

/**
 * The public swap of 2026-09-02, with its real times on virtual time. Source: marin-community/marin #8506 and #8870, as
 * in the contract 4.4: the old run had ended at step 54262; the child was launched at 23:26Z from step-54000, made its
 * first step at 00:03Z, 16.8 s a step against 18.5, a loss lower by 0.006, stood still at step 54071, was retried by the
 * platform, stood still again at 54001, and was rolled back at 01:15Z. When the platform retried is not on record.
 */
const LAUNCHED = Date.parse('2026-09-02T23:26:00Z');
const FIRST_STEP = Date.parse('2026-09-03T00:03:00Z');
const RETRIED = Date.parse('2026-09-03T00:55:00Z');
const ROLLED_BACK = Date.parse('2026-09-03T01:15:00Z');
const TICK = 10;
const PACE = 16.8;
const DEVICES = 704;

const limits: JsonObject = {
  ...(planBody().limits as JsonObject),
  queuedSeconds: 1_800,
  startUpSeconds: 4_800,
  stallSeconds: 180,
  hangSeconds: 900,
  evaluationSeconds: 600,
  evaluationEverySteps: 3_000,
  reminderSeconds: 900,
  approvalSeconds: 3_600,
};
const gate = [{ id: 'train_loss', kind: 'tracks', metric: 'train_loss', better: 'lower', margin: { abs: 0.01 }, logEvery: 1 }];

type Bot = ReturnType<typeof startEngine>;

/** One tick of the watch; the candidate makes the steps that its own clock has reached. */
async function tick(bot: Bot, due: (nowMs: number) => number): Promise<void> {
  bot.world.advance(TICK);
  bot.world.train(due(bot.world.nowMs));
  await bot.monitor.tick();
  await bot.worker.idle();
}

function when(bot: Bot, event: string): number {
  return (
    bot.engine
      .view('hero-1')
      ?.history.find((entry) => entry.event === event)
      ?.at.getTime() ?? Number.NaN
  );
}

test('F01: the public swap of 2026-09-02: the first hang is suspected four minutes after its last step, and called after fifteen', async () => {
  const bot = startEngine();
  const { world } = bot;
  world.nodes = Array.from({ length: 176 }, (_, n) => ({
    name: `node-${n}`,
    ready: true,
    schedulable: true,
    diskPressure: false,
    devices: 4,
  }));
  const loss = world.loss;
  world.loss = (runId, step) => Number(loss(OLD_RUN, step)) - (runId === NEW_RUN ? 0.006 : 0);
  world.nowMs = LAUNCHED - 263 * 18_500 - 120_000;
  world.start(OLD_RUN, HANDOFF);
  for (let step = 0; step < 263; step++) {
    world.advance(18.5);
    world.train(1);
  }
  bot.plan({ limits, gate, windowSteps: 200, discardedStepsMax: 400, paceSecondsPerStep: 18.5, gang: { tasks: 176, devices: DEVICES } });
  bot.ask(APPROVER, 'plan_agreed');
  bot.ask(REQUESTER, 'preflight_asked');
  for (let n = 0; n < 50 && bot.state() !== 'awaiting_launch'; n++) await tick(bot, () => 0);
  expect(bot.state()).toBe('awaiting_launch');
  while (world.nowMs < LAUNCHED - 40_000) await tick(bot, () => 0);
  bot.ask(APPROVER, 'launch_approved');

  // From the first step on, 72 of them: the last is 54071.
  let made = 0;
  const attempt0 = (nowMs: number): number => {
    const reached = Math.min(72, Math.floor((nowMs - FIRST_STEP) / 1000 / PACE) + 1);
    const due = Math.max(0, reached - made);
    made += due;
    return due;
  };
  while (world.nowMs < RETRIED) await tick(bot, attempt0);
  const state = bot.state();

  // The platform's own retry: two steps, and still again. The trial stays failed.
  const run = world.runs.find(({ runId }) => runId === NEW_RUN);
  if (run !== undefined) world.retry(run.jobId, HANDOFF);
  let again = 0;
  while (world.nowMs < ROLLED_BACK) await tick(bot, () => (again++ < 2 ? 1 : 0));
  const stateAtRollback = bot.state();
  bot.ask(REQUESTER, 'rollback_asked');
  while (bot.state() !== 'rolled_back' && world.nowMs < ROLLED_BACK + 3_600_000) await tick(bot, () => 5);

  const lastStep = FIRST_STEP + 71 * PACE * 1000;
  const [suspected, hung] = [when(bot, 'stall_suspected'), when(bot, 'hung')];
  const saved = (ROLLED_BACK - hung) / 60_000;
  expect([state, stateAtRollback, bot.state()]).toEqual(['awaiting_rollback', 'awaiting_rollback', 'rolled_back']);
  expect(when(bot, 'trial_began') - FIRST_STEP).toBeLessThan(60_000);
  expect((suspected - lastStep) / 1000).toBeLessThanOrEqual(300);
  expect((hung - lastStep) / 1000).toBeLessThanOrEqual(900 + 2 * TICK);
  expect(bot.engine.view('hero-1')?.history.filter(({ event }) => event === 'hung' || event === 'retried')).toHaveLength(1);
  // What README.md says of it.
  expect({
    lastStep: new Date(lastStep).toISOString().slice(11, 19),
    suspected: new Date(suspected).toISOString().slice(11, 19),
    hung: new Date(hung).toISOString().slice(11, 19),
    minutesEarlier: Math.round(saved),
    deviceHours: Math.round((DEVICES * saved) / 60),
  }).toMatchInlineSnapshot(`
    {
      "deviceHours": 434,
      "hung": "00:38:00",
      "lastStep": "00:22:52",
      "minutesEarlier": 37,
      "suspected": "00:26:40",
    }
  `);
});
