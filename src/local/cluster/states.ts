/** Scheduler state codes. Source: contracts/iris-and-ferries.md 1.7. */
export const STATE = {
  pending: 1,
  building: 2,
  running: 3,
  succeeded: 4,
  failed: 5,
  killed: 6,
  workerFailed: 7,
  unschedulable: 8,
  assigned: 9,
  coschedFailed: 11,
} as const;

/** A code that the contract does not list: what the `unlisted_state` switch shows for a live coordinator. */
export const UNLISTED_STATE = 17;

const NAMES: Readonly<Record<number, string>> = {
  1: 'pending',
  2: 'building',
  3: 'running',
  4: 'succeeded',
  5: 'failed',
  6: 'killed',
  7: 'worker_failed',
  8: 'unschedulable',
  9: 'assigned',
  11: 'cosched_failed',
};

/** The friendly name of a state; an unlisted code is spelt as the scheduler's own CLI does. */
export function stateName(code: number): string {
  return NAMES[code] ?? `UNKNOWN(${code})`;
}

/** Whether a job in this state is over. Codes outside the table never are. */
export function isOver(code: number): boolean {
  return code >= STATE.succeeded && code <= STATE.unschedulable;
}
