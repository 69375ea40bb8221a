import { answer, need } from '../read.js';
import type { Need, Readings } from '../table.js';
import { PACE_STEPS, paceOf, roundTripSeconds } from './budget.js';
import type { HeroView } from './facts.js';
import { type Assessed, type GuardAnswer, guardOfBoth, ofFleet } from './guard.js';
import { closesAt, timeOfDay } from './hours.js';
import type { HeroPlan } from './plan.js';

type Hours = HeroPlan['workingHours'];

/** The rows from which the pace of the run is measured now; it may be slower than when the plan was made. */
export function paceNeed({ plan }: HeroView): Need {
  const { family, kind, oldRun, newRun, handoffStep } = plan;
  const runId = kind === 'recover' ? newRun : oldRun;
  return need('pace', 'series', {
    family,
    runId,
    metrics: ['train_loss'],
    from: Math.max(0, handoffStep - PACE_STEPS),
    to: handoffStep + PACE_STEPS,
  });
}

/** A swap begins only if its rollback still ends within the hours of the plan and of the fleet file as it stands now. */
export function clock(view: HeroView, readings: Readings, now: Date): GuardAnswer {
  if (now < view.lastAt) {
    const sentence = `our clock reads earlier than the last recorded row (${view.lastAt.toISOString()}): mend the clock`;
    return { guard: 'clock', source: 'our clock', readAt: now.toISOString(), answer: 'unknown', sentence };
  }
  return guardOfBoth('clock', ofFleet<Hours>(readings, 'hours'), answer(readings, 'series', 'pace'), (today, rows) => {
    if ([view.plan.workingHours, today].every((hours) => closesAt(hours, now) === 'never'))
      return ['open', 'a swap may begin at any hour of any day, as agreed'];
    const pace = Math.max(view.plan.paceSecondsPerStep, paceOf(rows) ?? 0);
    if (pace === 0) return ['unknown', 'how long a step takes is not known yet, so nobody can say when a rollback would end'];
    return fits(view.plan, today, pace, now);
  });
}

function fits(plan: HeroPlan, today: Hours, pace: number, now: Date): Assessed {
  const { limits, windowSteps } = plan;
  const seconds = Math.max(plan.roundTripSeconds, roundTripSeconds(limits, windowSteps, pace));
  const made = `${spell(seconds)}: ${spell(limits.startUpSeconds)} for each of two cold starts, ${windowSteps} steps at ${round(pace)} s, ${spell(limits.hangSeconds)} until a hang is told`;
  const ends = [plan.workingHours, today].map((hours) => ({ hours, closing: closesAt(hours, now) }));
  const outside = ends.find(({ closing }) => closing === null);
  if (outside !== undefined) {
    return [
      'shut',
      `it is ${timeOfDay(now, outside.hours.zone)}, outside the agreed hours (${inWords(outside.hours)}): come back within them`,
    ];
  }
  const [first] = ends
    .flatMap(({ hours, closing }) => (closing instanceof Date ? [{ hours, closing }] : []))
    .toSorted((one, other) => one.closing.getTime() - other.closing.getTime());
  if (first === undefined) return ['unknown', 'when the agreed hours end could not be told'];
  const last = new Date(first.closing.getTime() - seconds * 1000);
  const { zone } = first.hours;
  const safe = `the last safe moment ${last >= now ? 'is' : 'was'} ${timeOfDay(last, zone)} (${last.toISOString().slice(0, 16)}Z)`;
  return now <= last
    ? ['open', `${safe}: a swap and its rollback take up to ${made}`]
    : [
        'shut',
        `a rollback would not end before ${timeOfDay(first.closing, zone)}; ${safe}. A swap and its rollback take up to ${made}. Begin earlier on a day of ${inWords(first.hours)}`,
      ];
}

function inWords({ from, until, zone, days }: Hours): string {
  return `${from} to ${until} ${zone} on ${days.join(', ')}`;
}

function spell(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function round(seconds: number): number {
  return Number(seconds.toPrecision(3));
}
