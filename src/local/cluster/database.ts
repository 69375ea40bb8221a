import Database from 'better-sqlite3';

/**
 * Everything the simulated cluster knows, in one file: the scheduler's tables (contracts/iris-and-ferries.md 1.7), the
 * telemetry's (3.2), and the cluster's own (submission, pod, tracker_run, prepared, ledger), which no executable can ask for.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS jobs (
  job_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, parent_job_id TEXT, root_job_id TEXT NOT NULL, depth INTEGER NOT NULL,
  state INTEGER NOT NULL, submitted_at_ms INTEGER NOT NULL, root_submitted_at_ms INTEGER NOT NULL, started_at_ms INTEGER,
  finished_at_ms INTEGER, scheduling_deadline_epoch_ms INTEGER, error TEXT, exit_code INTEGER, num_tasks INTEGER NOT NULL,
  is_reservation_holder INTEGER NOT NULL DEFAULT 0, name TEXT NOT NULL, has_reservation INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS job_config (
  job_id TEXT PRIMARY KEY REFERENCES jobs (job_id) ON DELETE CASCADE, name TEXT NOT NULL, has_coscheduling INTEGER NOT NULL,
  coscheduling_group_by TEXT, max_task_failures INTEGER NOT NULL, entrypoint_json TEXT NOT NULL, environment_json TEXT NOT NULL,
  bundle_id TEXT NOT NULL, max_retries_failure INTEGER NOT NULL, max_retries_preemption INTEGER NOT NULL, timeout_ms INTEGER,
  priority_band TEXT NOT NULL, task_image TEXT, fail_if_exists INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE IF NOT EXISTS tasks (
  task_id TEXT PRIMARY KEY, job_id TEXT NOT NULL REFERENCES jobs (job_id) ON DELETE CASCADE, task_index INTEGER NOT NULL,
  state INTEGER NOT NULL, error TEXT, exit_code INTEGER, submitted_at_ms INTEGER NOT NULL, started_at_ms INTEGER,
  finished_at_ms INTEGER, max_retries_failure INTEGER NOT NULL, max_retries_preemption INTEGER NOT NULL DEFAULT 100,
  failure_count INTEGER NOT NULL DEFAULT 0, preemption_count INTEGER NOT NULL DEFAULT 0,
  current_attempt_id INTEGER NOT NULL DEFAULT -1, priority_band TEXT NOT NULL DEFAULT 'system', container_id TEXT,
  current_worker_id TEXT, current_worker_address TEXT
);
CREATE INDEX IF NOT EXISTS tasks_by_job ON tasks (job_id);
CREATE TABLE IF NOT EXISTS task_attempts (
  task_id TEXT NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE, attempt_id INTEGER NOT NULL, worker_id TEXT,
  state INTEGER NOT NULL, created_at_ms INTEGER NOT NULL, started_at_ms INTEGER, finished_at_ms INTEGER, exit_code INTEGER,
  error TEXT, node_name TEXT, pod_name TEXT, terminal_reason TEXT, attempt_uid TEXT, PRIMARY KEY (task_id, attempt_id)
);
CREATE TABLE IF NOT EXISTS "levanter.metrics" (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, timestamp_ms INTEGER NOT NULL, run_id TEXT NOT NULL, execution_uid TEXT NOT NULL,
  job_id TEXT NOT NULL, node_name TEXT, process_index INTEGER NOT NULL, step INTEGER, name TEXT NOT NULL, kind TEXT NOT NULL,
  value, min REAL, max REAL, count INTEGER, nonzero_count INTEGER, sum REAL, sum_squares REAL, mean REAL, variance REAL, rms REAL,
  bucket_limits TEXT, bucket_counts TEXT, unit TEXT, attributes TEXT, batch_id TEXT, record_index INTEGER, cluster TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS metrics_by_step ON "levanter.metrics" (run_id, name, step);
CREATE INDEX IF NOT EXISTS metrics_by_time ON "levanter.metrics" (run_id, name, timestamp_ms);
CREATE TABLE IF NOT EXISTS "log" (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, epoch_ms INTEGER NOT NULL, source TEXT NOT NULL, data TEXT NOT NULL,
  cluster TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS log_by_key ON "log" (key, epoch_ms);
CREATE TABLE IF NOT EXISTS "iris.task" (
  ts INTEGER NOT NULL, task_id TEXT NOT NULL, attempt_id INTEGER NOT NULL, cpu_millicores INTEGER NOT NULL, memory_mb INTEGER NOT NULL,
  memory_peak_mb INTEGER NOT NULL, cluster TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS "iris.task_event" (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL, attempt_id INTEGER NOT NULL, ts INTEGER NOT NULL, type TEXT NOT NULL,
  reason TEXT NOT NULL, message TEXT NOT NULL, source TEXT NOT NULL, count INTEGER NOT NULL, cluster TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS submission (
  job_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, user TEXT NOT NULL, family TEXT NOT NULL, commit_sha TEXT NOT NULL, bundle TEXT NOT NULL,
  command_json TEXT NOT NULL, max_retries INTEGER NOT NULL, accepted_at_ms INTEGER NOT NULL, env_json TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS pod (
  name TEXT PRIMARY KEY, job_id TEXT NOT NULL, labels_json TEXT NOT NULL, phase TEXT NOT NULL, created_at_ms INTEGER NOT NULL,
  deleted_at_ms INTEGER
);
CREATE TABLE IF NOT EXISTS tracker_report (
  project TEXT NOT NULL, title TEXT NOT NULL, url TEXT NOT NULL, spec_json TEXT NOT NULL, created_at_ms INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS tracker_run (
  path TEXT PRIMARY KEY, run_id TEXT NOT NULL, parent TEXT, fork_step INTEGER NOT NULL, config_json TEXT NOT NULL, created_at_ms INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS prepared (
  commit_sha TEXT PRIMARY KEY, run_id TEXT NOT NULL, change TEXT NOT NULL, values_json TEXT NOT NULL, prepared_at_ms INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS ledger (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, at_ms INTEGER NOT NULL, kind TEXT NOT NULL, family TEXT, job_id TEXT, run_id TEXT, user TEXT,
  commit_sha TEXT, attempt INTEGER, detail TEXT
);
`;

/** Opens the cluster's file for writing, making the tables that are missing. */
export function openDatabase(path: string): Database.Database {
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  // A simulated cluster may lose its last second with the machine; it must not wait for the disk at each step.
  database.pragma('synchronous = OFF');
  database.pragma('foreign_keys = ON');
  database.exec(SCHEMA);
  return database;
}

/** Opens the file for the executables' questions: nothing can be changed through it, and LIKE minds the case as DataFusion's does. */
export function openReader(path: string): Database.Database {
  const reader = new Database(path, { readonly: true });
  reader.pragma('case_sensitive_like = ON');
  reader.function('contains', { deterministic: true }, (text, needle) => (String(text).includes(String(needle)) ? 1 : 0));
  return reader;
}
