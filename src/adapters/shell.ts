import { existsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { execa } from 'execa';
import { type Capture, captureInFile, captureInMemory } from './capture.js';
import { endGroup, groupEnds, signalGroup } from './process-group.js';
import { INTENT_VARIABLE, identify, type ProcessIdentity } from './process-identity.js';

/** One process to run: never a shell line, never more environment than is named here. */
export interface Invocation {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs: number;
  /** From the soft signal to the hard one. */
  readonly killDelayMs: number;
  /** For each of the two streams. */
  readonly outputBytesMax: number;
}

export interface ActInvocation extends Invocation {
  readonly intentId: string;
  /** Called in the turn of the spawn, before anything else can happen. If it throws, the child is killed at once. */
  readonly onSpawn: (identity: ProcessIdentity) => void;
}

/** How a process ended; told from how it ended, never from what it said. */
export type Ending =
  | { readonly kind: 'ok' }
  | { readonly kind: 'failed'; readonly exitCode: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'timed_out' }
  /** A read is cut at its limit; an act is not, and has an exit code. */
  | { readonly kind: 'output_too_long'; readonly exitCode: number | null }
  | { readonly kind: 'not_started'; readonly detail: string };

export interface Outcome {
  readonly ending: Ending;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Output that was not kept, both streams together. */
  readonly droppedBytes: number;
  readonly durationMs: number;
}

/** The one place that spawns. Every child leads a process group of its own and is ended as a group. */
export interface Shell {
  /** Ended at its limits, and when the shell stops. */
  read(invocation: Invocation): Promise<Outcome>;
  /**
   * Ended at its time limit only: output beyond the limit is dropped from the middle, and neither `stop` nor the end of
   * our own process touches it. It has ended when its whole group has.
   */
  act(invocation: ActInvocation): Promise<Outcome>;
  /** Ends the reads that run, refuses whatever comes after, lets acts go on. */
  stop(): Promise<void>;
}

/** How many reads run at once; more of them wait. Acts never wait. */
const READS_AT_ONCE_MAX = 8;

type Cut = 'timed_out' | 'output_too_long' | 'stopped';

/** The time that one process may take. */
export interface TimeLimit {
  /** Resolves when the time is over. */
  readonly passed: Promise<'timed_out'>;
  isPassed(): boolean;
  clear(): void;
}

/** A shell. Two or more calls at once are independent of each other. `startLimit` begins to count the time of one process, in milliseconds. */
export function createShell(startLimit: (ms: number) => TimeLimit = machineLimit): Shell {
  let stopping = false;
  let running = 0;
  const waiting: (() => void)[] = [];
  const reads = new Map<(cut: Cut) => void, Promise<unknown>>();
  const acts = new Set<{ unref(): void }>();

  async function read(invocation: Invocation): Promise<Outcome> {
    if (running >= READS_AT_ONCE_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      if (stopping) return notStarted('the bot is stopping');
      const capture = captureInMemory(invocation.outputBytesMax);
      const { promise: cut, resolve: cutNow } = withResolvers<Cut>();
      capture.onOverflow(() => cutNow('output_too_long'));
      const outcome = run(invocation, startLimit, {}, capture, cut);
      reads.set(cutNow, outcome);
      try {
        return await outcome;
      } finally {
        reads.delete(cutNow);
      }
    } finally {
      // The slot is handed on, so that nobody can take it in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  async function act(invocation: ActInvocation): Promise<Outcome> {
    if (stopping) return notStarted('the bot is stopping');
    let capture: Capture;
    try {
      capture = captureInFile(invocation.outputBytesMax);
    } catch (fault) {
      return notStarted(`no file for its output: ${messageOf(fault)}`);
    }
    return run(invocation, startLimit, { [INTENT_VARIABLE]: invocation.intentId }, capture, null, (child) => {
      acts.add(child);
      invocation.onSpawn(identify(child.pid));
      return () => acts.delete(child);
    });
  }

  async function stop(): Promise<void> {
    stopping = true;
    for (const child of acts) child.unref();
    const ending = [...reads.values()];
    for (const cut of reads.keys()) cut('stopped');
    await Promise.allSettled(ending);
  }

  return { read, act, stop };
}

interface Child {
  readonly pid: number;
  unref(): void;
}

/** Runs one process to its end or to its cut. `cut` is null for an act: only time ends that. */
async function run(
  invocation: Invocation,
  startLimit: (ms: number) => TimeLimit,
  marks: Readonly<Record<string, string>>,
  capture: Capture,
  cut: Promise<Cut> | null,
  begun?: (child: Child) => () => void,
): Promise<Outcome> {
  const [file = '', ...args] = invocation.argv;
  // Monotonic, and only ever a length of time: the clock that dates things is injected.
  const startedMs = performance.now();
  const subprocess = execa(file, args, {
    ...(invocation.cwd === undefined ? {} : { cwd: invocation.cwd }),
    env: { ...invocation.env, ...marks },
    extendEnv: false,
    shell: false,
    preferLocal: false,
    stdin: 'ignore',
    stdout: capture.stdio.stdout,
    stderr: capture.stdio.stderr,
    buffer: false,
    reject: false,
    detached: true,
    cleanup: false,
  });
  const { pid } = subprocess;
  const outcome = (ending: Ending): Outcome => ({ ending, ...capture.take(), durationMs: Math.round(performance.now() - startedMs) });
  if (pid === undefined) {
    const { code, cause } = await subprocess;
    return outcome({ kind: 'not_started', detail: whyNotStarted(code, file, invocation.cwd) ?? messageOf(cause) });
  }

  let ended = (): void => undefined;
  try {
    if (begun !== undefined) ended = begun({ pid, unref: () => subprocess.unref() });
  } catch (fault) {
    // It runs without being on file, which must not be: the intent is settled by reading, like any that was cut.
    signalGroup(pid, 'SIGKILL');
    capture.take();
    throw fault;
  }
  capture.attach(subprocess.stdout, subprocess.stderr);

  const limit = startLimit(invocation.timeoutMs);
  try {
    const cuts = cut === null ? [limit.passed] : [limit.passed, cut];
    const first = await Promise.race([subprocess, ...cuts]);
    // A child that outlives its parent may still act: an act has ended when its whole group has.
    if (cut === null && typeof first !== 'string' && !(await groupEnds(pid, () => limit.isPassed()))) {
      await endGroup(pid, invocation.killDelayMs);
      return outcome({ kind: 'timed_out' });
    }
    if (typeof first === 'string') {
      await endGroup(pid, invocation.killDelayMs);
      // A process that left the group may hold the pipes for ever: they are closed, not waited for.
      capture.detach();
      return outcome(endingOfCut(first));
    }
    if (cut !== null) signalGroup(pid, 'SIGKILL'); // what a read left behind in its group serves nobody
    return outcome(endingOf(first, capture.overflowed()));
  } finally {
    limit.clear();
    ended();
  }
}

interface End {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly isTerminated: boolean;
  readonly shortMessage?: string | undefined;
}

function endingOf({ exitCode, signal, isTerminated, shortMessage }: End, isTooLong: boolean): Ending {
  if (isTerminated) return { kind: 'killed', signal: signal ?? 'an unnamed signal' };
  if (exitCode === undefined) return { kind: 'killed', signal: `no exit code: ${shortMessage ?? 'no reason given'}` };
  if (isTooLong) return { kind: 'output_too_long', exitCode };
  return exitCode === 0 ? { kind: 'ok' } : { kind: 'failed', exitCode };
}

function endingOfCut(cut: Cut): Ending {
  switch (cut) {
    case 'timed_out':
      return { kind: 'timed_out' };
    case 'output_too_long':
      return { kind: 'output_too_long', exitCode: null };
    case 'stopped':
      return { kind: 'killed', signal: 'SIGTERM, as the bot stopped' };
  }
}

function machineLimit(ms: number): TimeLimit {
  const { promise: passed, resolve } = withResolvers<'timed_out'>();
  const until = performance.now() + ms;
  const timer = setTimeout(() => resolve('timed_out'), ms);
  return { passed, isPassed: () => performance.now() >= until, clear: () => clearTimeout(timer) };
}

function notStarted(detail: string): Outcome {
  return { ending: { kind: 'not_started', detail }, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), droppedBytes: 0, durationMs: 0 };
}

function withResolvers<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((take) => {
    resolve = take;
  });
  return { promise, resolve };
}

/** Why nothing ran, in words a person can act on; the code stays, for whoever searches for it. */
function whyNotStarted(code: string | undefined, file: string, cwd: string | undefined): string | undefined {
  if (code === 'ENOENT')
    return cwd === undefined || existsSync(cwd) ? `ENOENT, there is no executable ${file}` : `ENOENT, there is no folder ${cwd}`;
  if (code === 'EACCES') return `EACCES, permission denied for ${file}`;
  return code;
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
