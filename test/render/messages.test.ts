import { expect, test } from 'vitest';
import { replyTo } from '../../commands/hero-deploy.js';
import { complaintsAboutBlocks, isTooMuchText } from '../../src/local/desk/block-kit.js';
import { HERO_ROWS, type HeroState } from '../../src/protocol/hero/table.js';
import type { JsonObject, Refusal } from '../../src/protocol/table.js';
import { cardBlocks, evidenceValue, messageBlocks } from '../../src/render/blocks.js';
import { brief } from '../../src/render/hero/brief.js';
import { heroCard } from '../../src/render/hero/card.js';
import { handKit } from '../../src/render/hero/hand.js';
import { STATE_WORDS } from '../../src/render/hero/states.js';
import { toldMessage } from '../../src/render/hero/told.js';
import { waysOutOf } from '../../src/render/hero/ways-out.js';
import { markdown } from '../../src/render/markdown.js';
import type { Message } from '../../src/render/message.js';
import { mrkdwn } from '../../src/render/mrkdwn.js';
import { refusalText } from '../../src/render/refusal.js';
import type { Text } from '../../src/render/text.js';
import { expectDocument } from '../support/document.js';
import { AT, MAY_DO, READINGS, toldOf, viewIn } from '../support/samples.js';

const states = Object.keys(STATE_WORDS) as HeroState[];
/** A row of each event: the same event is said alike from every state. */
const rows = [...new Map(HERO_ROWS.toReversed().map((row) => [row.on, row])).values()].toReversed();

/** A sample of what goes with each refusal. The type names them all, so that a new one cannot be left out. */
const REFUSALS: Readonly<Record<Refusal, JsonObject>> = {
  no_such_operation: {},
  no_such_transition: { state: 'trial', on: 'launch_approved' },
  stale_button: { state: 'arming', event: 'launch_approved', by: 'U0APPROVE', at: AT.toISOString() },
  stale_plan: {},
  too_old: { askedAt: AT.toISOString(), limitSeconds: 300 },
  not_allowed: { role: 'approve', may: ['U0APPROVE', 'U0LIN'] },
  own_request: { role: 'approve', may: ['U0APPROVE'] },
  nobody_may: { role: 'approve' },
  subject_locked: { holder: 'hero-11', state: 'trial', by: 'U0ASK', since: AT.toISOString() },
  clock_behind: { now: AT.toISOString(), lastAt: AT.toISOString() },
  not_proven: { needs: 'no coordinator of the family live, by the last reading' },
  no_pass: { verdict: 'INCONCLUSIVE' },
  liveness_unknown: { age: 40 },
  reason_missing: {},
  not_a_live_coordinator: { jobId: '/marin/hero-x-coord-1', wanted: 'hero-fast-a2a-step54k', live: ['/marin/hero-y-coord-2'] },
  nothing_changed: { sentence: 'approved already', by: 'U0APPROVE', at: AT.toISOString() },
  account_refused: { account: 'guest' },
  account_unread: {},
  not_compared: { at: AT.toISOString() },
  disk_full: { freeMb: 12 },
  not_the_requester: { clears: 'U0ASK' },
  fix_used: {},
};

function slackText({ mark, title, lines, evidence }: Message): string {
  return [`${mark} ${mrkdwn(title)}`, ...lines.map(mrkdwn), ...evidence.map((each) => `    ${mrkdwn(each)}`)].join('\n');
}

function section(heading: string, text: string): string {
  return `### ${heading}\n\n\`\`\`text\n${text}\n\`\`\`\n`;
}

function fits(blocks: readonly unknown[], what: string): void {
  expect([what, complaintsAboutBlocks(blocks, 'message')]).toEqual([what, []]);
  expect([what, isTooMuchText(blocks)]).toEqual([what, false]);
}

const flat = (texts: readonly Text[]): string => texts.map(mrkdwn).join('\n');

function cardsOf(state: HeroState) {
  const view = viewIn(state);
  const ways = state === 'held' ? waysOutOf(view, READINGS).map(({ button }) => button) : [];
  return { view, card: heroCard(view, READINGS, MAY_DO, ways) };
}

