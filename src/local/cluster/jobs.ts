import type Database from 'better-sqlite3';
import { podName } from './pods.js';
import { isOver, STATE, UNLISTED_STATE } from './states.js';
import type { Submission } from './submissions.js';

export interface JobRow {
  readonly jobId: string;
  readonly parentJobId: string | null;
  readonly user: string;
  readonly state: number;
  readonly submittedAtMs: number;
  readonly finishedAtMs: number | null;
  readonly error: string | null;
}

/** How a job ended. */
export interface Ending {
  readonly state: number;
  readonly exitCode: number | null;
  readonly error: string | null;
}

/** The scheduler's tables. Rows of finished jobs age out. */
export class Jobs {
  readonly #database: Database.Database;
  readonly #now: () => number;
  readonly #showsUnlisted: () => boolean;

  constructor(database: Database.Database, now: () => number, showsUnlisted: () => boolean) {
    this.#database = database;
    this.#now = now;
    this.#showsUnlisted = showsUnlisted;
  }

  /** Adds a coordinator with its one task. */
  addRoot(submission: Submission): void {
    const { jobId, user, maxRetries, command } = submission;
    this.#database.transaction(() => {
      // A fresh submit takes the place of a finished job of the same name.
      this.#database.prepare('DELETE FROM jobs WHERE root_job_id = ?').run(jobId);
      this.#insert({ jobId, parent: null, root: jobId, user, tasks: 1, command, maxRetries });
    })();
  }

  /** Adds the gang of a coordinator. */
  addChild(submission: Submission, jobId: string, tasks: number): void {
    const { command, maxRetries, user } = submission;
    this.#database.transaction(() => {
      this.#insert({ jobId, parent: submission.jobId, root: submission.jobId, user, tasks, command, maxRetries });
    })();
  }

  #insert(job: {
    jobId: string;
    parent: string | null;
    root: string;
    user: string;
    tasks: number;
    command: readonly string[];
    maxRetries: number;
  }): void {
    const now = this.#now();
    const name = job.jobId.slice(job.jobId.lastIndexOf('/') + 1);
    this.#database
      .prepare(
        'INSERT INTO jobs (job_id, user_id, parent_job_id, root_job_id, depth, state, submitted_at_ms, root_submitted_at_ms, num_tasks, name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        job.jobId,
        job.user,
        job.parent,
        job.root,
        job.parent === null ? 1 : 2,
        this.#shown(job.parent, STATE.pending),
        now,
        now,
        job.tasks,
        name,
      );
    this.#database
      .prepare(
        "INSERT INTO job_config (job_id, name, has_coscheduling, max_task_failures, entrypoint_json, environment_json, bundle_id, max_retries_failure, max_retries_preemption, priority_band) VALUES (?, ?, ?, ?, ?, '{}', ?, ?, 100, 'system')",
      )
      .run(job.jobId, name.toLowerCase(), job.tasks > 1 ? 1 : 0, job.maxRetries, JSON.stringify(job.command), name, job.maxRetries);
    const task = this.#database.prepare(
      'INSERT INTO tasks (task_id, job_id, task_index, state, submitted_at_ms, max_retries_failure) VALUES (?, ?, ?, ?, ?, ?)',
    );
    for (let index = 0; index < job.tasks; index += 1)
      task.run(`${job.jobId}/${index}`, job.jobId, index, STATE.pending, now, job.maxRetries);
  }

  /** Moves a job and its tasks to a state that is not terminal. */
  setState(jobId: string, state: number): void {
    const started = state === STATE.running ? this.#now() : null;
    this.#database.transaction(() => {
      this.#database
        .prepare(
          'UPDATE jobs SET state = CASE WHEN depth = 1 THEN ? ELSE ? END, started_at_ms = coalesce(started_at_ms, ?) WHERE job_id = ?',
        )
        .run(this.#shown(null, state), state, started, jobId);
      this.#database
        .prepare('UPDATE tasks SET state = ?, started_at_ms = coalesce(?, started_at_ms) WHERE job_id = ?')
        .run(state, started, jobId);
    })();
  }

  /** Writes the states of live coordinators anew: what is shown of them has changed. */
  showAgain(liveJobIds: readonly string[]): void {
    const update = this.#database.prepare('UPDATE jobs SET state = ? WHERE job_id = ?');
    for (const jobId of liveJobIds) update.run(this.#shown(null, STATE.running), jobId);
  }

  #shown(parent: string | null, state: number): number {
    return parent === null && !isOver(state) && this.#showsUnlisted() ? UNLISTED_STATE : state;
  }

  /** Opens an attempt of each task of a job. */
  startAttempt(jobId: string, attempt: number, attemptUid: string): void {
    const now = this.#now();
    this.#database.transaction(() => {
      const tasks = this.#database.prepare('SELECT task_id, task_index FROM tasks WHERE job_id = ? ORDER BY task_index').all(jobId) as {
        task_id: string;
        task_index: number;
      }[];
      const insert = this.#database.prepare(
        'INSERT OR IGNORE INTO task_attempts (task_id, attempt_id, worker_id, state, created_at_ms, started_at_ms, node_name, pod_name, attempt_uid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      );
      for (const { task_id: taskId, task_index: index } of tasks) {
        const node = `node-${String(index).padStart(2, '0')}`;
        insert.run(taskId, attempt, node, STATE.running, now, now, node, podName(taskId, attempt), attemptUid);
      }
      this.#database.prepare('UPDATE tasks SET current_attempt_id = ? WHERE job_id = ?').run(attempt, jobId);
    })();
  }

  /** Closes an attempt: the first task by what it did, its siblings as members of a gang that went down. */
  endAttempt(jobId: string, attempt: number, ending: Ending): void {
    const siblings = ending.state === STATE.failed ? STATE.coschedFailed : ending.state;
    this.#database.transaction(() => {
      this.#database
        .prepare(
          `UPDATE task_attempts SET finished_at_ms = ?, error = ?,
             state = CASE WHEN task_id = ? THEN ? ELSE ? END, exit_code = CASE WHEN task_id = ? THEN ? ELSE NULL END, terminal_reason = ?
           WHERE attempt_id = ? AND finished_at_ms IS NULL AND task_id IN (SELECT task_id FROM tasks WHERE job_id = ?)`,
        )
        .run(this.#now(), ending.error, `${jobId}/0`, ending.state, siblings, `${jobId}/0`, ending.exitCode, ending.error, attempt, jobId);
      if (ending.state === STATE.failed) {
        this.#database.prepare('UPDATE tasks SET failure_count = failure_count + 1 WHERE task_id = ?').run(`${jobId}/0`);
      }
    })();
  }

  /** Ends a job and its tasks. */
  finish(jobId: string, ending: Ending): void {
    const now = this.#now();
    this.#database.transaction(() => {
      this.#database
        .prepare('UPDATE jobs SET state = ?, exit_code = ?, error = ?, finished_at_ms = ? WHERE job_id = ?')
        .run(ending.state, ending.exitCode, ending.error, now, jobId);
      this.#database
        .prepare('UPDATE tasks SET state = ?, exit_code = ?, error = ?, finished_at_ms = ? WHERE job_id = ?')
        .run(ending.state, ending.exitCode, ending.error, now, jobId);
    })();
  }

  /** Drops root jobs that finished before an instant, with all below them. */
  ageOut(finishedBeforeMs: number): void {
    this.#database
      .prepare('DELETE FROM jobs WHERE root_job_id IN (SELECT job_id FROM jobs WHERE depth = 1 AND finished_at_ms < ?)')
      .run(finishedBeforeMs);
  }

  rows(): readonly JobRow[] {
    const rows = this.#database
      .prepare(
        'SELECT job_id, parent_job_id, user_id, state, submitted_at_ms, finished_at_ms, error FROM jobs ORDER BY submitted_at_ms, rowid',
      )
      .all() as {
      job_id: string;
      parent_job_id: string | null;
      user_id: string;
      state: number;
      submitted_at_ms: number;
      finished_at_ms: number | null;
      error: string | null;
    }[];
    return rows.map((row) => ({
      jobId: row.job_id,
      parentJobId: row.parent_job_id,
      user: row.user_id,
      state: row.state,
      submittedAtMs: row.submitted_at_ms,
      finishedAtMs: row.finished_at_ms,
      error: row.error,
    }));
  }

  /** The highest attempt that a gang ever had, or -1. */
  lastAttempt(jobId: string): number {
    const row = this.#database.prepare('SELECT max(attempt_id) AS attempt FROM task_attempts WHERE task_id = ?').get(`${jobId}/0`) as {
      attempt: number | null;
    };
    return row.attempt ?? -1;
  }
}
