import { expect, test } from 'vitest';
import { readTyped } from '../../commands/arguments.js';

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
