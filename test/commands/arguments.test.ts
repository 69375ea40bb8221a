import { expect, test } from 'vitest';
import { readTyped } from '../../commands/arguments.js';
import { quoted } from '../../commands/typed-text.js';

test('words, an operation and fields are told apart, quotes hold several words', () => {
  const typed = readTyped('plan  new=hero-x-step1 gate="train_loss tracks within 0.002; a tracks within 1" reason="a &amp; b"');

  expect(typed).toMatchObject({ kind: 'typed', verb: 'plan', operationId: null });
  expect(typed.kind === 'typed' ? [...typed.fields] : []).toEqual([
    ['new', 'hero-x-step1'],
    ['gate', 'train_loss tracks within 0.002; a tracks within 1'],
    ['reason', 'a & b'],
  ]);
});

test.each([
  ['launch —dry-run', 'U+2014'],
  ['rollback –plan p7', 'U+2013'],
  ['rollback --now', '"--now" is not understood'],
  ['go please', '"please" is not understood'],
  ['plan reason="never closed', 'not closed'],
  ['plan window=1 window=2', 'there twice'],
  ['cancel reason="\u001b[31mred"', 'U+001B'],
  ['cancel reason="\u202egnp.exe"', 'U+202E'],
  ['agree\u200b', 'U+200B'],
])('F67: %s is refused with what is wrong in it', (text, words) => {
  const typed = readTyped(text);

  expect(typed).toMatchObject({ kind: 'fault', message: expect.stringContaining(words) });
});

test('F67: curly quotes and non-breaking spaces are read as what was meant; a long dash inside a quote stays', () => {
  const typed = readTyped('override\u00a0hero-2 reason=“hole in telemetry — known”');

  expect(typed).toMatchObject({ verb: 'override', operationId: 'hero-2' });
  expect(typed.kind === 'typed' ? typed.fields.get('reason') : '').toBe('hole in telemetry — known');
});

function fieldsOf(text: string): Readonly<Record<string, string>> {
  const typed = readTyped(text);
  return typed.kind === 'typed' ? Object.fromEntries(typed.fields) : { fault: typed.message };
}

test.each([
  ['plan dri=<@U0GRACE001|grace> reviewer=<@W0LIN>', { dri: '<@U0GRACE001>', reviewer: '<@W0LIN>' }],
  ['rollback reason="see <https://example.org/a?b=1&amp;c=2|the dashboard>"', { reason: 'see https://example.org/a?b=1&c=2' }],
  ['rollback reason="see <https://example.org/a>"', { reason: 'see https://example.org/a' }],
  ['rollback reason="as in <http://plan.md|plan.md>, ask <mailto:a@b.example|a@b.example>"', { reason: 'as in plan.md, ask a@b.example' }],
  ['rollback reason="<#C0HERO0001|hero> <!here> <!subteam^S0ONCALL1|@oncall>"', { reason: '#hero @here @oncall' }],
  ['rollback reason="a &lt; b and <b"', { reason: 'a < b and <b' }],
  ['plan new=`hero-x-step1` gate="`train_loss tracks within 0.002`"', { new: 'hero-x-step1', gate: 'train_loss tracks within 0.002' }],
  ['plan gate=```train_loss tracks within 0.002```', { gate: 'train_loss tracks within 0.002' }],
  ['rollback reason="the `a2a` kernel"', { reason: 'the `a2a` kernel' }],
  ['plan\u2009gate=“train_loss tracks within 0.002″', { gate: 'train_loss tracks within 0.002' }],
])('F67: what Slack and phones make of %s is read as what was meant', (text, fields) => {
  expect(fieldsOf(text)).toEqual(fields);
});

test('F67: a command that was pasted as code is that command', () => {
  expect(readTyped('`launch hero-12`')).toMatchObject({ verb: 'launch', operationId: 'hero-12' });
  expect(readTyped('```launch hero-12```')).toMatchObject({ verb: 'launch', operationId: 'hero-12' });
  expect(readTyped('`launch` `hero-12`')).toMatchObject({ verb: 'launch', operationId: 'hero-12' });
});

test.each([
  ['lаunch hero-12', 'The character "а" (U+0430) does not belong in l[U+0430]unch'],
  ['launch hero‐12', 'U+2010'],
  ['launch hero-１２', 'U+FF11'],
  ['launch －dry-run', 'U+FF0D'],
  ['launch ―dry-run', 'U+2015'],
  ['launch `hero-12', 'The character "`" (U+0060)'],
  ['launch <@U0GRACE001|grace>', '"<@U0GRACE001>" is not understood'],
  ['launch <https://example.org|hero-12>', '"https://example.org" is not understood'],
  ['launch 🚀', 'U+1F680'],
  ['cancel reason="soft\u00adhyphen"', 'U+00AD'],
  ['cancel reason="tag\u{e0041}"', 'U+E0041'],
  ['cancel reason="filler\u3164"', 'U+3164'],
])('F67: %s is refused, and the character is named', (text, words) => {
  expect(readTyped(text)).toMatchObject({ kind: 'fault', message: expect.stringContaining(words) });
});

test('F67: emoji and scripts that need joiners stay in a reason', () => {
  expect(fieldsOf('cancel reason="👩‍💻 می‌خواهم, schön"')).toEqual({ reason: '👩‍💻 می‌خواهم, schön' });
});

test('F67: inside quotes a line of a list stays one, elsewhere a line end is a blank', () => {
  const text = 'plan\nnew=hero-x-step1 gate="a tracks within 1\r\nb tracks within 2" reason="one\n  two" downstream="r1\nr2"\nwindow=60';

  expect(fieldsOf(text)).toEqual({
    new: 'hero-x-step1',
    gate: 'a tracks within 1\nb tracks within 2',
    reason: 'one two',
    downstream: 'r1\nr2',
    window: '60',
  });
  expect(fieldsOf('plan gate=```a tracks within 1\nb tracks within 2```')).toEqual({ gate: 'a tracks within 1\nb tracks within 2' });
});

test('a long reason is quoted with how much was left out, and never half a character', () => {
  expect(quoted('as it is')).toBe('as it is');
  expect(quoted(`${'a'.repeat(999)}😀${'b'.repeat(30)}`)).toBe(`${'a'.repeat(999)}😀 … (30 characters left out)`);
});
