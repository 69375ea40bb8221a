import type { Effect } from '../table.js';
import type { HeroFacts, HeroView } from './facts.js';
import type { HeroPlan } from './plan.js';
import type { HeroEffect } from './table.js';

/** A command that was put on file is started at once or, after a crash, within this time; later it counts as never started. */
const ACT_WITHIN_MS = 60_000;

/** What acts on the cluster: a verb, its arguments from the view, and the reading that proves the outcome. */
export const HERO_EFFECTS: Readonly<Record<HeroEffect, Effect<HeroPlan, HeroFacts> | 'reads'>> = {
  read_guards: 'reads',
  read_anchor: 'reads',
  fork: {
    verb: 'fork_tracker',
    args: ({ plan }) => ({ family: plan.family, dir: plan.deploy.worktree }),
    proof: 'the tracker holds the child with the agreed checkpoint, fork point and commit',
    actWithinMs: ACT_WITHIN_MS,
  },
  cancel_old: {
    verb: 'cancel',
    args: (view) => ({ family: view.plan.family, jobId: exact(view, view.facts.oldCoordinator) }),
    proof: 'the coordinator is terminal twice and has no pods twice',
    actWithinMs: ACT_WITHIN_MS,
  },
  launch_new: {
    verb: 'launch',
    args: ({ plan }) => ({ family: plan.family, dir: plan.deploy.worktree }),
    proof: 'exactly one live coordinator of the new run',
    actWithinMs: ACT_WITHIN_MS,
  },
  cancel_new: {
    verb: 'cancel',
    args: (view) => ({ family: view.plan.family, jobId: exact(view, view.facts.newCoordinator) }),
    proof: 'the coordinator is terminal twice and has no pods twice',
    actWithinMs: ACT_WITHIN_MS,
  },
  launch_old: {
    verb: 'launch',
    args: ({ plan }) => ({ family: plan.family, dir: plan.rollback.worktree }),
    proof: 'exactly one live coordinator of the old run',
    actWithinMs: ACT_WITHIN_MS,
  },
};

/** A cancel is given one recorded id. A row that would cancel without one is a fault in the table, and must not act. */
function exact(view: HeroView, jobId: string | undefined): string {
  if (jobId === undefined) throw new Error(`${view.operationId} in ${view.state}: no recorded coordinator to cancel`);
  return jobId;
}
