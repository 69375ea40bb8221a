import { expect, test } from 'vitest';
import { viewOf } from '../../src/engine/view.js';
import type { HeroView } from '../../src/protocol/hero/facts.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { messageBlocks } from '../../src/render/blocks.js';
import { heroCard } from '../../src/render/hero/card.js';
import { failureIssue } from '../../src/render/hero/failure-issue.js';
import { toldMessage } from '../../src/render/hero/told.js';
import { markdown } from '../../src/render/markdown.js';
import { mrkdwn } from '../../src/render/mrkdwn.js';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';
import { DEPLOY, NEW_RUN } from '../support/plan.js';

type Bot = ReturnType<typeof startEngine>;

const mayDo = { agree: [APPROVER], approve: [APPROVER], decide: [APPROVER], duty: [REQUESTER, APPROVER] };
const PLAN: JsonObject = {
  commits: [{ sha: DEPLOY, subject: 'Overlap the all-to-all, thanks @octo-org/team, fixes #12 <!channel>' }],
  notExercised: ['an evaluation', 'a permanent checkpoint'],
  downstream: [{ what: 'dashboard', link: 'https://boards.example/1', done: true, undo: 'point it back at the old run' }],
};

function told(bot: Bot, event: string, write: typeof mrkdwn): string {
  const operation = bot.journal.operation('hero-1');
  const row = bot.journal.history('hero-1').findLast((each) => each.event === event);
  if (operation === undefined || row === undefined) throw new Error(`no ${event}`);
  const view = viewOf(bot.journal, bot.engine.protocol('hero'), operation, row.seq) as unknown as HeroView;
  const entry = view.history.at(-1);
  if (entry === undefined) throw new Error(`no ${event}`);
  const { title, lines, evidence } = toldMessage(view, entry, mayDo);
  return [title, ...lines, ...evidence].map(write).join('\n');
}

async function decided(): Promise<Bot> {
  const bot = startEngine();
  bot.world.also = (runId, step) => ({ throughput_duration: (runId === NEW_RUN ? 16.8 : 18.5) + Math.sin(step) / 100 });
  await bot.toTrial(PLAN);
  for (let n = 0; n < 30 && bot.state() !== 'awaiting_decision'; n++) await bot.tick(1, 10);
  await bot.tick(3, 1);
  return bot;
}

test('the decision message has all that is decided on: verdict, mean, interval, coverage, commits, what was not tried, the report', async () => {
  const bot = await decided();
  const message = told(bot, 'window_closed', mrkdwn);

  expect(message).toContain('Verdict *PASS*');
  expect(message).toMatch(/`train_loss` \*PASS\* within, mean difference 0 ± 0 \(agreed -0\.0100 to 0\.0100\), coverage `61\/61`/);
  expect(message).toContain(`Deployed \`${DEPLOY.slice(0, 10)}\`, 1 commit:`);
  expect(message).toContain('Not exercised by this window: an evaluation; a permanent checkpoint.');
  expect(message).toContain('<https://example.org/tracker_report|comparison report, example.org>');
  expect(message).not.toContain('<!channel>');
});

test('what else moved is said with both means, as a hint; the chart is linked from the issue too', async () => {
  const bot = await decided();

  expect(told(bot, 'looked_around', mrkdwn)).toMatch(/`throughput_duration` 18\.5 → 16\.8, −9\.\d+% \(.* standard errors over 61 steps\)/);
  expect(told(bot, 'chart_posted', markdown)).toContain('[chart, example.org](https://example.org/thread_chart)');
});

test('the longest decision still fits into a message, and says what it leaves out', async () => {
  const commits = Array.from({ length: 60 }, (_none, n) => ({
    sha: `${n}`.padStart(40, 'a'),
    subject: `change ${n} ${'word '.repeat(30)}`,
  }));
  const bot = startEngine();
  await bot.toTrial({ ...PLAN, commits, notExercised: Array.from({ length: 20 }, (_none, n) => `${n} ${'x'.repeat(150)}`) });
  for (let n = 0; n < 30 && bot.state() !== 'awaiting_decision'; n++) await bot.tick(1, 10);
  const view = bot.engine.view('hero-1') as unknown as HeroView;
  const entry = view.history.findLast(({ event }) => event === 'window_closed');
  const message = entry === undefined ? null : messageBlocks(toldMessage(view, entry, mayDo));

  expect(JSON.stringify(message?.blocks).length).toBeLessThan(13_000);
  expect(message?.text).toMatch(/and `?55`? more in the record/);
  expect(message?.text).toContain('and 14 more in the plan');
  expect(message?.text).toContain('Next: go or no-go');
});

test('the card always shows how much of the window was read, when the step moved, and what alerts and log say', async () => {
  const bot = startEngine();
  bot.world.also = (_runId, step) => (step % 10 === 0 ? { grad_norm_total: 1 } : {});
  await bot.toTrial({
    alerts: [
      { metric: 'grad_norm_total', above: 2, rows: 1 },
      { metric: 'moe_drop_fraction', above: 1, rows: 1 },
    ],
  });
  await bot.tick(2, 9);
  const watched = bot.engine.watched.get('hero-1');
  const view = bot.engine.view('hero-1') as unknown as HeroView;
  const card = heroCard(view, watched?.readings ?? {}, mayDo, [], watched?.memory)
    .lines.map(mrkdwn)
    .join('\n');

  expect(card).toMatch(/`train_loss`: CONTINUE `\d+\/61` rows/);
  expect(card).toMatch(/Its step was seen to move to `540\d\d` at/);
  expect(card).toContain('Log: not proven readable');
  expect(card).toContain('Alerts: 1 quiet; not read: moe_drop_fraction.');
});

test('F11: a scheduler that says running beside a step that stands still is contradicted on the card', async () => {
  const bot = startEngine();
  await bot.toTrial();
  await bot.tick(3, 1);
  bot.world.stepsStop = true;
  await bot.tick(9);
  const watched = bot.engine.watched.get('hero-1');
  const view = bot.engine.view('hero-1') as unknown as HeroView;
  const card = heroCard(view, watched?.readings ?? {}, mayDo, [], watched?.memory)
    .lines.map(mrkdwn)
    .join('\n');

  expect(view.facts.stall).toMatchObject({ step: expect.any(Number) });
  expect(card).toContain('The scheduler says `running`, the step does not: *stale, treat it as not running well*.');
});

test('F79: the failure issue tells what failed, by which figures and what to undo, links the status issue and wakes nobody', async () => {
  const bot = await decided();
  bot.ask(APPROVER, 'no_go');
  for (let n = 0; n < 80 && bot.state() !== 'rolled_back'; n++) await bot.tick(1, 20);
  const view = bot.engine.view('hero-1') as unknown as HeroView;
  const { title, body } = failureIssue(view, 8506, ['f'.repeat(64)]);

  expect(title).toBe(`[hero] ${NEW_RUN} rolled back: No-go`);
  expect(body).toContain('Every step of hero-1 is on #8506.');
  expect(body).toMatch(/Verdict \*\*PASS\*\*[\s\S]*`train_loss` \*\*PASS\*\*/);
  expect(body).toContain("replayed steps equal the run's own rows exactly");
  expect(body).toContain('point it back at the old run');
  expect(body).toContain('[chart, example.org](https://example.org/thread_chart)');
  expect(body).toContain('ffffffffffffffff');
  expect(body).not.toMatch(/@octo|#12|<!channel>/);
});
