import { expect, test } from 'vitest';
import type { GuardAnswer } from '../../src/protocol/hero/guard.js';
import { APPROVER, BYSTANDER, FLEET_DIGEST, REQUESTER, startEngine } from '../support/engine.js';
import { HANDOFF, OLD_RUN, planBody } from '../support/plan.js';

/** Where a rehearsal of the last 24 hours is asked for. */
function startStrict() {
  const bot = startEngine({ rehearsalHours: 24 });
  bot.world.start(OLD_RUN, HANDOFF);
  bot.world.train(5);
  bot.plan();
  bot.ask(APPROVER, 'plan_agreed');
  const rehearse = (answer: GuardAnswer['answer'] = 'open', by = REQUESTER) =>
    bot.ask(by, 'rehearsed', { guards: [{ guard: 'coordinators', answer, sentence: '', source: '', readAt: '' }] });
  const preflight = async () => {
    bot.world.train(1);
    bot.ask(REQUESTER, 'preflight_asked');
    await bot.tick();
    const guards = (bot.engine.view('hero-1')?.history.at(-1)?.details.guards ?? []) as unknown as readonly GuardAnswer[];
    return guards.find(({ guard }) => guard === 'rehearsal');
  };
  return { bot, rehearse, preflight };
}

test('without a rehearsal of its plan a swap is blocked, and told what to type', async () => {
  const { bot, rehearse, preflight } = startStrict();

  expect(await preflight()).toMatchObject({ answer: 'shut', sentence: expect.stringContaining('/hero-deploy rehearse hero-1 reads') });
  expect(bot.state()).toBe('blocked');

  rehearse();
  expect(await preflight()).toMatchObject({ answer: 'open' });
  expect(bot.state()).toBe('ready');
  expect(bot.world.acts).toEqual([]);
});

test('a rehearsal changes no state, no lock and no approval', async () => {
  const bot = startEngine();
  await bot.toGate();
  const before = bot.engine.view('hero-1');

  bot.ask(REQUESTER, 'rehearsed', { guards: [] });

  const after = bot.engine.view('hero-1');
  expect(after).toMatchObject({ state: 'awaiting_launch', enteredAtSeq: before?.enteredAtSeq, planHash: before?.planHash });
  expect(after?.facts.rehearsal).toMatchObject({ isGood: false, fleetDigest: FLEET_DIGEST });
  expect(bot.ask(BYSTANDER, 'rehearsed', { guards: [] })).toMatchObject({ refusal: 'not_allowed' });
});

test('a rehearsal in which something was shut or not read is not good, but for the hour of the day', async () => {
  const { bot, rehearse, preflight } = startStrict();

  rehearse('unknown');
  expect(await preflight()).toMatchObject({ answer: 'shut', sentence: expect.stringContaining('was not good') });
  rehearse('shut');
  expect(await preflight()).toMatchObject({ answer: 'shut' });
  bot.ask(REQUESTER, 'rehearsed', { guards: [] });
  expect(await preflight()).toMatchObject({ answer: 'shut' });
  bot.ask(REQUESTER, 'rehearsed', {
    guards: [
      { guard: 'clock', answer: 'shut' },
      { guard: 'disk', answer: 'open' },
    ],
  });
  expect(await preflight()).toMatchObject({ answer: 'open' });
});

test('a rehearsal is of one plan: a revision asks for another, and one that was read for an earlier plan is refused', async () => {
  const { bot, rehearse, preflight } = startStrict();
  rehearse();
  const hash = bot.engine.view('hero-1')?.planHash ?? '';
  bot.engine.request(
    { operationId: 'hero-1', on: 'plan_revised', by: REQUESTER, requestKey: 'revise' },
    { body: planBody({ windowSteps: 50 }), inferred: [] },
  );

  const late = bot.engine.request({
    operationId: 'hero-1',
    on: 'rehearsed',
    by: REQUESTER,
    requestKey: 'late',
    drawnForPlan: hash.slice(0, 8),
    details: { guards: [{ guard: 'disk', answer: 'open' }] },
  });

  expect(late).toMatchObject({ kind: 'refused', refusal: 'stale_plan' });
  bot.ask(APPROVER, 'plan_agreed');
  expect(await preflight()).toMatchObject({ answer: 'shut', sentence: expect.stringContaining('another version of the plan') });
});

test('a rehearsal grows old', async () => {
  const { bot, rehearse, preflight } = startStrict();
  rehearse();
  bot.world.advance(25 * 3_600);
  bot.world.train(1);

  expect(await preflight()).toMatchObject({ answer: 'shut', sentence: expect.stringContaining('25 h old, agreed are at most 24 h') });
});
