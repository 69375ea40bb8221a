import { createHash } from 'node:crypto';
import { ferryFamily } from '../ferries.js';
import type { Scheduler } from '../scheduler.js';
import { REGION } from '../telemetry.js';
import { type Answer, type Call, ok, traceback, usageError } from './call.js';
import { type OptionShape, parseOptions } from './options.js';

const OPTIONS: Readonly<Record<string, OptionShape>> = {
  '--no-wait': 'flag',
  '--enable-extra-resources': 'flag',
  '--preemptible': 'flag',
  '--no-preemptible': 'flag',
  '--no-sync': 'flag',
  '--terminate-on-exit': 'flag',
  '--no-terminate-on-exit': 'flag',
  '-e': 'pair',
  ...Object.fromEntries(
    ['job-name', 'user', 'cpu', 'memory', 'disk', 'tpu', 'gpu', 'replicas', 'max-retries', 'timeout', 'region', 'zone', 'reserve'].map(
      (name) => [`--${name}`, 'value'],
    ),
  ),
  ...Object.fromEntries(
    ['target-cluster', 'priority', 'system-reason', 'extra', 'sync-package', 'task-image', 'container-profile'].map((name) => [
      `--${name}`,
      'value',
    ]),
  ),
};
const BANDS = ['production', 'interactive', 'batch', 'system'];

/** Keeps the code of a submit: its folder, and the commit it came from. */
export interface Bundler {
  bundle(cwd: string, name: string): Promise<{ readonly folder: string; readonly commit: string }>;
}

export interface JobRunContext {
  readonly scheduler: Scheduler;
  readonly bundler: Bundler;
  readonly now: () => number;
}

/** `iris job run`: refuses, or accepts and prints the job id as the only line of standard output. Source: contract 1.3. */
export async function jobRun({ scheduler, bundler, now }: JobRunContext, argv: readonly string[], call: Call): Promise<Answer> {
  const { switches } = scheduler.region;
  const parsed = parseOptions(argv, OPTIONS, true);
  if (typeof parsed === 'string') return usageError('iris job run', parsed);
  const refusal = refusalOf(parsed.values, parsed.flags, parsed.rest);
  if (refusal !== null) return usageError('iris job run', refusal);
  if (switches.isOn('submit_refused'))
    return usageError('iris job run', "Invalid value for '--target-cluster': the peer does not take jobs now.");

  const user = parsed.values.get('--user') ?? (call.irisUser === '' ? 'local' : call.irisUser);
  const name = parsed.values.get('--job-name') ?? `iris-run-job-${stamp(now())}`;
  const jobId = `/${user}/${name}`;
  if (scheduler.find(jobId)?.live === true) return traceback(`connectrpc.errors.ConnectError: job ${jobId} already exists`);
  const { folder, commit } = await bundler.bundle(call.cwd, name);
  const submission = {
    runId: runIdOf(parsed.rest, name),
    user,
    family: ferryFamily(name) ?? parsed.values.get('--target-cluster') ?? REGION,
    commit,
    bundle: folder,
    command: parsed.rest,
    maxRetries: Number(parsed.values.get('--max-retries') ?? 0),
    acceptedAtMs: now(),
    env: Object.fromEntries(parsed.pairs.get('-e') ?? []),
  };
  scheduler.submit({ ...submission, jobId });
  if (switches.isOn('submit_twice')) scheduler.submit({ ...submission, jobId: `/${user}/${otherName(name)}` });

  if (switches.isOn('submit_fails_after_acceptance'))
    return traceback('connectrpc.errors.ConnectError: deadline exceeded while reading the reply');
  const log = `${logPrefix(now())} Submitting job: ${name}\n${logPrefix(now())} Job submitted: ${jobId}\n`;
  return switches.isOn('submit_prints_nothing') ? ok('') : ok(`${jobId}\n`, log);
}

function refusalOf(values: ReadonlyMap<string, string>, flags: ReadonlySet<string>, command: readonly string[]): string | null {
  const name = values.get('--job-name');
  const retries = values.get('--max-retries');
  const band = values.get('--priority');
  if (command.length === 0) return "Missing argument 'COMMAND...'.";
  if (command[0]?.startsWith('-') === true) return `No such option: ${command[0]}`;
  if (name !== undefined && !/^[^/\s]+$/.test(name)) return `Invalid value for '--job-name': '${name}'.`;
  if (retries !== undefined && !/^\d+$/.test(retries)) return `Invalid value for '--max-retries': '${retries}' is not a valid integer.`;
  if (band !== undefined && !BANDS.includes(band)) return `Invalid value for '--priority': '${band}' is not one of ${BANDS.join(', ')}.`;
  const large =
    values.has('--tpu') || values.has('--gpu') || gigabytes(values.get('--memory')) >= 4 || gigabytes(values.get('--disk')) >= 10;
  if (large && !flags.has('--enable-extra-resources')) return 'Large jobs and accelerators need --enable-extra-resources.';
  return null;
}

function gigabytes(size: string | undefined): number {
  const match = /^([\d.]+)\s*([kmgt]?)b?$/i.exec(size ?? '0');
  const unit = { k: 1e-6, m: 1e-3, g: 1, t: 1e3 }[match?.[2]?.toLowerCase() ?? ''] ?? 1e-9;
  return Number(match?.[1] ?? 0) * unit;
}

function runIdOf(command: readonly string[], name: string): string {
  const at = command.indexOf('--run-id');
  const cut = name.lastIndexOf('-coord');
  return (at < 0 ? undefined : command[at + 1]) ?? (cut < 0 ? name : name.slice(0, cut));
}

/** The name of the double that a submit tried twice leaves: the same run, another suffix. */
function otherName(name: string): string {
  const suffix = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return /-[0-9a-f]{8}$/.test(name) ? `${name.slice(0, -8)}${suffix}` : `${name}-${suffix}`;
}

function stamp(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}

function logPrefix(atMs: number): string {
  const iso = new Date(atMs).toISOString();
  return `I${iso.slice(0, 10).replaceAll('-', '')} ${iso.slice(11, 19)} 140211 iris.cli.job`;
}
