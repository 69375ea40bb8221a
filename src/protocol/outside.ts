import type { FerryActs, FerryReads } from './ferry/outside.js';

/**
 * What the outside is read as: the values that adapters answer with and protocols decide on.
 * Source of every fact: contracts/iris-and-ferries.md, sections 1 to 4.
 */

/** A listed scheduler state. A code outside the contract's table is never one of these: it is an unknown reading. */
export type JobState = 'pending' | 'building' | 'running' | 'succeeded' | 'failed' | 'killed' | 'worker_failed' | 'unschedulable';

const TERMINAL: ReadonlySet<string> = new Set<JobState>(['succeeded', 'failed', 'killed', 'worker_failed', 'unschedulable']);

/** Whether the scheduler has nothing more to run for a job in this state. */
export function isTerminal(state: JobState): boolean {
  return TERMINAL.has(state);
}

/** A scheduler job that leads a run, in whoever's namespace. */
export interface Coordinator {
  /** `/<user>/<run id>-coord…`: the only thing a cancel may be given. */
  readonly jobId: string;
  readonly user: string;
  readonly runId: string;
  readonly state: JobState;
}

/** `absent`: the scheduler has no such row (it ages finished rows out), which proves nothing by itself. */
export type JobStatus = JobState | 'absent';

export interface Pod {
  readonly name: string;
  readonly phase: string;
  readonly terminating: boolean;
}

/** The newest step that telemetry holds for a run since the given instant; both null when it holds no row. */
export interface LastStep {
  readonly step: number | null;
  /** When the trainer wrote that row, milliseconds since 1970 UTC, by the trainer's clock. */
  readonly atMs: number | null;
  readonly rows: number;
}

/** One logged value. `attempt` numbers the executions of a run from 0, in the order in which they first wrote. */
export interface Sample {
  readonly step: number;
  readonly metric: string;
  /** A string for a logged non-finite value (`NaN`, `Infinity`, `-Infinity`); null where the row held no number. */
  readonly value: number | 'NaN' | 'Infinity' | '-Infinity' | null;
  readonly attempt: number;
  readonly atMs: number;
  readonly seq: number;
}

export interface Marker {
  readonly kind: 'restore_began' | 'restored' | 'compiling' | 'watchdog' | 'runtime_error' | 'non_finite' | 'fatal';
  readonly task: string;
  readonly atMs: number;
  readonly text: string;
}

export interface Checkpoint {
  readonly step: number;
  readonly path: string;
  /** `metadata.json` is there. */
  readonly complete: boolean;
  /** `is_temporary` in it is exactly false. */
  readonly permanent: boolean;
  /** The step that the metadata records; null while incomplete. */
  readonly recordedStep: number | null;
}

export interface Worktree {
  readonly dir: string;
  readonly head: string;
  /** Paths that are changed or untracked, at most 20 of them; empty means pristine. */
  readonly dirty: readonly string[];
  /** What the remote branch pointed at when it was asked just now. */
  /** null: not asked for. */
  readonly remoteHead: string | null;
}

export interface Commit {
  readonly sha: string;
  readonly subject: string;
}

/** What the launch script of a worktree's HEAD would launch. */
export interface LaunchRecord {
  readonly runId: string;
  readonly handoffCheckpoint: string;
  readonly trackerForkFrom: string;
  /** Names of values that still hold the placeholder. */
  readonly placeholders: readonly string[];
}

/** The run's page in the tracker. */
export interface TrackerChild {
  readonly exists: boolean;
  readonly handoffCheckpoint: string | null;
  readonly forkFrom: string | null;
  readonly launchCommit: string | null;
  /** The newest row of its history: the tracker's own index, which is not the checkpoint's step. */
  readonly lastHistoryStep: number | null;
}

