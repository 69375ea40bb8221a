import { localTime } from './hero/hours.js';

/** The zone in which somebody writes times; `own` false: theirs could not be read, and this is a guess. */
export interface TypedZone {
  readonly zone: string;
  readonly own: boolean;
}

/** A time as it was typed, as one instant, said back with date and zone; or why it is none. */
export type TypedTime =
  | { readonly kind: 'instant'; readonly at: Date; readonly readBack: string }
  | { readonly kind: 'fault'; readonly message: string };

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3600 * 1000;

/**
 * The next instant after `from` at which the clocks of the typist's zone show HH:MM; `HH:MMZ` is UTC whatever the zone.
 * A time that the clocks skip or show twice is refused by name: nobody can know which of two hours was meant.
 */
export function readTimeOfDay(typed: string, typist: TypedZone, from: Date): TypedTime {
  const match = /^([01]\d|2[0-3]):([0-5]\d)(Z?)$/.exec(typed);
  if (match === null) return fault(`"${typed.slice(0, 20)}" is not a time of day; write HH:MM in your own zone, or HH:MMZ in UTC.`);
  const [, hours = '', minutes = '', utc = ''] = match;
  const by: TypedZone = utc === 'Z' ? { zone: 'UTC', own: true } : typist;
  const clock = Number(hours) * 60 + Number(minutes);
  const today = localTime(from, by.zone);
  const ofToday = instantsOf(today.date, clock, by.zone);
  const isToday = ofToday.some((at) => at > from) || (ofToday.length === 0 && clock > today.minutes);
  const date = isToday ? today.date : dayAfter(today.date);
  return onlyOne(isToday ? ofToday : instantsOf(date, clock, by.zone), `${hours}:${minutes}`, date, by);
}

/** The last minute of a day YYYY-MM-DD in the typist's zone. */
export function readEndOfDay(typed: string, typist: TypedZone): TypedTime {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(typed) && new Date(utcMs(typed, 0)).toISOString().slice(0, 10) === typed;
  if (!isDay) return fault(`"${typed.slice(0, 20)}" is not a day of the calendar; write YYYY-MM-DD.`);
  return onlyOne(instantsOf(typed, 24 * 60 - 1, typist.zone), '23:59', typed, typist);
}

function onlyOne(found: readonly Date[], clock: string, date: string, { zone, own }: TypedZone): TypedTime {
  const [only, second] = found;
  const named = `${clock} on ${date} in ${zone}`;
  if (only === undefined) return fault(`${named} does not exist: the clocks are put forward over it. Write the time in UTC, as HH:MMZ.`);
  if (second !== undefined) {
    const both = [only, second].map((at) => `${at.toISOString().slice(11, 16)}Z`).join(' or ');
    return fault(`${named} is there twice: the clocks are put back over it. Write which one you mean, ${both}.`);
  }
  const label = own ? zone : `${zone} (your own zone could not be read)`;
  const inUtc = zone === 'UTC' ? '' : `, which is ${only.toISOString().slice(0, 16).replace('T', ' ')}Z`;
  return { kind: 'instant', at: only, readBack: `${date} ${clock} ${label}${inUtc}` };
}

/** Every instant at which the clocks of a zone show this minute of this day: one, or none, or two, in order. */
function instantsOf(date: string, clock: number, zone: string): readonly Date[] {
  const guess = utcMs(date, clock);
  const offsets = [guess - DAY_MS, guess + DAY_MS].map((ms) => offsetOf(new Date(ms), zone)); // before and after any change of clocks
  return [...new Set(offsets.map((offset) => guess - offset))]
    .sort((a, b) => a - b)
    .map((ms) => new Date(ms))
    .filter((at) => {
      const local = localTime(at, zone);
      return local.date === date && local.minutes === clock;
    });
}

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetOf(at: Date, zone: string): number {
  const local = localTime(at, zone);
  return utcMs(local.date, local.minutes) - Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
}

function utcMs(date: string, clock: number): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return Date.UTC(year, month - 1, day) + clock * MINUTE_MS;
}

function dayAfter(date: string): string {
  return new Date(utcMs(date, 0) + DAY_MS).toISOString().slice(0, 10);
}

function fault(message: string): TypedTime {
  return { kind: 'fault', message };
}
