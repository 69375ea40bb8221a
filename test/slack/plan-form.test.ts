import { afterEach, expect, test } from 'vitest';
import { recordsOf, textOf } from '../../src/local/desk/record.js';
import { ADA, BOB, GRACE, Office } from '../support/office.js';
import { DEPLOY, NEW_RUN, OLD_RUN } from '../support/plan.js';

let bot: Office;
afterEach(() => bot.stop());

async function opens(): Promise<void> {
  bot = await Office.open();
  bot.runs();
}

/** The form in front of somebody, once it is filled. */
async function form(person = ADA) {
  return bot.until('the form is filled', () => {
    const view = bot.desk.views(person.id).at(-1)?.view;
    return recordsOf(view?.blocks).some(({ type }) => type === 'input') ? view : undefined;
  });
}

/** What the modal in front of somebody says, once it says something like this. */
async function told(person: { readonly id: string }, words: string): Promise<string> {
  return bot.until(`a modal that says ${words}`, () => {
    const said = JSON.stringify(bot.desk.views(person.id).at(-1)?.view ?? {});
    return said.includes(words) ? said : undefined;
  });
}

function field(view: unknown, name: string): { readonly value: string; readonly hint: string } {
  const block = recordsOf((view as { blocks?: unknown }).blocks).find(({ block_id: id }) => id === name);
  const element = (block?.element ?? {}) as { initial_value?: string };
  return { value: element.initial_value ?? '', hint: textOf((block?.hint as { text?: string } | undefined)?.text) };
}

test('a plan without fields opens a form at once, which is then filled with what was read, each value labelled', async () => {
  await opens();
  bot.world.commits = Array.from({ length: 30 }, (_none, n) => ({ sha: `${n % 10}`.repeat(40), subject: `Change ${n} <!channel>` }));
  await bot.desk.says(ADA.id, '/hero-deploy plan');

  const view = await form();

  expect(field(view, 'old')).toEqual({ value: OLD_RUN, hint: expect.stringContaining('Read from the one live coordinator') });
  expect(field(view, 'new')).toEqual({ value: NEW_RUN, hint: expect.stringContaining('Read from the launch record') });
  expect(field(view, 'handoff').value).toBe('54000');
  expect(field(view, 'deploy').value).toBe(DEPLOY);
  expect(field(view, 'gate').value).toBe('');
  const all = JSON.stringify(view);
  expect(all).toContain('Pace of');
  expect(all).toContain('Lineage: the tracker is forked from');
  expect(all).toContain('America/Los_Angeles');
  for (let n = 0; n < 30; n++) expect(all).toContain(`Change ${n} `);
  expect(all).not.toContain('<!channel>');
  expect(bot.state()).toBeUndefined();
});

test('what is wrong in a form stands beside its field at once, nothing is put on file, and what was right stays', async () => {
  await opens();
  await bot.desk.says(ADA.id, '/hero-deploy plan');
  const view = await form();

  await bot.desk.submits(textOf(view.id), { gate: 'train_loss is nice', reason: 'faster', window: 'many', new: 'hero-х-step54k' });

  const errors = bot.desk.views(ADA.id).at(-1)?.errors as Record<string, string>;
  expect(Object.keys(errors).sort()).toEqual(['gate', 'new', 'window']);
  expect(errors.gate).toContain('is not a criterion');
  expect(bot.state()).toBeUndefined();

  await bot.desk.submits(textOf(view.id), { gate: 'train_loss tracks within 0.01', reason: 'faster' });
  await bot.reaches('planned');
  expect(await told(ADA, 'is planned')).toContain('Read, not typed');
  expect(bot.assembly.engine.view('hero-1')?.plan).toMatchObject({ newRun: NEW_RUN, oldRun: OLD_RUN, reason: 'faster' });
});

test('the same submission twice makes one plan', async () => {
  await opens();
  await bot.desk.says(ADA.id, '/hero-deploy plan');
  const view = await form();
  const delivery = await bot.desk.submits(textOf(view.id), { gate: 'train_loss tracks within 0.01', reason: 'once' });
  await bot.reaches('planned');

  await bot.desk.repeats(delivery);
  await bot.says(ADA, '/hero-deploy list');

  expect(bot.state('hero-2')).toBeUndefined();
});

test('somebody who may not ask is told so in the form, and nothing is on file', async () => {
  await opens();
  await bot.desk.says(BOB.id, '/hero-deploy plan');
  const view = await form(BOB as never);
  await bot.desk.submits(textOf(view.id), { gate: 'train_loss tracks within 0.01', reason: 'r' });

  await told(BOB, 'You may not do that');
  expect(bot.state()).toBeUndefined();
});

test('a revision begins with what the plan says, and shows field by field what it changes, to whoever revises and in the thread', async () => {
  await opens();
  await bot.plans();
  await bot.presses(GRACE, 'agree');
  await bot.reaches('agreed');
  await bot.desk.says(ADA.id, '/hero-deploy revise');
  const view = await form();
  expect(field(view, 'gate').value).toBe('train_loss tracks within 0.01');
  expect(field(view, 'reason').value).toBe('faster');

  await bot.desk.submits(textOf(view.id), { window: '50', gate: 'train_loss tracks within 0.02' });
  await bot.reaches('planned');

  const said = await told(ADA, 'is revised');
  expect(said).toContain('window steps: `60` → `50`');
  expect(said).toContain('gate: `train_loss tracks within 0.01` → `train_loss tracks within 0.02`');
  const line = await bot.until('the thread shows it', async () =>
    (await bot.thread()).find((text) => text.includes('The plan was revised')),
  );
  expect(line).toContain('window steps: `60` → `50`');
});

