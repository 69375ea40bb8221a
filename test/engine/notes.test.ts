import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/table.js';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';
import { HANDOFF, NEW_RUN, planBody, WINDOW } from '../support/plan.js';

type Bot = ReturnType<typeof startEngine>;

async function until(bot: Bot, state: string, ticks = 60, steps = 0): Promise<void> {
  for (let n = 0; n < ticks && bot.state() !== state; n++) await bot.tick(1, steps);
  expect(bot.state()).toBe(state);
}

const history = (bot: Bot) => bot.engine.view('hero-1')?.history ?? [];
const rowsOf = (bot: Bot, event: string) => history(bot).filter((entry) => entry.event === event);
const sentence = (bot: Bot, event: string) => `${rowsOf(bot, event).at(-1)?.details.sentence}`;
const limits = (changes: JsonObject): JsonObject => ({ limits: { ...(planBody().limits as JsonObject), ...changes } });

test('F23: a monitor that is blind says so once, and once when it sees again; the run is called neither healthy nor hung', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.world.unknown.set('last_step', 'unreachable');
  await bot.tick(2);
  expect(rowsOf(bot, 'monitor_blind')).toHaveLength(0);
  const since = bot.world.nowMs - 5_000;
  await bot.tick(30);

  expect(rowsOf(bot, 'monitor_blind').map(({ details }) => details.since)).toEqual([new Date(since).toISOString()]);
  expect(sentence(bot, 'monitor_blind')).toContain('the last step could not be read (unreachable)');
  expect([bot.state(), rowsOf(bot, 'hung'), rowsOf(bot, 'stall_suspected')]).toEqual(['trial', [], []]);

  bot.world.unknown.clear();
  await bot.tick(2, 1);
  expect(rowsOf(bot, 'monitor_sees').map(({ details }) => details.since)).toEqual([new Date(since).toISOString()]);
  expect(bot.state()).toBe('trial');
});

test('F23: a window that filled while the monitor was blind is judged only after it is said that it sees again', async () => {
  const bot = startEngine();
  await bot.toTrial();
  for (const verb of ['last_step', 'series']) bot.world.unknown.set(verb, 'unreachable');
  await bot.tick(5, 20);
  bot.world.unknown.clear();
  await bot.tick(2, 1);

  const events = history(bot).map(({ event }) => event);
  expect(events.slice(events.indexOf('monitor_blind'), events.indexOf('window_closed') + 1)).toEqual([
    'monitor_blind',
    'monitor_sees',
    'window_closed',
  ]);
});

test('F23: after a time without readings the age of a step begins anew: the last good row is not taken for fresh', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.world.stepsStop = true;
  bot.world.unknown.set('last_step', 'failed');
  await bot.tick(30);
  bot.world.unknown.clear();
  await bot.tick(3);
  expect(bot.state()).toBe('trial');

  await until(bot, 'awaiting_rollback');
  expect(sentence(bot, 'hung')).toMatch(/^no step for 6[0-5] s/);
});

test('F01: a stall is suspected before it is called a hang; it is no verdict, and it is told once', async () => {
  const bot = startEngine();
  await bot.toTrial(limits({ stallSeconds: 20, hangSeconds: 90 }));
  await bot.tick(4, 1);
  bot.world.stepsStop = true;
  await bot.tick(10);

  expect(bot.state()).toBe('trial');
  expect(rowsOf(bot, 'stall_suspected')).toHaveLength(1);
  expect(sentence(bot, 'stall_suspected')).toMatch(
    /has stood for .* s; .* pace of .*; the scheduler says running, 1 pods run: they do not agree, and the step counts/,
  );
  expect(bot.ask(REQUESTER, 'rollback_asked')).toMatchObject({ kind: 'advanced' });
});

test('a stall that is over is told once, and the next one again', async () => {
  const bot = startEngine();
  await bot.toTrial(limits({ stallSeconds: 20, hangSeconds: 90 }));
  for (let n = 0; n < 2; n++) {
    await bot.tick(4, 1);
    bot.world.stepsStop = true;
    await bot.tick(8);
    bot.world.stepsStop = false;
    await bot.tick(3, 1);
  }

  const told = history(bot).flatMap(({ event }) => (event.startsWith('stall_') ? [event] : []));
  expect(told).toEqual(['stall_suspected', 'stall_over', 'stall_suspected', 'stall_over']);
  expect(bot.state()).toBe('trial');
});

