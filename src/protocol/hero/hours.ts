import type { HeroPlan } from './plan.js';

/** A local time of day in minutes, and the day it falls on. */
interface Local {
  readonly day: string;
  readonly date: string;
  readonly minutes: number;
}

const DAYS: Readonly<Record<string, string>> = { Mon: 'mon', Tue: 'tue', Wed: 'wed', Thu: 'thu', Fri: 'fri', Sat: 'sat', Sun: 'sun' };

/** Whether a swap that starts now, and its rollback, both land inside the working hours of the named zone. */
export function landsInHours(hours: HeroPlan['workingHours'], now: Date, seconds: number): boolean {
  const begin = localTime(now, hours.zone);
  const end = localTime(new Date(now.getTime() + seconds * 1000), hours.zone);
  if (!hours.days.includes(begin.day) || !hours.days.includes(end.day)) return false;
  const from = minutesOf(hours.from);
  const until = minutesOf(hours.until);
  if (from === 0 && until === 24 * 60) return true;
  return begin.date === end.date && begin.minutes >= from && end.minutes <= until;
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

function localTime(instant: Date, zone: string): Local {
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
  if (!landsInHours(hours, at, 0)) return null;
  if (minutesOf(hours.from) === 0 && minutesOf(hours.until) === 24 * 60) return Number.POSITIVE_INFINITY;
  return Math.max(0, minutesOf(hours.until) - localTime(at, hours.zone).minutes);
}

/**
 * The next instant at which a zone's clocks show HH:MM, within a day from now. Null for anything that is no time of day,
 * and for one that is skipped or shown twice when the clocks change.
 */
export function nextTimeOfDay(clock: string, zone: string, now: Date): Date | null {
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(clock)) return null;
  const wanted = minutesOf(clock);
  const minute = 60_000;
  const first = Math.ceil(now.getTime() / minute) * minute;
  const found: number[] = [];
  for (let at = first; at < first + 24 * 60 * minute; at += minute) {
    if (localTime(new Date(at), zone).minutes === wanted) found.push(at);
  }
  const [only] = found;
  return found.length === 1 && only !== undefined ? new Date(only) : null;
}
