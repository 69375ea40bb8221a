import { expect, test } from 'vitest';
import { APPROVER, BYSTANDER, REQUESTER, startEngine } from '../support/engine.js';
import { HANDOFF, OLD_RUN, planBody, WINDOW } from '../support/plan.js';

test('only somebody else may agree and approve, and only who is named', async () => {
  const bot = startEngine();
  bot.plan();

  expect(bot.ask(REQUESTER, 'plan_agreed')).toMatchObject({ refusal: 'own_request', details: { may: [APPROVER] } });
  expect(bot.ask(BYSTANDER, 'plan_agreed')).toMatchObject({ refusal: 'not_allowed' });
  expect(bot.path()).toEqual(['null → planned']);
});

test('F46: an approval pressed by two people, or twice, is one transition', async () => {
  const bot = startEngine();
  await bot.toGate();
  const view = bot.engine.view('hero-1');
  const press = (by: string, requestKey: string) =>
    bot.engine.request({
      operationId: 'hero-1',
      on: 'launch_approved',
      by,
      requestKey,
      drawnFor: view?.enteredAtSeq ?? 0,
      drawnForPlan: view?.planHash.slice(0, 8) ?? '',
    });

  const first = press(APPROVER, 'click:1');
  const same = press(APPROVER, 'click:1');
  const second = press(REQUESTER, 'click:2');

  expect(first.kind).toBe('advanced');
  expect(same).toMatchObject({ kind: 'repeated', event: 'launch_approved', actor: APPROVER });
  expect(second).toMatchObject({ kind: 'refused', refusal: 'stale_button', details: { by: APPROVER, event: 'launch_approved' } });
  expect(bot.path().filter((step) => step === 'awaiting_launch → arming')).toHaveLength(1);
});

test('F53: an approval given for one plan is not good for the next version of it', async () => {
  const bot = startEngine();
  await bot.toGate();
  const hash = bot.engine.view('hero-1')?.planHash;
  bot.world.remoteHead = 'e'.repeat(40);
  bot.ask(APPROVER, 'launch_approved');
  await bot.tick(2);
  expect(bot.state()).toBe('blocked');

  bot.engine.request(
    { operationId: 'hero-1', on: 'plan_revised', by: REQUESTER, requestKey: 'revise' },
    { body: planBody({ windowSteps: 50 }), inferred: [] },
  );

  const view = bot.engine.view('hero-1');
  expect(view).toMatchObject({ state: 'planned', planVersion: 2, facts: { approval: null, agreedBy: null } });
  expect(view?.planHash).not.toBe(hash);
});

test('a revision that changes nothing is refused, and voids nothing', () => {
  const bot = startEngine();
  bot.plan();
  bot.ask(APPROVER, 'plan_agreed');

  const same = bot.engine.view('hero-1')?.plan;
  const answer = bot.engine.request(
    { operationId: 'hero-1', on: 'plan_revised', by: REQUESTER, requestKey: 'r' },
    { body: same ?? {}, inferred: [] },
  );

  expect(answer).toMatchObject({ kind: 'refused', refusal: 'nothing_changed' });
  expect(bot.state()).toBe('agreed');
});

test('a button drawn for an earlier state or another plan does nothing; one that makes things safer always does', async () => {
  const bot = startEngine();
  await bot.toTrial();
  const old = { drawnFor: 1, drawnForPlan: '00000000' };

  const go = bot.engine.request({ operationId: 'hero-1', on: 'go_approved', by: APPROVER, requestKey: 'a', ...old });
  const rollback = bot.engine.request({ operationId: 'hero-1', on: 'rollback_asked', by: REQUESTER, requestKey: 'b', ...old });

  expect(go).toMatchObject({ kind: 'refused', refusal: 'stale_button' });
  expect(rollback.kind).toBe('advanced');
});

test('an approval that is late by the clock of who pressed is not taken', async () => {
  const bot = startEngine();
  await bot.toGate();
  const askedAt = new Date(bot.world.nowMs - 301_000);

  expect(bot.engine.request({ operationId: 'hero-1', on: 'launch_approved', by: APPROVER, requestKey: 'a', askedAt })).toMatchObject({
    refusal: 'too_old',
  });
  expect(bot.engine.request({ operationId: 'hero-1', on: 'cancel_asked', by: APPROVER, requestKey: 'b', askedAt }).kind).toBe('advanced');
});

test('approved ahead, the swap begins by itself when the control has covered the window', async () => {
  const bot = startEngine();
  bot.world.start(OLD_RUN, HANDOFF);
  bot.plan();
  bot.ask(APPROVER, 'plan_agreed');
  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick(1, 10);
  expect(bot.state()).toBe('ready');

  bot.ask(APPROVER, 'launch_approved');
  expect(bot.ask(APPROVER, 'launch_approved')).toMatchObject({ refusal: 'nothing_changed', details: { by: APPROVER } });
  await bot.tick(2);
  expect(bot.state()).toBe('ready');
  await bot.tick(1, WINDOW);

  expect(bot.path().slice(-1)).toEqual(['ready → arming']);
});

test('F48 F49: an approval that was not used expires by itself, with words, and the old button is dead', async () => {
  const bot = startEngine();
  bot.world.start(OLD_RUN, HANDOFF);
  bot.plan();
  bot.ask(APPROVER, 'plan_agreed');
  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick(1, 10);
  const notAfter = new Date(bot.world.nowMs + 60_000).toISOString();
  bot.ask(APPROVER, 'launch_approved', { notAfter });
  expect(bot.engine.view('hero-1')?.facts.approval).toMatchObject({ until: notAfter });

  bot.world.advance(61);
  await bot.tick(2);

  expect(bot.engine.view('hero-1')?.history.at(-1)).toMatchObject({ event: 'approval_expired', actor: 'bot' });
  expect(bot.engine.view('hero-1')?.facts.approval).toBeNull();
});

test('a second plan of the family cannot be agreed to while the first holds it, and is told who does', () => {
  const bot = startEngine();
  bot.plan();
  bot.plan({ reason: 'another' });
  bot.ask(APPROVER, 'plan_agreed', {}, 'hero-1');

  const answer = bot.ask(APPROVER, 'plan_agreed', {}, 'hero-2');

  expect(answer).toMatchObject({ kind: 'refused', refusal: 'subject_locked', details: { holder: 'hero-1', state: 'agreed' } });
  expect(bot.path('hero-2')).toEqual(['null → planned']);
});

test('no list of approvers is nobody', () => {
  const bot = startEngine({ people: { agree: [] } });
  bot.plan();

  expect(bot.ask(APPROVER, 'plan_agreed')).toMatchObject({ kind: 'refused', refusal: 'nobody_may' });
});