test('after a start of ours no stall is suspected until the step was watched for one limit', async () => {
  const bot = startEngine();
  await bot.toTrial(limits({ stallSeconds: 20, hangSeconds: 90 }));
  await bot.tick(4, 1);
  bot.world.stepsStop = true;
  bot.world.advance(3_600);
  bot.engine.watched.clear();
  await bot.tick(4);
  expect(rowsOf(bot, 'stall_suspected')).toEqual([]);
  await bot.tick(4);
  expect(rowsOf(bot, 'stall_suspected')).toHaveLength(1);
});

test('F09: a scheduler that says success is not believed where the window is not trained: said as such, and no go', async () => {
  const bot = startEngine();
  await bot.toTrial();
  await bot.tick(2, 3);
  const run = bot.world.runs.find(({ runId }) => runId === NEW_RUN);
  await bot.tick(8);
  if (run !== undefined) run.state = 'succeeded';
  await until(bot, 'awaiting_rollback');

  expect(sentence(bot, 'ended')).toContain('the scheduler says success, the evidence does not: the last step seen is');
  expect(bot.ask(APPROVER, 'go_approved')).toMatchObject({ kind: 'refused' });
});

test('a scheduler that calls a run over whose step still moves is contradicted in words', async () => {
  const bot = startEngine();
  await bot.toTrial();
  await bot.tick(2, 3);
  const run = bot.world.runs.find(({ runId }) => runId === NEW_RUN);
  if (run !== undefined) run.state = 'failed';
  await until(bot, 'awaiting_rollback');

  expect(sentence(bot, 'ended')).toContain('the evidence says otherwise: its step still moved');
});

test('F16: a falling step after a retry is called a replay, once, with where it replays from', async () => {
  const bot = startEngine();
  await bot.toTrial();
  await bot.tick(1, 20);
  const run = bot.world.runs.find(({ runId }) => runId === NEW_RUN);
  bot.world.retry(run?.jobId ?? '', HANDOFF + 5);
  await bot.tick(1, 2);
  await bot.tick(10, 2);

  expect(rowsOf(bot, 'retried')).toHaveLength(1);
  expect(sentence(bot, 'retried')).toContain(`replays from step ${HANDOFF + 5}; from there on only its own rows count`);
  expect(bot.state()).toBe('awaiting_rollback');
});

test('F03: each phase of a start is told with what it usually takes, and nothing is rolled back for it', async () => {
  const bot = startEngine();
  await bot.toGate(limits({ startUpSeconds: 4_800 }));
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'starting');
  bot.world.stepsStop = true;
  const task = '/marin/x/grug-train/0:0';
  bot.world.markers = [{ kind: 'restored', task, atMs: bot.world.nowMs, text: '' }];
  await bot.tick(400);

  expect(rowsOf(bot, 'phase_reached').at(-1)?.details).toMatchObject({
    phase: 'compiling',
    attempt: 0,
    fromSeconds: 1_380,
    untilSeconds: 1_860,
  });
  expect([bot.state(), rowsOf(bot, 'stall_suspected')]).toEqual(['starting', []]);
});

test('an alert is read from its own rows: raised once, never a verdict, and unread is not quiet', async () => {
  const bot = startEngine();
  const alerts = [
    { metric: 'grad_norm_total', above: 2, rows: 3 },
    { metric: 'moe_drop_fraction', above: 0.07, rows: 3 },
  ];
  bot.world.also = (_runId, step) => (step % 10 === 0 ? { grad_norm_total: 5 } : {});
  await bot.toTrial({ alerts });
  await until(bot, 'awaiting_decision', 60, 5);

  expect(rowsOf(bot, 'alert').map(({ details }) => details.which)).toEqual(['alert-grad_norm_total']);
  expect(bot.engine.view('hero-1')?.facts.verdict).toMatchObject({ overall: 'PASS' });
});

test('what else moved is looked at once the window is closed, reported and not judged', async () => {
  const bot = startEngine();
  bot.world.also = (runId, step) => ({
    throughput_duration: (runId === NEW_RUN ? 16.8 : 18.5) + Math.sin(step) / 100,
    memory_peak_gib: 61,
  });
  await bot.toTrial();
  await until(bot, 'awaiting_decision', 60, 10);
  await bot.tick(3, 1);

  const [looked, ...more] = rowsOf(bot, 'looked_around');
  expect(more).toEqual([]);
  expect(looked?.details).toMatchObject({
    looked: 3,
    left: 0,
    more: 1,
    moved: [expect.objectContaining({ metric: 'throughput_duration' })],
  });
  expect(bot.engine.view('hero-1')?.facts.verdict).toMatchObject({ overall: 'PASS' });
});

