import { afterEach, expect, test } from 'vitest';
import { recordsOf, textOf } from '../../src/local/desk/record.js';
import { ADA, GRACE, Office } from '../support/office.js';

let bot: Office;
afterEach(() => bot?.stop());

test('F67: a person who is mentioned, a link and pasted code in a plan are taken as what they mean, and shown inert', async () => {
  bot = await Office.open();
  bot.runs();

  await bot.says(
    ADA,
    `/hero-deploy plan gate=\`train_loss tracks within 0.01\` dri=<@${GRACE.id}|ada> reason="see https://example.org/x <!channel>"`,
  );

  expect(bot.assembly.engine.view('hero-1')?.plan).toMatchObject({ dri: GRACE.id, reason: 'see https://example.org/x <!channel>' });
  await bot.told();
  const said = JSON.stringify([await bot.card(), ...(await bot.thread())]);
  expect(said).not.toContain('<!channel>');
});

test.each([
  ['/hero-deploy plan new=hero-х-step54k gate="train_loss tracks within 0.01" reason=r', 'hero-[U+0445]-step54k'],
  ['/hero-deploy lаunch', 'U+0430'],
  ['/hero-deploy launch now', '"now" is not understood'],
  ['/hero-deploy launch dry-run=yes', 'launch` takes no'],
  ['/hero-deploy list hero-1', 'takes nothing more'],
  ['/hero-deploy help me=out', 'takes nothing more'],
  ['/hero-deploy lunch', 'is not something'],
])('F67: %s does nothing, and says what is wrong: %s', async (text, words) => {
  bot = await Office.open();
  bot.runs();

  const answer = await bot.says(ADA, text);

  expect(answer).toContain(words);
  expect(bot.assembly.engine.journal.openOperations()).toEqual([]);
});

test('F67: a character that cannot be seen is refused beside its field of the form', async () => {
  bot = await Office.open();
  bot.runs();
  await bot.desk.says(ADA.id, '/hero-deploy plan');
  const view = await bot.until('the form is filled', () => {
    const open = bot.desk.views(ADA.id).at(-1)?.view;
    return recordsOf(open?.blocks).some(({ type }) => type === 'input') ? open : undefined;
  });

  await bot.desk.submits(textOf(view.id), { gate: 'train_loss tracks within 0.01', reason: 'faster\u202egnp.exe' });

  expect(bot.desk.views(ADA.id).at(-1)?.errors).toEqual({ reason: expect.stringContaining('U+202E') });
  expect(bot.state()).toBeUndefined();
});
