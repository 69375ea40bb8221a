import { type Outcome as Decided, decideBy, notHeard } from '../decide.js';
import { clearerNeed, type LanePeople, lanePeopleFor, whyNotHeard } from '../ferry/people.js';
import { type Decision, type Due, type Protocol, type Readings, type Request, refuse } from '../table.js';
import type { LaneFacts, LaneView } from './facts.js';
import { LanePlan } from './plan.js';
import { LANE_FINALS, LANE_LOCKED, LANE_ROWS, type LaneRow } from './table.js';

export interface LanePolicy {
  readonly lanes: Readonly<Record<string, { readonly people: LanePeople }>>;
  readonly requestSeconds: number;
  /** The first instant of a schedule after a given one, in UTC; null when there is none any more. */
  readonly nextInstant: (cron: string, after: Date) => Date | null;
}

const DAY_MS = 24 * 3600 * 1000;

/** They make things safer: no old card stands in their way, and they are taken from whoever was a member lately. */
const NEVER_STALE: ReadonlySet<string> = new Set(['switched_off', 'waiver_revoked']);

/** What looks forward from now. With a clock that went back an instant could come twice, or a waiver hold for longer. */
const NEEDS_A_CLOCK: ReadonlySet<string> = new Set(['switched_on', 'waiver_given']);

/** The schedule of a lane. It acts on nothing: due instants and people are all that happens to it, and a standing waiver whose giver leaves. */
export function createLane(policy: LanePolicy): Protocol<LanePlan, LaneFacts, null> {
  return {
    name: 'lane',
    rows: LANE_ROWS,
    finals: LANE_FINALS,
    locked: LANE_LOCKED,
    effects: {},
    safe: NEVER_STALE,
    parsePlan: (body) => LanePlan.parse(body),
    subject: (plan) => `schedule:${plan.lane}`,
    decideNew: ({ by }) => (by === 'bot' ? { kind: 'ask' } : refuse('not_allowed', { role: 'bot', may: [] })),
    decide: (view, request, _watched, now) => decide(view, request, policy, now),
    needs: ({ plan, facts: { waiver } }) => (waiver === undefined || waiver === null ? [] : [clearerNeed(plan.lane, waiver.by)]),
    watch: (view, readings) => ({ proposals: voided(view, readings), memory: null }),
    dues: (view) => dues(view, policy),
  };
}

/** A standing waiver ends with its giver: it would have to be given again, by whoever is the owner then. */
function voided(view: LaneView, readings: Readings) {
  const waiver = view.facts.waiver ?? null;
  const words = whyNotHeard(readings);
  if (waiver === null || words === null) return [];
  return [{ on: 'waiver_voided', key: waiver.at, details: { userId: waiver.by, sentence: `whoever gave it ${words}` } }];
}

/** The instant that is due next: the first after the newest that was handled. Null: this schedule has none any more. */
export function nextDue(view: LaneView, policy: Pick<LanePolicy, 'nextInstant'>): Date | null {
  return policy.nextInstant(view.plan.cron, handledUntil(view));
}

/** A schedule looks forward from when it was made: nothing from before is made up for. */
function handledUntil(view: LaneView): Date {
  return view.facts.lastDue === undefined ? (view.history[0]?.at ?? view.lastAt) : new Date(view.facts.lastDue);
}

/** From when on the lane is overdue: so long after the first due instant that has no good run since. */
function overdueFrom(view: LaneView, policy: LanePolicy): { readonly due: Date; readonly at: Date } | null {
  const good = view.facts.lastGood === undefined ? (view.history[0]?.at ?? view.lastAt) : new Date(view.facts.lastGood);
  const on = view.history.findLast(({ event }) => event === 'switched_on')?.at ?? good;
  const due = policy.nextInstant(view.plan.cron, new Date(Math.max(on.getTime(), good.getTime())));
  return due === null ? null : { due, at: new Date(due.getTime() + view.plan.overdueSeconds * 1000) };
}

function dues(view: LaneView, policy: LanePolicy): readonly Due[] {
  if (view.state !== 'scheduled') return [];
  const due = nextDue(view, policy);
  const overdue = overdueFrom(view, policy);
  const told = view.facts.overdueToldAt === undefined ? null : new Date(view.facts.overdueToldAt);
  const again = overdue !== null && told !== null && told >= overdue.at ? new Date(told.getTime() + DAY_MS) : overdue?.at;
  return [
    ...(due === null ? [] : [{ name: 'instant', at: due, on: 'due_came' }]),
    ...(again === undefined ? [] : [{ name: 'overdue', at: again, on: 'overdue' }]),
  ];
}

function decide(view: LaneView, asked: Request<LaneFacts>, policy: LanePolicy, now: Date): Decision<LaneFacts> {
  const instant = asked.on === 'due_came' ? arrival(view, policy, now) : null;
  const request = {
    ...asked,
    on: instant?.on ?? asked.on,
    facts: { ...asked.facts, ...instant?.facts },
    details: { ...asked.details, ...instant?.details },
  };
  const rules = {
    rows: LANE_ROWS,
    neverStale: NEVER_STALE,
    needsAClock: NEEDS_A_CLOCK,
    requestSeconds: policy.requestSeconds,
    forbids: (row: LaneRow) => forbids(view, row, request, policy),
    conditions: (row: LaneRow) => conditions(view, row, request, policy, now),
  };
  return decideBy(view, request, rules, now);
}

