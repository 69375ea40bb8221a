import { answer } from '../read.js';
import type { Need, Readings, Watched } from '../table.js';
import {
  arming,
  awaitingLaunch,
  controlWindow,
  forking,
  launching,
  nothingRunning,
  preflighting,
  ready,
  rearming,
  stoppingOld,
} from './cut.js';
import type { HeroFacts, HeroView } from './facts.js';
import { type HeroMemory, remember, streak, twice } from './memory.js';
import { notesNeeds, takeNotes } from './notes.js';
import { leaverNeeds, whoLeft } from './people.js';
import { HERO_ROWS, type HeroEvent, type HeroState } from './table.js';
import { awaitingPerson, starting, trial, watching } from './trial.js';
import { coordinatorsNeed, nothing, one, type Seen, strangersAmong, type Watcher } from './watcher.js';
import { anchoring, awaitingAnchor, relaunchingOld, replaying, stoppingNew } from './way-back.js';

/** What each state watches. A state that is not here reads nothing: it waits for a person alone, or is final. */
const WATCHERS: Partial<Record<HeroState, Watcher>> = {
  agreed: controlWindow,
  blocked: controlWindow,
  preflighting,
  ready,
  awaiting_launch: awaitingLaunch,
  arming,
  forking,
  stopping_old: stoppingOld,
  nothing_running: nothingRunning,
  rearming,
  launching,
  starting,
  trial,
  awaiting_rollback: awaitingPerson,
  awaiting_decision: awaitingPerson,
  watching,
  stopping_new: stoppingNew,
  anchoring,
  awaiting_anchor: awaitingAnchor,
  relaunching_old: relaunchingOld,
  replaying,
};

export function heroNeeds(view: HeroView, now: Date): readonly Need[] {
  return [...courseNeeds(view, now), ...notesNeeds(view), ...leaverNeeds(view)];
}

function courseNeeds(view: HeroView, now: Date): readonly Need[] {
  if (view.state !== 'held') return watcherOf(view.state)?.needs(view, now) ?? [];
  const needs = watcherOf(view.origin)?.needs(view, now) ?? [];
  return needs.some(({ name }) => name === 'coordinators') ? needs : [...needs, coordinatorsNeed(view)];
}

export function heroWatch(view: HeroView, readings: Readings, memory: HeroMemory | null, now: Date): Watched<HeroFacts, HeroMemory> {
  const current = remember(memory, view.enteredAtSeq);
  const left = whoLeft(view, readings);
  if (left !== null) return one(current, left);
  const seen = view.state === 'held' ? watchHeld(view, readings, current, now) : watchCourse(view, readings, current, now);
  return takeNotes(view, readings, seen, now);
}

function watchCourse(view: HeroView, readings: Readings, memory: HeroMemory, now: Date): Seen {
  return watcherOf(view.state)?.watch(view, readings, memory, now) ?? nothing(memory);
}

function watcherOf(state: string | null): Watcher | undefined {
  return state === null ? undefined : WATCHERS[state as HeroState];
}

/**
 * `held` repeats the readings of the state it came from. What they now prove takes the operation back there with the
 * event; what they do not prove leaves it where it is, and only a person may choose another way out.
 */
function watchHeld(view: HeroView, readings: Readings, memory: HeroMemory, now: Date): Seen {
  const entered = view.history.findLast(({ to, from }) => to === 'held' && from !== 'held');
  if (entered?.event === 'foreign_coordinator') return watchForeign(view, readings, memory);
  const seen = watcherOf(view.origin)?.watch(view, readings, memory, now) ?? nothing(memory);
  const proven = seen.proposals.filter(({ on }) => HERO_ROWS.some((row) => row.from === view.origin && row.on === on && row.to !== 'held'));
  const [first] = proven;
  if (first === undefined) return nothing(seen.memory);
  const event = { ...first, on: NOT_BY_ITSELF[first.on] ?? first.on };
  const back = { on: 'recheck_proved', details: { ...event.details, proves: event.on } } as const;
  return { proposals: [back, event], memory: seen.memory };
}

/** What is proven out of a hold never stops or launches anything by itself: the guards were read before the hold, not after. */
const NOT_BY_ITSELF: Partial<Record<HeroEvent, HeroEvent>> = { fork_proven: 'fork_proven_after_abort', old_gone: 'old_gone_after_abort' };

/** The stranger is gone when two readings list nobody who may not be live in the state it was met in. */
function watchForeign(view: HeroView, readings: Readings, memory: HeroMemory): Seen {
  const reading = answer(readings, 'coordinators', 'coordinators');
  const clear = reading?.kind === 'known' && strangersAmong(view, reading.value).length === 0;
  const next = streak(memory, 'no_stranger', reading, clear);
  if (!twice(next, 'no_stranger')) return nothing(next);
  return one(next, { on: 'recheck_proved', details: { sentence: 'the coordinator that was not expected is no longer live, seen twice' } });
}
