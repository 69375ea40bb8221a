import type Database from 'better-sqlite3';

/** What was accepted by a submit. */
export interface Submission {
  readonly jobId: string;
  readonly runId: string;
  readonly user: string;
  /** The cluster target: at most one run of it may be live. */
  readonly family: string;
  readonly commit: string;
  /** Folder of the submitted code. */
  readonly bundle: string;
  readonly command: readonly string[];
  readonly maxRetries: number;
  readonly acceptedAtMs: number;
  /** Environment of the job, as `-e` gave it. */
  readonly env: Readonly<Record<string, string>>;
}

interface SubmissionRow {
  job_id: string;
  run_id: string;
  user: string;
  family: string;
  commit_sha: string;
  bundle: string;
  command_json: string;
  max_retries: number;
  accepted_at_ms: number;
  env_json: string;
}

/** All that was ever accepted: the cluster's own record of it, which never ages out. */
export class Submissions {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  /** The same job id again takes the place of the earlier one, as it does in the scheduler's tables. */
  add(submission: Submission): void {
    const { jobId, runId, user, family, commit, bundle, command, maxRetries, acceptedAtMs, env } = submission;
    this.#database
      .prepare('INSERT OR REPLACE INTO submission VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(jobId, runId, user, family, commit, bundle, JSON.stringify(command), maxRetries, acceptedAtMs, JSON.stringify(env));
  }

  /** All that was ever accepted, oldest first. */
  all(): readonly Submission[] {
    const rows = this.#database.prepare('SELECT * FROM submission ORDER BY accepted_at_ms, rowid').all() as SubmissionRow[];
    return rows.map((row) => ({
      jobId: row.job_id,
      runId: row.run_id,
      user: row.user,
      family: row.family,
      commit: row.commit_sha,
      bundle: row.bundle,
      command: JSON.parse(row.command_json) as string[],
      maxRetries: row.max_retries,
      acceptedAtMs: row.accepted_at_ms,
      env: JSON.parse(row.env_json) as Record<string, string>,
    }));
  }
}
