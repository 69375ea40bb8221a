import { afterAll, beforeAll, expect, test } from 'vitest';
import { APPROVER } from '../../src/local/fleet.js';
import type { Harbour } from '../../src/local/harbour.js';
import type { Player } from '../../src/local/player.js';
import { openHarbour } from '../support/harbour.js';

let harbour: Harbour;
let player: Player;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ harbour, player, close } = await openHarbour());
});
afterAll(() => close());

test('the bot killed while it launches, and started again, launches nothing twice', async () => {
  const operationId = await player.toGate('fast-a2a');
  await player.clicks(APPROVER.id, operationId, 'approve');
  const { newRun } = player.plan(operationId);
  // After the submit and before its outcome: killed any earlier, the launch is proven absent and a person starts it.
  await player.until(`the submit of ${newRun}`, async () =>
    (await player.ledger()).some(({ kind, runId }) => kind === 'submit' && runId === newRun) ? true : undefined,
  );

  await harbour.killBot();
  await harbour.startBot();
  await player.reaches(operationId, 'awaiting_decision');

  // By the cluster's own record, not by ours.
  const { ledger, maxLiveCoordinators } = await harbour.clusterState();
  const launched = player.operation(operationId);
  const submits = ledger.filter(({ kind, runId }) => kind === 'submit' && runId === newRun);
  expect(launched?.state).toBe('awaiting_decision');
  expect(submits).toHaveLength(1);
  expect(ledger.filter(({ kind }) => kind === 'fork')).toHaveLength(2);
  expect(Object.values(maxLiveCoordinators)).toEqual([1]);
});

test('what was told before and after the kill stands once in both sinks, in order', async () => {
  await player.settled('hero-1');

  const { told, thread, issue } = await player.told('hero-1');

  expect(thread).toEqual(told);
  expect(issue).toEqual(told);
});

test('F48: a button that was drawn before the kill works after it', async () => {
  await player.clicks(APPROVER.id, 'hero-1', 'go');

  await player.reaches('hero-1', 'closed');
});
