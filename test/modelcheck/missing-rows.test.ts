import { expect, test } from 'vitest';
import { HERO_ROWS, type HeroRow } from '../../src/protocol/hero/table.js';
import { PLANS } from './plans.js';
import { walk } from './walk.js';

const [swap] = Object.values(PLANS);

/** What the walk finds when the table is another one. */
function foundWith(amend: (row: HeroRow) => HeroRow | null, mishapsMax = 0): string {
  if (swap === undefined) throw new Error('there is no plan to walk');
  return (walk({ plan: swap, mishapsMax, amend }).counterExample ?? []).join('\n');
}

function rowLike(from: string, on: string): HeroRow {
  const row = HERO_ROWS.find((each) => each.from === from && each.on === on);
  if (row === undefined) throw new Error(`there is no row ${from} ${on}`);
  return row;
}

test('without the row for "gone after an abort", what an abort has come to is lost', () => {
  const found = foundWith((row) => (row.on === 'old_gone_after_abort' ? null : row));

  expect(found).toMatch(/WRONG: old_gone_after_abort is proven in stopping_old, and no row takes it/);
});

test('with the row for "gone" in its place, a swap that was called off is launched all the same', () => {
  const found = foundWith((row) => (row.on === 'old_gone_after_abort' ? rowLike('stopping_old', 'old_gone') : row));

  expect(found).toMatch(/abort_asked[\s\S]*WRONG: launch_new is put on file/);
});

test('if unknown guards opened, the control would be cancelled on what nobody could read', () => {
  const found = foundWith((row) => (row.on === 'guards_unknown' && row.from === 'arming' ? rowLike('arming', 'guards_open') : row));

  expect(found).toMatch(/unreadable|nothing readable/);
});

test('if a launch that nobody could read counted as none, it would be noticed', () => {
  const found = foundWith((row) => (row.on === 'launch_unknown' ? rowLike('launching', 'launch_absent') : row));

  expect(found).toMatch(/WRONG: launch_absent is concluded with nothing readable/);
});

test('without leaving down and abandoning, a hold in which nothing is readable has no end', () => {
  const found = foundWith((row) => (row.from === 'held' && (row.on === 'leave_down' || row.on === 'abandon') ? null : row));

  expect(found).toMatch(/WRONG: nobody can bring this to an end/);
});
