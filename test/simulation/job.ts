import type { JobState, Marker, Pod, Sample } from '../../src/protocol/outside.js';

/** How a job will fare, decided when it is submitted. Times are seconds from its submission, steps are absolute. */
export interface Fate {
  readonly queuedFor: number;
  readonly startsUpFor: number;
  readonly secondsPerStep: number;
  /** No step is finished after this one, while the scheduler goes on saying that it runs. */
  readonly hangsAt: number | null;
  readonly nonFiniteAt: number | null;
  /** It ends by itself so long after its submission. */
  readonly endsAfter: { readonly seconds: number; readonly as: 'failed' | 'succeeded' } | null;
  /** The gang starts again after this step, from where the run began. */
  readonly retriesAt: number | null;
  readonly lossOffset: number;
  /** Every so many rows is never written; 0: all are. */
  readonly loseEvery: number;
}

export const HEALTHY: Fate = {
  queuedFor: 4,
  startsUpFor: 12,
  secondsPerStep: 2,
  hangsAt: null,
  nonFiniteAt: null,
  endsAfter: null,
  retriesAt: null,
  lossOffset: 0,
  loseEvery: 0,
};

export type Origin = 'control' | 'bot' | 'hand' | 'stranger' | 'doubled';

export interface NewJob {
  readonly jobId: string;
  readonly runId: string;
  readonly user: string;
  readonly origin: Origin;
  readonly intentId: string | null;
  readonly submittedMs: number;
  readonly fromStep: number;
  readonly fate: Fate;
  /** The execution number of the run that its first rows will carry. */
  readonly attempt: () => number;
  readonly nextSeq: () => number;
}

/** One coordinator with its gang, in virtual time: what it has logged follows from when it is looked at. */
export class Job {
  readonly rows: Sample[] = [];
  endedMs: number | null = null;
  endState: JobState | null = null;
  podsGoneMs: number | null = null;
  /** The scheduler has forgotten it. */
  aged = false;
  private attempt: number | null = null;
  private executions = 1;
  private nextStep: number;
  private nextRowMs: number;
  private readonly podNames: readonly string[];

  constructor(readonly made: NewJob) {
    const { submittedMs, fate, fromStep, runId, jobId } = made;
    this.nextStep = fromStep;
    this.nextRowMs = submittedMs + (fate.queuedFor + fate.startsUpFor + fate.secondsPerStep) * 1000;
    this.podNames = [0, 1].map((index) => `iris-${runId.slice(0, 30)}-${jobId.slice(-8)}-${index}`);
  }

  get jobId(): string {
    return this.made.jobId;
  }
  get runId(): string {
    return this.made.runId;
  }

  /** What has happened until now, by itself. */
  advance(nowMs: number): void {
    const { fate, submittedMs } = this.made;
    if (this.endedMs === null && fate.endsAfter !== null && nowMs >= submittedMs + fate.endsAfter.seconds * 1000) {
      this.end(fate.endsAfter.as, submittedMs + fate.endsAfter.seconds * 1000, 2_000);
    }
    const untilMs = this.endedMs ?? nowMs;
    while (this.nextRowMs <= untilMs && !(fate.hangsAt !== null && this.nextStep > fate.hangsAt)) this.logStep();
  }

  private logStep(): void {
    const { fate, fromStep } = this.made;
    const step = this.nextStep;
    this.attempt ??= this.made.attempt();
    const lost = fate.loseEvery > 0 && step % fate.loseEvery === 0;
    const value = fate.nonFiniteAt !== null && step >= fate.nonFiniteAt ? 'NaN' : 2 + Math.sin(step) / 10 + fate.lossOffset;
    if (!lost) {
      this.rows.push({ step, metric: 'train_loss', value, attempt: this.attempt, atMs: this.nextRowMs, seq: this.made.nextSeq() });
    }
    this.nextStep += 1;
    this.nextRowMs += fate.secondsPerStep * 1000;
    if (fate.retriesAt !== null && step === fate.retriesAt && this.executions === 1) {
      this.executions += 1;
      this.attempt = this.made.attempt();
      this.nextStep = fromStep;
      this.nextRowMs += fate.startsUpFor * 1000;
    }
  }

  /** Its last finished step; null while it has none. */
  get lastStep(): number | null {
    return this.nextStep > this.made.fromStep || this.executions > 1 ? this.nextStep - 1 : null;
  }

  state(nowMs: number): JobState {
    if (this.endedMs !== null && this.endState !== null) return this.endState;
    return nowMs < this.made.submittedMs + this.made.fate.queuedFor * 1000 ? 'pending' : 'running';
  }

  get live(): boolean {
    return this.endedMs === null;
  }

  end(as: JobState, atMs: number, podsLingerMs: number): void {
    if (this.endedMs !== null) return;
    this.endedMs = atMs;
    this.endState = as;
    this.podsGoneMs = atMs + podsLingerMs;
  }

  pods(nowMs: number): readonly Pod[] {
    if (this.podsGoneMs !== null && nowMs >= this.podsGoneMs) return [];
    const phase = this.state(nowMs) === 'pending' ? 'Pending' : 'Running';
    return this.podNames.map((name) => ({ name, phase, terminating: this.endedMs !== null }));
  }

  markers(nowMs: number): readonly Marker[] {
    const { submittedMs, fate } = this.made;
    const restoreMs = submittedMs + fate.queuedFor * 1000;
    const task = `${this.jobId}/grug-train-${this.runId}/0:${this.executions - 1}`;
    const all: readonly Marker[] = [
      { kind: 'restore_began', task, atMs: restoreMs, text: 'restoring' },
      { kind: 'restored', task, atMs: restoreMs + fate.startsUpFor * 500, text: 'restored' },
    ];
    return all.filter(({ atMs }) => atMs <= (this.endedMs ?? nowMs));
  }
}
