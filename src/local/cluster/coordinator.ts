import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { isFerry } from './ferries.js';
import type { Ending } from './jobs.js';
import { afterLine, afterMetrics, type Progress } from './progress.js';
import type { Region } from './region.js';
import { STATE } from './states.js';
import type { Submission } from './submissions.js';
import type { Writer } from './telemetry.js';
import { type Saved, startTrainer, type Trainer, type TrainerExit } from './trainer.js';

/** Durations in milliseconds, before the pace. */
const QUEUE_MS = 300;
const BUILD_MS = 300;
const RETRY_MS = 600;
/** Not scaled: so far a node's clock may be off in the field, whatever the pace. */
const CLOCK_BEHIND_MS = 30_000;
const CANCEL_MS = { least: 1000, spread: 1000 };
const PODS_LINGER_MS = { least: 500, spread: 500 };

interface End {
  readonly root: Ending;
  readonly gang: Ending;
}

const KILLED: Ending = { state: STATE.killed, exitCode: null, error: 'Terminated by user' };
const FAILED: Ending = { state: STATE.failed, exitCode: 1, error: 'Exit code 1' };

/** One accepted job: it leads one gang, and starts it again after each failed attempt until its retries are spent or it is cancelled. */
export class Coordinator {
  readonly submission: Submission;
  readonly gangId: string;
  readonly #region: Region;
  readonly #ending = new AbortController();
  readonly #closing: AbortSignal;
  readonly #savesAwaited: ((saved: Saved | null) => void)[] = [];
  #end: End | null = null;
  #cancelAsked = false;
  #trainer: Trainer | null = null;
  #progress: Progress;
  #over = false;

  /** `closing` is aborted when the whole cluster stops: then nothing more is written about this job. */
  constructor(region: Region, submission: Submission, firstAttempt: number, closing: AbortSignal) {
    this.#region = region;
    this.submission = submission;
    this.gangId = `${submission.jobId}/grug-train-${submission.runId}`;
    this.#closing = closing;
    this.#progress = { attempt: firstAttempt, phase: 'queued', step: null, secondsPerStep: null, pid: null };
  }

