import { expect, test } from 'vitest';
import { cut, messageBlocks } from '../../src/render/blocks.js';
import { markdown } from '../../src/render/markdown.js';
import { buttonValue, parseButtonValue } from '../../src/render/message.js';
import { mrkdwn } from '../../src/render/mrkdwn.js';
import { code, person, say, words } from '../../src/render/text.js';

const HOSTILE =
  '<!channel> go <@U999> <https://evil.example|wandb.ai> `rm` *bold* ~no~ & @octo-org/team fixes #12, octo/repo#3 https://x.example';

test('F80: nothing that somebody typed mentions, links or formats in Slack; our own mention does', () => {
  const text = mrkdwn(say`Reason: ${words(HOSTILE)}, by ${person('U1')}`);

  expect(text).not.toMatch(/<!|<@U999|<http/);
  expect(text).toContain('&lt;!channel&gt;');
  expect(text).not.toContain('`rm`');
  expect(text).not.toContain('*bold*');
  expect(text).toContain('<@U1>');
});

test('F79: nothing that somebody typed mentions or links on GitHub', () => {
  const text = markdown(say`Reason: ${words(HOSTILE)} and ${'@someone `x` #12'}`);

  const outsideCode = text.replace(/(`+)[^`](?:.*?[^`])?\1/g, '');
  expect(outsideCode).not.toMatch(/@[a-z]/);
  expect(outsideCode).not.toMatch(/#\d/);
  expect(outsideCode).not.toMatch(/https?:\/\//);
  expect(text).toContain('``@someone `x` #12``');
});

test('code in a message cannot end its own fence', () => {
  expect(mrkdwn([code('a`b\nc')])).toBe('`aˋb c`');
  expect(markdown([code('a``b')])).toBe('```a``b```');
});

test('what is too long is cut inside no entity, link or pair, and evidence that does not fit is said to be left out', () => {
  expect(cut(`${'x'.repeat(9)}&amp;yyyy`, 13)).toBe(`${'x'.repeat(9)}…`);
  expect(cut(`${'x'.repeat(9)}😀😀`, 11)).toBe(`${'x'.repeat(9)}…`);

  const { blocks, text } = messageBlocks({
    mark: '⛔',
    title: say`${words('t')}`,
    lines: Array.from({ length: 80 }, () => say`${words('a long line of nothing '.repeat(10))}`),
    evidence: Array.from({ length: 80 }, () => say`${words('evidence '.repeat(150))}`),
  });

  const sum = JSON.stringify(blocks).length;
  expect(sum).toBeLessThan(12_000);
  expect(text.length).toBeLessThanOrEqual(3_000);
  expect(blocks.length).toBeLessThanOrEqual(50);
  expect(JSON.stringify(blocks)).toContain('more are in the record');
});

test('a button value is read back exactly, and anything else is not ours', () => {
  const value = buttonValue('hero-12', 7, { action: 'adopt', label: 'Adopt', argument: '/marin/hero-x_1-coord-ab' }, 'abcdef0123');

  expect(value).toBe('hero-12:7:adopt:abcdef01:/marin/hero-x_1-coord-ab');
  expect(parseButtonValue(value)).toEqual({
    operationId: 'hero-12',
    seq: 7,
    action: 'adopt',
    hash8: 'abcdef01',
    argument: '/marin/hero-x_1-coord-ab',
  });
  expect(parseButtonValue('hero-12:7:approve:abcdef01')).toMatchObject({ action: 'approve', argument: null });
  for (const wrong of [
    '',
    'hero-12',
    'hero-0:1:go:abcdef01',
    'hero-1:0:go:abcdef01',
    'hero-1:1:GO:abcdef01',
    'hero-1:1:go:ABCDEF01',
    'hero-1:1:go:abcdef01:a b',
  ]) {
    expect(parseButtonValue(wrong)).toBeNull();
  }
});
