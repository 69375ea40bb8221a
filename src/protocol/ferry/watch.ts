import type { Need, Readings, Watched } from '../table.js';
import { commenting, concluding, reporting, triage } from './closing.js';
import type { FerryFacts, FerryView } from './facts.js';
import { arming, cleared, launching, proposed } from './launch.js';
import { type FerryMemory, remember } from './memory.js';
import { draft, filing } from './proposal.js';
import { running, stopping, verifying } from './run.js';
import { branching, labelling, logging, opening, sealing, tagging } from './seal.js';
import { FERRY_ROWS, type FerryState } from './table.js';
import { type FerrySeen, type FerryWatcher, nothing } from './watcher.js';

/** What each state watches. A state that is not here reads nothing: it waits for a person alone, or is final. */
const WATCHERS: Partial<Record<FerryState, FerryWatcher>> = {
  draft,
  filing,
  proposed,
  cleared,
  arming,
  launching,
  running,
  stopping,
  verifying,
  concluding,
  commenting,
  triage,
  reporting,
  sealing,
  tagging,
  branching,
  logging,
  opening,
  labelling,
};

export function ferryNeeds(view: FerryView, now: Date): readonly Need[] {
  return watcherOf(view.state === 'held' ? view.origin : view.state)?.needs(view, now) ?? [];
}

export function ferryWatch(view: FerryView, readings: Readings, memory: FerryMemory | null, now: Date): Watched<FerryFacts, FerryMemory> {
  const current = remember(memory, view.enteredAtSeq, now);
  if (view.state === 'held') return watchHeld(view, readings, current, now);
  return watcherOf(view.state)?.watch(view, readings, current, now) ?? nothing(current);
}

function watcherOf(state: string | null): FerryWatcher | undefined {
  return state === null ? undefined : WATCHERS[state as FerryState];
}

/**
 * `held` repeats the readings of the state it came from. What they now prove takes the ferry back there with the event;
 * what is only told on the way proves nothing, and the rest is a person's.
 */
function watchHeld(view: FerryView, readings: Readings, memory: FerryMemory, now: Date): FerrySeen {
  const seen = watcherOf(view.origin)?.watch(view, readings, memory, now) ?? nothing(memory);
  const first = seen.proposals.find(({ on }) =>
    FERRY_ROWS.some((row) => row.from === view.origin && row.on === on && row.to !== 'held' && row.to !== row.from),
  );
  // A job that was in doubt and is the one job of its name again: back to its watch.
  const clear = view.origin === 'running' && seen.memory.streaks.doubt?.count === 0 && seen.memory.seenAt !== null;
  if (first === undefined) return clear ? { proposals: [{ on: 'recheck_proved' }], memory: seen.memory } : nothing(seen.memory);
  return { proposals: [{ on: 'recheck_proved', details: { ...first.details, proves: first.on } }, first], memory: seen.memory };
}
