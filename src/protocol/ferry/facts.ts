import type { View } from '../table.js';
import type { Pull } from './outside.js';
import type { FerryPlan } from './plan.js';

/** What became of a run, by scheduler and evidence together. */
export type Outcome = 'succeeded' | 'failed' | 'stopped' | 'unverified';

/** What the history of a ferry has established. Each row may set some; the fold of all rows is the view's facts. */
export interface FerryFacts {
  readonly takenBy: string;
  /** The issue in which the proposal stands and the end is told. */
  readonly runIssue: { readonly number: number; readonly url: string };
  readonly clearance: Clearance | null;
  /** Whoever alone can clear this run, once they are known to be gone; null when they have cleared it since. */
  readonly clearerLeft: string | null;
  /** Latched while a submit is on its way: no cancel of a job whose id is not known yet. */
  readonly abortAsked: boolean;
  /** Launches that were put on file, from 1: names what a submit is called. */
  readonly attempt: number;
  readonly jobId: string;
  readonly launchedAt: string;
  readonly grantedAt: string | null;
  /** The run of this launch; null until the tracker shows it. */
  readonly tracker: { readonly name: string; readonly url: string } | null;
  readonly outcome: Outcome;
  /** Why the outcome is what it is. */
  readonly verdict: string;
  readonly endedAt: string;
  readonly lastStep: number | null;
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly observations: readonly string[];
  readonly diagnosis: readonly string[];
  readonly category: string;
  readonly failureIssue: { readonly number: number; readonly url: string } | null;
  /** The closed issue that a new one links. */
  readonly closedIssue: number | null;
  readonly fixUsed: boolean;
  readonly sealBase: string;
  readonly sealFileSha: string;
  readonly sealText: string;
  readonly sealPull: Pick<Pull, 'number' | 'url'>;
  readonly sealedTag: string;
}

/** What lets one launch go: one's own approval, one's waiver for this run, or a standing waiver on record. */
export interface Clearance {
  readonly kind: 'approval' | 'waiver' | 'standing';
  readonly by: string;
  readonly at: string;
  readonly until: string;
  readonly planHash: string;
  /** What was said, for a waiver; where it stands, for a standing one. */
  readonly quote: string | null;
}

export type FerryView = View<FerryPlan, FerryFacts>;

/** The clearance, if it still covers this plan at this instant. */
export function validClearance(view: FerryView, now: Date): Clearance | null {
  const clearance = view.facts.clearance ?? null;
  if (clearance === null || clearance.planHash !== view.planHash) return null;
  return new Date(clearance.until) > now ? clearance : null;
}

/** The branch on which a ferry's log entry is written: one an operation, so that it is found again. */
export function logBranch(view: FerryView): string {
  return `ferry-log/${view.operationId}`;
}
