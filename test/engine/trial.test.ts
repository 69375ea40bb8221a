import { expect, test } from 'vitest';
import type { Marker } from '../../src/protocol/outside.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';
import { HANDOFF, NEW_RUN, OLD_RUN, planBody, WINDOW } from '../support/plan.js';
import { checkpointOf } from '../support/world.js';

type Bot = ReturnType<typeof startEngine>;

async function until(bot: Bot, state: string, ticks = 60, steps = 0): Promise<void> {
  for (let n = 0; n < ticks && bot.state() !== state; n++) await bot.tick(1, steps);
  expect(bot.state()).toBe(state);
}

const last = (bot: Bot) => bot.engine.view('hero-1')?.history.at(-1);

test('a loss that is not a number ends the trial at once', async () => {
  const bot = startEngine();
  const loss = bot.world.loss;
  bot.world.loss = (runId, step) => (runId === NEW_RUN && step >= HANDOFF + 15 ? 'NaN' : loss(runId, step));
  await bot.toTrial();
  await until(bot, 'awaiting_rollback', 60, 5);

  expect(last(bot)).toMatchObject({ event: 'gate_failed', details: { sentence: expect.stringContaining('NaN at step 54015') } });
});

test('three steps far outside in a row fail the gate', async () => {
  const bot = startEngine();
  const loss = bot.world.loss;
  bot.world.loss = (runId, step) => (runId === NEW_RUN ? Number(loss(runId, step)) + 1 : loss(runId, step));
  await bot.toGate();
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'awaiting_rollback', 60, 2);

  expect(last(bot)).toMatchObject({ event: 'gate_failed' });
});

test('under automatic a failed gate is rolled back without a person, under ask it waits', async () => {
  const bot = startEngine();
  const loss = bot.world.loss;
  bot.world.loss = (runId, step) => (runId === NEW_RUN ? Number(loss(runId, step)) + 1 : loss(runId, step));
  await bot.toGate({ onFailure: { kind: 'automatic' } });
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'rolled_back', 80, 10);

  expect(bot.path()).not.toContain('trial → awaiting_rollback');
});

test('asked, and automatic after a time: it is rolled back when nobody answers', async () => {
  const bot = startEngine();
  await bot.toTrial({ onFailure: { kind: 'ask_then_automatic', afterSeconds: 100 } });
  bot.world.stepsStop = true;
  await until(bot, 'awaiting_rollback');
  await bot.tick(10);
  expect(bot.state()).toBe('awaiting_rollback');
  await bot.tick(15);

  expect(bot.path()).toContain('awaiting_rollback → stopping_new');
  expect(bot.engine.view('hero-1')?.history.some(({ event }) => event === 'decision_overdue')).toBe(true);
});

test('F17: a retry fails the trial and stays failed, however well the next attempt does', async () => {
  const bot = startEngine();
  await bot.toTrial();
  const run = bot.world.runs.find(({ runId }) => runId === NEW_RUN);
  bot.world.markers = [
    { kind: 'restore_began', task: `${run?.jobId}/grug-train-${NEW_RUN}/0:1`, atMs: bot.world.nowMs, text: 'Loading checkpoint from' },
  ];
  await until(bot, 'awaiting_rollback', 5, 5);

  expect(last(bot)).toMatchObject({ event: 'retried' });
  await bot.tick(5, 20);
  expect(bot.state()).toBe('awaiting_rollback');
  expect(bot.ask(APPROVER, 'go_approved')).toMatchObject({ kind: 'refused' });
});

test('F03: a long start is neither a hang nor a default to roll back, until the agreed time is over', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'starting');
  bot.world.stepsStop = true;
  await bot.tick(58);
  expect(bot.state()).toBe('starting');
  await bot.tick(4);

  expect(last(bot)).toMatchObject({ event: 'startup_overdue', to: 'awaiting_rollback' });
});

test('F23: a monitor that is blind calls nothing a hang, and counts from when it sees again', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.world.unknown.set('last_step', 'unreachable');
  await bot.tick(30);
  expect(bot.state()).toBe('trial');

  bot.world.unknown.clear();
  await bot.tick(2, 5);
  expect(bot.state()).toBe('trial');
});

test('after a start of ours a step has no age until it was watched', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.world.stepsStop = true;
  bot.world.advance(3_600);
  bot.engine.watched.clear();
  await bot.tick(3);
  expect(bot.state()).toBe('trial');

  await until(bot, 'awaiting_rollback');
  expect(last(bot)?.event).toBe('hung');
});

