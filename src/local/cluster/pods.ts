import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';

/** Longest pod name and label value. Source: contracts/iris-and-ferries.md 2 and 9.9. */
const LENGTH_MAX = 63;

/** Pod name of an attempt of a task: readable part cut at its end, then a hash of the wire id, then the attempt. */
export function podName(taskId: string, attempt: number, lengthMax = LENGTH_MAX): string {
  const suffix = `-${sha256(taskId).slice(0, 8)}-${attempt}`;
  const readable = trimmed(
    `iris-${taskId}`
      .toLowerCase()
      .replace(/[^a-z0-9-]/g, '-')
      .replace(/-+/g, '-'),
  );
  return `${trimmed(readable.slice(0, lengthMax - suffix.length))}${suffix}`;
}

/** Label value of a wire id: `_` stays, all else becomes `.`, cut at 63. */
export function labelValue(wireId: string): string {
  const strip = (text: string) => text.replace(/^[-_.]+|[-_.]+$/g, '');
  return strip(strip(wireId.replace(/[^A-Za-z0-9_.-]/g, '.')).slice(0, LENGTH_MAX));
}

function trimmed(text: string): string {
  return text.replace(/^-+|-+$/g, '');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export interface PodView {
  readonly name: string;
  readonly jobId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly phase: PodPhase;
  readonly createdAtMs: number;
  /** When its deletion was asked for; null while it is not terminating. */
  readonly deletedAtMs: number | null;
}

interface PodRow {
  name: string;
  job_id: string;
  labels_json: string;
  phase: PodPhase;
  created_at_ms: number;
  deleted_at_ms: number | null;
}

/** The pods that exist right now. They come with a gang's attempt and outlive their job a little. */
export class Pods {
  readonly #database: Database.Database;
  readonly #now: () => number;

  constructor(database: Database.Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  add(jobId: string, taskId: string, attempt: number, phase: PodPhase): string {
    const name = podName(taskId, attempt);
    const labels = {
      'iris.managed': 'true',
      'iris.job_id': labelValue(jobId),
      'iris.task_id': labelValue(taskId),
      'iris.attempt_id': String(attempt),
      'iris.task_hash': sha256(taskId).slice(0, 16),
    };
    this.#database
      .prepare('INSERT OR REPLACE INTO pod (name, job_id, labels_json, phase, created_at_ms) VALUES (?, ?, ?, ?, ?)')
      .run(name, jobId, JSON.stringify(labels), phase, this.#now());
    return name;
  }

  setPhase(jobId: string, phase: PodPhase): void {
    this.#database.prepare('UPDATE pod SET phase = ? WHERE job_id = ? AND deleted_at_ms IS NULL').run(phase, jobId);
  }

  /** Marks the pods of a job as terminating: they are still there. */
  terminate(jobId: string): void {
    this.#database.prepare('UPDATE pod SET deleted_at_ms = ? WHERE job_id = ? AND deleted_at_ms IS NULL').run(this.#now(), jobId);
  }

  /** Removes the terminating pods of a job. */
  remove(jobId: string): void {
    this.#database.prepare('DELETE FROM pod WHERE job_id = ? AND deleted_at_ms IS NOT NULL').run(jobId);
  }

  /** Removes all pods of a job: what a restart of the cluster finds of them is not running any more. */
  forget(jobId: string): void {
    this.#database.prepare('DELETE FROM pod WHERE job_id = ?').run(jobId);
  }

  all(): readonly PodView[] {
    const rows = this.#database.prepare('SELECT * FROM pod ORDER BY created_at_ms, rowid').all() as PodRow[];
    return rows.map((row) => ({
      name: row.name,
      jobId: row.job_id,
      labels: JSON.parse(row.labels_json) as Record<string, string>,
      phase: row.phase,
      createdAtMs: row.created_at_ms,
      deletedAtMs: row.deleted_at_ms,
    }));
  }
}
