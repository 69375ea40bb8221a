import type { Due, Protocol, Readings } from '../table.js';
import { decideHero, decideNewHero, NEVER_STALE } from './decide.js';
import { HERO_EFFECTS } from './effects.js';
import type { HeroFacts, HeroView } from './facts.js';
import type { HeroMemory } from './memory.js';
import { HeroPlan } from './plan.js';
import type { HeroPolicy } from './policy.js';
import { HERO_FINALS, HERO_LOCKED, HERO_ROWS, WAITING_FOR_A_PERSON } from './table.js';
import { heroNeeds, heroWatch } from './watch.js';

/** The hero protocol: swapping the live training run for a code change, with the people and limits of a fleet file. */
export function createHero(policy: HeroPolicy): Protocol<HeroPlan, HeroFacts, HeroMemory> {
  return {
    name: 'hero',
    rows: HERO_ROWS,
    finals: HERO_FINALS,
    locked: HERO_LOCKED,
    effects: HERO_EFFECTS,
    safe: NEVER_STALE,
    parsePlan: (body) => HeroPlan.parse(body),
    subject: (plan) => `family:${plan.family}`,
    decideNew: (request, now) => decideNewHero(request, policy, now),
    decide: (view, request, watched, now) => decideHero({ view, request, watched, policy, now }),
    needs: heroNeeds,
    watch: (view, readings, memory, now) => heroWatch(view, { ...readings, ...fleetNow(view.plan.family, policy, now) }, memory, now),
    dues,
  };
}

/** The fleet file as a source of its own: what it says today may differ from what a plan agreed to. */
export function fleetNow(family: string, { workingHours, rehearsal }: Pick<HeroPolicy, 'workingHours' | 'rehearsal'>, now: Date): Readings {
  const base = { source: 'fleet file', readAt: now };
  const hours = workingHours[family];
  return {
    hours:
      hours === undefined
        ? { ...base, kind: 'unknown', why: 'failed', detail: `it has no family ${family}` }
        : { ...base, kind: 'known', value: hours },
    rehearsal_rule: { ...base, kind: 'known', value: rehearsal },
  };
}

/** What happens by itself at an instant, if nobody does anything. */
function dues(view: HeroView): readonly Due[] {
  const due: Due[] = [];
  const { approval } = view.facts;
  if ((view.state === 'ready' || view.state === 'awaiting_launch') && approval !== undefined && approval !== null) {
    due.push({ name: 'approval', at: new Date(approval.until), on: 'approval_expired' });
  }
  const { onFailure } = view.plan;
  if (view.state === 'awaiting_rollback' && onFailure.kind === 'ask_then_automatic') {
    due.push({ name: 'decision', at: new Date(view.enteredAt.getTime() + onFailure.afterSeconds * 1000), on: 'decision_overdue' });
  }
  const reminder = nextReminder(view);
  if (reminder !== null) due.push({ name: 'reminder', at: reminder, on: 'reminded' });
  return due;
}

/** After how many reminder intervals it is said again that a person is awaited: 15, 30, 60 minutes, then every hour. */
const REMINDERS = [1, 2, 4];
const REMINDERS_APART = 4;

function nextReminder(view: HeroView): Date | null {
  if (!WAITING_FOR_A_PERSON.some((state) => state === view.state)) return null;
  const given = view.history.filter(({ seq, event }) => seq > view.enteredAtSeq && event === 'reminded').length;
  const intervals = REMINDERS[given] ?? REMINDERS_APART * (given - REMINDERS.length + 2);
  return new Date(view.enteredAt.getTime() + intervals * view.plan.limits.reminderSeconds * 1000);
}
