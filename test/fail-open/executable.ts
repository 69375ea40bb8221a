import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Invocation, Outcome, Shell } from '../../src/adapters/shell.js';
import { createShell } from '../../src/adapters/shell.js';
import type { Answered } from './kinds.js';

// One executable for all answers. It prints what it is told, then ends as it is told.
const SCRIPT = `#!/bin/sh
[ "$ENDS$WORDS" = 0 ] && exec cat "$ANSWER"
cat "$ANSWER"
[ -z "$WORDS" ] || echo "$WORDS" >&2
case "$ENDS" in
  signal) kill -KILL $$ ;;
  hangs) exec sleep 60 ;;
  grandchild) sleep 60 & exit 0 ;;
  *) exit "$ENDS" ;;
esac
`;

/** Runs answers through the real shell, each as a process of its own; the same answer is run once, as it hears no question. */
export class Executable {
  private readonly shell = createShell();
  private readonly folder: string;
  private readonly outcomes = new Map<string, Promise<Outcome>>();

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'answers'), SCRIPT);
    chmodSync(join(folder, 'answers'), 0o755);
    writeFileSync(join(folder, 'denied'), SCRIPT);
    chmodSync(join(folder, 'denied'), 0o644);
  }

  /** How many processes there were. */
  get runs(): number {
    return this.outcomes.size;
  }

  answer(answered: Answered): Promise<Outcome> {
    const key = JSON.stringify(answered);
    const outcome = this.outcomes.get(key) ?? this.run(answered, join(this.folder, `${this.runs}.out`));
    this.outcomes.set(key, outcome);
    return outcome;
  }

  private run({ stdout, stderr = '', ends = 0, overCap }: Answered, file: string): Promise<Outcome> {
    writeFileSync(file, stdout);
    return this.shell.read({
      argv: [join(this.folder, ends === 'missing' || ends === 'denied' ? ends : 'answers')],
      env: { PATH: '/usr/bin:/bin', ANSWER: file, WORDS: stderr, ENDS: `${ends}` },
      timeoutMs: ends === 'hangs' || ends === 'grandchild' ? 80 : 20_000,
      killDelayMs: 2_000,
      outputBytesMax: overCap === true ? 4_096 : 1024 * 1024,
    });
  }
}

/** A shell whose reads are answered by a function; it acts on nothing. */
export function shellOf(answer: (invocation: Invocation) => Promise<Outcome>): Shell {
  return {
    read: answer,
    act: () => Promise.reject(new Error('nothing may act here')),
    stop: async () => undefined,
  };
}
