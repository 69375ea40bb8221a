import type { View } from '../table.js';
import type { LanePlan } from './plan.js';

/** What the history of a lane's schedule has established. */
export interface LaneFacts {
  readonly takenBy: string;
  /** The newest instant that was handled; the next one is the schedule's first after it. */
  readonly lastDue: string;
  /** An instant for which a ferry is being proposed. */
  readonly pending: string | null;
  readonly lastFerry: string;
  /** End of the newest run that succeeded. */
  readonly lastGood: string;
  readonly lastGoodFerry: string;
  readonly overdueToldAt: string;
  readonly waiver: StandingWaiver | null;
}

/** Clears canaries that this lane's schedule asks for, until it ends or is revoked. */
export interface StandingWaiver {
  readonly by: string;
  readonly at: string;
  readonly until: string;
  readonly quote: string;
}

export type LaneView = View<LanePlan, LaneFacts>;

/** The standing waiver, if it holds at this instant, was given by the present owner, and the lane still takes one. */
export function validWaiver(view: LaneView, now: Date): StandingWaiver | null {
  const waiver = view.facts.waiver ?? null;
  if (waiver === null || waiver.by !== view.plan.owner || view.plan.standingWaiverDays === 0) return null;
  return new Date(waiver.until) > now ? waiver : null;
}
