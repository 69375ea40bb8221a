import { expect, test } from 'vitest';
import { lastRows } from '../../commands/last-plan.js';
import { openDatabase } from '../../src/journal/database.js';
import { Journal } from '../../src/journal/journal.js';
import { planBody } from '../support/plan.js';

const at = new Date('2026-11-30T12:00:00Z');
const ROW = { what: 'dashboard', link: 'https://boards.example/1', done: true, undo: 'point it back' };

/** An engine's journal with one plan of the family. */
function engineWith(body: object): { readonly journal: Journal } {
  const journal = new Journal(openDatabase(':memory:'));
  journal.transaction(() => {
    const operationId = journal.createOperation({ protocol: 'hero', subject: 'family:hero', requester: 'U1', channel: 'C1' }, at);
    const row = { from: null, event: 'plan_made', to: 'planned', actor: 'U1', at, requestKey: 'k', facts: {}, details: {}, evidence: [] };
    journal.append({ operationId, ...row, tell: [], open: true, locked: false, plan: { body: { ...body }, inferred: [] } });
  });
  return { journal };
}

test('the rows of the last plan come again, each open', () => {
  expect(lastRows(engineWith({ ...planBody(), downstream: [ROW] }), 'hero')).toEqual({
    operationId: 'hero-1',
    text: 'dashboard | https://boards.example/1 | open | point it back',
  });
});

test('a last plan that is of another build gives no rows, and does not keep the form from opening', () => {
  expect(lastRows(engineWith({ made: 'by another build' }), 'hero')).toBeNull();
});