test('every message the bot can send is what docs/messages.md shows', () => {
  const told = rows.map((row) => {
    const { view, entry } = toldOf(row);
    return section(row.on, slackText(toldMessage(view, entry, MAY_DO)));
  });
  const cards = states.map((state) => {
    const { card } = cardsOf(state);
    const buttons = card.buttons.map(({ label, confirm }) => `[${label}]${confirm === undefined ? '' : ` ${confirm}`}`);
    return section(state, [slackText(card), ...buttons].join('\n'));
  });
  const refusals = Object.entries(REFUSALS).map(([refusal, details]) =>
    section(refusal, mrkdwn(refusalText('hero-12', refusal as Refusal, details))),
  );
  const tools = { iris: ['iris'], cluster: 'marin', launcher: ['bash'], launchScript: 'trigger_hero.sh', user: 'marin' };
  const answers = [
    section('brief', flat(brief(viewIn('trial')))),
    section('hand, in a trial', flat(handKit(viewIn('trial'), tools))),
    section(
      'taken already',
      flat(replyTo({ kind: 'repeated', view: viewIn('arming') as never, event: 'launch_approved', actor: 'U0APPROVE', at: AT }, 'hero-12')),
    ),
  ];

  expectDocument(
    'messages.md',
    [
      '# What the bot says',
      '',
      'Made by `test/render/messages.test.ts` and compared with it in every run of the tests, in Slack’s own text: `<@U…>` is a mention, `<!date^…>` a time in the reader’s own zone with UTC for whoever cannot show it. What is indented is evidence: behind a button where it is long. Mentions in it are the people and groups of the fleet file.',
      '',
      '## Told in the thread and on the status issue, by event',
      '',
      ...told,
      '## The card, by state',
      '',
      ...cards,
      '## Refusals, told to whoever asked',
      '',
      ...refusals,
      '## Answers',
      '',
      ...answers,
    ].join('\n'),
  );
});

test('every message and every card is inside all limits of Slack, and its mirror inside those of GitHub', () => {
  for (const row of HERO_ROWS) {
    const { view, entry } = toldOf(row);
    const message = toldMessage(view, entry, MAY_DO);
    const what = `${row.from} ${row.on}`;
    fits(messageBlocks(message).blocks, what);
    fits(messageBlocks(message, evidenceValue('hero-12', 9, 'abcdef0123')).blocks, what);
    const mirrored = [message.title, ...message.lines, ...message.evidence].map(markdown).join('\n');
    expect([what, mirrored.length < 60_000]).toEqual([what, true]);
  }
  for (const state of states) {
    const { view, card } = cardsOf(state);
    fits(cardBlocks(card, 'hero-12', 9, view.planHash).blocks, `card ${state}`);
  }
});

test('a message says the state first, then what happened, and last when', () => {
  for (const row of rows) {
    const { view, entry } = toldOf(row);
    const { title, lines, evidence } = toldMessage(view, entry, MAY_DO);

    expect([row.on, mrkdwn(title)]).toEqual([row.on, expect.stringMatching(/^\*hero-12 · /)]);
    expect([row.on, mrkdwn(lines[0] ?? [])]).not.toEqual([row.on, '']);
    expect([row.on, mrkdwn(evidence.at(-1) ?? [])]).toEqual([row.on, expect.stringContaining('<!date^')]);
  }
});

test('F61: five sections that are each inside their limit and together are not: sent short, and said to be shortened', () => {
  const line = (name: string): Text => [{ kind: 'words', text: `${name} ${'x'.repeat(2_890)}` }];
  const message: Message = {
    mark: '⚖️',
    title: [{ kind: 'strong', text: 'hero-12 · decision' }],
    lines: [line('verdict')],
    evidence: ['a', 'b', 'c', 'd', 'e'].map(line),
  };

  for (const { blocks, text } of [messageBlocks(message), messageBlocks(message, evidenceValue('hero-12', 9, 'abcdef0123'))]) {
    fits(blocks, 'too much evidence');
    expect(JSON.stringify(blocks[0])).toContain('hero-12 · decision');
    expect(text.length).toBeLessThanOrEqual(3_000);
  }
  expect(JSON.stringify(messageBlocks(message).blocks)).toContain('Shortened');
});
