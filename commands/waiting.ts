import type { Engine } from '../src/engine/engine.js';
import type { Standing } from '../src/protocol/people.js';
import type { Refusal } from '../src/protocol/table.js';

/** An operation as the journal lists it. */
export type Listed = ReturnType<Engine['journal']['openOperations']>[number];

/** What an operation waits for from people, by protocol and state. A state that is not here goes on by itself, or is over. */
export const AWAITED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  hero: {
    planned: ['plan_agreed'],
    agreed: ['preflight_asked'],
    blocked: ['preflight_asked'],
    awaiting_launch: ['launch_approved'],
    nothing_running: ['launch_again', 'rollback_asked', 'leave_down'],
    awaiting_rollback: ['rollback_asked'],
    awaiting_decision: ['go_approved', 'no_go'],
    awaiting_anchor: ['anchor_confirmed', 'leave_down'],
    held: ['abandon', 'leave_down'],
  },
  ferry: {
    unfiled: ['file_again'],
    proposed: ['approved'],
    cleared: ['launch_asked'],
    awaiting_fix: ['fix_proposed', 'escalate_asked'],
    awaiting_seal: ['seal_asked', 'leave_unsealed'],
    held: ['abandon'],
  },
};

/** Refusals that are about the matter and not about who asks: it is this person's, though not yet, or not without more. */
const THEIRS_STILL: ReadonlySet<Refusal> = new Set(['not_proven', 'liveness_unknown', 'reason_missing', 'fix_used', 'clock_behind']);

/** Whether an operation waits for this person: the protocol itself is asked, as a click would ask it, and nothing is recorded. */
export function waitsFor(engine: Engine, operation: Listed, by: string, standing: Standing): boolean {
  const protocol = engine.protocol(operation.protocol);
  const watched = engine.watched.get(operation.operation_id) ?? { memory: null, readings: {} };
  const now = engine.now();
  return (AWAITED[operation.protocol]?.[operation.state] ?? []).some((on) => {
    const request = { operationId: operation.operation_id, on, by, requestKey: 'asked only', askedAt: now, standing };
    const decision = protocol.decide(engine.viewOf(operation), request, watched, now);
    return decision.kind === 'advance' || THEIRS_STILL.has(decision.refusal);
  });
}
