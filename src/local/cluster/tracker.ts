import type Database from 'better-sqlite3';
import type { Ledger } from './ledger.js';
import type { Telemetry } from './telemetry.js';

/** The tracker project of the simulated fleet. */
export const TRACKER_PROJECT = 'marin-community/marin_moe';

interface TrackerRow {
  path: string;
  run_id: string;
  fork_step: number;
  config_json: string;
}

export interface TrackedRun {
  readonly config: Readonly<Record<string, string>>;
  readonly lastStep: number;
}

/** The experiment tracker: runs and what they were forked from. */
export class Tracker {
  readonly #database: Database.Database;
  readonly #telemetry: Telemetry;
  readonly #ledger: Ledger;
  readonly #now: () => number;

  constructor(database: Database.Database, telemetry: Telemetry, ledger: Ledger, now: () => number) {
    this.#database = database;
    this.#telemetry = telemetry;
    this.#ledger = ledger;
    this.#now = now;
  }

  /** The run at `entity/project/run`, or null. */
  show(path: string): TrackedRun | null {
    const row = this.#database.prepare('SELECT * FROM tracker_run WHERE path = ?').get(path) as TrackerRow | undefined;
    if (row === undefined) return null;
    // A forked child shows its parent's history until it has logged something itself.
    const lastStep = this.#telemetry.lastStep(row.run_id) ?? row.fork_step;
    return { config: JSON.parse(row.config_json) as Record<string, string>, lastStep };
  }

  /** Creates a run that has no parent here. */
  create(path: string, lastStep: number): void {
    this.#insert(path, null, lastStep, {});
  }

  /** Takes a run away again. */
  remove(path: string): void {
    this.#database.prepare('DELETE FROM tracker_run WHERE path = ?').run(path);
  }

  /** Creates a child. `from` is `<parent>?_step=<k>`. False: it exists already, or its parent does not. */
  fork(path: string, from: string, config: Readonly<Record<string, string>>): boolean {
    const match = /^([A-Za-z0-9_.-]+)\?_step=(\d+)$/.exec(from);
    const [entity, project, runId] = path.split('/');
    const parent = match?.[1] ?? '';
    if (match === null || runId === undefined) return false;
    if (this.show(path) !== null || this.show(`${entity}/${project}/${parent}`) === null) return false;
    this.#insert(path, parent, Number(match[2]), config);
    this.#ledger.append('fork', { runId, commit: config.hero_launch_commit ?? null, detail: from });
    return true;
  }

  /** A report of a project by its title. */
  report(project: string, title: string): { readonly url: string } | null {
    const row = this.#database.prepare('SELECT url FROM tracker_report WHERE project = ? AND title = ?').get(project, title);
    return row === undefined ? null : (row as { url: string });
  }

  /** Makes a report. The tracker would make a second one of the same title; that it is made once is for its caller to see to. */
  createReport(project: string, title: string, spec: unknown): string {
    const { n } = this.#database.prepare('SELECT count(*) AS n FROM tracker_report').get() as { n: number };
    const url = `https://tracker.invalid/${project}/reports/${encodeURIComponent(title.replaceAll(' ', '-'))}-${n + 1}`;
    this.#database
      .prepare('INSERT INTO tracker_report (project, title, url, spec_json, created_at_ms) VALUES (?, ?, ?, ?, ?)')
      .run(project, title, url, JSON.stringify(spec), this.#now());
    this.#ledger.append('report', { detail: title });
    return url;
  }

  #insert(path: string, parent: string | null, forkStep: number, config: Readonly<Record<string, string>>): void {
    const runId = path.slice(path.lastIndexOf('/') + 1);
    this.#database
      .prepare('INSERT INTO tracker_run (path, run_id, parent, fork_step, config_json, created_at_ms) VALUES (?, ?, ?, ?, ?, ?)')
      .run(path, runId, parent, forkStep, JSON.stringify(config), this.#now());
  }
}
