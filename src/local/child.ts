import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { OpsError } from '../errors.js';

/** A process of the harbour ended before it was ready; its own words are in the message, and its exit code is ours. */
export class ChildError extends OpsError {
  readonly code = 'child';

  constructor(
    message: string,
    override readonly exitCode: number,
  ) {
    super(message);
  }
}

/** A process of the harbour, ready: its first line of output is one JSON object. */
export interface Child<Ready> {
  readonly ready: Ready;
  readonly pid: number;
  readonly ended: Promise<void>;
  /** Ends it kindly, and after a while firmly. */
  stop(): Promise<void>;
  /** SIGKILL: it gets no chance to say anything. */
  kill(): Promise<void>;
}

const READY_MS = 60_000;
/** More than the bot waits for what is being worked on: one that drains is not killed at it. */
const KIND_MS = 20_000;

/** Starts a script of ours with Node and waits for its ready line. Throws ChildError. */
export async function startChild<Ready>(
  script: string,
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly log: string },
): Promise<Child<Ready>> {
  const log = openSync(options.log, 'a');
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', log],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
  });
  closeSync(log);
  // A harbour that ends without a word takes its processes with it.
  const withUs = (): void => void child.kill('SIGKILL');
  process.once('exit', withUs);
  child.once('exit', () => process.off('exit', withUs));
  const ended = once(child, 'exit').then(() => undefined);
  const ready = await readyLine<Ready>(child, script, options.log);
  return {
    ready,
    pid: child.pid ?? 0,
    ended,
    async stop() {
      child.kill('SIGTERM');
      const firmly = setTimeout(() => child.kill('SIGKILL'), KIND_MS);
      await ended;
      clearTimeout(firmly);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function readyLine<Ready>(child: ChildProcess, script: string, log: string): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => child.kill('SIGKILL'), READY_MS);
    const early = (code: number | null, signal: NodeJS.Signals | null): void => {
      clearTimeout(late);
      reject(
        new ChildError(
          `start ${script.split('/').slice(-2).join('/')}: it ended (${code ?? signal}): ${readFileSync(log, 'utf8').slice(-2_000).trim()}`,
          code === null || code === 0 ? 1 : code,
        ),
      );
    };
    child.once('exit', early);
    if (child.stdout === null) return;
    const lines = createInterface({ input: child.stdout });
    lines.once('line', (line) => {
      child.off('exit', early);
      clearTimeout(late);
      resolve(JSON.parse(line));
      child.stdout?.resume();
    });
  });
}
