import type { Checkpoint, Coordinator, LastStep, Sample } from '../../src/protocol/outside.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { DEPLOY, HANDOFF, NEW_RUN, OLD_RUN, ROLLBACK } from '../support/plan.js';
import type { Agenda } from './agenda.js';
import { type Fate, HEALTHY, Job, type Origin } from './job.js';

/** Steps between the checkpoints that a run writes by itself. */
const CHECKPOINT_EVERY = 30;

/** The scheduler, telemetry, object store, tracker and repository of one seed, in virtual time. It obeys whoever acts. */
export class Cluster {
  readonly jobs: Job[] = [];
  readonly children = new Map<string, { handoffCheckpoint: string; forkFrom: string; launchCommit: string }>();
  dirty: readonly string[] = [];
  remoteHead = DEPLOY;
  loggedOut = false;
  private seq = 0;
  private submissions = 0;
  private readonly attempts = new Map<string, number>();

  constructor(private readonly agenda: Agenda) {}

  private get nowMs(): number {
    return this.agenda.nowMs;
  }

  submit(runId: string, origin: Origin, intentId: string | null, fate: Fate = HEALTHY, user = 'marin'): Job {
    const job = new Job({
      jobId: `/${user}/${runId}-coord-${(++this.submissions).toString(16).padStart(8, '0')}`,
      runId,
      user,
      origin,
      intentId,
      submittedMs: this.nowMs,
      fromStep: this.resumesAt(runId),
      fate,
      attempt: () => {
        const attempt = this.attempts.get(runId) ?? 0;
        this.attempts.set(runId, attempt + 1);
        return attempt;
      },
      nextSeq: () => ++this.seq,
    });
    this.jobs.push(job);
    return job;
  }

  private resumesAt(runId: string): number {
    return this.checkpoints(runId).findLast(({ complete }) => complete)?.step ?? HANDOFF;
  }

  advance(): void {
    for (const job of this.jobs) job.advance(this.nowMs);
  }

  live(): readonly Job[] {
    this.advance();
    return this.jobs.filter((job) => job.live);
  }

  byId(jobId: string): Job | undefined {
    this.advance();
    return this.jobs.find((job) => job.jobId === jobId);
  }

  checkpoints(runId: string): readonly Checkpoint[] {
    this.advance();
    const last = Math.max(-1, ...this.jobs.filter((job) => job.runId === runId).map((job) => job.lastStep ?? -1));
    const own: Checkpoint[] = runId === OLD_RUN ? [checkpointAt(HANDOFF, runId, true)] : [];
    for (let step = HANDOFF + CHECKPOINT_EVERY; step <= last + 1; step += CHECKPOINT_EVERY) own.push(checkpointAt(step, runId, false));
    return own;
  }

  rows(runId: string): readonly Sample[] {
    this.advance();
    const runs = this.jobs.filter((job) => job.runId === runId && job.rows.length > 0);
    const [only] = runs;
    return runs.length === 1 && only !== undefined ? only.rows : runs.flatMap(({ rows }) => rows).sort((one, other) => one.seq - other.seq);
  }

  /** The true answer to a question, as of now. */
  answer(verb: string, args: JsonObject): unknown {
    const runId = `${args.runId ?? ''}`;
    switch (verb) {
      case 'coordinators':
        return this.live().map(
          (job): Coordinator => ({ jobId: job.jobId, user: job.made.user, runId: job.runId, state: job.state(this.nowMs) }),
        );
      case 'job_state': {
        const job = this.byId(`${args.jobId}`);
        return job === undefined || job.aged ? 'absent' : job.state(this.nowMs);
      }
      case 'pods':
        return this.byId(`${args.jobId}`)?.pods(this.nowMs) ?? [];
      case 'last_step':
        return this.lastStep(runId, Number(args.sinceMs));
      case 'series':
        return this.rows(runId).filter(({ step }) => step >= Number(args.from) && step <= Number(args.to));
      case 'shared_series':
        return { metrics: ['train_loss'], left: 0, control: this.rows(`${args.control}`), candidate: this.rows(`${args.candidate}`) };
      case 'tracker_report':
        return { url: this.reports.includes(`${args.title}`) ? 'https://tracker.invalid/report' : null };
      case 'markers':
        return (this.byId(`${args.jobId}`)?.markers(this.nowMs) ?? []).filter(({ atMs }) => atMs >= Number(args.sinceMs));
      case 'checkpoints':
        return this.checkpoints(runId);
      case 'worktree':
        return { dir: `${args.dir}`, head: args.dir === '/deploy' ? DEPLOY : ROLLBACK, dirty: this.dirty, remoteHead: this.remoteHead };
      case 'commits':
        return [{ sha: DEPLOY, subject: 'Overlap the all-to-all <!channel> @everyone' }];
      case 'launch_record':
        return {
          runId: NEW_RUN,
          handoffCheckpoint: checkpointAt(HANDOFF, OLD_RUN, true).path,
          trackerForkFrom: FORK_POINT,
          placeholders: [],
        };
      case 'run_pods':
        this.advance();
        return this.jobs.filter((job) => job.runId === runId).flatMap((job) => job.pods(this.nowMs));
      case 'nodes':
        return [{ name: 'node-0', ready: true, schedulable: true, diskPressure: false, devices: 8 }];
      case 'free_space':
        return { folder: 'not-used', freeBytes: 9_000_000_000, neededBytes: 1_000_000_000 };
      case 'launch_identity':
        return { user: 'marin', project: 'marin_moe' };
      case 'tracker_child': {
        if (runId === OLD_RUN) return { exists: true, handoffCheckpoint: null, forkFrom: null, launchCommit: null };
        const child = this.children.get(runId);
        return child === undefined
          ? { exists: false, handoffCheckpoint: null, forkFrom: null, launchCommit: null }
          : { exists: true, ...child };
      }
      case 'credentials':
        return [{ name: 'iris', ok: !this.loggedOut, detail: this.loggedOut ? 'logged out' : 'ok' }];
      default:
        throw new Error(`the cluster does not answer ${verb}`);
    }
  }

  private lastStep(runId: string, sinceMs: number): LastStep {
    const rows = this.rows(runId).filter(({ atMs }) => atMs >= sinceMs);
    const newest = rows.at(-1);
    return { step: newest?.step ?? null, atMs: newest?.atMs ?? null, rows: rows.length };
  }

  readonly reports: string[] = [];

  fork(): void {
    this.children.set(NEW_RUN, {
      handoffCheckpoint: checkpointAt(HANDOFF, OLD_RUN, true).path,
      forkFrom: FORK_POINT,
      launchCommit: DEPLOY,
    });
  }
}

const FORK_POINT = `${OLD_RUN}?_step=${HANDOFF - 1}`;

function checkpointAt(step: number, runId: string, permanent: boolean): Checkpoint {
  return { step, path: `s3://hero/grug/${runId}/v/checkpoints/step-${step}`, complete: true, permanent, recordedStep: step };
}
