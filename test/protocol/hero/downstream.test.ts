import { expect, test } from 'vitest';
import { difference } from '../../../src/protocol/hero/difference.js';
import { printRow, readRows } from '../../../src/protocol/hero/downstream.js';
import { HeroPlan } from '../../../src/protocol/hero/plan.js';
import { planBody } from '../../support/plan.js';

const DASHBOARD = { what: 'dashboard', link: 'https://d.example/1', done: false, undo: 'point it back; tell the team' };
const ALERTS = { what: 'alerts', link: 'marin#12', done: true, undo: 'mute them' };

test('a row is read as it is printed, whatever a phone makes of its bars and capitals', () => {
  expect(readRows([DASHBOARD, ALERTS].map(printRow))).toEqual({ rows: [DASHBOARD, ALERTS], faults: [] });
  expect(readRows([' alerts ｜marin#12│ Done |mute them '])).toEqual({ rows: [ALERTS], faults: [] });
});

test.each([
  [
    'alerts | marin#12',
    'row 1, "alerts | marin#12": 2 columns where 4 belong: what | link | open or done | how it is undone on a rollback',
  ],
  ['alerts', 'row 1, "alerts": 1 column where 4 belong'],
  ['a | b | open | c | d', 'row 1, "a | b | open | c | d": 5 columns where 4 belong'],
  ['alerts | marin#12 | opne | mute them', 'row 1, column 3: "opne" is neither open nor done'],
  ['alerts | the old board | open | mute them', 'row 1, column 2: "the old board" is no link: a link has no spaces'],
  [' | marin#12 | open | mute them', 'row 1, column 1: what is missing'],
  ['alerts |  | open | mute them', 'row 1, column 2: link is missing'],
  ['alerts | marin#12 | | mute them', 'row 1, column 3: open or done is missing'],
  ['alerts | marin#12 | open |', 'row 1, column 4: how it is undone on a rollback is missing'],
])('a row that is not one says in which column, and what was wrong: %s', (text, fault) => {
  expect(readRows([text])).toEqual({ rows: [], faults: [expect.stringContaining(fault)] });
});

test('each wrong row is named by its own number, and the right ones are read', () => {
  const { rows, faults } = readRows([printRow(DASHBOARD), 'alerts | marin#12 | opne | ', printRow(ALERTS), 'nonsense']);

  expect(rows).toEqual([DASHBOARD, ALERTS]);
  expect(faults).toEqual([
    'row 2, column 3: "opne" is neither open nor done',
    'row 2, column 4: how it is undone on a rollback is missing',
    expect.stringMatching(/^row 4, "nonsense": 1 column/),
  ]);
});

test('a revision shows which rows it changes, as they are written', () => {
  const plan = (downstream: readonly (typeof DASHBOARD)[]) =>
    HeroPlan.parse(planBody({ downstream: downstream.map((row) => ({ ...row })) }));

  expect(difference(plan([DASHBOARD]), plan([{ ...DASHBOARD, done: true }, ALERTS]))).toEqual([
    { field: 'downstream, row 1', was: printRow(DASHBOARD), now: printRow({ ...DASHBOARD, done: true }) },
    { field: 'downstream, row 2', was: 'not there', now: printRow(ALERTS) },
  ]);
});
