import type { Due, Protocol } from '../table.js';
import { decideFerry, decideNewFerry, type FerryPolicy, NEVER_STALE } from './decide.js';
import { type FerryDocuments, ferryEffects } from './effects.js';
import type { FerryFacts, FerryView } from './facts.js';
import type { FerryMemory } from './memory.js';
import { FerryPlan } from './plan.js';
import { FERRY_FINALS, FERRY_LOCKED, FERRY_ROWS, FERRY_WAITS } from './table.js';
import { ferryNeeds, ferryWatch } from './watch.js';

/** The ferry protocol: canaries and dailies, with the people of a fleet file and what is written on GitHub. */
export function createFerry(policy: FerryPolicy, documents: FerryDocuments): Protocol<FerryPlan, FerryFacts, FerryMemory> {
  return {
    name: 'ferry',
    rows: FERRY_ROWS,
    finals: FERRY_FINALS,
    locked: FERRY_LOCKED,
    effects: ferryEffects(documents),
    safe: NEVER_STALE,
    parsePlan: (body) => FerryPlan.parse(body),
    subject: (plan) => `lane:${plan.lane}`,
    decideNew: (request, now) => decideNewFerry(request, policy, now),
    decide: (view, request, watched, now) => decideFerry({ view, request, watched, policy, now }),
    needs: ferryNeeds,
    watch: ferryWatch,
    dues,
  };
}

/** What happens by itself at an instant, if nobody does anything. */
function dues(view: FerryView): readonly Due[] {
  const { clearance } = view.facts;
  if (view.state === 'cleared' && clearance !== undefined && clearance !== null) {
    return [{ name: 'clearance', at: new Date(clearance.until), on: 'clearance_expired' }];
  }
  if (!FERRY_WAITS.some((state) => state === view.state)) return [];
  const given = view.history.filter(({ seq, event }) => seq > view.enteredAtSeq && event === 'reminded').length;
  // Said again at 1, 2, 4, 8 … intervals: a seal that waits over a weekend is not said a hundred times.
  const at = view.enteredAt.getTime() + 2 ** given * view.plan.limits.reminderSeconds * 1000;
  return [{ name: 'reminder', at: new Date(at), on: 'reminded' }];
}
