import type { Reader } from '../../src/engine/monitor.js';
import type { Actor } from '../../src/engine/worker.js';
import type {
  ActReport,
  Checkpoint,
  ClusterNode,
  Commit,
  Coordinator,
  LastStep,
  LaunchIdentity,
  Marker,
  Pod,
  Sample,
  SharedSeries,
} from '../../src/protocol/outside.js';
import type { AccountState } from '../../src/protocol/people.js';
import type { Reading, UnknownReason } from '../../src/protocol/reading.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { DEPLOY, HANDOFF, NEW_RUN, OLD_RUN, ROLLBACK } from './plan.js';

interface Run {
  readonly jobId: string;
  readonly runId: string;
  state: Coordinator['state'];
  pods: Pod[];
  attempt: number;
  retries?: number;
}

/** The page of a run that was not forked from another. */
const ROOT_PAGE = { handoffCheckpoint: null, forkFrom: null, launchCommit: null };

/**
 * A cluster in memory, in virtual time: it holds state, answers the verbs, and can be told to fail. Time moves only by
 * `advance`.
 */
export class World implements Reader, Actor {
  nowMs = Date.parse('2026-11-30T12:00:00Z');
  readonly runs: Run[] = [];
  readonly rows: Sample[] = [];
  readonly acts: string[] = [];
  /** What was published, by verb; a test may say that nothing comes of it. */
  readonly published = new Map<string, string>();
  publishes = true;
  /** What a step logs beside its loss. */
  also = (_runId: string, _step: number): Readonly<Record<string, number>> => ({});
  readonly unknown = new Map<string, UnknownReason>();
  readonly children = new Map<string, { handoffCheckpoint: string; forkFrom: string; launchCommit: string }>();
  trees: Record<string, Checkpoint[]> = { [OLD_RUN]: [checkpointOf(HANDOFF)] };
  dirty: string[] = [];
  rollbackHead = ROLLBACK;
  remoteHead = DEPLOY;
  loggedOut = false;
  placeholders: string[] = [];
  /** Accounts that are no member's. */
  readonly accounts = new Map<string, AccountState>();
  /** What a plan lists between its two commits. */
  commits: Commit[] = [{ sha: DEPLOY, subject: 'Overlap the all-to-all' }];
  somebody: string | null = 'U0APPROVE';
  podsStay = false;
  nodes: ClusterNode[] = [0, 1, 2, 3].map((n) => ({ name: `node-${n}`, ready: true, schedulable: true, diskPressure: false, devices: 16 }));
  freeBytes = 9_000_000_000;
  identities: Record<string, LaunchIdentity> = {
    deploy: { user: 'marin', project: 'marin_moe' },
    rollback: { user: 'marin', project: null },
  };
  oldPage = true;
  copyLacks: string[] = [];
  markers: Marker[] = [];
  /** Every so many rows of the candidate are never written. */
  loseEvery = 0;
  /** Acts of this verb do not return until `releaseActs`. */
  hold: string | null = null;
  private readonly held: (() => void)[] = [];
  /** What a step of a run logs. */
  loss = (_runId: string, step: number): Sample['value'] => 2 + Math.sin(step) / 10;
  stepsStop = false;
  cancelTakes = true;
  submit: 'accepts' | 'fails_after' | 'prints_nothing' | 'refuses' | 'twice' = 'accepts';
  private launches = 0;
  private seq = 0;
  private begun = new Map<string, number>();

  now = (): Date => new Date(this.nowMs);

  advance(seconds: number): void {
    this.nowMs += seconds * 1000;
  }

  start(runId: string, fromStep: number, jobId?: string): string {
    const id = jobId ?? `/marin/${runId}-coord-${(++this.launches).toString(16).padStart(8, '0')}`;
    const attempt = 1 + Math.max(-1, ...this.rows.filter(({ metric }) => metric === `of ${runId}`).map((row) => row.attempt));
    this.runs.push({ jobId: id, runId, state: 'running', pods: [{ name: `pod-${runId}`, phase: 'Running', terminating: false }], attempt });
    this.begun.set(id, fromStep);
    return id;
  }

  /** The platform starts the gang of a job again by itself, from a step. */
  retry(jobId: string, fromStep: number): void {
    const run = this.runs.find((each) => each.jobId === jobId);
    if (run === undefined) throw new Error(`retry ${jobId}: it was never started`);
    run.retries = (run.retries ?? 0) + 1;
    this.begun.set(jobId, fromStep);
    this.trained.delete(jobId);
  }

