import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from '../fleet.js';
import type { ActReport, Acts, Reads } from '../protocol/outside.js';
import type { Reading, UnknownReason } from '../protocol/reading.js';
import { type ActIntent, type Deed, perform } from './act.js';
import { readCheckpointCopy } from './checkpoint-copy.js';
import { resolveCommands } from './command.js';
import { readCredentials } from './credentials.js';
import { readMarkers, readSeries } from './finelog.js';
import { readFreeSpace } from './free-space.js';
import { readCommits, readWorktree } from './git.js';
import {
  commentIssue,
  fileIssue,
  labelPull,
  makeBranch,
  openPull,
  readFerryLog,
  readFerryPull,
  readIssue,
  readMarkedComment,
  readMarkedIssue,
  readTagged,
  writeLog,
} from './github.js';
import { cancelJob, readCoordinators, readJobState } from './iris.js';
import { readPods } from './kubernetes.js';
import { cancelFerry, launchFerry, readFerryAnalysis, readFerryArtefacts, readFerryJobs, readFerryRuns, readJobLogs } from './lane.js';
import { pushTag, readLaneTree, readRemoteTag } from './lane-tree.js';
import { readLastStep } from './last-step.js';
import { readLaunchIdentity } from './launch-identity.js';
import { forkTracker, launch, readLaunchRecord } from './launcher.js';
import { readNodes } from './nodes.js';
import { readCheckpoints } from './objectstore.js';
import { createOutside, type Outside } from './outside.js';
import { createAsk } from './question.js';
import { readRunPods } from './run-pods.js';
import { createScrub, type Scrub, secretsIn } from './scrub.js';
import { readSharedSeries } from './shared-series.js';
import { createShell, type Shell } from './shell.js';
import { readTrackerChild } from './tracker.js';
import { publishReport, readTrackerReport } from './tracker-report.js';

/** From verb to adapter: all that the engine knows of the outside. */
export interface Registry {
  /** Repeated before it is unknown where the process failed; never throws for what the outside did. */
  read<V extends keyof Reads>(verb: V, args: Reads[V]['args']): Promise<Reading<Reads[V]['value']>>;
  /** Done once, whatever comes of it. Throws UnsafeArgumentError before, or what `onSpawn` throws after killing it. */
  act<V extends keyof Acts>(verb: V, args: Acts[V], intent: ActIntent): Promise<ActReport>;
  /** Ends the reads that run and refuses what comes after; acts go on, and are read about by the next process. */
  stop(): Promise<void>;
}

export interface RegistryOptions {
  readonly fleet: Fleet;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => Date;
  /** Pauses before a read is repeated, one for each repeat. */
  readonly backoffMs?: readonly number[];
  readonly shell?: Shell;
}

type Readers = { readonly [V in keyof Reads]: (outside: Outside, args: Reads[V]['args']) => Promise<Reading<Reads[V]['value']>> };
type Deeds = { readonly [V in keyof Acts]: (outside: Outside, args: Acts[V]) => Deed };

const READERS: Readers = {
  coordinators: readCoordinators,
  job_state: readJobState,
  pods: readPods,
  last_step: readLastStep,
  series: readSeries,
  markers: readMarkers,
  checkpoints: readCheckpoints,
  worktree: readWorktree,
  commits: readCommits,
  launch_record: readLaunchRecord,
  shared_series: readSharedSeries,
  tracker_report: readTrackerReport,
  tracker_child: readTrackerChild,
  credentials: readCredentials,
  run_pods: readRunPods,
  launch_identity: readLaunchIdentity,
  nodes: readNodes,
  free_space: readFreeSpace,
  checkpoint_copy: readCheckpointCopy,
  lane_tree: readLaneTree,
  ferry_jobs: readFerryJobs,
  ferry_runs: readFerryRuns,
  ferry_artefacts: readFerryArtefacts,
  ferry_analysis: readFerryAnalysis,
  job_logs: readJobLogs,
  tagged: readTagged,
  marked_issue: readMarkedIssue,
  issue: readIssue,
  marked_comment: readMarkedComment,
  remote_tag: readRemoteTag,
  ferry_log: readFerryLog,
  ferry_pull: readFerryPull,
};

const DEEDS: Deeds = {
  publish_report: publishReport,
  fork_tracker: forkTracker,
  launch,
  cancel: cancelJob,
  ferry_launch: launchFerry,
  ferry_cancel: cancelFerry,
  file_issue: fileIssue,
  comment_issue: commentIssue,
  push_tag: pushTag,
  make_branch: makeBranch,
  write_log: writeLog,
  open_pull: openPull,
  label_pull: labelPull,
};

const BACKOFF_MS = [250, 1_000];

// What was answered is not asked again in the hope of another answer; only what was not answered is.
const REPEATED: ReadonlySet<UnknownReason> = new Set<UnknownReason>(['failed', 'timed_out', 'not_started']);

/** Builds the adapters of a fleet. Throws FleetError if the environment lacks a variable that the fleet file names. */
export function createRegistry({ fleet, env, now, backoffMs = BACKOFF_MS, shell = createShell() }: RegistryOptions): Registry {
  const commands = resolveCommands(fleet.adapters, env);
  const scrub = createFleetScrub(fleet, env);
  const outside = createOutside(fleet, commands, createAsk({ shell, scrub, now }), scrub, now);
  const stopping = new AbortController();

  async function read<V extends keyof Reads>(verb: V, args: Reads[V]['args']): Promise<Reading<Reads[V]['value']>> {
    const reader: Readers[V] = READERS[verb];
    let reading = await reader(outside, args);
    for (const pauseMs of backoffMs) {
      if (reading.kind === 'known' || !REPEATED.has(reading.why) || stopping.signal.aborted) return reading;
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return reading;
      reading = await reader(outside, args);
    }
    return reading;
  }

  async function act<V extends keyof Acts>(verb: V, args: Acts[V], intent: ActIntent): Promise<ActReport> {
    const deed: Deeds[V] = DEEDS[verb];
    return perform(deed(outside, args), intent, { shell, scrub });
  }

  async function stop(): Promise<void> {
    stopping.abort();
    await shell.stop();
  }

  return { read, act, stop };
}

/** Takes out of a text whatever is secret in the environment and in the fleet file. */
export function createFleetScrub(fleet: Fleet, env: NodeJS.ProcessEnv): Scrub {
  const environments = Object.values(resolveCommands(fleet.adapters, env)).map((command) => command.env);
  return createScrub([env, ...environments].flatMap(secretsIn));
}
