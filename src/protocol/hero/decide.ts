import { decideBy, notHeard, type Refused, tooOld } from '../decide.js';
import type { Standing } from '../people.js';
import { type Decision, refuse } from '../table.js';
import { conditions } from './conditions.js';
import type { HeroFacts, HeroView } from './facts.js';
import { type Context, forbids, type HeroPolicy } from './policy.js';
import { HERO_ROWS, type HeroRow } from './table.js';
import { submitMayCome } from './watcher.js';
import { liveCoordinators } from './way-back.js';

/** What needs an age, an expiry or a cut. With a clock that went back none of it may happen; a rollback may. */
const NEEDS_A_CLOCK: ReadonlySet<string> = new Set([
  'launch_approved',
  'window_known_approved_ahead',
  'guards_open',
  'guards_open_fork_wanted',
  'guards_open_recover',
  'launch_again',
  'go_approved',
  'override',
  'approval_expired',
  'closed',
]);

/** They make things safer, so neither an old card nor a late delivery stands in their way while the row exists. */
export const NEVER_STALE: ReadonlySet<string> = new Set(['cancel_asked', 'abort_asked', 'no_go', 'rollback_asked']);

/** Decide, touch nothing. */
export function decideHero(asked: Context): Decision<HeroFacts> {
  const request = { ...asked.request, on: eventFor(asked) };
  const context = { ...asked, request };
  const { view, policy, now } = context;
  const rules = {
    rows: HERO_ROWS,
    neverStale: NEVER_STALE,
    needsAClock: NEEDS_A_CLOCK,
    requestSeconds: policy.requestSeconds,
    forbids: (row: HeroRow) => forbids(row.who, context),
    conditions: (row: HeroRow) => mayStillLaunch(view, row) ?? conditions(context, row),
  };
  return decideBy(view, request, rules, now);
}

/** Nothing is launched while an earlier submit may still come about. */
function mayStillLaunch(view: HeroView, { then }: HeroRow): Refused | null {
  if ((then !== 'launch_new' && then !== 'launch_old') || !submitMayCome(view)) return null;
  return refuse('not_proven', { needs: 'the earlier submit, which may still act, ended' });
}

/** A new plan touches nothing; it only needs somebody who may ask. */
export function decideNewHero(
  request: { readonly by: string; readonly askedAt: Date | null; readonly standing?: Standing | undefined },
  policy: HeroPolicy,
  now: Date,
): { readonly kind: 'ask' } | ReturnType<typeof refuse> {
  return tooOld(request.askedAt, policy.requestSeconds, now) ?? notHeard('ask', policy.people.ask, request) ?? { kind: 'ask' };
}

/** States out of which the candidate may still be live: only then does a rollback begin with cancelling it. */
const CANDIDATE_MAY_LIVE: ReadonlySet<string> = new Set([
  'launching',
  'starting',
  'trial',
  'awaiting_rollback',
  'awaiting_decision',
  'watching',
  'stopping_new',
]);

/** Out of `held` the same word means different rows: by what may be live, and by whose run is adopted. */
function eventFor({ view, request, watched }: Context): string {
  if (view.state !== 'held') return request.on;
  if (request.on === 'rollback_asked') {
    const cancels = view.facts.newCoordinator !== undefined && CANDIDATE_MAY_LIVE.has(view.origin ?? '');
    return cancels ? 'rollback_asked' : 'rollback_asked_nothing_live';
  }
  if (request.on !== 'adopt') return request.on;
  const found = liveCoordinators(watched.readings).find(({ jobId }) => jobId === request.details?.jobId);
  return found?.runId === view.plan.oldRun ? 'adopt_old' : 'adopt_new';
}
