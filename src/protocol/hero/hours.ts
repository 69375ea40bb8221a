import type { HeroPlan } from './plan.js';

/** A local time of day in minutes, and the day it falls on. */
export interface Local {
  readonly day: string;
  readonly date: string;
  readonly minutes: number;
}

const DAYS: Readonly<Record<string, string>> = { Mon: 'mon', Tue: 'tue', Wed: 'wed', Thu: 'thu', Fri: 'fri', Sat: 'sat', Sun: 'sun' };

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Whether a swap that starts now, and its rollback, both land inside the working hours of the named zone. */
export function landsInHours(hours: HeroPlan['workingHours'], now: Date, seconds: number): boolean {
  const closing = closesAt(hours, now);
  return closing === 'never' || (closing !== null && now.getTime() + seconds * 1000 <= closing.getTime());
}

/**
 * The instant at which the working hours end in which `now` lies; null when it lies outside them. Told by the zone's own
 * clocks: a day on which they are changed is shorter or longer, and an end that they skip is where they skip it.
 */
export function closesAt(hours: HeroPlan['workingHours'], now: Date): Date | 'never' | null {
  const begin = localTime(now, hours.zone);
  const from = minutesOf(hours.from);
  const until = minutesOf(hours.until);
  if (!hours.days.includes(begin.day) || begin.minutes < from || begin.minutes >= until) return null;
  const allDay = from === 0 && until === DAY_MINUTES;
  if (allDay && Object.values(DAYS).every((day) => hours.days.includes(day))) return 'never';
  let end = endOfDay(hours.zone, begin, until, now);
  // Days that follow each other without a break are one stretch.
  for (let next = localTime(end, hours.zone); allDay && hours.days.includes(next.day); next = localTime(end, hours.zone)) {
    end = endOfDay(hours.zone, next, until, end);
  }
  // An hour that the clocks show twice ends the first time.
  return end.getTime() > now.getTime() ? end : null;
}

const ENDS = new Map<string, number>();
const ENDS_MAX = 200;

/** The first instant of a local day at which its clocks have reached so many minutes, or at which the next day has begun. */
function endOfDay(zone: string, day: Local, until: number, near: Date): Date {
  const key = `${zone} ${day.date} ${until}`;
  const known = ENDS.get(key);
  if (known !== undefined) return new Date(known);
  // From before the day began, however its clocks were changed.
  let at = Math.floor(near.getTime() / MINUTE_MS) * MINUTE_MS - (day.minutes + 120) * MINUTE_MS;
  for (; ; at += MINUTE_MS) {
    const local = localTime(new Date(at), zone);
    if (local.date > day.date || (local.date === day.date && local.minutes >= until)) break;
  }
  if (ENDS.size >= ENDS_MAX) ENDS.clear();
  ENDS.set(key, at);
  return new Date(at);
}

/** An instant as the clocks of a zone show it: `15:49 Europe/Berlin`. */
export function timeOfDay(at: Date, zone: string): string {
  const { minutes } = localTime(at, zone);
  const two = (part: number): string => `${part}`.padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)} ${zone}`;
}

function minutesOf(clock: string): number {
  const [hours = '', minutes = ''] = clock.split(':');
  return Number(hours) * 60 + Number(minutes);
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Making a format costs a thousand times what using it does. */
function formatIn(zone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  FORMATS.set(zone, format);
  return format;
}

/** What the clocks of a zone show at an instant, to the minute. */
export function localTime(instant: Date, zone: string): Local {
  const parts = Object.fromEntries(
    formatIn(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  return {
    day: DAYS[parts.weekday ?? ''] ?? '',
    date: `${parts.year}-${parts.month}-${parts.day}`,
    minutes: Number(parts.hour) * 60 + Number(parts.minute),
  };
}

/** Minutes from an instant to the end of the working hours of its day; infinite where they never end, null when it lies outside them. */
export function minutesLeft(hours: HeroPlan['workingHours'], at: Date): number | null {
  const closing = closesAt(hours, at);
  if (closing === 'never') return Number.POSITIVE_INFINITY;
  return closing === null ? null : Math.floor((closing.getTime() - at.getTime()) / MINUTE_MS);
}
