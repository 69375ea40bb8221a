import type { Engine } from '../src/engine/engine.js';
import { printRow } from '../src/protocol/hero/downstream.js';
import { HeroPlan } from '../src/protocol/hero/plan.js';

/**
 * Downstream rows of the newest plan of a family that was not called off: the same reports follow each swap. Null: it has
 * none.
 */
export function lastRows(engine: Engine, family: string): { readonly operationId: string; readonly text: string } | null {
  const last = engine.journal.ofSubject(`family:${family}`).find(({ state }) => state !== 'cancelled');
  if (last === undefined) return null;
  const text = rowsAnew(HeroPlan.parse(engine.viewOf(last).plan));
  return text === '' ? null : { operationId: last.operation_id, text };
}

/** The rows of a plan as the next one begins with them: nothing of them is done yet. */
export function rowsAnew({ downstream }: HeroPlan): string {
  return downstream.map((row) => printRow({ ...row, done: false })).join('\n');
}
