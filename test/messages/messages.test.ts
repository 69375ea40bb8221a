import { expect, test } from 'vitest';
import { evidenceValue, messageBlocks } from '../../src/render/blocks.js';
import { toldMessage } from '../../src/render/hero/told.js';
import type { Message } from '../../src/render/message.js';
import { mrkdwn } from '../../src/render/mrkdwn.js';
import type { Text } from '../../src/render/text.js';
import { expectDocument } from '../support/document.js';
import { MAY_DO, toldOf } from '../support/samples.js';
import { drawnPage } from './drawn.js';
import { HERO_TOLD } from './hero.js';
import { complaintsAbout } from './limits.js';
import { pagesOf } from './pages.js';

const INTRODUCTION = [
  '# What the bot says',
  '',
  'Every message that can reach Slack or GitHub, as it is sent. These pages are made by `test/messages/` and compared with it in every run of the tests; each sample, and the longest and worst of each, is inside all limits of both platforms. `WRITE_DOCS=1 npx vitest run test/messages` writes them anew.',
  '',
  'It is Slack’s own text: `<@U…>` is a mention, `<!date^…>` a time in the reader’s own zone with UTC for whoever cannot show it. What is indented is evidence, behind a button where it is long. What stands in brackets is a button, and after it what is to be confirmed. Mentions are the people and groups of the fleet file.',
  '',
];

test.each(pagesOf('usual'))('every message of $file is what docs/messages shows', (page) => {
  expectDocument(`messages/${page.file}`, drawnPage(page));
});

test('docs/messages.md leads to every page', () => {
  const contents = pagesOf('usual').flatMap(({ file, title, parts }) => [
    `- [${title}](messages/${file})`,
    ...parts.map(({ heading, samples }) => `  - ${heading}: ${samples.length}`),
  ]);
  expectDocument('messages.md', [...INTRODUCTION, ...contents, ''].join('\n'));
});

test.each([...pagesOf('usual'), ...pagesOf('extreme')])(
  'F76 and F61: everything of $file is inside all limits of Slack and GitHub',
  ({ parts }) => {
    const samples = parts.flatMap((part) => part.samples);

    expect(samples.length).toBeGreaterThan(0);
    expect(samples.flatMap(({ name, outgoing }) => complaintsAbout(outgoing).map((complaint) => `${name}: ${complaint}`))).toEqual([]);
  },
);

test('a message says the state first, then what happened, and last when', () => {
  for (const row of HERO_TOLD) {
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
    expect(complaintsAbout({ kind: 'message', blocks, text })).toEqual([]);
    expect(JSON.stringify(blocks[0])).toContain('hero-12 · decision');
    expect(text.length).toBeLessThanOrEqual(3_000);
  }
  expect(JSON.stringify(messageBlocks(message).blocks)).toContain('Shortened');
});