  /** Every live run trains some steps. */
  train(steps: number): void {
    if (this.stepsStop) return;
    for (const run of this.runs.filter(({ state }) => state === 'running')) {
      for (let n = 0; n < steps; n++) this.log(run, this.nextStep(run));
    }
  }

  private nextStep(run: Run): number {
    const step = (this.trained.get(run.jobId) ?? (this.begun.get(run.jobId) ?? 0) - 1) + 1;
    this.trained.set(run.jobId, step);
    return step;
  }

  private readonly trained = new Map<string, number>();
  private readonly owner = new Map<number, string>();

  private log(run: Run, step: number): void {
    const seq = ++this.seq;
    this.owner.set(seq, run.jobId);
    const value = this.loss(run.runId, step);
    if (this.loseEvery > 0 && run.runId === NEW_RUN && step % this.loseEvery === 0) return;
    this.rows.push({ step, metric: 'train_loss', value, attempt: this.attemptOf(run), atMs: this.nowMs, seq });
    for (const [metric, other] of Object.entries(this.also(run.runId, step))) {
      const own = ++this.seq;
      this.owner.set(own, run.jobId);
      this.rows.push({ step, metric, value: other, attempt: this.attemptOf(run), atMs: this.nowMs, seq: own });
    }
  }

  private attemptOf(run: Run): number {
    const earlier = this.runs.filter(({ runId }) => runId === run.runId);
    const retries = earlier.slice(0, earlier.indexOf(run) + 1).reduce((sum, each) => sum + (each.retries ?? 0), 0);
    return earlier.indexOf(run) + retries;
  }

  private rowsOf(runId: string): Sample[] {
    const ids = this.runs.filter((run) => run.runId === runId).map(({ jobId }) => jobId);
    return this.rows.filter(({ seq }) => ids.includes(this.owner.get(seq) ?? ''));
  }

  async read(verb: string, args: JsonObject): Promise<Reading<unknown>> {
    const base = { source: verb, readAt: this.now(), evidence: `${verb} at ${this.nowMs}` };
    const why = this.unknown.get(verb);
    if (why !== undefined) return { ...base, kind: 'unknown', why, detail: 'told to fail' };
    return { ...base, kind: 'known', value: this.value(verb, args) };
  }

  private value(verb: string, args: JsonObject): unknown {
    const runId = `${args.runId ?? ''}`;
    const job = this.runs.find(({ jobId }) => jobId === args.jobId);
    switch (verb) {
      case 'coordinators':
        return this.live().map(({ jobId, runId: leads, state }) => ({ jobId, runId: leads, state, user: 'marin' }));
      case 'job_state':
        return job?.state ?? 'absent';
      case 'pods':
        return job?.pods ?? [];
      case 'last_step':
        return this.lastStep(runId, Number(args.sinceMs));
      case 'series':
        return this.between(runId, args).filter(({ metric }) => (args.metrics as readonly string[]).includes(metric));
      case 'shared_series':
        return this.shared(args);
      case 'tracker_report':
      case 'thread_chart':
      case 'failure_issue':
        return { url: this.published.get(verb) ?? null };
      case 'markers':
        return this.markers;
      case 'checkpoints':
        return this.trees[runId] ?? [];
      case 'worktree':
        return this.worktree(`${args.dir}`);
      case 'launch_record':
        return {
          runId: NEW_RUN,
          handoffCheckpoint: checkpointOf(HANDOFF).path,
          trackerForkFrom: `${OLD_RUN}?_step=${HANDOFF - 1}`,
          placeholders: this.placeholders,
        };
      case 'tracker_child': {
        const child = this.children.get(runId) ?? (runId === OLD_RUN && this.oldPage ? ROOT_PAGE : undefined);
        return child === undefined
          ? { exists: false, handoffCheckpoint: null, forkFrom: null, launchCommit: null }
          : { exists: true, ...child };
      }
      case 'commits':
        return this.commits;
      case 'account':
      case 'entitled':
        return this.accounts.get(`${args.userId}`) ?? 'member';
      case 'somebody':
        return this.somebody;
      case 'credentials':
        return [{ name: 'iris', ok: !this.loggedOut, detail: this.loggedOut ? 'logged out' : 'ok' }];
      case 'run_pods':
        return this.runs.filter((run) => run.runId === runId).flatMap(({ pods }) => pods);
      case 'nodes':
        return this.nodes;
      case 'free_space':
        return { folder: 'data', freeBytes: this.freeBytes, neededBytes: 500_000_000 };
      case 'launch_identity':
        return this.identities[`${args.dir}`];
      case 'checkpoint_copy':
        return { objects: 12, different: this.copyLacks };
      default:
        throw new Error(`the world does not answer ${verb}`);
    }
  }

