import { z } from 'zod';
import type { Analysis, FerryActs, FerryJob, FerryReads, TrackedRun } from '../protocol/ferry/outside.js';
import { isTerminal } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import type { Deed } from './act.js';
import { checkedDir, checkedJobId, checkedName, isJobId, sqlText } from './binding.js';
import { parseJson, parseTable, quoted } from './frames.js';
import { queryArgs } from './iris.js';
import { parseJobState } from './job-name.js';
import type { Outside } from './outside.js';
import { notUnderstood, type Parsed, understood } from './question.js';

/** What a lane's runs are read from beside git and GitHub: scheduler, tracker, object store, the lane's own analysis. */

const ROWS_MAX = 1000;
const COLUMNS = ['job_id', 'depth', 'state', 'submitted_at_ms', 'started_at_ms', 'finished_at_ms', 'error'] as const;

/** Root jobs of a name, of every user, with when their work was granted. Source: contracts/iris-and-ferries.md 1.7. */
export function readFerryJobs(outside: Outside, { lane, name }: FerryReads['ferry_jobs']['args']): Promise<Reading<readonly FerryJob[]>> {
  const pattern = sqlText(checkedName(name)).slice(1, -1).replace(/[%_]/g, '\\$&');
  const sql = `SELECT ${COLUMNS.join(', ')} FROM jobs WHERE job_id LIKE '%/${pattern}%' ESCAPE '\\' AND depth <= 2`;
  return outside.ask({
    name: 'iris query ferry jobs',
    command: outside.commands.iris,
    args: queryArgs(outside.laneOf(lane).scheduler, sql),
    parse: (stdout) => parseJobs(stdout, name),
  });
}

function parseJobs(stdout: string, name: string): Parsed<readonly FerryJob[]> {
  const table = parseTable(stdout, COLUMNS, ROWS_MAX);
  if (table.kind === 'not_understood') return table;
  const jobs: FerryJob[] = [];
  for (const row of table.value.filter(({ depth }) => depth === '1')) {
    const jobId = row.job_id ?? '';
    if (!isJobId(jobId)) return notUnderstood('unparsable', `job id ${quoted(jobId)}`);
    if (!isNamed(jobId, name)) continue;
    const state = parseJobState(row.state ?? '');
    if (state.kind === 'not_understood') return { ...state, detail: `${state.detail} of ${jobId}` };
    const submittedAtMs = millis(row.submitted_at_ms);
    if (submittedAtMs === null) return notUnderstood('unparsable', `submitted_at_ms ${quoted(row.submitted_at_ms ?? '')} of ${jobId}`);
    const started = table.value
      .filter(({ job_id }) => job_id?.startsWith(`${jobId}/`))
      .flatMap(({ started_at_ms }) => millis(started_at_ms) ?? []);
    const alone = started.length === 0 && isTerminal(state.value) ? millis(row.started_at_ms) : null;
    jobs.push({
      jobId,
      state: state.value,
      submittedAtMs,
      grantedAtMs: started.length > 0 ? Math.min(...started) : alone,
      finishedAtMs: millis(row.finished_at_ms),
      error: row.error === undefined || row.error === '' ? null : row.error.slice(0, 300),
    });
  }
  return understood(jobs);
}

/** The last component is the name, or the name with the scheduler's own suffix. `-r2` is another attempt's. */
function isNamed(jobId: string, name: string): boolean {
  const last = jobId.slice(jobId.lastIndexOf('/') + 1);
  return last === name || (last.startsWith(`${name}-`) && /^[0-9a-f]{8}$/.test(last.slice(name.length + 1)));
}

function millis(cell: string | undefined): number | null {
  return cell !== undefined && /^\d{1,15}$/.test(cell) ? Number(cell) : null;
}

/** `[HH:MM:SS] task=<id> | <text>`. No lines is a real answer. Source: contracts/iris-and-ferries.md 1.8. */
export function readJobLogs(outside: Outside, { lane, jobId }: FerryReads['job_logs']['args']): Promise<Reading<readonly string[]>> {
  return outside.ask({
    name: 'iris job logs',
    command: outside.commands.iris,
    args: ['--cluster', outside.laneOf(lane).scheduler, 'job', 'logs', checkedJobId(jobId), '--max-lines', '400'],
    emptyIsAnswer: true,
    parse: (stdout) =>
      understood(
        stdout
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => outside.scrub(line.replace(/^\[[0-9:]+\] task=\S+ \| /, ''))),
      ),
  });
}

const Run = z.strictObject({
  name: z.string().min(1),
  url: z.string(),
  state: z.enum(['running', 'finished', 'failed', 'crashed', 'killed']),
  started_at_ms: z.number(),
  updated_at_ms: z.number(),
  last_step: z.int().nullable(),
  // Whatever a run logged stands here; what is no finite number counts as not there.
  summary: z.record(z.string(), z.unknown()),
});
const RUNS_MAX = 500;

