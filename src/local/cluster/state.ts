import { type CheckpointView, checkpointsOf } from './checkpoint-trees.js';
import type { Coordinator } from './coordinator.js';
import { type LedgerEntry, maxLiveCoordinators } from './ledger.js';
import type { PodView } from './pods.js';
import { changesByCommit, lastPrepared, type Prepared, type Workbench } from './prepare.js';
import type { RunPhase } from './progress.js';
import type { RepositoryView, WorktreeView } from './repository.js';
import { BASE_RUN } from './setup.js';
import { stateName } from './states.js';
import type { SwitchName } from './switches.js';

const GIT_VIEW_AGE_MAX_MS = 1000;

export interface RunView {
  readonly runId: string;
  readonly live: boolean;
  readonly user: string;
  readonly attempt: number;
  readonly step: number | null;
  readonly secondsPerStep: number | null;
  readonly phase: RunPhase;
  readonly commit: string;
  /** What was prepared at that commit; null for a commit that carries no change of ours. */
  readonly change: string | null;
  /** Process id of the real trainer, while there is one. */
  readonly pid: number | null;
}

export interface CoordinatorView {
  readonly jobId: string;
  readonly runId: string;
  readonly user: string;
  readonly state: string;
  readonly stateCode: number;
  readonly submittedAtMs: number;
  readonly finishedAtMs: number | null;
  readonly error: string | null;
}

/** Everything there is to see of the cluster. */
export interface ClusterState {
  readonly atMs: number;
  readonly runs: readonly RunView[];
  readonly coordinators: readonly CoordinatorView[];
  readonly pods: readonly PodView[];
  readonly checkpoints: Readonly<Record<string, readonly CheckpointView[]>>;
  readonly main: { readonly head: string; readonly subject: string };
  readonly worktrees: readonly WorktreeView[];
  readonly switches: Readonly<Record<SwitchName, boolean>>;
  readonly prepared: Prepared | null;
  readonly ledger: readonly LedgerEntry[];
  readonly maxLiveCoordinators: Readonly<Record<string, number>>;
}

/** Composes the state. Git is asked in the background, at most once a second, so that a look never holds up the cluster. */
export class StateView {
  readonly #bench: Workbench;
  #git: RepositoryView = { main: { head: '', subject: '' }, worktrees: [] };
  #gitAt = 0;
  #refreshing: Promise<void> | null = null;

  constructor(bench: Workbench) {
    this.#bench = bench;
  }

  /** Asks git anew: at the start, and when the cluster itself has changed a worktree. */
  async refresh(): Promise<void> {
    await this.#refreshing;
    this.#refreshing = this.#bench.repository.view().then((view) => {
      this.#git = view;
      this.#gitAt = this.#bench.now();
    });
    try {
      await this.#refreshing;
    } finally {
      this.#refreshing = null;
    }
  }

  /** Resolves when no question to git is under way. */
  async settle(): Promise<void> {
    await this.#refreshing;
  }

  now(): ClusterState {
    const { scheduler, store, database, now } = this.#bench;
    const { pods, ledger, switches } = scheduler.region;
    if (this.#refreshing === null && now() - this.#gitAt > GIT_VIEW_AGE_MAX_MS) void this.refresh();
    const entries = ledger.entries();
    const runs = this.#runs();
    return {
      atMs: now(),
      runs,
      coordinators: this.#coordinators(),
      pods: pods.all(),
      checkpoints: Object.fromEntries([BASE_RUN, ...runs.map((run) => run.runId)].map((runId) => [runId, checkpointsOf(store, runId)])),
      ...this.#git,
      switches: switches.all(),
      prepared: lastPrepared(database),
      ledger: entries,
      maxLiveCoordinators: maxLiveCoordinators(entries),
    };
  }

  /** One row a run id, by its first submit: what its newest coordinator does, and whether any is live. */
  #runs(): readonly RunView[] {
    const { scheduler, database } = this.#bench;
    const changes = changesByCommit(database);
    const newest = new Map<string, RunView>();
    for (const submission of scheduler.region.submissions.all()) {
      const { runId, user, commit, jobId } = submission;
      const coordinator = scheduler.find(jobId);
      const earlier = newest.get(runId);
      // Of two live coordinators of one run, the one that trains is shown.
      if (earlier?.live === true && earlier.phase !== 'queued') continue;
      const live = coordinator?.live === true || earlier?.live === true;
      newest.set(runId, { runId, live, user, commit, change: changes.get(commit) ?? null, ...this.#progress(runId, coordinator) });
    }
    return [...newest.values()];
  }

  #progress(runId: string, coordinator: Coordinator | null): Pick<RunView, 'attempt' | 'step' | 'secondsPerStep' | 'phase' | 'pid'> {
    const progress = coordinator?.progress ?? { attempt: 0, phase: 'ended' as const, step: null, secondsPerStep: null, pid: null };
    return { ...progress, step: progress.step ?? this.#bench.scheduler.region.telemetry.lastStep(runId) };
  }

  #coordinators(): readonly CoordinatorView[] {
    const { jobs, submissions } = this.#bench.scheduler.region;
    const runIds = new Map(submissions.all().map((submission) => [submission.jobId, submission.runId]));
    return jobs
      .rows()
      .filter((row) => row.parentJobId === null)
      .map((row) => ({
        jobId: row.jobId,
        runId: runIds.get(row.jobId) ?? '',
        user: row.user,
        state: stateName(row.state),
        stateCode: row.state,
        submittedAtMs: row.submittedAtMs,
        finishedAtMs: row.finishedAtMs,
        error: row.error,
      }));
  }
}
