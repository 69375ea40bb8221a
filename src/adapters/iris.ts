import { type Acts, type Coordinator, isTerminal, type JobStatus, type Reads } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import type { Deed } from './act.js';
import { Batching, parcelsOf, partOf } from './batching.js';
import { checkedJobId, isJobId, sqlText } from './binding.js';
import { parseTable, quoted } from './frames.js';
import { decodeCoordinator, isSurelyNoCoordinator, parseJobState, TERMINAL_CODES } from './job-name.js';
import type { Outside } from './outside.js';
import { notUnderstood, type Parsed, understood } from './question.js';

/** The scheduler returns at most this many rows and does not say that there are more. */
const ROWS_MAX = 1000;

// NULL is in no list and outside of none, so that a row without a state would be left out by NOT IN alone.
const COORDINATORS =
  'SELECT job_id, state FROM jobs WHERE depth = 1 ' +
  `AND (state IS NULL OR state NOT IN (${TERMINAL_CODES.join(', ')})) ` +
  "AND (job_id LIKE '%/hero-%-coord' OR job_id LIKE '%/hero-%-coord-%')";

/**
 * Coordinators that are not terminal, of every user: a launcher of old did not set one.
 * Header only is a real empty answer. Source: contracts/iris-and-ferries.md 1.7, 10.2.
 */
export function readCoordinators(outside: Outside, { family }: Reads['coordinators']['args']): Promise<Reading<readonly Coordinator[]>> {
  return LISTS.read(outside, outside.clusterOf(family).scheduler, null);
}

const LISTS = new Batching<null, readonly Coordinator[]>(async (outside, scheduler, parts) => {
  const list = await outside.ask({
    name: 'iris query coordinators',
    command: outside.commands.iris,
    args: queryArgs(scheduler, COORDINATORS),
    parse: parseCoordinators,
  });
  return parts.map(() => list);
});

/** The state of one job by its exact id. */
export async function readJobState(outside: Outside, { family, jobId }: Reads['job_state']['args']): Promise<Reading<JobStatus>> {
  return STATES.read(outside, outside.clusterOf(family).scheduler, checkedJobId(jobId));
}

const STATES = new Batching<string, JobStatus>(async (outside, scheduler, jobIds) => {
  const parcels = await Promise.all(parcelsOf([...new Set(jobIds)], sqlText).map((parcel) => askStates(outside, scheduler, parcel)));
  const answers = new Map(parcels.flat());
  return jobIds.map((jobId) => answers.get(jobId) ?? noAnswer(jobId));
});

async function askStates(
  outside: Outside,
  scheduler: string,
  jobIds: readonly string[],
): Promise<readonly (readonly [jobId: string, status: Reading<JobStatus>])[]> {
  const ids = jobIds.map(sqlText).join(', ');
  const sql = `SELECT job_id, state FROM jobs WHERE job_id ${jobIds.length === 1 ? `= ${ids}` : `IN (${ids})`}`;
  const rows = await outside.ask({
    name: jobIds.length === 1 ? 'iris query job state' : `iris query states of ${jobIds.length} jobs`,
    command: outside.commands.iris,
    args: queryArgs(scheduler, sql),
    parse: (stdout) => parseRows(stdout, jobIds),
  });
  return jobIds.map((jobId) => [jobId, rows.kind === 'unknown' ? rows : partOf(rows, statusIn(rows.value, jobId), outside.scrub)] as const);
}

/** Stops one job and its children, by the exact id. The reply says only that the request was taken. */
export function cancelJob(outside: Outside, { family, jobId }: Acts['cancel']): Deed {
  const args = ['--cluster', outside.clusterOf(family).scheduler, 'job', 'stop', '--exact', checkedJobId(jobId)];
  return { command: outside.commands.iris, args };
}

/** The arguments of one query; `sql` holds no `;` and starts with SELECT. */
export function queryArgs(scheduler: string, sql: string): readonly string[] {
  return ['--cluster', scheduler, 'query', '-f', 'csv', sql];
}

function parseCoordinators(stdout: string): Parsed<readonly Coordinator[]> {
  const table = parseTable(stdout, ['job_id', 'state'], ROWS_MAX);
  if (table.kind === 'not_understood') return table;
  const coordinators: Coordinator[] = [];
  for (const { job_id: jobId = '', state: code = '' } of table.value) {
    if (!isJobId(jobId)) return notUnderstood('unparsable', `job id ${quoted(jobId)}`);
    const state = parseJobState(code);
    if (state.kind === 'not_understood') return { ...state, detail: `${state.detail} of ${jobId}` };
    const lead = decodeCoordinator(jobId);
    if (lead !== null) coordinators.push({ jobId, ...lead, state: state.value });
    // Only coordinators were asked for: one that cannot be told is live all the same, and may not be left out.
    else if (!isTerminal(state.value) && !isSurelyNoCoordinator(jobId)) {
      return notUnderstood(
        'inconsistent',
        `${quoted(jobId)} is ${state.value}, was listed among the coordinators, and leads no run we know of`,
      );
    }
  }
  const twice = coordinators.find(({ jobId }, index) => coordinators.findIndex((other) => other.jobId === jobId) !== index);
  if (twice !== undefined) return notUnderstood('inconsistent', `${twice.jobId} is listed twice`);
  return understood(coordinators);
}

type StateRow = Readonly<Record<string, string>>;

function parseRows(stdout: string, jobIds: readonly string[]): Parsed<readonly StateRow[]> {
  const table = parseTable(stdout, ['job_id', 'state'], ROWS_MAX);
  if (table.kind === 'not_understood') return table;
  const stranger = table.value.find((row) => !jobIds.includes(row.job_id ?? ''));
  const asked = jobIds.length === 1 ? jobIds[0] : `${jobIds.length} jobs`;
  return stranger === undefined ? table : notUnderstood('inconsistent', `asked for ${asked}, told of ${quoted(stranger.job_id ?? '')}`);
}

function statusIn(rows: readonly StateRow[], jobId: string): Parsed<JobStatus> {
  const [row, ...more] = rows.filter((each) => each.job_id === jobId);
  if (row === undefined) return understood('absent');
  return more.length > 0 ? notUnderstood('inconsistent', `${more.length + 1} rows for one job`) : parseJobState(row.state ?? '');
}

function noAnswer(jobId: string): never {
  throw new TypeError(`no answer for ${jobId} among those that were asked for`);
}
