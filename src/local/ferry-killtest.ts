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
 * The real bot in the local harbour, killed again and again in the middle of dailies, from the proposal to the seal. What
 * is counted comes from the cluster's, Slack's and GitHub's own records; a second issue or pull request of one ferry is an
 * inconsistent answer, which no seal gets past. Bounded: it ends after the kills it was asked for.
 */
export interface FerryKillCount {
  readonly kills: number;
  readonly ferries: number;
  /** Submits of one name, and lines that stand twice in a sink. */
  readonly repeated: number;
  /** Told rows that are missing in a sink, or out of order. */
  readonly lost: number;
  /** Ferries that were not sealed at the launch commit, and not left to a person. */
  readonly stuck: number;
}

const KILLS_A_FERRY = { least: 5, most: 12 };
const FERRY_MS = 600_000;
const FERRIES_A_HARBOUR = 4;

/** What a person does in each state: the same hands for every ferry, kills or not. */
const PRESSES: Readonly<Record<string, readonly [string, string]>> = {
  unfiled: [ASKER.id, 'file_again'],
  proposed: [ASKER.id, 'approve'],
  cleared: [ASKER.id, 'launch'],
  awaiting_fix: [ASKER.id, 'escalate'],
  awaiting_seal: [APPROVER.id, 'seal'],
  held: [ASKER.id, 'abandon'],
};

async function playFerry(harbour: Harbour, player: Player, random: () => number, kills: number, n: number) {
  const operationId = `ferry-${n}`;
  await harbour.cluster({ kind: 'change_daily', setting: 'SEED', value: 200 + n });
  const killer = new Killer(harbour, player, random, kills);
  const deadline = Date.now() + FERRY_MS;
  try {
    while (player.operation(operationId) === undefined && Date.now() < deadline) {
      await player.triesToSay(ASKER.id, '/ferry propose lane=daily objective="killed again and again"');
      await delay(1_500);
    }
    for (let now = player.operation(operationId); now?.open !== 0 && Date.now() < deadline; now = player.operation(operationId)) {
      const press = PRESSES[now?.state ?? ''];
      if (press !== undefined) await player.triesToClick(press[0], operationId, press[1]);
      await delay(250);
    }
    return { operationId, killer };
  } finally {
    await killer.stop();
  }
}

/** Jobs of a ferry that the cluster was asked for more than once. */
async function repeatedSubmits(player: Player): Promise<number> {
  const submits = (await player.ledger()).filter(({ kind, jobId }) => kind === 'submit' && jobId?.startsWith('/marin/ferry-') === true);
  return submits.length - new Set(submits.map(({ jobId }) => jobId)).size;
}

async function isSealed(harbour: Harbour, player: Player, operationId: string): Promise<boolean> {
  if (player.operation(operationId)?.state !== 'sealed') return false;
  const facts = Object.assign({}, ...player.history(operationId).map((row) => JSON.parse(row.facts) as object)) as { sealedTag?: string };
  return (await harbour.cluster({ kind: 'tagged', name: facts.sealedTag ?? '' })) === player.planOf(operationId).commit;
}

async function playHarbour(
  count: { -readonly [Name in keyof FerryKillCount]: number },
  wanted: number,
  random: () => number,
  pace: number,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'harbor-ferry-kill-'));
  const harbour = await startHarbour({ home, pace });
  const player = new Player(harbour);
  try {
    for (let n = 1; n <= FERRIES_A_HARBOUR && count.kills < wanted; n++) {
      const most = KILLS_A_FERRY.least + Math.floor(random() * (KILLS_A_FERRY.most - KILLS_A_FERRY.least + 1));
      const { operationId, killer } = await playFerry(harbour, player, random, Math.min(wanted - count.kills, most), n);
      await harbour.startBot();
      count.kills += killer.kills;
      count.ferries += 1;
      const state = player.operation(operationId)?.state ?? 'none';
      if (!(await isSealed(harbour, player, operationId)) && state !== 'abandoned') count.stuck += 1;
      await player.settled(operationId);
      const { told, thread, issue } = await player.told(operationId);
      count.repeated += thread.length - new Set(thread).size + issue.length - new Set(issue).size + (await repeatedSubmits(player));
      count.lost += told.join() === [...new Set(thread)].join() && told.join() === [...new Set(issue)].join() ? 0 : 1;
      process.stdout.write(`${operationId} ${state} after ${killer.kills} kills; ${JSON.stringify(count)}\n`);
    }
  } finally {
    await harbour.stop();
    if (count.repeated + count.lost + count.stuck === 0) rmSync(home, { recursive: true, force: true });
    else process.stdout.write(`what happened is kept in ${home}\n`);
  }
}

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' }, pace: { type: 'string', default: '0.5' } },
});
const random = seeded(Number(values.seed));
const count = { kills: 0, ferries: 0, repeated: 0, lost: 0, stuck: 0 };
while (count.kills < Number(values.kills)) await playHarbour(count, Number(values.kills), random, Number(values.pace));
process.stdout.write(`${JSON.stringify(count satisfies FerryKillCount)}\n`);
process.exit(count.repeated + count.lost + count.stuck === 0 ? 0 : 1);