  get #tasks(): number {
    return isFerry(this.submission) ? 1 : this.#region.gangTasks;
  }

  get live(): boolean {
    return !this.#over;
  }

  get progress(): Progress {
    return this.#progress;
  }

  /** Leads the gang to its end, and then waits for its pods to be gone. `isNew` is false when the cluster itself started again. */
  async lead(isNew: boolean): Promise<void> {
    const { jobs, pods, nodes, pace } = this.#region;
    const { jobId } = this.submission;
    const signal = AbortSignal.any([this.#ending.signal, this.#closing]);
    let holdsNodes = false;
    try {
      if (isNew) await wait(QUEUE_MS * pace, undefined, { signal });
      jobs.setState(jobId, STATE.running);
      pods.add(jobId, `${jobId}/0`, 0, 'Running');
      if (isNew) {
        jobs.startAttempt(jobId, 0, uid(jobId, 0));
        jobs.addChild(this.submission, this.gangId, this.#tasks);
      }
      jobs.setState(this.gangId, STATE.pending);
      this.#addGangPods('Pending');
      if (!isFerry(this.submission)) {
        await nodes.acquire(signal);
        holdsNodes = true;
      }
      this.#end = (await this.#runAttempts(signal)) ?? this.#end;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (!this.#closing.aborted) await this.#windUp();
    if (holdsNodes) nodes.release();
  }

  async #runAttempts(signal: AbortSignal): Promise<End | null> {
    const { jobs, pods, telemetry, pace } = this.#region;
    for (let failures = 0; ; failures += 1) {
      jobs.setState(this.gangId, STATE.building);
      await wait(BUILD_MS * pace, undefined, { signal });
      const { attempt } = this.#progress;
      const exit = await this.#runAttempt(attempt);
      if (this.#closing.aborted) return null;
      if (this.#end !== null) {
        this.#endAttempt(attempt, this.#end.gang);
        return this.#end;
      }
      if (exit.exitCode === 0) return this.#succeed(attempt);

      const error = exit.exitCode === null ? `Ended by ${exit.signal}` : `Exit code ${exit.exitCode}`;
      this.#endAttempt(attempt, { state: STATE.failed, exitCode: exit.exitCode, error });
      if (failures >= this.submission.maxRetries) return { root: FAILED, gang: { ...FAILED, error } };
      telemetry.event(`${this.gangId}/0`, attempt, 'TaskRetryScheduled', `${error}; attempt ${attempt + 1} scheduled`);
      for (let index = 1; index < this.#tasks; index += 1) {
        telemetry.event(`${this.gangId}/${index}`, attempt, 'CoscheduledSiblingRequeued', `sibling ${this.gangId}/0 went down`);
      }
      pods.terminate(this.gangId);
      jobs.setState(this.gangId, STATE.pending);
      this.#progress = { ...this.#progress, attempt: attempt + 1, phase: 'queued', pid: null };
      await wait(RETRY_MS * pace, undefined, { signal });
      pods.remove(this.gangId);
      this.#addGangPods('Pending');
    }
  }

  async #runAttempt(attempt: number): Promise<TrainerExit> {
    const { jobs, pods, ledger, telemetry, store, pace } = this.#region;
    const { submission, gangId } = this;
    const writer: Writer = {
      runId: submission.runId,
      jobId: gangId,
      taskId: `${gangId}/0`,
      attempt,
      executionUid: `e-${uid(gangId, attempt)}`,
    };
    jobs.startAttempt(gangId, attempt, uid(gangId, attempt));
    jobs.setState(gangId, STATE.running);
    pods.setPhase(gangId, 'Running');
    ledger.append('attempt_started', { ...this.#facts(), jobId: gangId, attempt });
    this.#trainer = startTrainer(
      { bundle: submission.bundle, command: submission.command, store, pace, env: { ...submission.env, ...this.#fault() } },
      {
        onMetrics: (batch) => {
          if (this.#closing.aborted) return;
          this.#progress = afterMetrics(this.#progress, batch);
          telemetry.metrics(writer, { ...batch, timestampMs: batch.timestampMs - this.#behindMs() });
        },
        onLog: (source, line) => {
          if (!this.#closing.aborted) this.#hear(writer, source, line);
        },
        onSaved: (saved) => {
          if (saved.permanent) for (const resolve of this.#savesAwaited.splice(0)) resolve(saved);
        },
      },
    );
    this.#progress = { ...this.#progress, phase: 'initialising', pid: this.#trainer.pid };
    const exit = await this.#trainer.exited;
    this.#trainer = null;
    for (const resolve of this.#savesAwaited.splice(0)) resolve(null);
    return exit;
  }

  #succeed(attempt: number): End {
    const done: Ending = { state: STATE.succeeded, exitCode: 0, error: null };
    this.#endAttempt(attempt, done);
    return { root: done, gang: done };
  }

  #endAttempt(attempt: number, ending: Ending): void {
    this.#region.jobs.endAttempt(this.gangId, attempt, ending);
    this.#region.ledger.append('attempt_ended', { ...this.#facts(), jobId: this.gangId, attempt, detail: ending.error });
  }

  /** Terminal rows first; the pods, and with them the nodes, are free only a moment later. */
  async #windUp(): Promise<void> {
    const { jobs, pods, ledger, pace, switches } = this.#region;
    const { jobId } = this.submission;
    const end = this.#end ?? { root: KILLED, gang: KILLED };
    this.#over = true;
    this.#progress = { ...this.#progress, phase: 'ended', pid: null };
    jobs.finish(this.gangId, end.gang);
    jobs.endAttempt(jobId, 0, end.root);
    jobs.finish(jobId, end.root);
    ledger.append('coordinator_ended', { ...this.#facts(), detail: end.root.error });
    pods.terminate(this.gangId);
    pods.terminate(jobId);
    try {
      await wait(this.#scaled(PODS_LINGER_MS) * pace, undefined, { signal: this.#closing });
      await switches.whenOff('pods_stuck', this.#closing);
    } catch (error) {
      if (!this.#closing.aborted) throw error;
    }
    if (this.#closing.aborted) return;
    pods.remove(this.gangId);
    pods.remove(jobId);
  }

  /** Asks for the end of this job and its gang. Returns at once: the job is over only a while later. */
  cancel(): void {
    if (this.#cancelAsked) return;
    this.#cancelAsked = true;
    setTimeout(() => this.#stop({ root: KILLED, gang: KILLED }), this.#scaled(CANCEL_MS) * this.#region.pace).unref();
  }

  /** Asks for the end of the gang only; its coordinator cannot do without it. */
  cancelGang(): void {
    setTimeout(() => this.#stop({ root: FAILED, gang: KILLED }), this.#scaled(CANCEL_MS) * this.#region.pace).unref();
  }

  /** Lets coordinator and gang die at once. */
  fail(error: string): void {
    const failed: Ending = { state: STATE.failed, exitCode: 1, error };
    this.#stop({ root: failed, gang: failed });
  }

  #stop(end: End): void {
    if (this.#end !== null || this.#over || this.#closing.aborted) return;
    this.#end = end;
    this.#trainer?.kill();
    this.#ending.abort(new Error('the job ends'));
  }

  /** Kills the process without a word in the tables: the cluster itself stops. */
  async leave(): Promise<void> {
    const trainer = this.#trainer;
    trainer?.kill();
    await trainer?.exited;
  }

  /** Resolves with the saved permanent checkpoint; null when the gang ended, did not train, or did not save it in time. */
  async savePermanent(limitMs: number): Promise<Saved | null> {
    const trainer = this.#trainer;
    if (trainer === null) return null;
    return new Promise<Saved | null>((resolve) => {
      const late = setTimeout(() => resolve(null), limitMs);
      this.#savesAwaited.push((saved) => {
        clearTimeout(late);
        resolve(saved);
      });
      trainer.requestSave();
    });
  }

  #hear(writer: Writer, source: 'stdout' | 'stderr', line: string): void {
    this.#progress = afterLine(this.#progress, line);
    if (line.includes('Loaded checkpoint from') && this.#region.switches.isOn('hide_restored_marker')) return;
    this.#region.telemetry.log(writer, source, line);
  }

  /** What a ferry is told to do wrong, by the switches. */
  #fault(): Readonly<Record<string, string>> {
    const { switches } = this.#region;
    if (!isFerry(this.submission)) return {};
    if (switches.isOn('ferry_crashes')) return { SIMULATED_FERRY_FAULT: 'crash' };
    if (switches.isOn('ferry_metrics_missing')) return { SIMULATED_FERRY_FAULT: 'silent' };
    return switches.isOn('ferry_reuses_output') ? { SIMULATED_FERRY_FAULT: 'reuse' } : {};
  }

  /** How far the clock of the gang's nodes is behind everybody else's. */
  #behindMs(): number {
    return this.#region.switches.isOn('telemetry_clock_behind') ? CLOCK_BEHIND_MS : 0;
  }

  #addGangPods(phase: 'Pending'): void {
    for (let index = 0; index < this.#tasks; index += 1) {
      this.#region.pods.add(this.gangId, `${this.gangId}/${index}`, this.#progress.attempt, phase);
    }
  }

  #facts(): { family: string; jobId: string; runId: string; user: string; commit: string } {
    const { family, jobId, runId, user, commit } = this.submission;
    return { family, jobId, runId, user, commit };
  }

  /** A duration inside its range, decided by the job id: as good as random, and the same again. */
  #scaled({ least, spread }: { readonly least: number; readonly spread: number }): number {
    return least + (spread * Number.parseInt(uid(this.submission.jobId, 0).slice(0, 2), 16)) / 255;
  }
}

function uid(jobId: string, attempt: number): string {
  return createHash('sha256').update(`${jobId}:${attempt}`).digest('hex').slice(0, 12);
}
