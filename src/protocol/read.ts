import type { Reads, Tellings } from './outside.js';
import type { PeopleReads } from './people.js';
import type { Reading } from './reading.js';
import type { JsonObject, Need, Readings } from './table.js';

type Asked = Reads & Tellings & PeopleReads;

/** A need whose arguments fit its verb. */
export function need<V extends keyof Asked>(name: string, verb: V, args: Asked[V]['args'] & JsonObject): Need {
  return { name, verb, args };
}

/** The reading of that name, as its verb answers it. The one place where an answer gets its type back. */
export function answer<V extends keyof Asked>(readings: Readings, _verb: V, name: string): Reading<Asked[V]['value']> | undefined {
  return readings[name] as Reading<Asked[V]['value']> | undefined;
}

/** Transcripts of the readings that a conclusion rests on. */
export function evidenceOf(...readings: readonly (Reading<unknown> | undefined)[]): readonly string[] {
  return readings.flatMap((reading) => (reading?.evidence === undefined ? [] : [reading.evidence]));
}

/** What a reading says of itself: source and instant, and what is missing if it is unknown. */
export function citation(reading: Reading<unknown>): { readonly source: string; readonly readAt: string } {
  return { source: reading.source, readAt: reading.readAt.toISOString() };
}
