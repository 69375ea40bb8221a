import { doubtWords } from '../doubt.js';
import { citation, evidenceOf } from '../read.js';
import type { Reading } from '../reading.js';
import type { JsonObject, Readings } from '../table.js';

export type Answer = 'open' | 'shut' | 'unknown';

/** One guard as it stands: what was seen, or what would open it, and where and when that was read. */
export interface GuardAnswer {
  readonly guard: string;
  readonly answer: Answer;
  readonly sentence: string;
  readonly source: string;
  readonly readAt: string;
  /** Scrubbed transcripts of what it rests on: argument vector, ending and streams. In memory only. */
  readonly transcripts?: readonly string[];
}

/** Guards as they go on file: each names its transcripts by their places among the evidence of the row. */
export interface FiledGuards {
  readonly guards: readonly JsonObject[];
  readonly evidence: readonly string[];
}

/** Each transcript is on file once, by its digest; places count from 0 and are those of the row's digests. */
export function fileGuards(guards: readonly GuardAnswer[], transcripts: readonly string[]): FiledGuards {
  const evidence = [...new Set([...transcripts, ...guards.flatMap((each) => each.transcripts ?? [])])];
  const filed = guards.map(({ transcripts: own = [], ...rest }) => ({ ...rest, evidence: own.map((text) => evidence.indexOf(text)) }));
  return { guards: filed, evidence };
}

/** Before the first look, before the cut, before a launch while nothing is running, or on any day, to see whether all can be read. */
export type Occasion = 'preflight' | 'arming' | 'rearming' | 'rehearsal';

export type Assessed = readonly [Answer, string];

/** Unknown stays unknown, with why; only a known value is looked at. */
export function guard<T>(name: string, reading: Reading<T> | undefined, assess: (value: T) => Assessed): GuardAnswer {
  if (reading === undefined) return { guard: name, answer: 'unknown', sentence: 'not read yet', source: '', readAt: '' };
  if (reading.kind === 'unknown') {
    const detail = reading.detail === '' ? '' : ` (${reading.detail})`;
    return {
      guard: name,
      answer: 'unknown',
      sentence: `could not be read: ${doubtWords(reading.why)}${detail}`,
      ...citation(reading),
      transcripts: evidenceOf(reading),
    };
  }
  const [verdict, sentence] = assess(reading.value);
  return { guard: name, answer: verdict, sentence, ...citation(reading), transcripts: evidenceOf(reading) };
}

/** A guard over two readings: unknown if either is, and as old as the older of both. */
export function guardOfBoth<A, B>(
  name: string,
  first: Reading<A> | undefined,
  second: Reading<B> | undefined,
  assess: (first: A, second: B) => Assessed,
): GuardAnswer {
  if (first?.kind !== 'known') return guard(name, first, () => ['unknown', '']);
  if (second?.kind !== 'known') return guard(name, second, () => ['unknown', '']);
  const older = first.readAt <= second.readAt ? first : second;
  const [answer, sentence] = assess(first.value, second.value);
  return {
    guard: name,
    answer,
    sentence,
    source: `${first.source}; ${second.source}`,
    readAt: older.readAt.toISOString(),
    transcripts: evidenceOf(first, second),
  };
}

/** What the protocol brings to the guards from the fleet file, beside what adapters read. */
export function ofFleet<T>(readings: Readings, name: 'hours' | 'rehearsal_rule'): Reading<T> | undefined {
  return readings[name] as Reading<T> | undefined;
}
