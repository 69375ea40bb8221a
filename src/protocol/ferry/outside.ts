import type { Commit, JobState } from '../outside.js';

/** What the outside of a ferry is read as. Source of every fact: contracts/iris-and-ferries.md, sections 1 and 6. */

/** One changed setting; null where the file of that side does not have it. */
export interface Knob {
  readonly name: string;
  readonly was: string | null;
  readonly is: string | null;
}

/** The checkout from which a lane is launched, at the commit that is asked about. */
export interface LaneTree {
  readonly head: string;
  readonly dirty: readonly string[];
  /** The commit is reachable from a branch of the remote, as the remote said just now. */
  readonly pushed: boolean;
  readonly hasFile: boolean;
  /** The lane's own file against the last ferry's commit; empty when there was none, or nothing differs. */
  readonly delta: readonly Knob[];
  /** Commits since the last ferry's that touch the lane's paths, oldest first. */
  readonly commits: readonly Commit[];
}

/** A root job of exactly this name, or of this name with a suffix of the scheduler's, in whoever's namespace. */
export interface FerryJob {
  readonly jobId: string;
  readonly state: JobState;
  readonly submittedAtMs: number;
  /** When its work began to run: until then it has queued. */
  readonly grantedAtMs: number | null;
  readonly finishedAtMs: number | null;
  /** What the scheduler says of its end, as it stands there. */
  readonly error: string | null;
}

/** A run in the tracker. */
export interface TrackedRun {
  readonly name: string;
  readonly url: string;
  readonly state: 'running' | 'finished' | 'failed' | 'crashed' | 'killed';
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  readonly lastStep: number | null;
  /** Newest value of each metric; a value that is no finite number is not in it. */
  readonly summary: Readonly<Record<string, number>>;
}

export interface Analysis {
  /** null where the analysis says `N/A`. */
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly observations: readonly string[];
}

export interface IssueState {
  readonly number: number;
  readonly url: string;
  readonly open: boolean;
}

/** An issue or a pull request that carries a lane's labels. */
export interface Tagged {
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly pull: boolean;
  readonly updatedAt: string;
}

/** The log on its own branch; null: there is no such branch yet. */
export interface FerryLog {
  /** Head of the base branch. */
  readonly baseHead: string;
  readonly branch: { readonly fileSha: string; readonly text: string } | null;
}

export interface Pull {
  readonly number: number;
  readonly url: string;
  readonly open: boolean;
  readonly labels: readonly string[];
  /** Paths that it changes. */
  readonly files: readonly string[];
}

/** Every verb that reads for a ferry, with its arguments and its answer. */
export interface FerryReads {
  /** `commit: null` means the one that is checked out. */
  lane_tree: { args: { lane: string; dir: string; commit: string | null; since: string | null }; value: LaneTree };
  ferry_jobs: { args: { lane: string; name: string }; value: readonly FerryJob[] };
  /** Runs of the lane's project whose name begins so. */
  ferry_runs: { args: { lane: string; beginning: string }; value: readonly TrackedRun[] };
  /** The newest step whose checkpoint is complete in the run's tree; null when there is none. */
  ferry_artefacts: { args: { lane: string; run: string }; value: { readonly step: number | null } };
  ferry_analysis: { args: { lane: string; run: string }; value: Analysis };
  /** The last lines that a job logged, oldest first. */
  job_logs: { args: { lane: string; jobId: string }; value: readonly string[] };
  tagged: { args: { lane: string; since: string | null }; value: readonly Tagged[] };
  /** Our own issue with this marker among those of the lane; null when there is none. */
  marked_issue: { args: { lane: string; key: string; labels: readonly string[] }; value: IssueState | null };
  issue: { args: { lane: string; number: number }; value: IssueState };
  /** Our own comment with this marker. */
  marked_comment: { args: { lane: string; number: number; key: string }; value: { readonly url: string } | null };
  /** The commit to which a tag of the remote points; null when the remote has no such tag. */
  remote_tag: { args: { lane: string; dir: string; tag: string }; value: { readonly commit: string | null } };
  ferry_log: { args: { lane: string; branch: string; path: string }; value: FerryLog };
  ferry_pull: { args: { lane: string; branch: string }; value: Pull | null };
}

/** Every verb that acts for a ferry. None is ever repeated by itself. */
export interface FerryActs {
  ferry_launch: { lane: string; dir: string; name: string; run: string };
  ferry_cancel: { lane: string; jobId: string };
  file_issue: { lane: string; title: string; body: string; labels: readonly string[] };
  comment_issue: { lane: string; number: number; body: string };
  /** Never with force: the remote refuses a tag that it has elsewhere. */
  push_tag: { lane: string; dir: string; commit: string; tag: string };
  make_branch: { lane: string; branch: string; head: string };
  /** Refused by GitHub when the file is not the one that was read. */
  write_log: { lane: string; branch: string; path: string; fileSha: string; text: string; message: string };
  open_pull: { lane: string; branch: string; title: string; body: string };
  label_pull: { lane: string; number: number; labels: readonly string[] };
}
