import { setTimeout as wait } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { type CheckpointView, newestPermanent, permanentTree, temporaryTree } from './checkpoint-trees.js';
import type { Coordinator } from './coordinator.js';
import { writeLaunchRecord } from './launch-record.js';
import type { ObjectStore } from './object-store.js';
import type { Repository } from './repository.js';
import type { Scheduler } from './scheduler.js';
import { type Change, changeTemplate, SUBJECTS } from './template.js';
import { TRACKER_PROJECT, type Tracker } from './tracker.js';

const CHECKPOINT_WAIT_MS = 60_000;
/** A handoff further behind the live run than this is not used: a fresh permanent checkpoint is asked for first. */
const HANDOFF_STEPS_BEHIND_MAX = 1_500;
const SAVE_WAIT_MS = 10_000;
const POLL_MS = 50;

/** A change that stands ready on main, with all values that a plan needs. */
export interface Prepared {
  readonly change: Change;
  readonly runId: string;
  readonly controlRunId: string;
  readonly deployCommit: string;
  readonly rollbackCommit: string;
  readonly deployWorktree: string;
  readonly rollbackWorktree: string;
  readonly handoffCheckpoint: string;
  readonly handoffStep: number;
  readonly forkFrom: string;
  readonly permanentTree: string;
  readonly temporaryTree: string;
  readonly subject: string;
}

export interface Workbench {
  readonly database: Database.Database;
  readonly repository: Repository;
  readonly scheduler: Scheduler;
  readonly store: ObjectStore;
  readonly tracker: Tracker;
  readonly now: () => number;
}

/**
 * Commits a change to main together with its finalised launch record, on top of the code that the live run runs, and puts
 * both worktrees where a swap wants them. Throws when no run is live, or it has no permanent checkpoint in time.
 */
export async function prepare(bench: Workbench, change: Change): Promise<Prepared> {
  const { repository, scheduler } = bench;
  const control = scheduler.leader();
  if (control === null) throw new Error('prepare a change: no run is live');
  const handoff = await permanentOf(bench, control);
  const { runId: controlRunId, commit: rollbackCommit } = control.submission;
  const runId = freeRunId(bench, change, handoff.step);
  const forkFrom = `${controlRunId}?_step=${handoff.step - 1}`;

  await repository.refresh();
  // What an earlier change left on main is not in the live run: the new one must be the only difference.
  if (await repository.restoreTrainer(rollbackCommit)) await repository.commit(`Return the trainer to what ${controlRunId} runs`);
  await repository.overlay(changeTemplate(change));
  await writeLaunchRecord(repository, { runId, handoffCheckpoint: handoff.path, forkFrom });
  const subject = SUBJECTS[change];
  const deployCommit = await repository.commit(subject);
  await repository.checkout(repository.deployWorktree, deployCommit);
  await repository.checkout(repository.rollbackWorktree, rollbackCommit);

  const prepared: Prepared = {
    change,
    runId,
    controlRunId,
    deployCommit,
    rollbackCommit,
    deployWorktree: repository.deployWorktree,
    rollbackWorktree: repository.rollbackWorktree,
    handoffCheckpoint: handoff.path,
    handoffStep: handoff.step,
    forkFrom,
    permanentTree: permanentTree(runId),
    temporaryTree: temporaryTree(runId),
    subject,
  };
  bench.database
    .prepare('INSERT INTO prepared (commit_sha, run_id, change, values_json, prepared_at_ms) VALUES (?, ?, ?, ?, ?)')
    .run(deployCommit, runId, change, JSON.stringify(prepared), bench.now());
  return prepared;
}

/** What was prepared last, or null. */
export function lastPrepared(database: Database.Database): Prepared | null {
  const row = database.prepare('SELECT values_json FROM prepared ORDER BY prepared_at_ms DESC, rowid DESC LIMIT 1').get() as
    | { values_json: string }
    | undefined;
  return row === undefined ? null : (JSON.parse(row.values_json) as Prepared);
}

/** The change that each prepared commit carries. */
export function changesByCommit(database: Database.Database): ReadonlyMap<string, string> {
  const rows = database.prepare('SELECT commit_sha, change FROM prepared').all() as { commit_sha: string; change: string }[];
  return new Map(rows.map((row) => [row.commit_sha, row.change]));
}

/** A run that has just begun has no permanent checkpoint until its first save; one that trains for long has only an old one. */
async function permanentOf({ store }: Workbench, control: Coordinator): Promise<CheckpointView> {
  const until = Date.now() + CHECKPOINT_WAIT_MS;
  for (;;) {
    const newest = newestPermanent(store, control.submission.runId);
    const behind = (control.progress.step ?? 0) - (newest?.step ?? 0);
    if (newest !== null && behind > HANDOFF_STEPS_BEHIND_MAX && (await control.savePermanent(SAVE_WAIT_MS)) !== null) continue;
    if (newest !== null) return newest;
    if (!control.live || Date.now() > until) throw new Error(`prepare a change: ${control.submission.runId} has no permanent checkpoint`);
    await wait(POLL_MS);
  }
}

function freeRunId({ scheduler, store, tracker }: Workbench, change: Change, step: number): string {
  const end = step % 1000 === 0 ? `step${step / 1000}k` : `step${step}`;
  const submitted = new Set(scheduler.region.submissions.all().map((submission) => submission.runId));
  for (let count = 1; ; count += 1) {
    const runId = `hero-${change}${count === 1 ? '' : `-${count}`}-${end}`;
    const taken =
      submitted.has(runId) || tracker.show(`${TRACKER_PROJECT}/${runId}`) !== null || store.list(`${permanentTree(runId)}/`).length > 0;
    if (!taken) return runId;
  }
}
