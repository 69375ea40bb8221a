import type { Player } from './demo.js';
import { APPROVER, ASKER } from './fleet.js';

/** What a scenario plays, and whether it went as the protocol says. */
type Scenario = (player: Player) => Promise<{ readonly operationId: string; readonly asExpected: boolean }>;

export type ScenarioName = 'go' | 'no-go' | 'silent-hang';

export const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  /** A good change is swapped in and kept. */
  async go(player) {
    const operationId = await player.toGate('fast-a2a');
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.reaches(operationId, 'awaiting_decision');
    await player.clicks(APPROVER.id, operationId, 'go');
    await player.reaches(operationId, 'closed');
    return { operationId, asExpected: passed(player, operationId, ['window_closed', 'go_approved', 'closed']) };
  },

  /** A good change, but a person says no: the old run comes back. */
  async 'no-go'(player) {
    const operationId = await player.toGate('fast-a2a');
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.reaches(operationId, 'awaiting_decision');
    await player.clicks(ASKER.id, operationId, 'no_go');
    await player.reaches(operationId, 'rolled_back');
    return { operationId, asExpected: passed(player, operationId, ['no_go', 'new_gone', 'replay_matches']) };
  },

  /** The new run hangs without a word: told from step age alone, and rolled back by a person. */
  async 'silent-hang'(player) {
    const operationId = await player.toGate('silent-hang');
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.reaches(operationId, 'awaiting_rollback');
    await player.clicks(ASKER.id, operationId, 'rollback');
    await player.reaches(operationId, 'rolled_back');
    const exact = player.history(operationId).some(({ event, details }) => event === 'replay_matches' && JSON.parse(details).largest === 0);
    return { operationId, asExpected: exact && passed(player, operationId, ['hung', 'rollback_asked', 'new_gone', 'replay_matches']) };
  },
};

/** Whether these events stand in the history, in this order. */
function passed(player: Player, operationId: string, events: readonly string[]): boolean {
  const happened = player.history(operationId).map(({ event }) => event);
  let from = 0;
  return events.every((event) => {
    const at = happened.indexOf(event, from);
    from = at + 1;
    return at !== -1;
  });
}
