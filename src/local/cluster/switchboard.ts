import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newestPermanent, permanentTree } from './checkpoint-trees.js';
import { PLACEHOLDER, writeLaunchRecord } from './launch-record.js';
import { lastPrepared, type Prepared, type Workbench } from './prepare.js';
import { TRAINER } from './repository.js';
import type { SwitchName } from './switches.js';
import { TRACKER_PROJECT } from './tracker.js';

const SCRATCH = 'scratch.txt';
const FOREIGN_USER = 'alice';

/** Turns switches that change the world itself on and off. All others are read where they matter. */
export class Switchboard {
  readonly #bench: Workbench;
  readonly #undo = new Map<SwitchName, () => Promise<void>>();

  constructor(bench: Workbench) {
    this.#bench = bench;
  }

  /** Throws when the world has nothing to which the switch could be done. Turning a switch twice the same way does nothing. */
  async turn(name: SwitchName, on: boolean): Promise<void> {
    const { switches, jobs } = this.#bench.scheduler.region;
    if (switches.isOn(name) === on) return;
    if (on) {
      const undo = await this.#do(name);
      if (undo !== null) this.#undo.set(name, undo);
    } else {
      await this.#undo.get(name)?.();
      this.#undo.delete(name);
    }
    switches.set(name, on);
    if (name === 'unlisted_state') jobs.showAgain(this.#bench.scheduler.live().map((coordinator) => coordinator.submission.jobId));
  }

  /** A prepared change cleans both worktrees: those that are to be dirty are made so again. */
  async dirtyAgain(): Promise<void> {
    const { repository, scheduler } = this.#bench;
    if (scheduler.region.switches.isOn('deploy_worktree_dirty')) await dirty(repository.deployWorktree);
    if (scheduler.region.switches.isOn('rollback_worktree_dirty')) await dirty(repository.rollbackWorktree);
  }

  async #do(name: SwitchName): Promise<(() => Promise<void>) | null> {
    const { repository, scheduler } = this.#bench;
    switch (name) {
      case 'main_moved':
        return this.#moveMain();
      case 'launch_record_placeholder':
        return this.#leavePlaceholder();
      case 'deploy_worktree_dirty':
        return dirty(repository.deployWorktree);
      case 'rollback_worktree_dirty':
        return dirty(repository.rollbackWorktree);
      case 'checkpoint_incomplete':
        return this.#hideMetadata();
      case 'tree_not_empty':
        return this.#fillTree();
      case 'tracker_child_foreign':
        return this.#takeTrackerPage();
      case 'launch_user_other':
        return this.#rewriteScript([[/^export IRIS_USER=\S+$/m, 'export IRIS_USER=bob']], 'Launch under another user');
      case 'tracker_project_other':
        return this.#rewriteScript([[/^TRACKER_PROJECT=".*"$/m, 'TRACKER_PROJECT="marin-community/scratch"']], 'Log to another project');
      case 'control_stands_still':
        return this.#stopControl();
      case 'foreign_coordinator': {
        const jobId = this.#launchForeign();
        return async () => {
          scheduler.find(jobId)?.cancel();
        };
      }
      default:
        return null;
    }
  }