test('a revision of a plan that was revised meanwhile is refused, and says so in the form', async () => {
  await opens();
  await bot.plans();
  await bot.desk.says(ADA.id, '/hero-deploy revise');
  const view = await form();
  await bot.says(GRACE, '/hero-deploy revise reason="by somebody else"');

  await bot.desk.submits(textOf(view.id), { reason: 'mine' });

  await told(ADA, 'That button or form was drawn for an earlier version of the plan');
  expect(bot.assembly.engine.view('hero-1')?.plan).toMatchObject({ reason: 'by somebody else' });
});

test('F59: a form that cannot be opened any more leaves a text with a fresh button, and the button opens one', async () => {
  await opens();
  bot.desk.fault({ sink: 'slack', method: 'views.open', kind: 'status', status: 200, error: 'expired_trigger_id', times: 1 });
  expect(await bot.says(ADA, '/hero-deploy plan')).toContain('could not be opened');
  expect(bot.state()).toBeUndefined();

  const offer = bot.desk.ephemerals(ADA.id).at(-1);
  await bot.desk.clicks(ADA.id, offer?.ts ?? '', { actionId: 'harbor.form' });

  expect(field(await form(), 'old').value).toBe(OLD_RUN);
});

test('long evidence is folded behind a button, and shown whole to whoever presses it', async () => {
  await opens();
  await bot.toGate();
  const card = await bot.card();
  const reply = await bot.until('the guards are told', async () =>
    (await bot.desk.thread(textOf(card?.ts))).find((message) => JSON.stringify(message.blocks).includes('harbor.evidence')),
  );

  await bot.desk.clicks(BOB.id, textOf(reply.ts), { actionId: 'harbor.evidence' });

  const shown = await told(BOB, 'which is main');
  expect(shown).toContain('handoff checkpoint: step-54000 is complete');
  expect(shown).toContain('credentials: iris');
});

const BOARD = 'dashboard | https://boards.example/1 | open | point it back at the old run';
const ALERTS = 'alerts | marin#12 | done | mute them; tell the team';

test('downstream rows are written one a line: what is wrong stands beside the field by row and column, at once; the plan shows rows', async () => {
  await opens();
  await bot.desk.says(ADA.id, '/hero-deploy plan');
  const view = await form();
  const right = { gate: 'train_loss tracks within 0.01', reason: 'faster' };

  await bot.desk.submits(textOf(view.id), {
    ...right,
    downstream: `${BOARD}\nalerts | marin#12 | opne | mute them`,
    dri: '@ada',
    final: 'soon',
  });
  const errors = bot.desk.views(ADA.id).at(-1)?.errors as Record<string, string>;
  expect(Object.keys(errors).sort()).toEqual(['downstream', 'dri', 'final']);
  expect(errors.downstream).toBe('downstream, row 2, column 3: "opne" is neither open nor done');
  expect(bot.state()).toBeUndefined();

  await bot.desk.submits(textOf(view.id), { ...right, downstream: `${BOARD}\n${ALERTS}` });
  await bot.reaches('planned');
  const rows = [
    '• Downstream dashboard (`https://boards.example/1`): open; on a rollback: point it back at the old run',
    'mute them; tell the team',
  ];
  const card = await bot.until('the card shows the rows', async () => {
    bot.world.advance(0.5);
    const found = JSON.stringify(await bot.card());
    return found.includes('Downstream dashboard') ? found : undefined;
  });
  for (const row of rows) expect(card).toContain(row);
});

test('a row can be typed as it is written in the form, on several lines too', async () => {
  await opens();
  await bot.says(ADA, `/hero-deploy plan gate="train_loss tracks within 0.01" reason="r" downstream="${BOARD}\n${ALERTS}"`);
  await bot.reaches('planned');

  expect(bot.assembly.engine.view('hero-1')?.plan.downstream).toMatchObject([
    { what: 'dashboard', done: false },
    { what: 'alerts', done: true },
  ]);
  expect(await bot.says(ADA, '/hero-deploy revise downstream="alerts | marin#12"')).toContain(
    'row 1, "alerts | marin#12": 2 columns where 4 belong',
  );
});

test('the next plan of the family begins with the rows of the last one, all open again and labelled so; what is emptied is gone', async () => {
  await opens();
  await bot.says(ADA, `/hero-deploy plan gate="train_loss tracks within 0.01" reason="r" downstream="${BOARD}\n${ALERTS}"`);
  await bot.reaches('planned');
  await bot.desk.says(ADA.id, '/hero-deploy plan');
  const again = await form();

  expect(field(again, 'downstream')).toEqual({
    value: `${BOARD}\n${ALERTS.replace('done', 'open')}`,
    hint: expect.stringContaining('Read from the plan of hero-1, each open again'),
  });
  await bot.desk.submits(textOf(again.id), { gate: 'train_loss tracks within 0.01', reason: 'again' });
  await bot.reaches('planned', 'hero-2');
  expect(await told(ADA, 'hero-2')).toMatch(/Read, not typed: [^.]*downstream/);
  expect(bot.assembly.engine.view('hero-2')?.plan.downstream).toMatchObject([{ done: false }, { what: 'alerts', done: false }]);

  await bot.desk.says(ADA.id, '/hero-deploy revise hero-2');
  const revised = await bot.until('the form of the revision', () => {
    const view = bot.desk.views(ADA.id).at(-1)?.view;
    return JSON.stringify(view).includes('Revise the plan') && field(view, 'downstream').value !== '' ? view : undefined;
  });
  await bot.desk.submits(textOf(revised?.id), { downstream: '' });
  const said = await told(ADA, 'is revised');
  expect(said).toContain('downstream, row 2');
  expect(bot.assembly.engine.view('hero-2')?.plan.downstream).toEqual([]);
});