  private between(runId: string, { from, to }: JsonObject): Sample[] {
    return this.rowsOf(runId).filter(({ step }) => step >= Number(from) && step <= Number(to));
  }

  private shared(args: JsonObject): SharedSeries {
    const [control, candidate] = [this.between(`${args.control}`, args), this.between(`${args.candidate}`, args)];
    const names = new Set(control.map(({ metric }) => metric));
    return { metrics: [...new Set(candidate.map(({ metric }) => metric))].filter((name) => names.has(name)), left: 0, control, candidate };
  }

  private worktree(dir: string) {
    return dir === 'deploy'
      ? { dir, head: DEPLOY, dirty: this.dirty, remoteHead: this.remoteHead }
      : { dir, head: this.rollbackHead, dirty: [], remoteHead: this.remoteHead };
  }

  private lastStep(runId: string, sinceMs: number): LastStep {
    const rows = this.rowsOf(runId).filter(({ atMs }) => atMs >= sinceMs);
    const rowsOfLoss = rows.filter(({ metric }) => metric === 'train_loss');
    const newest = rowsOfLoss.at(-1);
    return { step: newest?.step ?? null, atMs: newest?.atMs ?? null, rows: rowsOfLoss.length };
  }

  live(): Run[] {
    return this.runs.filter(({ state }) => state === 'running' || state === 'pending');
  }

  async act(verb: string, args: JsonObject): Promise<ActReport> {
    if (verb in PUBLISHED) {
      if (verb === this.hold) await new Promise<void>((release) => this.held.push(release));
      return this.publish(verb);
    }
    this.acts.push(verb === 'cancel' ? `cancel ${args.jobId}` : `${verb} ${args.dir}`);
    const done = { exitCode: 0, problem: null, jobId: null, evidence: `${verb} done` } as const;
    if (verb === this.hold) await new Promise<void>((release) => this.held.push(release));
    if (verb === 'cancel') {
      const job = this.runs.find(({ jobId }) => jobId === args.jobId);
      if (job !== undefined && this.cancelTakes) Object.assign(job, { state: 'killed', pods: this.podsStay ? job.pods : [] });
      return done;
    }
    if (verb === 'fork_tracker') {
      this.children.set(NEW_RUN, {
        handoffCheckpoint: checkpointOf(HANDOFF).path,
        forkFrom: `${OLD_RUN}?_step=${HANDOFF - 1}`,
        launchCommit: DEPLOY,
      });
      return done;
    }
    return this.launch(args.dir === 'deploy' ? NEW_RUN : OLD_RUN);
  }

  private launch(runId: string): ActReport {
    const done = { exitCode: 0, problem: null, jobId: null, evidence: 'launch done' } as const;
    if (this.submit === 'refuses') return { ...done, exitCode: 2, problem: 'failed' };
    const from = runId === NEW_RUN ? HANDOFF : Math.max(...(this.trees[OLD_RUN] ?? []).map(({ step }) => step));
    const jobId = this.start(runId, from);
    if (this.submit === 'twice') this.start(runId, from);
    if (this.submit === 'fails_after') return { ...done, exitCode: 1, problem: 'failed' };
    return this.submit === 'prints_nothing' ? done : { ...done, jobId };
  }

  /** Not among the acts: it touches no run. */
  private publish(verb: string): ActReport {
    const proof = PUBLISHED[verb] ?? '';
    if (this.publishes) this.published.set(proof, `https://example.org/${proof}`);
    return { exitCode: this.publishes ? 0 : 1, problem: this.publishes ? null : 'failed', jobId: null, evidence: verb };
  }

  releaseActs(): void {
    this.hold = null;
    for (const release of this.held.splice(0)) release();
  }

  /** Told by a test: whether what an intent started may still be alive. */
  orphans: 'gone' | 'alive' | 'unknown' = 'gone';

  async isGone(): Promise<Reading<boolean>> {
    const base = { source: 'processes', readAt: this.now() };
    if (this.orphans === 'unknown') return { ...base, kind: 'unknown', why: 'failed', detail: 'told to fail' };
    return { ...base, kind: 'known', value: this.orphans === 'gone' };
  }
}

/** What is published, and the reading that shows it. */
const PUBLISHED: Readonly<Record<string, string>> = {
  publish_report: 'tracker_report',
  post_chart: 'thread_chart',
  file_failure_issue: 'failure_issue',
};

export function checkpointOf(step: number): Checkpoint {
  return { step, path: `s3://hero/grug/${OLD_RUN}/v/checkpoints/step-${step}`, complete: true, permanent: true, recordedStep: step };
}
