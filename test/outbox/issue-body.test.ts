import { afterEach, expect, test } from 'vitest';
import { labelOf, statusBlock, withBlock } from '../../src/render/status-block.js';
import { ADA, GRACE, Office } from '../support/office.js';

let bot: Office | null = null;
afterEach(async () => {
  await bot?.stop();
  bot = null;
});

const LINE = {
  operationId: 'hero-12',
  state: 'trial',
  words: 'trial @all #1',
  since: new Date('2026-11-30T12:00:00Z'),
  seq: 9,
  head: 'ab'.repeat(32),
};

test('what people wrote around the block stays, and a block is replaced in its place', () => {
  const first = withBlock('Written by people.\n', statusBlock([LINE], [], 3)) ?? '';
  const edited = `${first}\n\nand below`;
  const next = withBlock(edited, statusBlock([], [{ ...LINE, state: 'closed', words: 'closed' }], 3)) ?? '';

  expect(first).toMatch(/^Written by people\.\n\n<!-- harbor-status:1 -->/);
  expect(first).toContain('| hero-12 | `trial` | trial @​all #​1 | 2026-11-30 12:00:00Z | 9 | `abababababababab` |');
  expect(next).toMatch(/^Written by people\.\n\n<!-- harbor-status:1 -->[\s\S]*closed[\s\S]*<!-- \/harbor-status -->\n\nand below$/);
  expect(next.match(/harbor-status:1/g)).toHaveLength(1);
});

test('there is no block without room for it, and the label is that of the operation that needs people most', () => {
  expect(withBlock('x'.repeat(59_990), statusBlock([LINE], [], 0))).toBeNull();
  expect(labelOf(['trial', 'held'])).toBe('harbor: held');
  expect(labelOf(['planned'])).toBe('harbor: under way');
  expect(labelOf([])).toBe('harbor: idle');
});

test('F74: from a margin on the block says that the issue will soon take no more comments', () => {
  expect(statusBlock([LINE], [], 2_399)).not.toContain('2,500');
  expect(statusBlock([LINE], [], 2_497)).toContain('name a new one in the fleet file soon');
});

test('the issue of a real bot names people, and says in its body and by its label how things stand, and goes on saying it', async () => {
  bot = await Office.open();
  const { desk } = bot;
  const says = (words: string) => bot?.until(words, async () => ((await desk.issue()).body.includes(words) ? true : undefined));
  await bot.plans();
  await says('| hero-1 | `planned` |');
  await bot.presses(GRACE, 'agree');
  bot.world.advance(10);
  await says('| hero-1 | `agreed` |');
  bot.world.advance(10);
  await bot.says(ADA, '/hero-deploy cancel');
  bot.world.advance(10);
  await says('| hero-1 | `cancelled` |');

  const { comments } = await desk.issue();
  expect(comments[0]?.body).toContain('A plan was made, by Ada.');

  // The new label is put on before the old one is taken off: it is never without one.
  const issue = await bot.until('one label', async () => {
    const seen = await desk.issue();
    return seen.labels.filter((label) => label.startsWith('harbor: ')).join() === 'harbor: idle' ? seen : undefined;
  });
  expect(issue.body.match(/harbor-status:1/g)).toHaveLength(1);
});
