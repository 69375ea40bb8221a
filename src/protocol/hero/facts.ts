import type { GateResult } from '../gate/verdict.js';
import type { View } from '../table.js';
import type { HeroPlan } from './plan.js';
import type { Rehearsal } from './rehearsal.js';

/** What the history of a hero deploy has established. Each row may set some; the fold of all rows is the view's facts. */
export interface HeroFacts {
  readonly agreedBy: string | null;
  /** Who has the operation: reminders go to them. */
  readonly takenBy: string | null;
  /** Who had it, or had asked for it, and is no member of the workspace any more. */
  readonly ownerLeft: string;
  readonly approval: Approval | null;
  readonly rehearsal: Rehearsal;
  /** Latched while something is already on its way: no cancel of a thing whose id is not known yet. */
  readonly abortAsked: boolean;
  readonly oldCoordinator: string;
  readonly newCoordinator: string;
  readonly relaunchedCoordinator: string;
  /** Digest of the control's rows in the window, read and frozen before the cut. */
  readonly controlWindow: string;
  readonly controlLastStep: number;
  readonly oldGone: boolean;
  readonly forked: boolean;
  readonly launchedAt: string;
  readonly phase: Phase;
  readonly verdict: GateResult;
  readonly failure: { readonly event: string; readonly sentence: string } | null;
  readonly alertAt: string | null;
  readonly anchor: { readonly step: number; readonly path: string };
  readonly relaunchedAt: string;
  readonly declaredGone: { readonly jobId: string; readonly pods: readonly string[]; readonly by: string } | null;
  readonly unverified: boolean;
  /** Since when the sources of liveness do not answer; null once they all do. */
  readonly blindSince: string | null;
  /** The stand-still that was told and is not over; null once the step moved again. */
  readonly stall: { readonly step: number; readonly since: string } | null;
  /** Digest of the candidate's rows in the window, as they were judged. */
  readonly trialWindow: string;
  /** Where the tracker's comparison report is; null: it could not be published. */
  readonly report: string | null;
  /** Where the chart of the trial is; null: it could not be posted. */
  readonly chart: string | null;
  /** Where the failure issue is; null: it could not be filed. */
  readonly failureIssue: string | null;
}

export interface Approval {
  readonly by: string;
  readonly at: string;
  readonly until: string;
  readonly planHash: string;
  /** The row that entered the gate at which it was given. */
  readonly gateSeq: number;
}

export const PHASES = ['queued', 'restoring', 'compiling', 'first_steps'] as const;
export type Phase = (typeof PHASES)[number];

export type HeroView = View<HeroPlan, HeroFacts>;

/** The approval, if it still covers this plan at this instant. */
export function validApproval(view: HeroView, now: Date): Approval | null {
  const approval = view.facts.approval ?? null;
  if (approval === null || approval.planHash !== view.planHash) return null;
  return new Date(approval.until) > now ? approval : null;
}
