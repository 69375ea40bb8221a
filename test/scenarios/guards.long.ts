import { execFile } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { APPROVER, ASKER } from '../../src/local/fleet.js';
import type { Harbour } from '../../src/local/harbour.js';
import type { Player } from '../../src/local/player.js';
import type { GuardAnswer } from '../../src/protocol/hero/guards.js';
import { openHarbour, whispers } from '../support/harbour.js';

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
  ['gh_logged_out', 'credentials', 'shut', 'gh: not logged in'],
  ['old_command_line', 'credentials', 'shut', 'iris job stop: lacks --exact'],
  ['tracker_child_foreign', 'tracker child', 'shut', 'use a new run id'],
  ['node_down', 'capacity', 'shut', 'Bring back node-03'],
  ['node_disk_full', 'disk', 'shut', 'the disk of node-03 is full'],
  ['pods_unseen', 'pods', 'unknown', 'whoever looks there would take it for gone'],
  ['control_stands_still', 'old run', 'unknown', 'treat it as not running well'],
  ['no_credentials', 'coordinators', 'unknown', 'could not be read'],
  ['scheduler_down', 'coordinators', 'unknown', 'could not be read'],
  ['telemetry_down', 'discarded steps', 'unknown', 'could not be read'],
  ['objectstore_down', 'handoff checkpoint', 'unknown', 'could not be read'],
  ['tracker_down', 'tracker child', 'unknown', 'could not be read'],
  ['foreign_coordinator', 'coordinators', 'shut', '2 coordinators are live'],
];

test.each(SWITCHES)('with the switch %s on, the guard "%s" is %s, and the swap is blocked', async (name, guard, answer, sentence) => {
  await harbour.cluster({ kind: 'switch', name, on: true });
  if (name === 'control_stands_still') await stale(Date.now());
  const { state, guards } = await preflight();
  await harbour.cluster({ kind: 'switch', name, on: false });
  if (name === 'foreign_coordinator') await alone();

  expect(guards.find((each) => each.guard === guard)).toMatchObject({ answer, sentence: expect.stringContaining(sentence) });
  if (!SEVERAL.has(name)) expect(guards.filter((each) => each.answer !== 'open').map((each) => each.guard)).toEqual([guard]);
  expect(state).toBe('blocked');
});

/** One that was launched by somebody else takes a moment to end, and its pods another. */
async function alone(): Promise<void> {
  await player.until('one run to be live, and no pod of another', async () => {
    const { runs, pods } = await harbour.clusterState();
    return runs.filter(({ live }) => live).length === 1 && pods.every(({ deletedAtMs }) => deletedAtMs === null) ? true : undefined;
  });
}

/** The newest step must be older than a hang takes to be told, in the local fleet file at this pace. */
async function stale(sinceMs: number): Promise<void> {
  await player.until('the newest step to be stale', async () => (Date.now() - sinceMs > 5_000 ? true : undefined));
}

/** A system that does not answer leaves every guard unknown that asks it. */
const SEVERAL: ReadonlySet<string> = new Set([
  'no_credentials',
  'scheduler_down',
  'telemetry_down',
  'kubernetes_down',
  'objectstore_down',
  'tracker_down',
]);

/** What is wrong in the plan itself: the switch, or the field, before the plan is revised. */
const PLANNED: readonly (readonly [string | null, string, string, string])[] = [
  ['launch_user_other', '', 'user', 'would be launched as bob'],
  ['tracker_project_other', '', 'tracker project', 'would log to scratch'],
  [null, 'discard=60', 'discarded steps', 'revise the plan with discard='],
  [null, 'final=54060', 'final step', 'but the run ends at step 54060'],
];