test('a candidate that ends inside the window fails the trial', async () => {
  const bot = startEngine();
  await bot.toTrial();
  const run = bot.world.runs.find(({ runId }) => runId === NEW_RUN);
  if (run !== undefined) run.state = 'failed';
  await until(bot, 'awaiting_rollback');

  expect(last(bot)).toMatchObject({ event: 'ended' });
});

test('F27: rows that are missing never pass: the verdict is unknown and there is no go', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.world.loseEvery = 2;
  await until(bot, 'awaiting_decision', 60, 10);

  expect(bot.engine.view('hero-1')?.facts.verdict).toMatchObject({ overall: 'UNKNOWN' });
  expect(bot.ask(APPROVER, 'go_approved')).toMatchObject({ refusal: 'no_pass' });
  expect(bot.ask(APPROVER, 'override')).toMatchObject({ refusal: 'reason_missing' });
  expect(bot.ask(REQUESTER, 'override', { reason: 'known hole in telemetry' })).toMatchObject({ refusal: 'not_allowed' });
  expect(bot.ask(APPROVER, 'override', { reason: 'known hole in telemetry' })).toMatchObject({ kind: 'advanced' });
  expect(bot.state()).toBe('watching');
});

test('a go needs a run that was seen to step just now', async () => {
  const bot = startEngine();
  await bot.toTrial();
  await until(bot, 'awaiting_decision', 60, 10);
  bot.world.unknown.set('last_step', 'unreachable');
  await bot.tick(2);
  expect(bot.ask(APPROVER, 'go_approved')).toMatchObject({ refusal: 'liveness_unknown' });

  bot.world.unknown.clear();
  await bot.tick(2, 2);
  expect(bot.ask(APPROVER, 'extend')).toMatchObject({ kind: 'advanced' });
  expect(bot.ask(APPROVER, 'go_approved')).toMatchObject({ kind: 'advanced' });
});

test('trouble after the decision is told once and keeps the watch open; a rollback takes the family again', async () => {
  const bot = startEngine();
  await bot.toTrial();
  await until(bot, 'awaiting_decision', 60, 10);
  await bot.tick(1, 1);
  bot.ask(APPROVER, 'go_approved');
  expect(bot.journal.holderOf('family:hero')).toBeUndefined();
  bot.world.stepsStop = true;
  await bot.tick(60);

  expect(bot.state()).toBe('watching');
  expect(bot.engine.view('hero-1')?.history.filter(({ event }) => event === 'alert')).toHaveLength(1);
  bot.ask(REQUESTER, 'rollback_asked');
  expect(bot.journal.holderOf('family:hero')?.operation_id).toBe('hero-1');
});

test('a rollback out of the watch is refused while another operation holds the family', async () => {
  const bot = startEngine();
  await bot.toTrial();
  await until(bot, 'awaiting_decision', 60, 10);
  await bot.tick(1, 1);
  bot.ask(APPROVER, 'go_approved');
  bot.plan({ newRun: 'hero-next-step54k' });
  bot.ask(APPROVER, 'plan_agreed', {}, 'hero-2');

  expect(bot.ask(REQUESTER, 'rollback_asked')).toMatchObject({ refusal: 'subject_locked', details: { holder: 'hero-2' } });
});

test('an anchor outside its range needs a person who names it', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.world.trees[OLD_RUN]?.push(checkpointOf(HANDOFF + 5_000));
  bot.ask(REQUESTER, 'rollback_asked');
  await until(bot, 'awaiting_anchor');

  expect(bot.ask(APPROVER, 'anchor_confirmed', { step: '1' })).toMatchObject({ refusal: 'not_proven' });
  expect(bot.ask(APPROVER, 'anchor_confirmed', { step: `${HANDOFF + 5_000}` })).toMatchObject({ kind: 'advanced' });
});

test('a replay that differs from the old run is held; a person may close it unverified', async () => {
  const bot = startEngine();
  await bot.toTrial();
  const before = bot.world.runs.length;
  const loss = bot.world.loss;
  bot.world.loss = (runId, step) => (bot.world.runs.length > before ? Number(loss(runId, step)) + 0.5 : loss(runId, step));
  bot.ask(REQUESTER, 'rollback_asked');
  await until(bot, 'held', 60, 10);

  expect(last(bot)).toMatchObject({ event: 'replay_differs' });
});

