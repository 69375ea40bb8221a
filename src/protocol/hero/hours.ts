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

function localTime(instant: Date, zone: string): Local {
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
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  return {
    day: DAYS[parts.weekday ?? ''] ?? '',
    date: `${parts.year}-${parts.month}-${parts.day}`,
    minutes: Number(parts.hour) * 60 + Number(parts.minute),
  };
}
