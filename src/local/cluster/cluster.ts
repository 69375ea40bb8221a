import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ControlAction } from './actions.js';
import { startControlServer } from './control-server.js';
import { openDatabase, openReader } from './database.js';
import { startEndpoint } from './endpoint.js';
import { type Program, writeExecutables } from './executables.js';
import { FerryRuns } from './ferries.js';
import { Jobs } from './jobs.js';
import { Ledger } from './ledger.js';
import { Nodes } from './nodes.js';
import { ObjectStore } from './object-store.js';
import { Pods } from './pods.js';
import { prepare, type Workbench } from './prepare.js';
import { analysis } from './programs/analysis.js';
import { type Answer, type Call, ok } from './programs/call.js';
import { finelog } from './programs/finelog.js';
import { type GitHubApi, gh } from './programs/gh.js';
import { iris } from './programs/iris.js';
import { jobRun } from './programs/job-run.js';
import { kubectl } from './programs/kubectl.js';
import { objectstore } from './programs/objectstore.js';
import { tracker as trackerProgram } from './programs/tracker.js';
import type { Region } from './region.js';
import { gitEnvironment, Repository } from './repository.js';
import { Scheduler } from './scheduler.js';
import { LAUNCH_ENVIRONMENT, setUp } from './setup.js';
import { type ClusterState, StateView } from './state.js';
import { Submissions } from './submissions.js';
import { Switchboard } from './switchboard.js';
import { Switches } from './switches.js';
import { Telemetry } from './telemetry.js';
import { Tracker } from './tracker.js';

const RETENTION_SECONDS = 600;
const GANG_TASKS = 4;
const SLOW_REPLY_SECONDS = 5;
/** A run that hangs saves nothing: whoever asks it must not hold up what others ask. */
const SAVE_WAIT_MS = 10_000;

export interface ClusterOptions {
  /** Folder of this cluster. An empty one is set up; a used one goes on from where it was left. */
  readonly home: string;
  /** Factor on every simulated duration; 1 gives steps of about 0.15 s. */
  readonly pace?: number;
  /** How long the scheduler keeps rows of finished jobs. */
  readonly retentionSeconds?: number;
  /** Tasks, and so pods, of a gang. */
  readonly gangTasks?: number;
  /** How long an executable takes to answer while `slow_replies` is on. */
  readonly slowReplySeconds?: number;
  /** Where `gh` posts; without it `gh` is logged out. */
  readonly github?: GitHubApi;
}

/** A running simulated cluster: scheduler, telemetry, object store, tracker and repository. */
export interface Cluster {
  readonly controlUrl: string;
  readonly token: string;
  /** Folder of the executables: put it first on PATH. */
  readonly bin: string;
  readonly origin: string;
  readonly deployWorktree: string;
  readonly rollbackWorktree: string;
  readonly lanesWorktree: string;
  readonly database: string;
  /** Does something to the cluster. Rejects when it cannot be done. */
  control(action: ControlAction): Promise<unknown>;
  state(): ClusterState;
  /** Ends all training processes and servers. The home can be started again. */
  stop(): Promise<void>;
}

