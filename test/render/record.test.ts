import { expect, test } from 'vitest';
import type { HeroView } from '../../src/protocol/hero/facts.js';
import { heroCard } from '../../src/render/hero/card.js';
import { toldMessage } from '../../src/render/hero/told.js';
import { mrkdwn } from '../../src/render/mrkdwn.js';
import { refusalText } from '../../src/render/refusal.js';
import type { Text } from '../../src/render/text.js';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';

const mayDo = { agree: [APPROVER], approve: [APPROVER], decide: [APPROVER], duty: [REQUESTER, APPROVER] };
const flat = (texts: readonly Text[]): string => texts.map(mrkdwn).join('\n');

function planned(changes = {}) {
  const bot = startEngine();
  bot.plan(changes);
  const view = (): HeroView => bot.engine.view('hero-1') as unknown as HeroView;
  const told = (): string => {
    const entry = view().history.at(-1);
    if (entry === undefined) throw new Error('no entry');
    const { lines, evidence } = toldMessage(view(), entry, mayDo);
    return flat([...lines, ...evidence]);
  };
  return { bot, view, told };
}

test('a plan says what will be run, as whom, where to, and what is not seen in its window', () => {
  const { told } = planned({
    notExercised: ['an evaluation'],
    coreDump: 'flight recorder',
    reviewer: APPROVER,
    downstream: [{ what: 'dashboard', link: 'https://d.example', done: false, undo: 'point it back' }],
    permanentWaiver: { copy: 's3://kept/step-54000' },
  });

  const text = told();
  for (const part of [
    'Launched as `marin`: `bash trigger_hero.sh launch`, in `deploy`',
    'Logs to `marin/marin_moe`',
    'The run ends at step `1000000`. The control may run `440` steps past the window',
    `<@${REQUESTER}> answers for it, reviewed by <@${APPROVER}>`,
    'with a copy at `s3://kept/step-54000`',
    'Not seen in the window: an evaluation. Core dump: flight recorder',
    'Downstream dashboard (`https://d.example`): open; on a rollback: point it back',
  ])
    expect(text).toContain(part);
});

test('a rehearsal is told with what it found, and stays on the card until the cut', () => {
  const { bot, view, told } = planned();
  const guards = [
    { guard: 'disk', answer: 'shut', sentence: 'only 12 MB free', source: 'free space', readAt: '2026-11-30T12:00:00.000Z' },
    { guard: 'pods', answer: 'open', sentence: '', source: 'kubectl', readAt: '2026-11-30T12:00:00.000Z' },
  ];
  bot.ask(REQUESTER, 'rehearsed', { guards, sentence: 'not a good rehearsal, 1 shut of 2 guards' });

  expect(told()).toMatch(/Rehearsed, by <@U0ASK>: everything was read, nothing was changed\. Not a good rehearsal, 1 shut of 2 guards\./);
  expect(told()).toContain('⛔ disk: only 12 MB free');
  expect(flat(heroCard(view(), {}, mayDo, []).lines)).toMatch(/Last rehearsal .* by <@U0ASK>: not good/);
});

test('a refusal names states and events as people say them, and never by their names in the table', () => {
  const gate = refusalText('hero-1', 'no_such_transition', { state: 'awaiting_launch', on: 'go_approved' });
  const stale = refusalText('hero-1', 'stale_button', {
    state: 'nothing_running',
    event: 'old_gone_after_abort',
    by: 'bot',
    at: '2026-11-30T12:00:00.000Z',
  });

  expect(mrkdwn(gate)).toContain('`hero-1` now: the launch gate is open. That is not possible in this state.');
  expect(mrkdwn(stale)).toContain(
    '`hero-1` now: NOTHING IS RUNNING. Since then: The old run is gone, by the bot at <!date^1796040000^{date_short_pretty} {time_secs}|2026-11-30 12:00:00Z>; nothing is launched by itself',
  );
  expect(mrkdwn(gate)).not.toContain('awaiting_launch');
  expect(mrkdwn(stale)).not.toMatch(/nothing_running|old_gone/);
});
