import { expect, test } from 'vitest';
import { cut, messageBlocks } from '../../src/render/blocks.js';
import { markdown, markdownNaming } from '../../src/render/markdown.js';
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

test('F79: no entity, reference or shape of a line of theirs is live on GitHub, whatever it is put beside', () => {
  expect(markdown([words('&commat;octo-org &#64;octo GH-12 gh-7 ftp://x mailto:a@b')])).not.toMatch(
    /&(?!amp;)|@[a-z]|gh-\d|(ftp|mailto):/i,
  );
  expect(markdown([words('- [x] done')])).toMatch(/^\\- /);
  expect(markdown([words('===\r# head\r\n---')])).toMatch(/^\\=== #\u200b head ---$/);
  expect(markdown([code('a`x'), code('@octo')])).toBe('``a`x``\u200b`@octo`');
  expect(markdown([code('')])).toBe('` `');
});

test('F79: a person is an id on GitHub, or a name where it is known, that mentions nobody either', () => {
  const text = say`by ${person('U1')} and ${person('U2')}`;

  expect(markdownNaming(text, (id) => (id === 'U1' ? 'Ada *Lovelace* @octocat' : null))).toBe(
    'by Ada \\*Lovelace\\* @\u200boctocat and `U2`',
  );
  expect(markdownNaming(text, () => ' ')).toBe('by `U1` and `U2`');
});

test('F80: nothing is hidden: what turns, has no width or controls is shown, in Slack and on GitHub', () => {
  const hostile = 'go\u202Eelbatpecca\u2066x\u200Bno\u2060\uFEFF\u00AD\u{E0041}\u001b[8m\u0000\u3164';

  for (const text of [mrkdwn(say`${words(hostile)} ${hostile}`), markdown(say`${words(hostile)} ${hostile}`)]) {
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\u3164]/u);
    expect(text).toContain('go‹U+202E›elbatpecca');
    expect(text).toContain('␛');
  }
  expect(mrkdwn([words('👩‍🚀 ⚠️ naïve Łódź 日本')])).toBe('👩‍🚀 ⚠️ naïve Łódź 日本');
});

test('F80: nobody writes lines of ours, and an underscore formats nothing where it could', () => {
  expect(mrkdwn([words('fine\n✅ kept, by Grace')])).toBe('fine ✅ kept, by Grace');
  expect(mrkdwn([words('_all_ of train_loss')])).toBe('ˍallˍ of train_loss');
});

test('F80: user text is inert after shortening too: no entity, link, fence or pair is cut open', () => {
  const attack = '<!channel> `<@U999>` <https://evil.example|wandb.ai> & 😀 ';
  const text = mrkdwn(say`${words(attack.repeat(9))} ${attack.repeat(9)} ${person('U1')}`);

  for (let max = 10; max < text.length + 5; max++) {
    const short = cut(text, max);
    expect(short.length).toBeLessThanOrEqual(max);
    expect(short.replaceAll('<@U1>', '')).not.toMatch(/[<>]/);
    expect(short.replace(/&(amp|lt|gt);/g, '')).not.toContain('&');
    expect(short).not.toMatch(/\p{Surrogate}/u);
    expect(short.split('`').length % 2).toBe(1);
  }
});

test('code in a message cannot end its own fence', () => {
  expect(mrkdwn([code('a`b\nc')])).toBe('`aˋb c`');
  expect(markdown([code('a``b')])).toBe('```a``b```');
});

test('what is too long is cut inside no entity, link or pair, and evidence that does not fit is said to be left out', () => {
  expect(cut(`${'x'.repeat(9)}&amp;yyyy`, 13)).toBe(`${'x'.repeat(9)}…`);
  expect(cut('a `fence of code`', 10)).toBe('a `fence…`');
  expect(cut(`${'x'.repeat(9)}😀😀`, 12)).toBe(`${'x'.repeat(9)}…`);

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
