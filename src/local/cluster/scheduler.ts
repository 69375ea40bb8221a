import { Coordinator } from './coordinator.js';
import { isFerry } from './ferries.js';
import type { Region } from './region.js';
import { isOver, STATE } from './states.js';
import type { Submission } from './submissions.js';

const SWEEP_MS = 1000;

/** Accepts, cancels and remembers coordinators. */
export class Scheduler {
  readonly region: Region;
  readonly #retentionMs: number;
  readonly #now: () => number;
  readonly #onFault: (error: unknown) => void;
  readonly #closing = new AbortController();
  readonly #coordinators = new Map<string, Coordinator>();
  readonly #leading = new Set<Promise<void>>();
  readonly #sweep: NodeJS.Timeout;

  constructor(region: Region, options: { retentionMs: number; now: () => number; onFault: (error: unknown) => void }) {
    this.region = region;
    this.#retentionMs = options.retentionMs;
    this.#now = options.now;
    this.#onFault = options.onFault;
    this.#sweep = setInterval(() => region.jobs.ageOut(this.#now() - this.#retentionMs), Math.min(SWEEP_MS, options.retentionMs / 4));
  }

  /** Takes a job on. Throws if a live job has its id. */
  submit(submission: Submission): void {
    if (this.#coordinators.get(submission.jobId)?.live === true) throw new Error(`job ${submission.jobId} already exists`);
    const { jobs, submissions, ledger } = this.region;
    const { family, jobId, runId, user, commit } = submission;
    submissions.add(submission);
    jobs.addRoot(submission);
    ledger.append('submit', { family, jobId, runId, user, commit });
    ledger.append('coordinator_started', { family, jobId, runId, user, commit });
    this.#lead(new Coordinator(this.region, submission, 0, this.#closing.signal), true);
  }

  /** Goes on with what an earlier process of this cluster left live: each gang's attempt is lost, the next one starts. */
  resume(): void {
    const { jobs, submissions, pods, ledger } = this.region;
    const live = new Set(jobs.rows().flatMap((row) => (row.parentJobId === null && !isOver(row.state) ? [row.jobId] : [])));
    for (const submission of submissions.all()) {
      const { jobId, family, runId, user, commit } = submission;
      const gangId = `${jobId}/grug-train-${runId}`;
      pods.forget(jobId);
      pods.forget(gangId);
      if (!live.has(jobId)) continue;
      const attempt = jobs.lastAttempt(gangId);
      const hasGang = jobs.rows().some((row) => row.jobId === gangId);
      if (attempt >= 0) {
        jobs.endAttempt(gangId, attempt, { state: STATE.failed, exitCode: null, error: 'Node lost' });
        ledger.append('attempt_ended', { family, jobId: gangId, runId, user, commit, attempt, detail: 'Node lost' });
      }
      this.#lead(new Coordinator(this.region, submission, attempt + 1, this.#closing.signal), !hasGang);
    }
  }

  #lead(coordinator: Coordinator, isNew: boolean): void {
    this.#coordinators.set(coordinator.submission.jobId, coordinator);
    const leading = coordinator
      .lead(isNew)
      .catch(this.#onFault)
      .finally(() => this.#leading.delete(leading));
    this.#leading.add(leading);
  }

  /** The coordinator of a job id, or of its gang's. */
  find(jobId: string): Coordinator | null {
    for (const coordinator of this.#coordinators.values()) {
      if (coordinator.submission.jobId === jobId || coordinator.gangId === jobId) return coordinator;
    }
    return null;
  }

  /** Ids of live jobs, gangs included: what a prefix cancel can match. */
  liveJobIds(): readonly string[] {
    return this.live().flatMap((coordinator) => [coordinator.submission.jobId, coordinator.gangId]);
  }

  live(): readonly Coordinator[] {
    return [...this.#coordinators.values()].filter((coordinator) => coordinator.live);
  }

  all(): readonly Coordinator[] {
    return [...this.#coordinators.values()];
  }

  /** The coordinator whose gang has the heroes' nodes; while none has, the oldest live one. */
  leader(): Coordinator | null {
    const live = this.live().filter(({ submission }) => !isFerry(submission));
    return live.find((coordinator) => coordinator.progress.phase !== 'queued') ?? live[0] ?? null;
  }

  /** Records that somebody asked for a cancel, and starts it unless cancels do not take. False: no such live job. */
  requestCancel(jobId: string): boolean {
    const coordinator = this.find(jobId);
    if (coordinator === null || !coordinator.live) return false;
    const { family, runId, user, commit } = coordinator.submission;
    const taken = !this.region.switches.isOn('cancel_not_taken');
    this.region.ledger.append('cancel_requested', { family, jobId, runId, user, commit, detail: taken ? null : 'not taken' });
    if (!taken) return true;
    if (jobId === coordinator.gangId) coordinator.cancelGang();
    else coordinator.cancel();
    return true;
  }

  /** Ends all training processes, leaving the tables as they are: a later start goes on from them. */
  async stop(): Promise<void> {
    clearInterval(this.#sweep);
    this.#closing.abort(new Error('the cluster stops'));
    await Promise.all(this.live().map((coordinator) => coordinator.leave()));
    await Promise.all(this.#leading);
  }
}
