import { afterAll, beforeAll, expect, test } from 'vitest';
import { APPROVER, ASKER } from '../../src/local/fleet.js';
import type { Harbour } from '../../src/local/harbour.js';
import type { Player } from '../../src/local/player.js';
import type { GuardAnswer } from '../../src/protocol/hero/guards.js';
import { openHarbour } from '../support/harbour.js';

let harbour: Harbour;
let player: Player;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ harbour, player, close } = await openHarbour());
  await harbour.prepare('fast-a2a');
  await player.says(ASKER.id, '/hero-deploy plan gate="train_loss tracks within 0.01" reason="every guard"');
  await player.reaches('hero-1', 'planned');
  await player.says(APPROVER.id, '/hero-deploy agree');
  await player.reaches('hero-1', 'agreed');
});
afterAll(() => close());

async function preflight(): Promise<{ state: string; guards: readonly GuardAnswer[] }> {
  const before = player.history('hero-1').length;
  await player.says(ASKER.id, '/hero-deploy preflight hero-1');
  const rows = await player.until('the preflight to end', async () => {
    const all = player.history('hero-1').slice(before);
    return all.length >= 2 ? all : undefined;
  });
  const last = rows[1];
  return { state: last?.to_state ?? '', guards: JSON.parse(last?.details ?? '{}').guards ?? [] };
}

/** A switch of the local harbour, and what the guard then says. */
const SWITCHES: readonly (readonly [string, string, 'shut' | 'unknown', string])[] = [
  ['main_moved', 'deploy worktree', 'shut', 'main moved to'],
  ['deploy_worktree_dirty', 'deploy worktree', 'shut', 'is not pristine'],
  ['rollback_worktree_dirty', 'rollback worktree', 'shut', 'is not pristine'],
  ['checkpoint_incomplete', 'handoff checkpoint', 'shut', 'no metadata.json'],
  ['tree_not_empty', 'new tree', 'shut', 'already holds'],
  ['gh_logged_out', 'credentials', 'shut', 'gh'],
  ['no_credentials', 'coordinators', 'unknown', 'could not be read'],
  ['scheduler_down', 'coordinators', 'unknown', 'could not be read'],
  ['telemetry_down', 'discarded steps', 'unknown', 'could not be read'],
  ['objectstore_down', 'handoff checkpoint', 'unknown', 'could not be read'],
  ['tracker_down', 'tracker child', 'unknown', 'could not be read'],
  ['foreign_coordinator', 'coordinators', 'shut', '2 coordinators are live'],
];

test.each(SWITCHES)('with the switch %s on, the guard "%s" is %s, and the swap is blocked', async (name, guard, answer, sentence) => {
  await harbour.cluster({ kind: 'switch', name, on: true });
  const { state, guards } = await preflight();
  await harbour.cluster({ kind: 'switch', name, on: false });

  expect(guards.find((each) => each.guard === guard)).toMatchObject({ answer, sentence: expect.stringContaining(sentence) });
  expect(state).toBe('blocked');
});

test('outside working hours the clock guard is shut, and opens again with them', async () => {
  await harbour.shutHours(true);
  const outside = await preflight();
  await harbour.shutHours(false);
  const inside = await preflight();

  expect(outside.guards.find(({ guard }) => guard === 'clock')).toMatchObject({
    answer: 'shut',
    sentence: expect.stringContaining('would not end within'),
  });
  expect(inside.guards.find(({ guard }) => guard === 'clock')).toMatchObject({ answer: 'open' });
});

test('nothing was touched by any of it', async () => {
  const { ledger } = await harbour.clusterState();

  expect(ledger.filter(({ kind }) => kind === 'cancel_requested')).toEqual([]);
});
