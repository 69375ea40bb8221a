import { expand, type Standing } from './people.js';
import { type Decision, type JsonObject, type Request, type Row, refuse, rowFor, type View, type Who } from './table.js';

/** Why nothing comes of a request. */
export type Refused = ReturnType<typeof refuse>;

/** What the conditions of a row say: what it leaves on file beside what the request brings, or why it is not taken. */
export type Outcome<Facts> = { readonly kind: 'facts'; readonly facts: Partial<Facts>; readonly details?: JsonObject } | Refused;

/** What a protocol lays down for its own requests. */
export interface Rules<R extends Row, Facts> {
  readonly rows: readonly R[];
  /** They make things safer, so neither an old card nor a late delivery stands in their way while the row exists. */
  readonly neverStale: ReadonlySet<string>;
  /** What needs an age, an expiry or a cut: with a clock that went back none of it may happen. */
  readonly needsAClock: ReadonlySet<string>;
  /** A command or click older than this when it reaches us is not taken. */
  readonly requestSeconds: number;
  readonly forbids: (row: R) => Refused | null;
  /** What a row asks for beside a right. */
  readonly conditions: (row: R) => Outcome<Facts>;
}

/**
 * What is asked of every request, of every protocol, in this order: a row, a card that is not old, a right, a clock that can be
 * trusted, and every condition. It ends in a refusal unless all of them say otherwise. Touches nothing.
 */
export function decideBy<R extends Row, Facts>(
  view: View<unknown, Facts>,
  request: Request<Facts>,
  rules: Rules<R, Facts>,
  now: Date,
): Decision<Facts> {
  const row = rowFor(rules.rows, view.state, request.on);
  if (row === undefined || !rules.neverStale.has(row.on)) {
    const stale = staleness(view, request) ?? tooOld(request.askedAt ?? null, rules.requestSeconds, now);
    if (stale !== null) return stale;
  }
  if (row === undefined) return refuse('no_such_transition', { state: view.state, on: request.on });
  const forbidden = rules.forbids(row);
  if (forbidden !== null) return forbidden;
  if (now < view.lastAt && rules.needsAClock.has(row.on)) {
    return refuse('clock_behind', { lastAt: view.lastAt.toISOString(), now: now.toISOString() });
  }
  const outcome = rules.conditions(row);
  if (outcome.kind === 'refuse') return outcome;
  const to = row.to === '@origin' ? (view.origin ?? view.state) : row.to;
  return {
    kind: 'advance',
    row,
    to,
    facts: { ...request.facts, ...outcome.facts },
    details: { ...request.details, ...outcome.details },
  };
}

/** A button counts for the state and the plan for which it was drawn. Who settled the matter since is said. */
function staleness(
  view: View<unknown, unknown>,
  { drawnFor, drawnForPlan }: Pick<Request<unknown>, 'drawnFor' | 'drawnForPlan'>,
): Refused | null {
  if (drawnFor !== undefined && drawnFor !== view.enteredAtSeq) return refuse('stale_button', settledBy(view));
  if (drawnForPlan !== undefined && drawnForPlan !== view.planHash.slice(0, 8)) return refuse('stale_plan', settledBy(view));
  return null;
}

function settledBy(view: View<unknown, unknown>): JsonObject {
  const last = view.history.find(({ seq }) => seq === view.enteredAtSeq);
  return { state: view.state, event: last?.event ?? '', by: last?.actor ?? '', at: last?.at.toISOString() ?? '' };
}

/** A request that was on its way for too long; null for one that was not, and for what nobody asked. */
export function tooOld(askedAt: Date | null, limitSeconds: number, now: Date): Refused | null {
  if (askedAt === null || now.getTime() - askedAt.getTime() <= limitSeconds * 1000) return null;
  return refuse('too_old', { askedAt: askedAt.toISOString(), limitSeconds });
}

/** Whether one of a list of the fleet file speaks; a row of the bot's own takes nobody else's word, and nobody takes the bot's. */
export function notHeard(
  role: Who,
  listed: readonly string[],
  { by, standing }: { readonly by: string; readonly standing?: Standing | undefined },
): Refused | null {
  if (role === 'bot') return by === 'bot' ? null : refuse('not_allowed', { role, may: [] });
  const may = expand(listed, standing);
  if (may.length === 0) return refuse('nobody_may', { role });
  return may.includes(by) ? null : refuse('not_allowed', { role, may });
}

/** A recheck that was asked for within two ticks is still under way: asking again would only be told again. */
export function justAsked(view: View<unknown, unknown>, tickSeconds: number, now: Date): Refused | null {
  const before = view.history.findLast(({ event, seq }) => event === 'recheck_asked' && seq > view.enteredAtSeq);
  if (before === undefined || (now.getTime() - before.at.getTime()) / 1000 > 2 * tickSeconds) return null;
  return refuse('nothing_changed', { sentence: 'a recheck was asked for', by: before.actor, at: before.at.toISOString() });
}
