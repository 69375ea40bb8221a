import type { Known, Reading, Unknown, UnknownReason } from '../protocol/reading.js';
import type { Command } from './command.js';
import { complaintOn } from './complaint.js';
import type { Scrub } from './scrub.js';
import type { Ending, Outcome, Shell } from './shell.js';
import { endingInWords, lastWords, transcriptOf } from './transcript.js';

/** What an output says, or why it does not say it. */
export type Parsed<T> = { readonly kind: 'understood'; readonly value: T } | NotUnderstood;

export interface NotUnderstood {
  readonly kind: 'not_understood';
  readonly why: UnknownReason;
  readonly detail: string;
}

/** One process that reads: what is run, within which limits, and what its output means. */
export interface Question<T> {
  /** What is asked, in a few words: `iris query coordinators`. */
  readonly name: string;
  readonly command: Command;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** 4 MB unless said otherwise. */
  readonly outputBytesMax?: number;
  /** Exit codes that are an answer; only 0 unless the contract says otherwise. */
  readonly exitCodes?: readonly number[];
  /** The contract says that printing nothing is a real answer. Without it, nothing is never "none". */
  readonly emptyIsAnswer?: boolean;
  /** The tool prints its answer on either stream, by its version: both are the answer. */
  readonly onEitherStream?: true;
  /** `readAt` is for answers that carry a stamp of their own. */
  readonly parse: (stdout: string, exitCode: number, readAt: Date) => Parsed<T>;
}

/** Asks once. Never throws for what the outside did. */
export type Ask = <T>(question: Question<T>) => Promise<Reading<T>>;

const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
const KILL_DELAY_MS = 2_000;
const DETAIL_CHARS_MAX = 400;
const EVIDENCE_CHARS_MAX = 256 * 1024;

export function understood<T>(value: T): Parsed<T> {
  return { kind: 'understood', value };
}

export function notUnderstood(why: UnknownReason, detail: string): NotUnderstood {
  return { kind: 'not_understood', why, detail };
}

/** Asks through the shell; what is kept of the answer is scrubbed first. */
export function createAsk({ shell, scrub, now }: { readonly shell: Shell; readonly scrub: Scrub; readonly now: () => Date }): Ask {
  return async <T>(question: Question<T>): Promise<Reading<T>> => {
    // A fact is as old as the moment at which we asked for it, however long the answer took.
    const readAt = now();
    const cwd = question.cwd ?? question.command.cwd;
    const argv = [...question.command.argv, ...question.args];
    const outcome = await shell.read({
      argv,
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...question.command.env, ...question.env },
      timeoutMs: question.command.timeoutMs,
      killDelayMs: KILL_DELAY_MS,
      outputBytesMax: question.outputBytesMax ?? OUTPUT_BYTES_MAX,
    });
    const source = `${question.name} (${endingInWords(outcome.ending)}, ${outcome.stdout.length} B, ${outcome.durationMs} ms)`;
    const frame = { source: scrub(source), readAt, evidence: transcriptOf(argv, cwd, outcome, scrub) };
    const parsed = meaningOf(question, outcome, readAt, scrub);
    if (parsed.kind === 'understood') return { kind: 'known', value: parsed.value, ...frame };
    return { kind: 'unknown', why: parsed.why, detail: shortDetail(parsed.detail, scrub), ...frame };
  };
}

/** A value that rests on several readings: as old as the oldest of them, and with the evidence of all. */
export function combined<T>(value: T, first: Known<unknown>, ...more: readonly Known<unknown>[]): Known<T> {
  const parts = [first, ...more];
  const readAt = new Date(Math.min(...parts.map((part) => part.readAt.getTime())));
  const sources = parts.slice(0, 4).map((part) => part.source);
  const others = parts.length > 4 ? [`and ${parts.length - 4} more`] : [];
  const evidence = evidenceOf(parts);
  return { kind: 'known', value, source: [...sources, ...others].join('; '), readAt, evidence };
}

/** A detail without secrets, cut only after they are out. */
export function shortDetail(detail: string, scrub: Scrub): string {
  const scrubbed = scrub(detail);
  return scrubbed.length <= DETAIL_CHARS_MAX ? scrubbed : `${scrubbed.slice(0, DETAIL_CHARS_MAX - 1)}…`;
}

/** A doubt about readings each of which is known: together they do not make one answer. */
export function doubtOf(why: UnknownReason, detail: string, first: Known<unknown>, ...more: readonly Known<unknown>[]): Unknown {
  const { value: _, ...frame } = combined(null, first, ...more);
  return { ...frame, kind: 'unknown', why, detail };
}

function evidenceOf(parts: readonly Known<unknown>[]): string {
  const kept: string[] = [];
  let chars = 0;
  for (const { evidence, source } of parts) {
    const text = evidence ?? source;
    chars += text.length;
    if (chars > EVIDENCE_CHARS_MAX) break;
    kept.push(text);
  }
  const left = parts.length - kept.length;
  return [...kept, ...(left === 0 ? [] : [`… ${left} more transcripts left out …`])].join('\n\n');
}

function meaningOf<T>(question: Question<T>, { ending, stdout, stderr }: Outcome, readAt: Date, scrub: Scrub): Parsed<T> {
  const accepted = question.exitCodes ?? [0];
  const exitCode = ending.kind === 'ok' ? 0 : ending.kind === 'failed' ? ending.exitCode : null;
  if (exitCode === null || !accepted.includes(exitCode))
    return notUnderstood(reasonOf(ending), failureInWords(question, ending, stderr, scrub));
  const complaint = exitCode === 0 ? complaintOn(stderr) : null;
  if (complaint !== null) return notUnderstood('unparsable', `exit 0, and an error beside the answer: ${complaint}`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      question.onEitherStream === true ? Buffer.concat([stdout, stderr]) : stdout,
    );
  } catch {
    return notUnderstood('unparsable', 'the answer is not UTF-8');
  }
  if (text.trim() === '' && question.emptyIsAnswer !== true) {
    return notUnderstood('unparsable', 'nothing was printed: an empty answer is not an answer');
  }
  return question.parse(text, exitCode, readAt);
}

function reasonOf(ending: Ending): UnknownReason {
  return ending.kind === 'ok' ? 'failed' : ending.kind;
}

function failureInWords(question: Question<unknown>, ending: Ending, stderr: Buffer, scrub: Scrub): string {
  const words = lastWords(stderr, scrub);
  const ended = `${endingInWords(ending)}${limitOf(question, ending)}`;
  return words === '' ? ended : `${ended}: ${words}`;
}

function limitOf({ command, outputBytesMax = OUTPUT_BYTES_MAX }: Question<unknown>, { kind }: Ending): string {
  if (kind === 'timed_out') return ` after ${command.timeoutMs / 1000} s`;
  return kind === 'output_too_long' ? `, more than ${outputBytesMax / 1024 / 1024} MiB` : '';
}
