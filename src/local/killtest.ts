import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { APPROVER, ASKER } from './fleet.js';
import { type Harbour, startHarbour } from './harbour.js';
import { Killer, seeded } from './killer.js';
import { Player } from './player.js';

/**
 * The real bot in the local harbour, killed again and again in the middle of swaps: at random moments, right after a
 * record, right after an effect reached the cluster, and before a delivery was marked. What is counted comes from the
 * cluster's, Slack's and GitHub's own records. Bounded: it ends after the kills it was asked for.
 */
export interface KillCount {
  readonly kills: number;
  readonly swaps: number;
  /** Effects the cluster saw more often than an intent was recorded, and lines that stand twice in a sink. */
  readonly repeated: number;
  /** Told rows that are missing in a sink, or out of order. */
  readonly lost: number;
  /** Swaps that did not come to their end. */
  readonly stuck: number;
}

const KILLS_A_SWAP = { least: 10, most: 20 };
const SWAP_MS = 600_000;
const SWAPS_A_HARBOUR = 4;

/** What a person does in each state: the same hands for every swap, kills or not. */
async function carry(player: Player, operationId: string, goes: boolean): Promise<boolean> {
  const deadline = Date.now() + SWAP_MS;
  const presses: Readonly<Record<string, readonly [string, string]>> = {
    planned: [APPROVER.id, 'agree'],
    agreed: [ASKER.id, 'preflight'],
    blocked: [ASKER.id, 'preflight'],
    awaiting_launch: [APPROVER.id, 'approve'],
    nothing_running: [APPROVER.id, 'launch_again'],
    awaiting_rollback: [ASKER.id, 'rollback'],
    awaiting_decision: goes ? [APPROVER.id, 'go'] : [ASKER.id, 'no_go'],
    // A cancel that was claimed and died with the bot before it was spawned is for a person to ask again.
    held: [APPROVER.id, 'retry_cancel'],
  };
  while (Date.now() < deadline) {
    const now = player.operation(operationId);
    if (now?.open === 0) return true;
    const press = presses[now?.state ?? ''];
    if (press !== undefined) await player.triesToClick(press[0], operationId, press[1]);
    if (now?.state === 'held') await player.triesToClick(ASKER.id, operationId, 'recheck');
    await delay(250);
  }
  return false;
}

async function playSwap(harbour: Harbour, player: Player, random: () => number, kills: number, goes: boolean) {
  await harbour.prepare('fast-a2a');
  const before = player.operations();
  const killer = new Killer(harbour, player, random, kills);
  try {
    const operationId = `hero-${before + 1}`;
    const deadline = Date.now() + SWAP_MS;
    while (player.operation(operationId) === undefined && Date.now() < deadline) {
      await player.triesToSay(ASKER.id, '/hero-deploy plan gate="train_loss tracks within 0.01" reason="killed again and again"');
      await delay(1_500);
    }
    const ended = await carry(player, operationId, goes);
    return { operationId, ended, killer };
  } finally {
    await killer.stop();
  }
}

/** How often the cluster saw an effect beyond what was recorded as an intent. */
async function repeatedEffects(player: Player, operationId: string): Promise<number> {
  const ledger = await player.ledger();
  const { oldRun, newRun } = player.plan(operationId);
  const intents = player.intents(operationId);
  const seen = (kind: string, runId: string): number => ledger.filter((entry) => entry.kind === kind && entry.runId === runId).length;
  const filed = (effect: string): number => intents.filter((each) => each === effect).length;
  return (
    Math.max(0, seen('submit', newRun) - filed('launch_new')) +
    Math.max(0, seen('fork', newRun) - filed('fork')) +
    Math.max(0, seen('cancel_requested', newRun) - filed('cancel_new')) +
    // The old run was launched once before this swap, by the setup or as the new run of an earlier one.
    Math.max(0, seen('submit', oldRun) - 1 - player.allIntents(oldRun, 'launch_old'))
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      pace: { type: 'string', default: '0.5' },
    },
  });
  const wanted = Number(values.kills);
  const random = seeded(Number(values.seed));
  const count = { kills: 0, swaps: 0, repeated: 0, lost: 0, stuck: 0 };
  while (count.kills < wanted) await playHarbour(count, wanted, random, Number(values.pace));
  process.stdout.write(`${JSON.stringify(count satisfies KillCount)}\n`);
  process.exit(count.repeated + count.lost + count.stuck === 0 ? 0 : 1);
}

async function playHarbour(
  count: { -readonly [Name in keyof KillCount]: number },
  wanted: number,
  random: () => number,
  pace: number,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'harbor-kill-'));
  const harbour = await startHarbour({ home, pace });
  const player = new Player(harbour);
  try {
    for (let swap = 0; swap < SWAPS_A_HARBOUR && count.kills < wanted; swap++) {
      const kills = Math.min(
        wanted - count.kills,
        KILLS_A_SWAP.least + Math.floor(random() * (KILLS_A_SWAP.most - KILLS_A_SWAP.least + 1)),
      );
      const { operationId, ended, killer } = await playSwap(harbour, player, random, kills, swap % 2 === 1);
      await harbour.startBot();
      count.kills += killer.kills;
      count.swaps += 1;
      if (!ended) count.stuck += 1;
      await player.settled(operationId);
      const { told, thread, issue } = await player.told(operationId);
      count.repeated +=
        thread.length - new Set(thread).size + issue.length - new Set(issue).size + (await repeatedEffects(player, operationId));
      count.lost += told.join() === [...new Set(thread)].join() && told.join() === [...new Set(issue)].join() ? 0 : 1;
      const { maxLiveCoordinators } = await harbour.clusterState();
      count.repeated += Object.values(maxLiveCoordinators).filter((most) => most > 1).length;
      process.stdout.write(
        `${operationId} ${player.operation(operationId)?.state} after ${killer.kills} kills; ${JSON.stringify(count)}\n`,
      );
      if (!ended) break;
    }
  } finally {
    await harbour.stop();
    if (count.repeated + count.lost + count.stuck === 0) rmSync(home, { recursive: true, force: true });
    else process.stdout.write(`what happened is kept in ${home}\n`);
  }
}

await main();