export interface Credential {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** All metrics that two runs both logged in a range of steps, but for the `left` last of them by name, and their rows. */
export interface SharedSeries {
  readonly metrics: readonly string[];
  readonly left: number;
  readonly control: readonly Sample[];
  readonly candidate: readonly Sample[];
}

/** Where something that was published is; null: it is known not to be there. */
export interface Published {
  readonly url: string | null;
}

/** As whom and into which project the launch script of a worktree's HEAD would launch. */
export interface LaunchIdentity {
  /** The scheduler user that the script sets, or the one that we give to a script that sets none. */
  readonly user: string;
  /** The tracker project, without its entity; null where the script leaves it to whoever calls it. */
  readonly project: string | null;
}

/** A node of the family's cluster that has devices. */
export interface ClusterNode {
  readonly name: string;
  readonly ready: boolean;
  /** Neither cordoned nor kept free by Kubernetes for a trouble other than its disk. */
  readonly schedulable: boolean;
  readonly diskPressure: boolean;
  readonly devices: number;
}

/** Room on the disk that holds our own record. */
export interface FreeSpace {
  readonly folder: string;
  readonly freeBytes: number;
  readonly neededBytes: number;
}

/** How the objects of a second copy of a checkpoint compare with those of the first, by their names and sizes. */
export interface CheckpointCopy {
  readonly objects: number;
  /** Names that the copy lacks or holds in another size, at most 20. */
  readonly different: readonly string[];
}

/** Every verb that reads, with its arguments and its answer. */
export interface Reads extends FerryReads {
  /** All coordinators not in a terminal state, in every user's namespace. */
  coordinators: { args: { family: string }; value: readonly Coordinator[] };
  job_state: { args: { family: string; jobId: string }; value: JobStatus };
  /** Pods of the job and of its children, whatever their phase. */
  pods: { args: { family: string; jobId: string }; value: readonly Pod[] };
  last_step: { args: { family: string; runId: string; sinceMs: number }; value: LastStep };
  /** Every logged row of the metrics at steps from..to (both included), oldest first. */
  series: { args: { family: string; runId: string; metrics: readonly string[]; from: number; to: number }; value: readonly Sample[] };
  markers: { args: { family: string; jobId: string; sinceMs: number }; value: readonly Marker[] };
  /** All `step-N` of a run's checkpoint tree, permanent and temporary, by step. */
  checkpoints: { args: { family: string; runId: string }; value: readonly Checkpoint[] };
  /** `remote: false` leaves the remote branch out: a rollback must not wait for it. */
  worktree: { args: { family: string; dir: string; remote?: false }; value: Worktree };
  /** Commits reachable from `to` and not from `from`, oldest first. */
  commits: { args: { family: string; dir: string; from: string; to: string }; value: readonly Commit[] };
  launch_record: { args: { family: string; dir: string }; value: LaunchRecord };
  shared_series: { args: { family: string; control: string; candidate: string; from: number; to: number }; value: SharedSeries };
  /** The tracker's report of that title. */
  tracker_report: { args: { family: string; title: string }; value: Published };
  tracker_child: { args: { family: string; runId: string }; value: TrackerChild };
  /** The tools and logins that the protocol's acts need, probed with reads only. */
  credentials: { args: { family: string }; value: readonly Credential[] };
  /** Pods of every coordinator of a run and of their children, whatever their phase and whoever's they are. */
  run_pods: { args: { family: string; runId: string }; value: readonly Pod[] };
  launch_identity: { args: { family: string; dir: string }; value: LaunchIdentity };
  /** All nodes with devices, well or not. */
  nodes: { args: { family: string }; value: readonly ClusterNode[] };
  free_space: { args: { family: string }; value: FreeSpace };
  checkpoint_copy: { args: { family: string; from: string; copy: string }; value: CheckpointCopy };
}

/** What the bot itself published where it tells: read back from its own sinks. */
export interface Tellings {
  /** The chart of a row, in the operation's thread. */
  thread_chart: { args: { operationId: string; seq: number }; value: Published };
  /** The issue that was filed about an operation's failure. */
  failure_issue: { args: { operationId: string }; value: Published };
}

/** Every verb that acts, with its arguments. None is ever repeated by itself. */
export interface Acts extends FerryActs {
  /** Two run sets, the panels of the protocol, over the steps of the window. */
  publish_report: {
    family: string;
    title: string;
    control: string;
    candidate: string;
    from: number;
    to: number;
    /** Metrics, a panel each. */
    panels: readonly string[];
  };
  fork_tracker: { family: string; dir: string };
  launch: { family: string; dir: string };
  cancel: { family: string; jobId: string };
}

/** How an act's own process ended. Never proof of what it did outside: that is read. */
export interface ActReport {
  /** null: never started, or ended by a signal. */
  readonly exitCode: number | null;
  readonly problem: null | 'not_started' | 'timed_out' | 'killed' | 'failed' | 'output_too_long';
  /** The job id that the output named (its last matching line), if any. */
  readonly jobId: string | null;
  /** Scrubbed transcript. */
  readonly evidence: string;
}
