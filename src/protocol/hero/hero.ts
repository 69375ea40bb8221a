import type { Due, Protocol } from '../table.js';
import { decideHero, decideNewHero, type HeroPolicy } from './decide.js';
import { HERO_EFFECTS } from './effects.js';
import type { HeroFacts, HeroView } from './facts.js';
import type { HeroMemory } from './memory.js';
import { HeroPlan } from './plan.js';
import { HERO_FINALS, HERO_LOCKED, HERO_ROWS } from './table.js';
import { heroNeeds, heroWatch } from './watch.js';

/** The hero protocol: swapping the live training run for a code change, with the people and limits of a fleet file. */
export function createHero(policy: HeroPolicy): Protocol<HeroPlan, HeroFacts, HeroMemory> {
  return {
    name: 'hero',
    rows: HERO_ROWS,
    finals: HERO_FINALS,
    locked: HERO_LOCKED,
    effects: HERO_EFFECTS,
    parsePlan: (body) => HeroPlan.parse(body),
    subject: (plan) => `family:${plan.family}`,
    decideNew: (request, now) => decideNewHero(request, policy, now),
    decide: (view, request, watched, now) => decideHero({ view, request, watched, policy, now }),
    needs: heroNeeds,
    watch: heroWatch,
    dues,
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
  return due;
}