test('the report, the chart and the failure issue are each tried once, proven by what is read back, and waited for by nobody', async () => {
  const bot = startEngine();
  await bot.toTrial();
  await until(bot, 'awaiting_decision', 60, 10);
  await bot.tick(3, 1);
  bot.ask(APPROVER, 'no_go');
  await until(bot, 'rolled_back', 80, 20);
  await bot.tick(3);

  const view = bot.engine.view('hero-1');
  expect(view?.facts).toMatchObject({
    report: 'https://example.org/tracker_report',
    chart: 'https://example.org/thread_chart',
    failureIssue: 'https://example.org/failure_issue',
  });
  expect(bot.journal.intents.all('hero-1').map(({ effect }) => effect)).toEqual([
    'fork',
    'cancel_old',
    'launch_new',
    'publish_report',
    'post_chart',
    'cancel_new',
    'launch_old',
    'file_failure_issue',
  ]);
  expect([bot.journal.operation('hero-1')?.open, rowsOf(bot, 'failure_filed').length]).toEqual([0, 1]);
});

test('a rollback that asks nobody posts the chart too, once the old run is launched again', async () => {
  const bot = startEngine();
  const loss = bot.world.loss;
  bot.world.loss = (runId, step) => (runId === NEW_RUN ? Number(loss(runId, step)) + 1 : loss(runId, step));
  await bot.toGate({ onFailure: { kind: 'automatic' } });
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'rolled_back', 120, 20);
  await bot.tick(3);

  const charts = bot.journal.intents.all('hero-1').filter(({ effect }) => effect === 'post_chart');
  const relaunched = rowsOf(bot, 'relaunched_once')[0];
  expect(charts.map(({ seq }) => seq)).toEqual([relaunched?.seq]);
  expect(bot.engine.view('hero-1')?.facts.chart).toBe('https://example.org/thread_chart');
});

test('what cannot be published is said to be missing and is not tried again; it holds up neither a decision nor a rollback', async () => {
  const bot = startEngine();
  bot.world.publishes = false;
  await bot.toTrial();
  await until(bot, 'awaiting_decision', 60, 10);
  bot.ask(APPROVER, 'no_go');
  await until(bot, 'rolled_back', 80, 20);
  await bot.tick(6);

  expect(rowsOf(bot, 'report_missing')).toHaveLength(1);
  expect(sentence(bot, 'failure_not_filed')).toContain(
    'is not there, seen twice after it was tried (failed); it is not tried again by itself',
  );
  const verbs = bot.journal.intents.all('hero-1').map(({ verb }) => verb);
  expect(verbs.filter((verb) => verb === 'file_failure_issue')).toHaveLength(1);
  expect(bot.journal.operation('hero-1')?.open).toBe(0);
});

test('a bot that dies while it files the issue does not file it again: the next one reads what became of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'harbor-notes-'));
  const first = startEngine({ file: join(folder, 'journal.db') });
  await first.toTrial();
  await until(first, 'awaiting_decision', 60, 10);
  first.ask(APPROVER, 'no_go');
  await until(first, 'replaying', 80, 0);
  first.world.hold = 'file_failure_issue';
  for (let n = 0; n < 40 && first.state() !== 'rolled_back'; n++) {
    first.world.train(20);
    await first.tickWithoutActs();
  }
  const intent = first.journal.intents.all('hero-1').find(({ effect }) => effect === 'file_failure_issue');
  expect([first.state(), intent?.stage, first.journal.operation('hero-1')?.open]).toEqual(['rolled_back', 'starting', 1]);
  first.database.close();

  // What was on its way arrived after all; the next bot finds it, and files none.
  const { world } = first;
  world.hold = null;
  world.published.set('failure_issue', 'https://example.org/failure_issue');
  const next = startEngine({ file: join(folder, 'journal.db'), world });
  await next.tick(3);

  expect(next.journal.intents.all('hero-1').filter(({ effect }) => effect === 'file_failure_issue')).toHaveLength(1);
  expect([rowsOf(next, 'failure_filed').length, next.journal.operation('hero-1')?.open]).toEqual([1, 0]);
  next.database.close();
  rmSync(folder, { recursive: true, force: true });
});

test('the verdict rests on rows that are on file: the candidate as it was judged can be judged again', async () => {
  const bot = startEngine();
  await bot.toTrial();
  await until(bot, 'awaiting_decision', 60, 10);

  const digest = `${bot.engine.view('hero-1')?.facts.trialWindow}`;
  const rows: readonly { step: number }[] = JSON.parse(bot.journal.evidence.read(digest)?.body ?? '[]');
  expect(rows.filter(({ step }) => step >= HANDOFF && step <= HANDOFF + WINDOW)).toHaveLength(WINDOW + 1);
});
