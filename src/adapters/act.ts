import type { ActReport } from '../protocol/outside.js';
import { checkedIntentId, isJobId } from './binding.js';
import type { Command } from './command.js';
import type { ProcessIdentity } from './process-identity.js';
import type { Scrub } from './scrub.js';
import type { Outcome, Shell } from './shell.js';
import { transcriptOf } from './transcript.js';

/** One process that acts: what is run, and where. */
export interface Deed {
  readonly command: Command;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Takes away what was laid out for the process, once it has ended. */
  readonly after?: () => void;
}

/** On whose behalf an act runs: the intent that is on file, and who must hear of its process at once. */
export interface ActIntent {
  readonly id: string;
  readonly onSpawn: (identity: ProcessIdentity) => void;
}

const OUTPUT_BYTES_MAX = 1024 * 1024;
const KILL_DELAY_MS = 5_000;

/**
 * Runs an act once. The report tells how its process ended, whatever that did outside. Throws only what `onSpawn`
 * throws, after the process has been killed.
 */
export async function perform(deed: Deed, intent: ActIntent, { shell, scrub }: { shell: Shell; scrub: Scrub }): Promise<ActReport> {
  const cwd = deed.cwd ?? deed.command.cwd;
  const argv = [...deed.command.argv, ...deed.args];
  const outcome = await shell
    .act({
      argv,
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...deed.command.env, ...deed.env },
      timeoutMs: deed.command.timeoutMs,
      killDelayMs: KILL_DELAY_MS,
      outputBytesMax: OUTPUT_BYTES_MAX,
      intentId: checkedIntentId(intent.id),
      onSpawn: intent.onSpawn,
    })
    .finally(() => deed.after?.());
  return { ...exitOf(outcome), jobId: namedJob(outcome.stdout.toString('utf8')), evidence: transcriptOf(argv, cwd, outcome, scrub) };
}

function exitOf({ ending }: Outcome): Pick<ActReport, 'exitCode' | 'problem'> {
  switch (ending.kind) {
    case 'ok':
      return { exitCode: 0, problem: null };
    case 'failed':
      return { exitCode: ending.exitCode, problem: 'failed' };
    case 'output_too_long':
      return { exitCode: ending.exitCode, problem: 'output_too_long' };
    case 'killed':
    case 'timed_out':
    case 'not_started':
      return { exitCode: null, problem: ending.kind };
  }
}

// A launch prints other lines before: an address, a commit. Source: contracts/iris-and-ferries.md 4.2.
function namedJob(stdout: string): string | null {
  const lines = stdout.split('\n').map((line) => line.replace(/\r$/, ''));
  return lines.findLast((line) => /^\/[^/\s]+\/[^/\s]+$/.test(line) && isJobId(line)) ?? null;
}
