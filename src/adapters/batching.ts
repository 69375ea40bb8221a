import type { Known, Reading } from '../protocol/reading.js';
import type { Outside } from './outside.js';
import { doubtOf, type Parsed, shortDetail } from './question.js';
import type { Scrub } from './scrub.js';

/** Rows of one answer: below every cap of the outside. */
const PARTS_AT_ONCE_MAX = 900;
/** Linux takes an argument of at most 128 kB. */
const CHARS_AT_ONCE_MAX = 100_000;

interface Waiting<Part, Value> {
  readonly parts: Part[];
  readonly answers: Promise<readonly Reading<Value>[]>;
}

/**
 * Questions of one kind that come in one turn of the event loop, such as those of one tick of the monitor, are asked as
 * one: a process a place, not one an operation. What comes in another turn is asked anew: two readings stay two.
 */
export class Batching<Part, Value> {
  // Only what waits for the end of this very turn is here.
  private readonly waiting = new WeakMap<Outside, Map<string, Waiting<Part, Value>>>();

  constructor(
    /** Answers all parts, in their order. Must not throw for a part: what a part holds was checked before. */
    private readonly askAll: (outside: Outside, place: string, parts: readonly Part[]) => Promise<readonly Reading<Value>[]>,
  ) {}

  /** The answer to one part, from the process that answers all that are asked of this place in this turn. */
  async read(outside: Outside, place: string, part: Part): Promise<Reading<Value>> {
    const places = this.waiting.get(outside) ?? new Map<string, Waiting<Part, Value>>();
    this.waiting.set(outside, places);
    const waiting = places.get(place) ?? this.begin(outside, places, place);
    const index = waiting.parts.push(part) - 1;
    const answer = (await waiting.answers)[index];
    if (answer === undefined) throw new TypeError(`a batch of ${waiting.parts.length} parts has no answer ${index}`);
    return answer;
  }

  private begin(outside: Outside, places: Map<string, Waiting<Part, Value>>, place: string): Waiting<Part, Value> {
    const parts: Part[] = [];
    const answers = endOfTurn().then(() => {
      places.delete(place);
      return this.askAll(outside, place, parts);
    });
    const waiting = { parts, answers };
    places.set(place, waiting);
    return waiting;
  }
}

/** Parcels that one process each can be asked, by their number and by the length of their text. */
export function parcelsOf<Part>(parts: readonly Part[], textOf: (part: Part) => string): readonly (readonly Part[])[] {
  const parcels: Part[][] = [];
  let chars = 0;
  for (const part of parts) {
    const length = textOf(part).length;
    const last = parcels.at(-1);
    if (last === undefined || last.length === PARTS_AT_ONCE_MAX || chars + length > CHARS_AT_ONCE_MAX) {
      parcels.push([part]);
      chars = length;
    } else {
      last.push(part);
      chars += length;
    }
  }
  return parcels;
}

/** What a known answer to many says of one of them: a bad row blinds only the one it is about. */
export function partOf<T>(whole: Known<unknown>, parsed: Parsed<T>, scrub: Scrub): Reading<T> {
  if (parsed.kind === 'understood') return { ...whole, value: parsed.value };
  return doubtOf(parsed.why, shortDetail(parsed.detail, scrub), whole);
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
