import type { JsonObject, Readings } from '../table.js';
import type { HeroView } from './facts.js';
import { type GuardAnswer, guard, ofFleet } from './guard.js';

/** What the fleet file asks of rehearsals, and which fleet file that is. */
export interface RehearsalRule {
  /** How old the last good one may be; 0 asks for none. */
  readonly hours: number;
  /** SHA-256 of the fleet file as it is in force. */
  readonly fleetDigest: string;
}

/** The last rehearsal of an operation: all guards read on some day, nothing changed. */
export interface Rehearsal {
  readonly at: string;
  readonly by: string;
  readonly isGood: boolean;
  readonly planHash: string;
  readonly fleetDigest: string;
}

/** Only the hour of the day may be against it: a rehearsal is for any day. */
const MAY_BE_SHUT: ReadonlySet<string> = new Set(['clock']);

/** Good when every guard answered, and none but the clock was shut. */
export function isGoodRehearsal(guards: readonly { readonly guard: string; readonly answer: string }[]): boolean {
  return guards.length > 0 && guards.every(({ guard: name, answer }) => answer === 'open' || (answer === 'shut' && MAY_BE_SHUT.has(name)));
}

/** The guards that a request brought along, as far as a decision needs them. */
export function guardsIn(details: JsonObject | undefined): readonly { readonly guard: string; readonly answer: string }[] {
  const all = details?.guards;
  if (!Array.isArray(all)) return [];
  return all.map((each: JsonObject) => ({ guard: `${each.guard}`, answer: `${each.answer}` }));
}

/** The last good rehearsal must be of this plan and this fleet file, and not too long ago. */
export function rehearsal(view: HeroView, readings: Readings, now: Date): GuardAnswer {
  const how = `/hero-deploy rehearse ${view.operationId} reads everything and changes nothing`;
  return guard('rehearsal', ofFleet<RehearsalRule>(readings, 'rehearsal_rule'), ({ hours, fleetDigest }) => {
    if (hours === 0) return ['open', 'the fleet file asks for none'];
    const { rehearsal: last } = view.facts;
    if (last === undefined) return ['shut', `there was none yet: ${how}`];
    if (last.planHash !== view.planHash) return ['shut', `the last one was of another version of the plan: ${how}`];
    if (last.fleetDigest !== fleetDigest) return ['shut', `the fleet file was changed since the last one: ${how}`];
    if (!last.isGood) return ['shut', `the last one was not good: mend what it names, then ${how}`];
    const age = (now.getTime() - new Date(last.at).getTime()) / 3_600_000;
    if (age < 0) return ['unknown', 'the last one is stamped later than our clock: mend the clock'];
    return age > hours
      ? ['shut', `the last one is ${Math.floor(age)} h old, agreed are at most ${hours} h: ${how}`]
      : ['open', `the last good one of this plan and fleet file was at ${last.at.slice(0, 16)}Z`];
  });
}