test('a replay without an earlier row to compare with ends unverified, and says so', async () => {
  const bot = startEngine();
  await bot.toTrial();
  const controlLast = Math.max(...bot.world.rows.filter(({ attempt }) => attempt === 0).map(({ step }) => step));
  bot.world.trees[OLD_RUN]?.push({ ...checkpointOf(HANDOFF + 10 + 2 * WINDOW), permanent: false });
  expect(controlLast).toBeGreaterThan(HANDOFF);
  bot.ask(REQUESTER, 'rollback_asked');
  for (let n = 0; n < 60 && bot.state() !== 'rolled_back' && bot.state() !== 'awaiting_anchor'; n++) await bot.tick(1, 5);

  expect(last(bot)).toMatchObject({ event: 'replay_not_comparable', to: 'rolled_back' });
});

test('a relaunch that did not happen leaves nothing running, and can be asked for again', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.world.submit = 'refuses';
  bot.ask(REQUESTER, 'rollback_asked');
  await until(bot, 'nothing_running');
  bot.world.submit = 'accepts';
  bot.ask(REQUESTER, 'rollback_asked');
  await until(bot, 'rolled_back', 60, 20);

  expect(bot.world.acts.filter((act) => act === 'launch rollback')).toHaveLength(2);
});

test('a control that dies before the cut leaves nothing running; one that finishes cancels the swap', async () => {
  for (const [state, to] of [
    ['failed', 'nothing_running'],
    ['succeeded', 'cancelled'],
  ] as const) {
    const bot = startEngine();
    await bot.toGate();
    for (const run of bot.world.runs) run.state = state;
    await bot.tick(3);
    expect(bot.state()).toBe(to);
    expect(bot.world.acts).toEqual([]);
  }
});

test('F16: a retry of the control is told, and its window is read again', async () => {
  const bot = startEngine();
  bot.world.start(OLD_RUN, HANDOFF);
  bot.plan();
  bot.ask(APPROVER, 'plan_agreed');
  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick(2, 10);
  for (const run of bot.world.runs) run.state = 'failed';
  bot.world.start(OLD_RUN, HANDOFF);
  await bot.tick(1, 5);
  expect(last(bot)).toMatchObject({ event: 'control_retried', to: 'ready' });
});

test('a recover plan launches the child again, which resumes its own newest checkpoint', async () => {
  const bot = startEngine();
  bot.world.start(OLD_RUN, HANDOFF);
  bot.world.train(WINDOW + 10);
  for (const run of bot.world.runs) Object.assign(run, { state: 'killed', pods: [] });
  bot.world.children.set(NEW_RUN, {
    handoffCheckpoint: checkpointOf(HANDOFF).path,
    forkFrom: `${OLD_RUN}?_step=${HANDOFF - 1}`,
    launchCommit: 'd'.repeat(40),
  });
  bot.world.trees[NEW_RUN] = [checkpointOf(HANDOFF)];

  bot.plan({ kind: 'recover' });
  bot.ask(APPROVER, 'plan_agreed');
  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick(4);
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'starting');

  expect(bot.world.acts).toEqual(['launch deploy']);
});

const ABSENT = { gate: [...(planBody().gate as readonly JsonObject[]), { id: 'watchdog', kind: 'absent' }] };

/** A line of the candidate's log. */
function logs(bot: Bot, kind: Marker['kind']): void {
  const run = bot.world.runs.find(({ runId }) => runId === NEW_RUN);
  bot.world.markers.push({ kind, task: `${run?.jobId}/grug-train-${NEW_RUN}/0:0`, atMs: bot.world.nowMs, text: kind });
}

test('what must be absent fails the gate when it is there, and passes only where the log was proven readable', async () => {
  const failing = startEngine();
  await failing.toTrial(ABSENT);
  logs(failing, 'restore_began');
  logs(failing, 'watchdog');
  await until(failing, 'awaiting_rollback', 5, 5);
  expect(last(failing)).toMatchObject({ event: 'gate_failed', details: { sentence: expect.stringContaining('watchdog failed at step') } });

  const silent = startEngine();
  await silent.toTrial(ABSENT);
  await until(silent, 'awaiting_decision', 60, 10);
  expect(silent.engine.view('hero-1')?.facts.verdict).toMatchObject({ overall: 'UNKNOWN' });

  const readable = startEngine();
  await readable.toTrial(ABSENT);
  logs(readable, 'restore_began');
  await until(readable, 'awaiting_decision', 60, 10);
  expect(readable.engine.view('hero-1')?.facts.verdict).toMatchObject({ overall: 'PASS' });
});