  async #moveMain(): Promise<() => Promise<void>> {
    const { repository, now } = this.#bench;
    await repository.refresh();
    await repository.write('docs/notes.md', `Notes on routing, ${new Date(now()).toISOString()}\n`);
    const commit = await repository.commit('Add notes on routing');
    return async () => {
      await repository.takeBack(commit);
    };
  }

  async #leavePlaceholder(): Promise<() => Promise<void>> {
    const { repository } = this.#bench;
    const before = await repository.head(repository.deployWorktree);
    const { runId, forkFrom } = this.#prepared();
    await repository.refresh();
    await writeLaunchRecord(repository, { runId, forkFrom, handoffCheckpoint: `s3://hero/${PLACEHOLDER}/step-0` });
    const commit = await repository.commit('Leave the handoff open');
    await repository.checkout(repository.deployWorktree, commit);
    return async () => {
      if (await repository.takeBack(commit)) await repository.checkout(repository.deployWorktree, before);
    };
  }

  /** A change of the launch script on main, with the deploy worktree at it: what a plan that is made now would carry. */
  async #rewriteScript(replacements: readonly (readonly [RegExp, string])[], subject: string): Promise<() => Promise<void>> {
    const { repository } = this.#bench;
    const before = await repository.head(repository.deployWorktree);
    await repository.refresh();
    await repository.edit(`${TRAINER}/trigger_hero.sh`, replacements);
    const commit = await repository.commit(subject);
    await repository.checkout(repository.deployWorktree, commit);
    return async () => {
      if (await repository.takeBack(commit)) await repository.checkout(repository.deployWorktree, before);
    };
  }

  /** Somebody made a page of the next run's name, from something else. */
  #takeTrackerPage(): () => Promise<void> {
    const { tracker } = this.#bench;
    const path = `${TRACKER_PROJECT}/${this.#prepared().runId}`;
    if (tracker.show(path) !== null) throw new Error(`make a page ${path}: it is there already`);
    tracker.create(path, 0);
    return async () => tracker.remove(path);
  }

  /** The live run's process stands still, while the scheduler goes on listing it as running. */
  #stopControl(): () => Promise<void> {
    const control = this.#bench.scheduler.leader();
    const pid = control?.progress.pid ?? null;
    if (control === null || pid === null) throw new Error('let the live run stand still: none trains');
    process.kill(pid, 'SIGSTOP');
    return async () => {
      if (control.live && control.progress.pid === pid) process.kill(pid, 'SIGCONT');
    };
  }

  async #hideMetadata(): Promise<() => Promise<void>> {
    const { store, database, scheduler } = this.#bench;
    const live = scheduler.leader()?.submission.runId;
    const path = lastPrepared(database)?.handoffCheckpoint ?? (live === undefined ? undefined : newestPermanent(store, live)?.path);
    if (path === undefined) throw new Error('hide the metadata of the handoff checkpoint: there is none');
    const metadata = `${path}/metadata.json`;
    const aside = `s3://aside/${metadata.slice('s3://'.length)}`;
    store.move(metadata, aside);
    return async () => store.move(aside, metadata);
  }

  async #fillTree(): Promise<() => Promise<void>> {
    const { store } = this.#bench;
    const { runId, handoffStep } = this.#prepared();
    const folder = `${permanentTree(runId)}/step-${handoffStep + 10}`;
    store.put(`${folder}/params.json`, '{}');
    return async () => store.remove(folder);
  }

  /** Somebody else launches a hero on the same nodes: it queues behind the live one. */
  #launchForeign(): string {
    const { scheduler, store, now } = this.#bench;
    const control = scheduler.leader()?.submission;
    const handoff = control === undefined ? null : newestPermanent(store, control.runId);
    if (control === undefined || handoff === null) throw new Error('launch a foreign coordinator: no live run with a permanent checkpoint');
    const runId = `hero-probe-step${handoff.step}`;
    const suffix = (now() % 0x1_0000_0000).toString(16).padStart(8, '0');
    const jobId = `/${FOREIGN_USER}/${runId}-coord-${suffix}`;
    const command = control.command.map((argument, at, all) => {
      if (all[at - 1] === '--run-id') return runId;
      return all[at - 1] === '--initialize-from-checkpoint' ? handoff.path : argument;
    });
    scheduler.submit({ ...control, jobId, runId, user: FOREIGN_USER, command, acceptedAtMs: now() });
    return jobId;
  }

  #prepared(): Prepared {
    const prepared = lastPrepared(this.#bench.database);
    if (prepared === null) throw new Error('turn a switch of the next run: no change is prepared');
    return prepared;
  }
}

async function dirty(dir: string): Promise<() => Promise<void>> {
  const path = join(dir, SCRATCH);
  await writeFile(path, 'half an idea\n');
  return async () => rm(path, { force: true });
}
