import { type Coordinator, isTerminal, type JobState } from '../protocol/outside.js';
import { quoted } from './frames.js';
import { notUnderstood, type Parsed, understood } from './question.js';

/** Source: contracts/iris-and-ferries.md 1.7. 0 is never used; 9 to 12 are states of tasks, not of jobs. */
const STATES: ReadonlyMap<string, JobState> = new Map<string, JobState>([
  ['1', 'pending'],
  ['2', 'building'],
  ['3', 'running'],
  ['4', 'succeeded'],
  ['5', 'failed'],
  ['6', 'killed'],
  ['7', 'worker_failed'],
  ['8', 'unschedulable'],
]);

/** The codes after which the scheduler has nothing more to run, as numbers of SQL. */
export const TERMINAL_CODES = [...STATES].filter(([, state]) => isTerminal(state)).map(([code]) => code);

/** A state by its code, or by the name that older schedulers print for it. Anything else is quoted as it came. */
export function parseJobState(code: string): Parsed<JobState> {
  const named = [...STATES.values()].find((state) => code === `JOB_STATE_${state.toUpperCase()}`);
  const state = STATES.get(code) ?? named;
  return state === undefined ? notUnderstood('unlisted_state', `job state ${quoted(code)}`) : understood(state);
}

/**
 * The run that a coordinator leads: the last component of its id, split at the last `-coord`; what follows is empty or
 * starts with `-`. Null for a job that leads no hero run. Source: contracts/iris-and-ferries.md 2.
 */
export function decodeCoordinator(jobId: string): Pick<Coordinator, 'user' | 'runId'> | null {
  const [empty, user = '', name = '', ...deeper] = jobId.split('/');
  if (empty !== '' || user === '' || deeper.length > 0) return null;
  const at = name.lastIndexOf('-coord');
  if (at <= 0) return null;
  const rest = name.slice(at + '-coord'.length);
  const runId = name.slice(0, at);
  return (rest === '' || rest.startsWith('-')) && runId.startsWith('hero-') ? { user, runId } : null;
}

/**
 * Whether a job that does not decode as a coordinator is certainly none: a gang, a program that calls itself a
 * coordinator, a name with neither part of the pattern. A coordinator's id with one byte gone wrong is none of these.
 */
export function isSurelyNoCoordinator(jobId: string): boolean {
  const name = jobId.slice(jobId.lastIndexOf('/') + 1);
  return name.startsWith('grug-train-') || /-coordinator(?:-[A-Za-z0-9]*)?$/.test(name) || !/hero|coord/i.test(jobId);
}

/** A job id as Kubernetes labels hold it, uncut: without its leading slash, with `.` for what labels cannot hold. */
export function sanitisedJobId(jobId: string): string {
  return trimmed(jobId.slice(1).replace(/[^A-Za-z0-9_.-]/g, '.'));
}

const LABEL_CHARS_MAX = 63;

/**
 * Whether a label names a job or a child of it. Labels are cut at 63 characters, so that two jobs may share one: both
 * are meant then, since a pod too many is asked about and a pod too few is run into.
 */
export function isLabelOf(label: string, jobId: string): boolean {
  const id = sanitisedJobId(jobId);
  return trimmed(label) === trimmed(id.slice(0, LABEL_CHARS_MAX)) || label.startsWith(`${id}.`);
}

/**
 * The same by a pod's name, for a pod without the label: `iris-<task id>`, cut, then `-<hash>-<attempt>`; or the job's
 * name alone, as other backends have it.
 */
export function isPodNameOf(name: string, jobId: string): boolean {
  const readable = readablePart(name);
  const bare = jobId.slice(jobId.indexOf('/', 1));
  return [`iris-${jobId}`, bare].map(podNamed).some((id) => readable === id || readable.startsWith(`${id}-`) || id.startsWith(readable));
}

/** A pod's name without its hash and attempt. */
export function readablePart(name: string): string {
  return name.replace(/-[0-9a-f]{8}-\d+$/, '');
}

/** A job's name as pods have it: small letters, digits, single hyphens. */
export function podNamed(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '-')
    .replace(/-+/g, '-')
    .replace(/^-|-$/g, '');
}

/** Labels neither begin nor end with one of these. */
export function trimmed(text: string): string {
  return text.replace(/^[-_.]+|[-_.]+$/g, '');
}
