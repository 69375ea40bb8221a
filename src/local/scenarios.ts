import { APPROVER, ASKER } from './fleet.js';
import type { Player } from './player.js';
import { TRIAL_SCENARIOS } from './scenarios-trial.js';

/** What a scenario plays, and whether it went as the protocol says. */
export type Scenario = (player: Player) => Promise<{ readonly operationId: string; readonly asExpected: boolean }>;

const GATE = 'gate="train_loss tracks within 0.01"';

async function go(player: Player): Promise<string> {
  const operationId = await player.toGate('fast-a2a');
  await player.clicks(APPROVER.id, operationId, 'approve');
  return decide(player, operationId);
}

/** From an approved launch to a kept run. */
async function decide(player: Player, operationId: string): Promise<string> {
  await player.reaches(operationId, 'awaiting_decision');
  await player.clicks(APPROVER.id, operationId, 'go');
  await player.reaches(operationId, 'closed');
  return operationId;
}

export const SCENARIOS = {
  ...TRIAL_SCENARIOS,

  /** A good change is swapped in and kept. */
  async go(player) {
    const operationId = await go(player);
    return { operationId, asExpected: player.passed(operationId, ['window_closed', 'go_approved', 'closed']) };
  },

  /** A good change, but a person says no: the old run comes back. */
  async 'no-go'(player) {
    const operationId = await player.toGate('fast-a2a');
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.reaches(operationId, 'awaiting_decision');
    await player.clicks(ASKER.id, operationId, 'no_go');
    await player.reaches(operationId, 'rolled_back');
    return { operationId, asExpected: player.passed(operationId, ['no_go', 'new_gone', 'replay_matches']) };
  },

  /** The new run hangs without a word: told from step age alone, and rolled back by a person. */
  async 'silent-hang'(player) {
    const operationId = await player.toGate('silent-hang');
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.reaches(operationId, 'awaiting_rollback');
    await player.clicks(ASKER.id, operationId, 'rollback');
    await player.reaches(operationId, 'rolled_back');
    const exact = player.history(operationId).some(({ event, details }) => event === 'replay_matches' && JSON.parse(details).largest === 0);
    return { operationId, asExpected: exact && player.passed(operationId, ['hung', 'rollback_asked', 'new_gone', 'replay_matches']) };
  },

  /** The scheduler takes the cancel and does nothing: held, tried again by a new approval. */
  async 'cancel-not-taken'(player) {
    const operationId = await player.toGate('fast-a2a');
    await player.switches('cancel_not_taken', true);
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.reaches(operationId, 'held');
    await player.switches('cancel_not_taken', false);
    await player.clicks(APPROVER.id, operationId, 'retry_cancel');
    await decide(player, operationId);
    return {
      operationId,
      asExpected: player.passed(operationId, ['old_still_live', 'retry_cancel_old', 'old_gone', 'launched_once', 'closed']),
    };
  },

  /** The submit reports a failure after the scheduler accepted it: looked up, launched once. */
  async 'submit-unknown'(player) {
    const operationId = await player.toGate('fast-a2a');
    await player.switches('submit_fails_after_acceptance', true);
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.happens(operationId, 'launched_once');
    await player.switches('submit_fails_after_acceptance', false);
    await decide(player, operationId);
    const submits = (await player.ledger()).filter(({ kind, runId }) => kind === 'submit' && runId?.startsWith('hero-fast-a2a') === true);
    return { operationId, asExpected: submits.length === 1 && player.passed(operationId, ['launched_once', 'closed']) };
  },

  /** Main moves between the approval and the launch: stopped, and the old approval and its button are dead. */
  async 'stale-approval'(player) {
    const operationId = await player.toGate('fast-a2a');
    const { card: remembered } = await player.drawn(operationId, 'approve');
    await player.switches('main_moved', true);
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.reaches(operationId, 'blocked');
    await player.harbour.desk({ do: 'clicksOld', userId: APPROVER.id, message: remembered, choice: { actionId: 'harbor.approve' } });
    await player.switches('main_moved', false);
    await player.clicks(ASKER.id, operationId, 'preflight');
    await player.reaches(operationId, 'awaiting_launch');
    await player.clicks(ASKER.id, operationId, 'cancel');
    await player.reaches(operationId, 'cancelled');
    const untouched = (await player.ledger()).every(({ kind }) => kind !== 'cancel_requested');
    const approved = player.history(operationId).filter(({ event }) => event === 'launch_approved').length;
    return {
      operationId,
      asExpected: untouched && approved === 1 && player.passed(operationId, ['guards_shut', 'guards_open', 'cancel_asked']),
    };
  },

  /** The scheduler does not answer after the approval: nothing is touched, the gate comes back. */
  async 'guard-unknown'(player) {
    const operationId = await player.toGate('fast-a2a');
    await player.switches('scheduler_down', true);
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.happens(operationId, 'guards_unknown');
    await player.switches('scheduler_down', false);
    const untouched = (await player.ledger()).every(({ kind }) => kind !== 'cancel_requested');
    await player.clicks(APPROVER.id, operationId, 'approve');
    await decide(player, operationId);
    return { operationId, asExpected: untouched && player.passed(operationId, ['guards_unknown', 'launch_approved', 'closed']) };
  },

  /** The new run restores garbage: the gate fails at once and it is rolled back without asking, as agreed. */
  async 'corrupted-restore'(player) {
    const operationId = await player.toGate('garbage-restore', `${GATE} fail=automatic`);
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.reaches(operationId, 'rolled_back');
    return { operationId, asExpected: player.passed(operationId, ['gate_failed_automatic', 'new_gone', 'replay_matches']) };
  },

  /** Somebody launches another hero by hand in the middle of the trial: held, neither is cancelled. */
  async 'foreign-coordinator'(player) {
    const operationId = await player.toGate('fast-a2a');
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.happens(operationId, 'trial_began');
    await player.permanent('hero-fast-a2a');
    await player.switches('foreign_coordinator', true);
    await player.reaches(operationId, 'held');
    const cancels = (await player.ledger()).filter(({ kind }) => kind === 'cancel_requested').length;
    await player.switches('foreign_coordinator', false);
    await decide(player, operationId);
    return { operationId, asExpected: cancels === 1 && player.passed(operationId, ['foreign_coordinator', 'recheck_proved', 'closed']) };
  },

  /** The old run dies before the cut: nothing is running, and the old run is brought back. */
  async 'control-dies'(player) {
    const operationId = await player.toGate('fast-a2a');
    await player.harbour.cluster({ kind: 'control_dies' });
    await player.reaches(operationId, 'nothing_running');
    await player.clicks(ASKER.id, operationId, 'rollback');
    await player.reaches(operationId, 'rolled_back');
    return { operationId, asExpected: player.passed(operationId, ['control_died', 'rollback_asked', 'anchor_in_range', 'replay_matches']) };
  },

  /** The trial fails and nobody answers: it is rolled back at the agreed time. */
  async 'approver-sleeps'(player) {
    const operationId = await player.toGate('silent-hang', `${GATE} fail=ask:4`);
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.reaches(operationId, 'rolled_back');
    return { operationId, asExpected: player.passed(operationId, ['hung', 'decision_overdue', 'new_gone', 'replay_matches']) };
  },

  /** The relaunch of the old run is refused: nothing is running, and a person asks again. */
  async 'rollback-fails'(player) {
    const operationId = await player.toGate('fast-a2a');
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.happens(operationId, 'trial_began');
    await player.switches('submit_refused', true);
    // Typed: the window may end before a button of the trial is found and pressed.
    await player.says(ASKER.id, `/hero-deploy rollback ${operationId}`);
    await player.reaches(operationId, 'nothing_running');
    await player.switches('submit_refused', false);
    await player.clicks(ASKER.id, operationId, 'rollback');
    await player.reaches(operationId, 'rolled_back');
    return {
      operationId,
      asExpected: player.passed(operationId, ['relaunch_absent', 'rollback_asked', 'relaunched_once', 'replay_matches']),
    };
  },

  /** The new hero dies after the swap: it is launched again and resumes its own newest checkpoint. */
  async recover(player) {
    await go(player);
    await player.harbour.cluster({ kind: 'control_dies' });
    await player.gone();
    const operationId = await player.plans(`${GATE} kind=recover old=hero-main-step54k reason="it died"`);
    await player.clicks(APPROVER.id, operationId, 'agree');
    await player.clicks(ASKER.id, operationId, 'preflight');
    await player.reaches(operationId, 'awaiting_launch');
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.reaches(operationId, 'awaiting_decision');
    await player.says(APPROVER.id, `/hero-deploy override ${operationId} reason="there is no control at these steps"`);
    await player.reaches(operationId, 'closed');
    return { operationId, asExpected: player.passed(operationId, ['guards_open_recover', 'launched_once', 'override', 'closed']) };
  },
} satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;
