import type Database from 'better-sqlite3';

/** The region in which the simulated gang runs; also the name of its finelog deployment. */
export const REGION = 'cw-us-east-08a';

/** Who writes: one attempt of one gang. */
export interface Writer {
  readonly runId: string;
  readonly jobId: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly executionUid: string;
}

export interface MetricBatch {
  readonly timestampMs: number;
  readonly step: number | null;
  /** A value that is not finite comes as its name, since SQLite cannot hold it as a number. */
  readonly rows: readonly { readonly name: string; readonly value: number | string; readonly unit: string }[];
}

/** What training processes write: metrics, log lines and the scheduler's task events. */
export class Telemetry {
  readonly #database: Database.Database;
  readonly #now: () => number;
  readonly #insertMetric: Database.Statement;
  readonly #insertLog: Database.Statement;
  #batches = 0;

  constructor(database: Database.Database, now: () => number) {
    this.#database = database;
    this.#now = now;
    this.#insertMetric = database.prepare(
      `INSERT INTO "levanter.metrics" (timestamp_ms, run_id, execution_uid, job_id, node_name, process_index, step, name, kind, value, unit, batch_id, record_index, cluster)
       VALUES (?, ?, ?, ?, 'node-00', 0, ?, ?, 'scalar', ?, ?, ?, ?, '${REGION}')`,
    );
    this.#insertLog = database.prepare(`INSERT INTO "log" (key, epoch_ms, source, data, cluster) VALUES (?, ?, ?, ?, '${REGION}')`);
  }

  metrics(writer: Writer, batch: MetricBatch): void {
    this.#batches += 1;
    const batchId = `${writer.executionUid}-${this.#batches}`;
    this.#database.transaction(() => {
      for (const [index, { name, value, unit }] of batch.rows.entries()) {
        this.#insertMetric.run(
          batch.timestampMs,
          writer.runId,
          writer.executionUid,
          writer.jobId,
          batch.step,
          name,
          value,
          unit,
          batchId,
          index,
        );
      }
    })();
  }

  log(writer: Writer, source: 'stdout' | 'stderr', line: string): void {
    this.#insertLog.run(`${writer.taskId}:${writer.attempt}`, this.#now(), source, line);
  }

  event(taskId: string, attempt: number, reason: string, message: string): void {
    this.#database
      .prepare(
        `INSERT INTO "iris.task_event" (task_id, attempt_id, ts, type, reason, message, source, count, cluster) VALUES (?, ?, ?, 'Warning', ?, ?, 'controller', 1, '${REGION}')`,
      )
      .run(taskId, attempt, this.#now(), reason, message);
  }

  /** The newest step that a run logged; null when it logged none. */
  lastStep(runId: string): number | null {
    const row = this.#database
      .prepare(`SELECT step FROM "levanter.metrics" WHERE run_id = ? AND name = 'train_loss' ORDER BY timestamp_ms DESC LIMIT 1`)
      .get(runId) as { step: number } | undefined;
    return row?.step ?? null;
  }
}
