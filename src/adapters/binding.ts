import { isAbsolute } from 'node:path';
import { OpsError } from '../errors.js';

/** A value that would reach a command line or a query has characters it cannot have. Nothing was spawned. */
export class UnsafeArgumentError extends OpsError {
  readonly code = 'unsafe_argument';
}

const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
const JOB_ID = /^(?:\/[A-Za-z0-9_@+.-]+){2,8}$/;
const METRIC = /^[A-Za-z0-9_]{1,128}$/;
const COMMIT = /^[0-9a-f]{7,64}$/;
const TREE = /^(?:[a-z][a-z0-9+.-]{0,30}:\/\/|\/)[A-Za-z0-9_@=+.,/-]{1,500}$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
const REF = /^(?![-/.])(?!.*(?:\.\.|\/\/|\.lock(?:\/|$)))[A-Za-z0-9_./-]{1,200}$/;
const INTENT_ID = /^[\x21-\x7e]{1,200}$/;

/** The functions below return the value they were given, or throw UnsafeArgumentError before anything is spawned. */
export function checkedRunId(value: string): string {
  return checked(RUN_ID, 'run id', value);
}

/** `/<user>/<job>` and deeper; at most 512 characters. */
export function checkedJobId(value: string): string {
  if (value.length > 512) throw new UnsafeArgumentError(`check job id: ${value.length} characters`);
  return checked(JOB_ID, 'job id', value);
}

/** The name of a metric as telemetry stores it. */
export function checkedMetric(value: string): string {
  return checked(METRIC, 'metric', value);
}

/** A commit by its hash, whole or short, never by a name that could move. */
export function checkedCommit(value: string): string {
  return checked(COMMIT, 'commit', value);
}

/** The name of a job: one component of its id. */
export function checkedName(value: string): string {
  return checked(NAME, 'name', value);
}

/** A branch, a tag or a path inside a repository: no `..`, no option. */
export function checkedRef(value: string): string {
  return checked(REF, 'ref', value);
}

/** An intent id: printable, as it goes into an environment. */
export function checkedIntentId(value: string): string {
  return checked(INTENT_ID, 'intent id', value);
}

/** A whole number from 0 on. */
export function checkedWholeNumber(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new UnsafeArgumentError(`check whole number: ${value}`);
  return value;
}

/** A folder by its absolute path. */
export function checkedDir(value: string): string {
  if (!isAbsolute(value) || value.includes('\0')) throw new UnsafeArgumentError(`check folder: ${quoted(value)}`);
  return value;
}

/** A tree of an object store by its URL or absolute path: no option, no step upwards, nothing unprintable. */
export function checkedTree(value: string): string {
  if (value.split('/').includes('..')) throw new UnsafeArgumentError(`check tree: ${quoted(value)}`);
  return checked(TREE, 'tree', value);
}

/** Whether a text from outside is a job id that may be bound again. */
export function isJobId(value: string): boolean {
  return value.length <= 512 && JOB_ID.test(value);
}

/** A checked value as an SQL text literal. */
export function sqlText(value: string): string {
  if (/['"\\;\0]/.test(value)) throw new UnsafeArgumentError(`bind ${quoted(value)}`);
  return `'${value}'`;
}

/** `LIKE` for texts that start with a checked value. `_` is a wildcard there and stands in many run ids. */
export function sqlStartsWith(column: string, prefix: string): string {
  return `${column} LIKE '${likeText(prefix)}%' ESCAPE '\\'`;
}

/** `LIKE` for job ids of whatever user whose name starts with a checked value. */
export function sqlNameStartsWith(column: string, prefix: string): string {
  return `${column} LIKE '/%/${likeText(prefix)}%' ESCAPE '\\'`;
}

function likeText(value: string): string {
  return sqlText(value).slice(1, -1).replace(/[%_]/g, '\\$&');
}

function checked(pattern: RegExp, what: string, value: string): string {
  if (!pattern.test(value)) throw new UnsafeArgumentError(`check ${what}: ${quoted(value)}`);
  return value;
}

function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 80));
}
