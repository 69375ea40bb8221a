import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { MetricBatch } from './telemetry.js';

const KILL_DELAY_MS = 1000;

const Said = z.union([
  z.strictObject({
    telemetry: z.strictObject({
      timestamp_ms: z.number(),
      step: z.number().nullable(),
      rows: z.array(z.strictObject({ name: z.string(), value: z.union([z.number(), z.string()]), unit: z.string() })),
    }),
  }),
  z.strictObject({ saved: z.strictObject({ path: z.string(), step: z.number(), permanent: z.boolean() }) }),
]);

export interface Saved {
  readonly path: string;
  readonly step: number;
  readonly permanent: boolean;
}

export interface TrainerEvents {
  readonly onMetrics: (batch: MetricBatch) => void;
  readonly onLog: (source: 'stdout' | 'stderr', line: string) => void;
  readonly onSaved: (saved: Saved) => void;
}

/** How a training process ended: an exit code, or a signal. */
export interface TrainerExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** The real training process behind a gang: process 0 of it, which is the only one that writes. */
export interface Trainer {
  readonly pid: number | null;
  readonly exited: Promise<TrainerExit>;
  requestSave(): void;
  kill(): void;
}

/**
 * Starts `python -m a.b.c …` of a submitted bundle: the simulated machines run the module's `.mjs`. The process ends by
 * itself when its standard input ends, so it never outlives the cluster.
 */
export function startTrainer(
  options: {
    readonly bundle: string;
    readonly command: readonly string[];
    readonly store: string;
    readonly pace: number;
    readonly env: Readonly<Record<string, string>>;
  },
  events: TrainerEvents,
): Trainer {
  const [python, flag, moduleName, ...rest] = options.command;
  const script = join(options.bundle, `${(moduleName ?? '').replaceAll('.', '/')}.mjs`);
  if (python !== 'python' || flag !== '-m' || !existsSync(script)) {
    events.onLog('stderr', `${python ?? ''}: Error while finding module specification for '${moduleName ?? ''}' (ModuleNotFoundError)`);
    return { pid: null, exited: Promise.resolve({ exitCode: 1, signal: null }), requestSave: () => {}, kill: () => {} };
  }
  const child = spawn(process.execPath, [script, ...rest], {
    cwd: options.bundle,
    env: { ...options.env, SIMULATED_STORE: options.store, SIMULATED_PACE: String(options.pace) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A write to a process that has just died is no fault of ours: its exit tells the story.
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => hear(line, events));
  createInterface({ input: child.stderr }).on('line', (line) => events.onLog('stderr', line));
  return {
    pid: child.pid ?? null,
    exited: exitOf(child),
    requestSave: () => child.stdin.write('save permanent\n'),
    kill: () => kill(child),
  };
}

function hear(line: string, events: TrainerEvents): void {
  if (!line.startsWith('{')) {
    events.onLog('stdout', line);
    return;
  }
  const said = Said.parse(JSON.parse(line));
  if ('saved' in said) events.onSaved(said.saved);
  else events.onMetrics({ timestampMs: said.telemetry.timestamp_ms, step: said.telemetry.step, rows: said.telemetry.rows });
}

function exitOf(child: ChildProcess): Promise<TrainerExit> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ exitCode: 1, signal: null }));
    // `close`, not `exit`: only then has all that it said been heard.
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

function kill(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), KILL_DELAY_MS);
  child.once('close', () => clearTimeout(timer));
}
