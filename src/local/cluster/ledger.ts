import type Database from 'better-sqlite3';

export type LedgerKind =
  | 'submit'
  | 'fork'
  | 'cancel_requested'
  | 'coordinator_started'
  | 'coordinator_ended'
  | 'attempt_started'
  | 'attempt_ended'
  | 'report';

/** One thing that really happened to the cluster. What a test judges by, since no executable can change or hide it. */
export interface LedgerEntry {
  readonly seq: number;
  readonly atMs: number;
  readonly kind: LedgerKind;
  readonly family: string | null;
  readonly jobId: string | null;
  readonly runId: string | null;
  readonly user: string | null;
  readonly commit: string | null;
  readonly attempt: number | null;
  readonly detail: string | null;
}

export type LedgerFacts = Partial<Omit<LedgerEntry, 'seq' | 'atMs' | 'kind'>>;

interface LedgerRow {
  seq: number;
  at_ms: number;
  kind: LedgerKind;
  family: string | null;
  job_id: string | null;
  run_id: string | null;
  user: string | null;
  commit_sha: string | null;
  attempt: number | null;
  detail: string | null;
}

/** The cluster's own record, append-only. */
export class Ledger {
  readonly #database: Database.Database;
  readonly #now: () => number;

  constructor(database: Database.Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  append(kind: LedgerKind, facts: LedgerFacts): void {
    this.#database
      .prepare(
        'INSERT INTO ledger (at_ms, kind, family, job_id, run_id, user, commit_sha, attempt, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        this.#now(),
        kind,
        facts.family ?? null,
        facts.jobId ?? null,
        facts.runId ?? null,
        facts.user ?? null,
        facts.commit ?? null,
        facts.attempt ?? null,
        facts.detail ?? null,
      );
  }

  entries(): readonly LedgerEntry[] {
    const rows = this.#database.prepare('SELECT * FROM ledger ORDER BY seq').all() as LedgerRow[];
    return rows.map((row) => ({
      seq: row.seq,
      atMs: row.at_ms,
      kind: row.kind,
      family: row.family,
      jobId: row.job_id,
      runId: row.run_id,
      user: row.user,
      commit: row.commit_sha,
      attempt: row.attempt,
      detail: row.detail,
    }));
  }
}

/** The most coordinators that were ever live at one time, by family. A coordinator is live from its acceptance to its terminal state. */
export function maxLiveCoordinators(entries: readonly LedgerEntry[]): Readonly<Record<string, number>> {
  const live = new Map<string, Set<string>>();
  const most: Record<string, number> = {};
  for (const { kind, family, jobId } of entries) {
    if (family === null || jobId === null) continue;
    const jobs = live.get(family) ?? new Set<string>();
    live.set(family, jobs);
    if (kind === 'coordinator_started') jobs.add(jobId);
    if (kind === 'coordinator_ended') jobs.delete(jobId);
    most[family] = Math.max(most[family] ?? 0, jobs.size);
  }
  return most;
}