/** Runs of the lane's project by the beginning of their name: the executor adds a suffix. */
export function readFerryRuns(
  outside: Outside,
  { lane, beginning }: FerryReads['ferry_runs']['args'],
): Promise<Reading<readonly TrackedRun[]>> {
  const { entity, project } = outside.laneOf(lane).tracker;
  return outside.ask({
    name: 'tracker runs',
    command: outside.commands.tracker,
    args: ['runs', `${entity}/${project}`, checkedName(beginning)],
    parse: (stdout) => {
      const runs = parseJson(stdout, z.array(Run));
      if (runs.kind === 'not_understood') return runs;
      if (runs.value.length >= RUNS_MAX) return notUnderstood('truncated', `${runs.value.length} runs begin so`);
      return understood(
        runs.value.map(({ name, url, state, started_at_ms, updated_at_ms, last_step, summary }) => ({
          name,
          url,
          state,
          startedAtMs: started_at_ms,
          updatedAtMs: updated_at_ms,
          lastStep: last_step,
          summary: Object.fromEntries(Object.entries(summary).flatMap(([key, value]) => (isFiniteNumber(value) ? [[key, value]] : []))),
        })),
      );
    },
  });
}

const Listing = z.array(z.strictObject({ key: z.string().min(1), size: z.number().min(0) }));

/** A checkpoint counts once its `metadata.json` is there: it is written last. */
export async function readFerryArtefacts(
  outside: Outside,
  { lane, run }: FerryReads['ferry_artefacts']['args'],
): Promise<Reading<{ readonly step: number | null }>> {
  const prefix = `${(outside.laneOf(lane).artefacts ?? '{run}').replaceAll('{run}', checkedName(run))}`;
  return outside.ask({
    name: 'objectstore list ferry artefacts',
    command: outside.commands.objectstore,
    args: ['list', prefix],
    outputBytesMax: 16 * 1024 * 1024,
    parse: (stdout) => {
      const listing = parseJson(stdout, Listing);
      if (listing.kind === 'not_understood') return listing;
      const steps = listing.value.flatMap(({ key }) => {
        const step = key.startsWith(prefix) ? /\/step-(\d{1,15})\/metadata\.json$/.exec(key)?.[1] : undefined;
        return step === undefined ? [] : [Number(step)];
      });
      return understood({ step: steps.length === 0 ? null : Math.max(...steps) });
    },
  });
}

const Analysed = z.looseObject({
  run_name: z.string().optional(),
  metrics: z.record(z.string(), z.union([z.number(), z.string(), z.null()])),
  analysis_observations: z.array(z.string()).default([]),
});

/** The lane's own analysis. `{}` is not an analysis. Source: contracts/iris-and-ferries.md 6.3. */
export function readFerryAnalysis(outside: Outside, { lane, run }: FerryReads['ferry_analysis']['args']): Promise<Reading<Analysis>> {
  const { entity, project } = outside.laneOf(lane).tracker;
  return outside.ask({
    name: 'ferry analysis',
    command: outside.commands.analysis,
    args: ['--run', `${entity}/${project}/${checkedName(run)}`, '--format', 'json'],
    parse: (stdout) => {
      const analysed = parseJson(stdout, Analysed);
      if (analysed.kind === 'not_understood') return analysed;
      const { metrics, analysis_observations, run_name } = analysed.value;
      if (run_name !== undefined && run_name !== run) return notUnderstood('inconsistent', `asked for ${run}, told of ${quoted(run_name)}`);
      const values = Object.entries(metrics).map(([key, value]) => [key, isFiniteNumber(value) ? value : null] as const);
      return understood({ metrics: Object.fromEntries(values), observations: analysis_observations.map((line) => outside.scrub(line)) });
    },
  });
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Submits a run of a lane under its own name, and waits for nothing. Source: contracts/iris-and-ferries.md 1.3, 6.3. */
export function launchFerry(outside: Outside, { lane, dir, name, run }: FerryActs['ferry_launch']): Deed {
  const { scheduler, user, launch } = outside.laneOf(lane);
  const env = Object.entries({ ...launch.env, [launch.runVariable]: checkedName(run) }).flatMap(([key, value]) => ['-e', key, value]);
  const options = ['--no-wait', '--job-name', checkedName(name), '--user', user, ...launch.options];
  return {
    command: outside.commands.iris,
    args: ['--cluster', scheduler, 'job', 'run', ...options, ...env, '--', ...launch.command],
    cwd: checkedDir(dir),
    env: { IRIS_USER: user },
  };
}

/** Stops one job and its children, by the exact id. The reply says only that the request was taken. */
export function cancelFerry(outside: Outside, { lane, jobId }: FerryActs['ferry_cancel']): Deed {
  const args = ['--cluster', outside.laneOf(lane).scheduler, 'job', 'stop', '--exact', checkedJobId(jobId)];
  return { command: outside.commands.iris, args };
}