/** Starts a cluster. When it resolves, the first control run has been accepted by the scheduler, but may still be queued. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const home = resolve(options.home);
  mkdirSync(home, { recursive: true });
  const path = join(home, 'cluster.db');
  const isNew = !existsSync(path);
  const bin = join(home, 'bin');
  const token = randomBytes(16).toString('hex');
  const now = Date.now;
  const api = options.github ?? null;

  const database = openDatabase(path);
  const reader = openReader(path);
  const switches = new Switches();
  const ledger = new Ledger(database, now);
  const telemetry = new Telemetry(database, now);
  const tracker = new Tracker(database, telemetry, ledger, now);
  const store = new ObjectStore(join(home, 'objects'));
  const repository = new Repository(home, gitEnvironment(`${bin}:${process.env.PATH ?? ''}`, home));
  const region: Region = {
    jobs: new Jobs(database, now, () => switches.isOn('unlisted_state')),
    submissions: new Submissions(database),
    pods: new Pods(database, now),
    telemetry,
    ledger,
    switches,
    nodes: new Nodes(),
    store: store.root,
    gangTasks: options.gangTasks ?? GANG_TASKS,
    pace: options.pace ?? 1,
  };
  const ferries = new FerryRuns(database, region.submissions, region.jobs);
  const scheduler = new Scheduler(region, {
    retentionMs: (options.retentionSeconds ?? RETENTION_SECONDS) * 1000,
    now,
    // A coordinator that cannot be led on is a fault of the simulation: it must end the process, not pass for an outage.
    onFault: (error) => setImmediate(() => Promise.reject(error)),
  });
  const bench: Workbench = { database, repository, scheduler, store, tracker, now };
  const switchboard = new Switchboard(bench);
  const view = new StateView(bench);

  let settingUp = isNew;
  const answers: Record<Program, (call: Call) => Answer | Promise<Answer>> = {
    iris: (call) =>
      iris({ scheduler, reader, database, run: (argv, from) => jobRun({ scheduler, bundler: repository, now }, argv, from) }, call),
    finelog: (call) => finelog({ reader, switches }, call),
    kubectl: (call) => kubectl({ pods: region.pods, switches, nodes: region.gangTasks }, call),
    objectstore: (call) => objectstore({ store, switches }, call),
    tracker: (call) => trackerProgram({ tracker, ferries, switches }, call),
    analysis: (call) => analysis({ runs: ferries, switches }, call),
    // The first run is launched by a script that insists on recording it, also where no GitHub is given.
    gh: (call) =>
      settingUp && api === null ? ok('https://github.com/marin-community/marin/issues/8506#issuecomment-1\n') : gh({ api, switches }, call),
  };
  const endpoint = await startEndpoint(token, async (program, call) => {
    const answer = await answers[program](call);
    // The deed comes before the delay: who gives up waiting must still find out what was done.
    if (switches.isOn('slow_replies')) await wait((options.slowReplySeconds ?? SLOW_REPLY_SECONDS) * 1000);
    return answer;
  });
  writeExecutables(bin, endpoint.port, token);

  const stop = async (): Promise<void> => {
    await endpoint.stop();
    await scheduler.stop();
    reader.close();
    database.close();
  };
  try {
    if (isNew) await setUp({ repository, store, tracker }, api);
    else scheduler.resume();
  } catch (error) {
    await stop();
    throw error;
  }
  settingUp = false;
  await view.refresh();

  let turn: Promise<unknown> = Promise.resolve();
  const cluster = {
    state: () => view.now(),
    // One at a time: two actions that both commit to main would meet in the authors' clone.
    control: (action: ControlAction): Promise<unknown> => {
      const done = turn.then(() => act(action, { bench, switchboard })).finally(() => view.refresh());
      turn = done.catch(() => null);
      return done;
    },
  };
  const control = await startControlServer(token, cluster);
  return {
    ...cluster,
    controlUrl: control.url,
    token,
    bin,
    origin: repository.origin,
    deployWorktree: repository.deployWorktree,
    rollbackWorktree: repository.rollbackWorktree,
    lanesWorktree: repository.lanesWorktree,
    database: path,
    stop: async () => {
      await control.stop();
      await turn;
      await view.settle();
      await stop();
    },
  };
}

async function act(action: ControlAction, { bench, switchboard }: { bench: Workbench; switchboard: Switchboard }): Promise<unknown> {
  const { scheduler, repository } = bench;
  switch (action.kind) {
    case 'prepare': {
      const prepared = await prepare(bench, action.change);
      await switchboard.dirtyAgain();
      return prepared;
    }
    case 'switch':
      return switchboard.turn(action.name, action.on);
    case 'control_dies': {
      const control = scheduler.leader();
      if (control === null) throw new Error('let the control die: no run is live');
      control.fail('Node failure');
      return { jobId: control.submission.jobId };
    }
    case 'permanent_checkpoint': {
      const run = scheduler.live().find((live) => live.submission.runId === action.runId && live.progress.phase === 'training');
      const saved = await run?.savePermanent(SAVE_WAIT_MS);
      if (saved === undefined || saved === null) throw new Error(`save a permanent checkpoint: ${action.runId} does not step`);
      return saved;
    }
    case 'launch_by_hand':
      if (action.dir !== repository.deployWorktree && action.dir !== repository.rollbackWorktree) {
        throw new Error(`launch from ${action.dir}: not a worktree of this cluster`);
      }
      return repository.launchScript(action.dir, 'launch', LAUNCH_ENVIRONMENT);
    case 'cancel_by_hand':
      if (!scheduler.requestCancel(action.jobId)) throw new Error(`cancel ${action.jobId}: no such live job`);
      return { jobId: action.jobId };
    case 'change_daily':
      return changeDaily(repository, action.setting, action.value);
    case 'tag':
      // Somebody's tag, on a commit that is not the ferry's.
      return repository.tag(action.name, `${await repository.head(repository.rollbackWorktree)}~1`);
    case 'tagged':
      return repository.tagged(action.name);
  }
}

async function changeDaily(repository: Repository, setting: string, value: number): Promise<string> {
  await repository.refresh();
  await repository.edit('experiments/ferries/daily.py', [[new RegExp(`^${setting} = .*$`, 'm'), `${setting} = ${value}`]]);
  const commit = await repository.commit(`Try ${setting} = ${value} in the daily`);
  await repository.checkout(repository.lanesWorktree, commit);
  return commit;
}