interface Arrival {
  readonly on: 'due_came' | 'due_came_late' | 'due_skipped';
  readonly facts: Partial<LaneFacts>;
  readonly details: { readonly instant: string; readonly sentence: string };
}

/** What becomes of the instant that has come: each is a row, the late and the skipped ones say so. */
function arrival(view: LaneView, policy: LanePolicy, now: Date): Arrival | null {
  const due = nextDue(view, policy);
  if (due === null || due > now) return null;
  const instant = due.toISOString();
  const lateMs = now.getTime() - due.getTime();
  const isLate = lateMs > view.plan.lateSeconds * 1000;
  const named = `due ${instant.slice(0, 16)}Z${isLate ? `, late by ${inWords(lateMs)}` : ''}`;
  const skipped = (why: string): Arrival => ({
    on: 'due_skipped',
    facts: { lastDue: instant },
    details: { instant, sentence: `${named}: ${why}` },
  });
  const pending = view.facts.pending ?? null;
  if (pending !== null) return skipped(`the one of ${pending.slice(0, 16)}Z is still being proposed`);
  if (isLate && view.plan.late === 'skip') return skipped('skipped, as this lane does with late ones');
  const facts = { lastDue: instant, pending: instant };
  return { on: isLate ? 'due_came_late' : 'due_came', facts, details: { instant, sentence: named } };
}

function forbids(view: LaneView, { who }: LaneRow, request: Request<LaneFacts>, policy: LanePolicy) {
  if (who === 'approve' && request.by !== view.plan.owner) return refuse('not_the_requester', { clears: view.plan.owner });
  const people = Object.hasOwn(policy.lanes, view.plan.lane) ? policy.lanes[view.plan.lane]?.people : undefined;
  return notHeard(who, who === 'bot' || people === undefined ? [] : lanePeopleFor(who, people), request);
}

type Outcome = Decided<LaneFacts>;

function conditions(view: LaneView, row: LaneRow, { details, by }: Request<LaneFacts>, policy: LanePolicy, now: Date): Outcome {
  const facts = (set: Partial<LaneFacts>, sentence?: string): Outcome => ({
    kind: 'facts',
    facts: set,
    details: sentence === undefined ? {} : { sentence },
  });
  switch (row.on) {
    case 'due_came':
    case 'due_came_late':
    case 'due_skipped':
      return nextDue(view, policy) === null || handledUntil(view) > now
        ? refuse('clock_behind', clocks(view, now))
        : notYet(view, policy, now);
    case 'overdue':
      return overdue(view, policy, now);
    case 'ferry_proposed':
    case 'ferry_not_proposed':
      return facts({ pending: null });
    case 'schedule_changed':
    case 'switched_on':
      return facts({ lastDue: now.toISOString() });
    case 'waiver_given':
      return waiver(view, `${details?.until ?? ''}`, `${details?.reason ?? ''}`, by, now);
    case 'waiver_voided':
    case 'waiver_revoked':
      return (view.facts.waiver ?? null) === null
        ? refuse('nothing_changed', { sentence: 'no standing waiver is on record' })
        : facts({ waiver: null });
    default:
      return facts({});
  }
}

function notYet(view: LaneView, policy: LanePolicy, now: Date): Outcome {
  const due = nextDue(view, policy);
  if (due !== null && due <= now) return { kind: 'facts', facts: {}, details: {} };
  return refuse('not_proven', { needs: `the next due instant, ${due?.toISOString() ?? 'none'}, to have come` });
}

function clocks(view: LaneView, now: Date) {
  return { lastAt: view.lastAt.toISOString(), now: now.toISOString() };
}

function overdue(view: LaneView, policy: LanePolicy, now: Date): Outcome {
  const since = overdueFrom(view, policy);
  if (since === null || since.at > now) return refuse('not_proven', { needs: 'a due run that is overdue' });
  const good =
    view.facts.lastGood === undefined ? 'none on record' : `${view.facts.lastGood.slice(0, 16)}Z (${view.facts.lastGoodFerry ?? '?'})`;
  const sentence = `overdue by ${inWords(now.getTime() - since.due.getTime())}: due ${since.due.toISOString().slice(0, 16)}Z, last good ${good}`;
  return { kind: 'facts', facts: { overdueToldAt: now.toISOString() }, details: { sentence } };
}

/** A person, a scope, an end: this lane's scheduled canaries, by its owner, for so many days at most. */
function waiver(view: LaneView, until: string, quote: string, by: string, now: Date): Outcome {
  const { standingWaiverDays } = view.plan;
  const untilMs = untilOf(until);
  const longestMs = now.getTime() + standingWaiverDays * DAY_MS;
  if (quote.trim() === '') return refuse('reason_missing');
  if (standingWaiverDays === 0 || !(untilMs > now.getTime() && untilMs <= longestMs + DAY_MS)) {
    const needs =
      standingWaiverDays === 0 ? 'a lane that takes standing waivers' : `an end date until=YYYY-MM-DD within ${standingWaiverDays} days`;
    return refuse('not_proven', { needs, isKnown: true });
  }
  const given = { by, at: now.toISOString(), until: new Date(untilMs).toISOString(), quote: quote.trim() };
  return { kind: 'facts', facts: { waiver: given }, details: { sentence: `"${given.quote}", until ${given.until.slice(0, 16)}Z` } };
}

/** An instant; a bare day ends as it ends in UTC. NaN for anything else. */
function untilOf(text: string): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Date.parse(`${text}T23:59:59.000Z`);
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(text) ? Date.parse(text) : Number.NaN;
}

function inWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
