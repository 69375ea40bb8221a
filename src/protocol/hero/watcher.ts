import { type Coordinator, isTerminal } from '../outside.js';
import { answer, evidenceOf, need } from '../read.js';
import type { Need, Proposal, Readings } from '../table.js';
import type { HeroFacts, HeroView } from './facts.js';
import { type HeroMemory, streak, twice } from './memory.js';
import type { HeroEvent } from './table.js';

/** What a state reads, and what those readings prove. Pure. */
export interface Watcher {
  readonly needs: (view: HeroView, now: Date) => readonly Need[];
  readonly watch: (view: HeroView, readings: Readings, memory: HeroMemory, now: Date) => Seen;
}

export interface Seen {
  readonly proposals: readonly HeroProposal[];
  readonly memory: HeroMemory;
}

export type HeroProposal = Proposal<HeroFacts> & { readonly on: HeroEvent };

export function nothing(memory: HeroMemory): Seen {
  return { proposals: [], memory };
}

export function one(memory: HeroMemory, proposal: HeroProposal): Seen {
  return { proposals: [proposal], memory };
}

/** Seconds since the present state was entered. */
export function secondsIn(view: HeroView, now: Date): number {
  return (now.getTime() - view.enteredAt.getTime()) / 1000;
}

/** Whether the process of the effect that this state waits for, and all it started, are gone. None on file counts as over. */
export function actIsOver(view: HeroView, effect: string): boolean {
  const { intent } = view;
  if (intent === null || intent.effect !== effect) return true;
  return intent.stage === 'over' || intent.stage === 'expired';
}

/** An earlier submit that may still come: nothing is launched beside it, whatever is listed now. */
export function submitMayCome(view: HeroView): boolean {
  return view.acting.some((effect) => effect === 'launch_new' || effect === 'launch_old');
}

export function coordinatorsNeed(view: HeroView): Need {
  return need('coordinators', 'coordinators', { family: view.plan.family });
}

/**
 * A coordinator of the family that may not be live now, seen in two readings: somebody launched by hand, or the
 * scheduler made two of one. Neither is cancelled; a person decides.
 */
export function foreign(view: HeroView, readings: Readings, memory: HeroMemory): Seen {
  const reading = answer(readings, 'coordinators', 'coordinators');
  const strangers = reading?.kind === 'known' ? strangersAmong(view, reading.value) : [];
  const counted = streak(memory, 'foreign', reading, strangers.length > 0);
  if (!twice(counted, 'foreign')) return nothing(counted);
  const jobIds = strangers.map(({ jobId }) => jobId);
  return one(counted, {
    on: 'foreign_coordinator',
    details: { jobIds, sentence: `live in the family and not expected now: ${jobIds.join(', ')}` },
    evidence: evidenceOf(reading),
  });
}

/** The coordinators that may not be live in the present state or, while held, in the one from which the hold was entered. */
export function strangersAmong(view: HeroView, all: readonly Coordinator[]): readonly Coordinator[] {
  const expected = whoMayLive(view);
  return all.filter((found) => !isTerminal(found.state) && !expected(found));
}

/** By exact id where it is on file; by run while a launch is on its way, when its id is not known yet. */
function whoMayLive(view: HeroView): (found: Coordinator) => boolean {
  const { plan, facts } = view;
  const leads =
    (jobId: string | undefined, runId: string) =>
    (found: Coordinator): boolean =>
      jobId === undefined ? found.runId === runId : found.jobId === jobId;
  switch (view.origin ?? view.state) {
    case 'ready':
    case 'awaiting_launch':
    case 'arming':
    case 'forking':
    case 'stopping_old':
      return leads(facts.oldCoordinator, plan.oldRun);
    case 'launching':
      return leads(undefined, plan.newRun);
    case 'starting':
    case 'trial':
    case 'awaiting_rollback':
    case 'awaiting_decision':
    case 'watching':
    case 'stopping_new':
      return leads(facts.newCoordinator, plan.newRun);
    case 'relaunching_old':
      return leads(undefined, plan.oldRun);
    case 'replaying':
      return leads(facts.relaunchedCoordinator, plan.oldRun);
    default:
      return () => false;
  }
}