test('a gang that is queued for long is told once, with the capacity it waits for; nothing is killed for it', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'starting');
  bot.world.stepsStop = true;
  const run = bot.world.runs.find(({ runId }) => runId === NEW_RUN);
  if (run !== undefined) run.pods = [{ name: 'pod-1', phase: 'Pending', terminating: false }];
  await bot.tick(20);

  const told = bot.engine.view('hero-1')?.history.filter(({ event }) => event === 'queued_long') ?? [];
  expect(told).toHaveLength(1);
  expect(told[0]?.details.sentence).toContain('0 of 16 tasks (64 devices) run, 1 pods are pending');
  expect(bot.state()).toBe('starting');
});

test('a retry after the decision hides no later hang, and healthy steps after both close the watch', async () => {
  const bot = startEngine();
  await bot.toTrial();
  for (let n = 0; n < 20 && bot.state() !== 'awaiting_decision'; n++) await bot.tick(1, 10);
  await bot.tick(2, 3);
  bot.ask(APPROVER, 'go_approved');
  const alerts = () =>
    bot.journal.history('hero-1').flatMap(({ event, details }) => (event === 'alert' ? [JSON.parse(details).trouble] : []));

  bot.world.markers = [{ kind: 'restored', atMs: bot.world.nowMs, task: '/marin/hero/0:1', text: '' }];
  await bot.tick(3, 3);
  bot.world.stepsStop = true;
  await bot.tick(20);
  expect(alerts()).toEqual(['retried', 'hung']);
  bot.world.stepsStop = false;
  await bot.tick(3, 3);
  bot.world.stepsStop = true;
  await bot.tick(20);
  expect(alerts()).toEqual(['retried', 'hung', 'hung']);
  bot.world.stepsStop = false;
  await bot.tick(40, 1);

  expect(bot.state()).toBe('closed');
});

test('a source that shows an older step and then the same one again does not hide a hang', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.world.stepsStop = true;
  const { rows } = bot.world;
  const newest = rows.at(-1);
  for (let n = 0; n < 20 && bot.state() === 'trial'; n++) {
    if (newest !== undefined) n % 2 === 0 ? rows.splice(rows.indexOf(newest), 1) : rows.push(newest);
    await bot.tick();
  }

  expect(bot.engine.view('hero-1')?.history.at(-1)?.event).toBe('hung');
});

test('a loss that is not a number after the decision is told once, and never closes as healthy', async () => {
  const bot = startEngine();
  await bot.toTrial();
  for (let n = 0; n < 20 && bot.state() !== 'awaiting_decision'; n++) await bot.tick(1, 10);
  await bot.tick(2, 3);
  bot.ask(APPROVER, 'go_approved');
  bot.world.loss = () => 'NaN';
  await bot.tick(60, 1);

  const alerts = bot.journal.history('hero-1').filter(({ event }) => event === 'alert');
  expect(alerts.map(({ details }) => JSON.parse(details).sentence)).toEqual([expect.stringContaining('train_loss is NaN at step')]);
  expect(bot.state()).toBe('watching');
});

test('without a control window that was frozen in time, the verdict is unknown at the end of the window, and a person decides', async () => {
  const bot = startEngine();
  bot.world.start(OLD_RUN, HANDOFF);
  bot.plan();
  bot.ask(APPROVER, 'plan_agreed');
  bot.ask(REQUESTER, 'preflight_asked');
  await bot.tick(1, 10);
  expect(bot.state()).toBe('ready');
  for (const run of bot.world.runs) Object.assign(run, { state: 'failed', pods: [] });
  await until(bot, 'nothing_running');
  bot.ask(APPROVER, 'launch_again');
  await until(bot, 'starting');

  await until(bot, 'awaiting_decision', 60, 5);

  expect(bot.engine.view('hero-1')?.facts.verdict).toMatchObject({ overall: 'UNKNOWN' });
  expect(bot.ask(APPROVER, 'go_approved')).toMatchObject({ refusal: 'no_pass' });
});
