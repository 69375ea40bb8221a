import { expect, test } from 'vitest';
import { FERRY_ROWS, type FerryRow } from '../../src/protocol/ferry/table.js';
import { FERRY_PLANS, FIRST_FERRY } from './ferry-node.js';
import { type AmendFerry, walkFerry } from './ferry-walk.js';

test.each(Object.entries(FERRY_PLANS))('nothing that must not be is reachable, and everybody can come to an end: %s', (_name, plan) => {
  const { counterExample, states } = walkFerry(plan);

  expect(counterExample).toBeNull();
  expect(states).toBeGreaterThan(200);
});

test.each(['open', 'closed'] as const)('the same for a canary whose lane has a failure issue that is %s', (failureIssue) => {
  const plan = Object.values(FERRY_PLANS)[1];
  if (plan === undefined) throw new Error('there is no plan to walk');

  const { counterExample, rows } = walkFerry(plan, undefined, { ...FIRST_FERRY, failureIssue });

  expect(counterExample).toBeNull();
  expect(rows.has(failureIssue === 'open' ? 'triage diagnosed_known_issue' : 'triage diagnosed_new_issue')).toBe(true);
});

const [daily, canary] = Object.values(FERRY_PLANS);

function foundWith(plan: typeof daily, amend: AmendFerry): string {
  if (plan === undefined) throw new Error('there is no plan to walk');
  return (walkFerry(plan, amend).counterExample ?? []).join('\n');
}

function rowLike(from: string, on: string): FerryRow {
  const row = FERRY_ROWS.find((each) => each.from === from && each.on === on);
  if (row === undefined) throw new Error(`there is no row ${from} ${on}`);
  return row;
}

test('if an unread launch counted as none, it would be noticed', () => {
  const found = foundWith(canary, (row) => (row.on === 'launch_unknown' ? rowLike('launching', 'launch_absent') : row));

  expect(found).toMatch(/WRONG: launch_absent is concluded with nothing readable/);
});

test('if success without evidence counted as success, it would be noticed', () => {
  const found = foundWith(canary, (row) => (row.on === 'canary_unverified' ? rowLike('verifying', 'canary_verified') : row));

  expect(found).toMatch(/WRONG: canary_verified(, and the evidence is| is concluded with nothing readable)/);
});

test('if guards that could not be read opened, a launch without a look would be noticed', () => {
  const found = foundWith(canary, (row) => (row.on === 'guards_unknown' ? rowLike('arming', 'guards_open') : row));

  expect(found).toMatch(/WRONG: (guards_open is concluded with nothing readable|a launch is put on file)/);
});

test('without abandoning, a hold in which nothing is readable has no end', () => {
  const found = foundWith(canary, (row) => (row.on === 'abandon' || row.on === 'retry_stop' || row.on === 'adopt' ? null : row));

  expect(found).toMatch(/WRONG: nobody can bring this to an end/);
});