test.each(PLANNED)('with a plan made of %s %s, exactly the guard "%s" is shut', async (name, fields, guard, sentence) => {
  if (name !== null) await harbour.cluster({ kind: 'switch', name, on: true });
  await revise(`reason="something is wrong in it" ${fields}`);
  const { state, guards } = await preflight();
  if (name !== null) await harbour.cluster({ kind: 'switch', name, on: false });
  await revise('reason="every guard" discard=20000 final=1000000');

  expect(guards.filter(({ answer }) => answer !== 'open')).toEqual([
    expect.objectContaining({ guard, answer: 'shut', sentence: expect.stringContaining(sentence) }),
  ]);
  expect(state).toBe('blocked');
});

async function revise(fields: string): Promise<void> {
  await player.says(ASKER.id, `/hero-deploy revise hero-1 ${fields}`);
  await player.reaches('hero-1', 'planned');
  await player.says(APPROVER.id, '/hero-deploy agree hero-1');
  await player.reaches('hero-1', 'agreed');
}

test('outside working hours the clock guard is shut, and opens again with them', async () => {
  await harbour.shutHours(true);
  const outside = await preflight();
  await harbour.shutHours(false);
  const inside = await preflight();

  expect(outside.guards.find(({ guard }) => guard === 'clock')).toMatchObject({
    answer: 'shut',
    sentence: expect.stringContaining('outside the agreed hours'),
  });
  expect(inside.guards.find(({ guard }) => guard === 'clock')).toMatchObject({ answer: 'open' });
});

test('where a rehearsal is asked for, one command reads everything and opens its guard', async () => {
  // Whatever else a busy machine made of the guards before: out of a block the preflight is asked for again.
  const stands = await player.until('the preflight to have ended', async () =>
    ['blocked', 'awaiting_launch'].find((state) => player.operation('hero-1')?.state === state),
  );
  if (stands === 'awaiting_launch') {
    await player.says(APPROVER.id, '/hero-deploy reject hero-1');
    await player.reaches('hero-1', 'agreed');
  }
  await harbour.askRehearsal(true);
  const without = await preflight();
  await player.says(ASKER.id, '/hero-deploy rehearse hero-1');
  await player.happens('hero-1', 'rehearsed');
  const told = await player.until('the answer', async () =>
    (await whispers(harbour, ASKER.id)).find((text) => text.includes('good rehearsal')),
  );
  const after = await preflight();
  await harbour.askRehearsal(false);

  expect(without.guards.find(({ guard }) => guard === 'rehearsal')).toMatchObject({ answer: 'shut' });
  expect(told).toMatch(/hero-1`?: a good rehearsal, \d+ guards answered/);
  expect(after.guards.find(({ guard }) => guard === 'rehearsal')).toMatchObject({ answer: 'open' });
});

describe('harbor check', () => {
  const check = async (env: NodeJS.ProcessEnv = {}) => {
    const script = join(import.meta.dirname, '../../dist/src/cli.js');
    const fleet = ['check', '--fleet', harbour.fleetFile, '--json'];
    return await new Promise<{ code: number; said: { notKnown: string[]; families: { guards: GuardAnswer[] }[] } }>((resolve) => {
      execFile(process.execPath, [script, ...fleet], { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } }, (fault, stdout) =>
        resolve({ code: fault === null ? 0 : Number(fault.code), said: JSON.parse(stdout) }),
      );
    });
  };

  test('against the local harbour everything is known, without a plan and without a secret', async () => {
    const { code, said } = await check();

    expect(said.notKnown).toEqual([]);
    expect(said.families[0]?.guards.length).toBeGreaterThan(20);
    expect(code).toBe(0);
  });

  // The others in the same way; each costs seconds of repeated reads.
  test.each(['iris', 'kubectl', 'gh'])('with %s broken it names exactly that and exits 3', async (program) => {
    const path = join(harbour.home, 'cluster/bin', program);
    renameSync(path, `${path}.well`);
    writeFileSync(path, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { code, said } = await check();
    renameSync(`${path}.well`, path);

    expect(said.notKnown).toEqual([program]);
    expect(code).toBe(3);
  });
});

test('nothing was touched by any of it', async () => {
  const { ledger } = await harbour.clusterState();

  expect(ledger.filter(({ kind }) => kind === 'cancel_requested')).toEqual([]);
});
