import type { Engine } from '../src/engine/engine.js';
import { printRow } from '../src/protocol/hero/downstream.js';
import { HeroPlan } from '../src/protocol/hero/plan.js';

/**
 * Downstream rows of the newest plan of a family that was not called off: the same reports follow each swap. Null: it has
 * none, or is of a build whose plans were others; a form that begins without them is no worse than none.
 */
export function lastRows(
  { journal }: Pick<Engine, 'journal'>,
  family: string,
): { readonly operationId: string; readonly text: string } | null {
  const last = journal.ofSubject(`family:${family}`).find(({ state }) => state !== 'cancelled');
  if (last === undefined) return null;
  const plan = HeroPlan.safeParse(JSON.parse(journal.plan(last.operation_id, last.plan_version).body));
  const text = plan.success ? rowsAnew(plan.data) : '';
  return text === '' ? null : { operationId: last.operation_id, text };
}

/** The rows of a plan as the next one begins with them: nothing of them is done yet. */
export function rowsAnew({ downstream }: HeroPlan): string {
  return downstream.map((row) => printRow({ ...row, done: false })).join('\n');
}
