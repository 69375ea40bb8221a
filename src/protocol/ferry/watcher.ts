import type { Reading } from '../reading.js';
import type { Need, Proposal, Readings } from '../table.js';
import type { FerryFacts, FerryView } from './facts.js';
import { type FerryMemory, streak, twice } from './memory.js';
import type { FerryEffect, FerryEvent } from './table.js';

/** What a state of a ferry reads, and what those readings prove. Pure. */
export interface FerryWatcher {
  readonly needs: (view: FerryView, now: Date) => readonly Need[];
  readonly watch: (view: FerryView, readings: Readings, memory: FerryMemory, now: Date) => FerrySeen;
}

export interface FerrySeen {
  readonly proposals: readonly FerryProposal[];
  readonly memory: FerryMemory;
}

export type FerryProposal = Proposal<FerryFacts> & { readonly on: FerryEvent };

export function nothing(memory: FerryMemory): FerrySeen {
  return { proposals: [], memory };
}

export function one(memory: FerryMemory, proposal: FerryProposal): FerrySeen {
  return { proposals: [proposal], memory };
}

/** Seconds since the present state was entered. */
export function secondsIn(view: FerryView, now: Date): number {
  return (now.getTime() - view.enteredAt.getTime()) / 1000;
}

/** Whether an event stands in the history of the present launch: what was told once is not told again. */
export function toldAlready(view: FerryView, event: FerryEvent): boolean {
  const launched = view.history.findLast((entry) => entry.event === 'guards_open')?.seq ?? 0;
  return view.history.some((entry) => entry.event === event && entry.seq > launched);
}

/** Whether nothing of this ferry may still act: then what is not there will not come by itself. */
export function allActsOver(view: FerryView): boolean {
  return view.acting.length === 0;
}

/**
 * The watch of one act on the outside. Done: as soon as it is seen. Absent: only when its process is gone and two readings
 * agree. Anything else by the deadline is not known.
 */
export function settle(
  context: { readonly view: FerryView; readonly memory: FerryMemory; readonly now: Date },
  act: {
    readonly effect: FerryEffect;
    readonly reading: Reading<unknown> | undefined;
    readonly done: FerryProposal | null;
    readonly absent: FerryProposal;
    readonly unknown: FerryProposal;
    readonly limitSeconds: number;
  },
): FerrySeen {
  const { view, memory, now } = context;
  const over = allActsOver(view);
  const next = streak(memory, 'absent', over ? act.reading : undefined, act.done === null);
  if (act.reading?.kind === 'known' && act.done !== null) return one(next, act.done);
  if (twice(next, 'absent')) return one(next, withReport(view, act.effect, act.absent));
  if (secondsIn(view, now) > act.limitSeconds) return one(next, withReport(view, act.effect, act.unknown, act.reading));
  return nothing(next);
}

function withReport(view: FerryView, effect: FerryEffect, proposal: FerryProposal, reading?: Reading<unknown>): FerryProposal {
  const { intent } = view;
  const report =
    intent === null || intent.effect !== effect
      ? ''
      : intent.stage === 'expired'
        ? '; it was never started'
        : intent.problem === null
          ? ''
          : `; the command itself reported: ${intent.problem}`;
  const unread = reading?.kind === 'unknown' ? `; what proves it could not be read (${reading.why})` : '';
  return { ...proposal, details: { ...proposal.details, sentence: `${proposal.details?.sentence ?? ''}${report}${unread}` } };
}
