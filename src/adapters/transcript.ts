import type { Scrub } from './scrub.js';
import type { Ending, Outcome } from './shell.js';

const STREAM_CHARS_MAX = 16_384;
const TAIL_CHARS = 4_096;
/** No secret is longer; what stands this close to a cut may be the part of one that can no longer be told. */
const SECRET_CHARS_MAX = 8_192;

/** What was run and what came of it, scrubbed, each stream cut at 16 kB: the evidence that is kept. */
export function transcriptOf(argv: readonly string[], cwd: string | undefined, outcome: Outcome, scrub: Scrub): string {
  const command = scrub(argv.map(printed).join(' '));
  const dropped = outcome.droppedBytes === 0 ? [] : [`(${outcome.droppedBytes} bytes of output were beyond the limit and not kept)`];
  return [
    `$ ${command}`,
    ...(cwd === undefined ? [] : [`in ${scrub(cwd)}`]),
    `${endingInWords(outcome.ending)} after ${outcome.durationMs} ms`,
    ...dropped,
    `--- stdout, ${outcome.stdout.length} bytes`,
    scrubbedAndCut(outcome.stdout.toString('utf8'), scrub),
    `--- stderr, ${outcome.stderr.length} bytes`,
    scrubbedAndCut(outcome.stderr.toString('utf8'), scrub),
  ].join('\n');
}

/** How a process ended, in two or three words. */
export function endingInWords(ending: Ending): string {
  switch (ending.kind) {
    case 'ok':
      return 'exit 0';
    case 'failed':
      return `exit ${ending.exitCode}`;
    case 'killed':
      return `killed by ${ending.signal}`;
    case 'timed_out':
      return 'timed out';
    case 'output_too_long':
      return 'output too long';
    case 'not_started':
      return `not started: ${ending.detail}`;
  }
}

/**
 * What a failing tool says of itself, scrubbed, at most 200 characters: its last line that begins as a fault does, since
 * git adds advice after it; else its last line that holds anything.
 */
export function lastWords(stream: Buffer, scrub: Scrub): string {
  const isCut = stream.length > 2 * SECRET_CHARS_MAX;
  const text = scrub(stream.subarray(-2 * SECRET_CHARS_MAX).toString('utf8')).slice(isCut ? SECRET_CHARS_MAX : 0);
  const lines = text.trimEnd().split('\n');
  const line = (lines.findLast((each) => /^(?:fatal|error): /i.test(each)) ?? lines.at(-1) ?? '').trim();
  return line.length <= 200 ? line : `${line.slice(0, 199)}…`;
}

// Scrubbed before it is cut, or half a secret would be left at the cut. Only the ends of a long text are scrubbed, each
// with a margin that is taken off again.
function scrubbedAndCut(text: string, scrub: Scrub): string {
  if (text.length <= STREAM_CHARS_MAX + 4 * SECRET_CHARS_MAX) {
    const whole = scrub(text);
    if (whole.length <= STREAM_CHARS_MAX) return whole;
    return joined(whole.slice(0, STREAM_CHARS_MAX - TAIL_CHARS), whole.slice(-TAIL_CHARS), whole.length);
  }
  const head = scrub(text.slice(0, STREAM_CHARS_MAX + SECRET_CHARS_MAX)).slice(0, -SECRET_CHARS_MAX);
  const tail = scrub(text.slice(-(TAIL_CHARS + SECRET_CHARS_MAX))).slice(SECRET_CHARS_MAX);
  return joined(head.slice(0, STREAM_CHARS_MAX - TAIL_CHARS), tail.slice(-TAIL_CHARS), text.length);
}

function joined(head: string, tail: string, chars: number): string {
  return `${head}\n… ${chars - head.length - tail.length} characters left out …\n${tail}`;
}

function printed(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : JSON.stringify(argument);
}
