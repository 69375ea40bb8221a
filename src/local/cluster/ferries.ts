import type Database from 'better-sqlite3';
import type { Jobs } from './jobs.js';
import { isOver, STATE } from './states.js';
import type { Submission, Submissions } from './submissions.js';

/** The tracker project of the simulated ferries. */
export const FERRY_PROJECT = 'marin-community/marin';

/** The family of a job: ferries have their own nodes, so that none waits for the hero or stands in its way. */
export function ferryFamily(jobName: string): string | null {
  const lane = /^ferry-\d{8}-\d{6}-([a-z0-9-]+?)-ferry/.exec(jobName)?.[1];
  return lane === undefined ? null : `ferry:${lane}`;
}

export function isFerry({ family }: Pick<Submission, 'family'>): boolean {
  return family.startsWith('ferry:');
}

/** A run as the tracker shows it. */
export interface FerryRun {
  readonly name: string;
  readonly url: string;
  readonly state: 'running' | 'finished' | 'failed' | 'killed';
  readonly started_at_ms: number;
  readonly updated_at_ms: number;
  readonly last_step: number | null;
  readonly summary: Readonly<Record<string, number>>;
}

/** What ferries leave in the tracker: made of what their training really wrote. */
export class FerryRuns {
  constructor(
    private readonly database: Database.Database,
    private readonly submissions: Submissions,
    private readonly jobs: Jobs,
  ) {}

  /** Runs whose name begins so; one that has written nothing is not there. */
  list(beginning: string): readonly FerryRun[] {
    const states = new Map(this.jobs.rows().map((row) => [row.jobId, row.state]));
    return this.submissions
      .all()
      .filter(isFerry)
      .flatMap((submission) => {
        const name = trackerName(submission);
        if (!name.startsWith(beginning)) return [];
        const run = this.run(submission.runId);
        return run === null
          ? []
          : [{ name, url: `https://wandb.example/${FERRY_PROJECT}/runs/${name}`, state: stateOf(states.get(submission.jobId)), ...run }];
      });
  }

  private run(runId: string): Pick<FerryRun, 'started_at_ms' | 'updated_at_ms' | 'last_step' | 'summary'> | null {
    const span = this.database
      .prepare(
        'SELECT min(timestamp_ms) AS first, max(timestamp_ms) AS last, max(step) AS step FROM "levanter.metrics" WHERE run_id = ? AND step IS NOT NULL',
      )
      .get(runId) as { first: number | null; last: number | null; step: number | null };
    if (span.first === null || span.last === null) return null;
    const rows = this.database
      .prepare('SELECT name, value FROM "levanter.metrics" WHERE run_id = ? AND step IS NOT NULL GROUP BY name HAVING seq = max(seq)')
      .all(runId) as { name: string; value: number }[];
    const summary = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    return { started_at_ms: span.first, updated_at_ms: span.last, last_step: span.step, summary };
  }
}

/** The executor adds six hex digits of its own. Source: contracts/iris-and-ferries.md 6.3. */
function trackerName({ env, jobId }: Submission): string {
  let hash = 0;
  for (const character of jobId) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0;
  const suffix = hash.toString(16).padStart(6, '0').slice(-6);
  return `${env.FERRY_DATE === undefined ? `canary-ferry-moe-${env.RUN_ID}` : `ferry_daily_125m_${env.FERRY_DATE}`}-${suffix}`;
}

function stateOf(state: number | undefined): FerryRun['state'] {
  if (state === undefined || !isOver(state)) return 'running';
  if (state === STATE.succeeded) return 'finished';
  return state === STATE.killed ? 'killed' : 'failed';
}
