import { APPROVER, ASKER } from './fleet.js';
import type { Player } from './player.js';
import type { Scenario } from './scenarios.js';

/** What the watch of a trial must see, and what it must not take for trouble. */

const TROUBLE = ['hung', 'retried', 'ended', 'startup_overdue', 'gate_failed'] as const;

/** Whether none of these stands in the history. */
function spared(player: Player, operationId: string, events: readonly string[]): boolean {
  return player.history(operationId).every(({ event }) => !events.includes(event));
}

/** A failed trial that a person rolls back, until the old run is proven by its own rows. */
async function rollBack(player: Player, operationId: string): Promise<void> {
  await player.reaches(operationId, 'awaiting_rollback');
  await player.clicks(ASKER.id, operationId, 'rollback');
  await player.reaches(operationId, 'rolled_back');
  await player.happens(operationId, 'failure_filed');
}

async function keep(player: Player, operationId: string): Promise<void> {
  await player.reaches(operationId, 'awaiting_decision');
  await player.clicks(APPROVER.id, operationId, 'go');
  await player.reaches(operationId, 'closed');
}

async function launched(player: Player, change: string, fields?: string): Promise<string> {
  const operationId = await player.toGate(change, fields);
  await player.clicks(APPROVER.id, operationId, 'approve');
  return operationId;
}

export const TRIAL_SCENARIOS = {
  /** The loss shifts only in the second half of the window: the gate fails on it, and a person rolls back. */
  async 'late-shift'(player) {
    const operationId = await launched(player, 'late-shift');
    await rollBack(player, operationId);
    return { operationId, asExpected: player.passed(operationId, ['gate_failed', 'rollback_asked', 'replay_matches', 'failure_filed']) };
  },

  /** A collective fails and the scheduler starts another attempt: told as one retry, which fails the trial and stays failed. */
  async retry(player) {
    const operationId = await launched(player, 'flaky-collective');
    await rollBack(player, operationId);
    const retries = player.history(operationId).filter(({ event }) => event === 'retried').length;
    return { operationId, asExpected: retries === 1 && player.passed(operationId, ['retried', 'rollback_asked', 'replay_matches']) };
  },

  /** A compile that takes longer than the hang limit: neither a hang nor a stall, and the run is kept. */
  async 'compile-is-slow'(player) {
    const operationId = await launched(player, 'slow-compile');
    await keep(player, operationId);
    const quiet = spared(player, operationId, [...TROUBLE, 'stall_suspected']);
    return { operationId, asExpected: quiet && player.passed(operationId, ['phase_reached', 'trial_began', 'window_closed', 'closed']) };
  },

  /** Telemetry does not answer in the middle of the trial: the monitor says that it is blind, and calls the run nothing. */
  async 'monitor-blind'(player) {
    const operationId = await launched(player, 'fast-a2a');
    await player.happens(operationId, 'trial_began');
    await player.switches('telemetry_down', true);
    await player.happens(operationId, 'monitor_blind');
    await player.switches('telemetry_down', false);
    // A go needs a step that was seen to move: after the blindness it is met anew, and some ticks pass.
    await player.happens(operationId, 'chart_posted');
    await keep(player, operationId);
    const quiet = spared(player, operationId, TROUBLE);
    return { operationId, asExpected: quiet && player.passed(operationId, ['monitor_blind', 'monitor_sees', 'window_closed', 'closed']) };
  },

  /** The differences scatter too much for the agreed margin: no pass and no fail, no go, and a person says no. */
  async inconclusive(player) {
    const operationId = await launched(player, 'noisy-labels');
    await player.reaches(operationId, 'awaiting_decision');
    await player.says(APPROVER.id, `/hero-deploy go ${operationId}`);
    await player.clicks(ASKER.id, operationId, 'no_go');
    await player.reaches(operationId, 'rolled_back');
    const closed = player.history(operationId).find(({ event }) => event === 'window_closed');
    const verdict: { verdict?: string } = JSON.parse(closed?.details ?? '{}');
    const refused = spared(player, operationId, ['go_approved']);
    return {
      operationId,
      asExpected: verdict.verdict === 'INCONCLUSIVE' && refused && player.passed(operationId, ['no_go', 'replay_matches']),
    };
  },

  /** The loss overflows: the first value that is no number fails the gate, whatever was agreed. */
  async nan(player) {
    const operationId = await launched(player, 'nan');
    await rollBack(player, operationId);
    return { operationId, asExpected: player.passed(operationId, ['gate_failed', 'rollback_asked', 'replay_matches']) };
  },

  /** The trainers' clock is half a minute behind ours: a step is as old as we have watched it, and the run is kept. */
  async 'clock-skew'(player) {
    const operationId = await player.toGate('fast-a2a');
    await player.switches('telemetry_clock_behind', true);
    await player.clicks(APPROVER.id, operationId, 'approve');
    await keep(player, operationId);
    const quiet = spared(player, operationId, [...TROUBLE, 'stall_suspected']);
    return { operationId, asExpected: quiet && player.passed(operationId, ['trial_began', 'window_closed', 'go_approved', 'closed']) };
  },
} satisfies Readonly<Record<string, Scenario>>;
