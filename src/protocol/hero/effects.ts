import type { Effect } from '../table.js';
import { reportTitle } from './asides.js';
import type { HeroFacts, HeroView } from './facts.js';
import { type HeroPlan, metricsOf, windowOf } from './plan.js';
import type { HeroEffect } from './table.js';

/** A command that was put on file is started at once or, after a crash, within this time; later it counts as never started. */
const ACT_WITHIN_MS = 60_000;

/** Nothing depends on what is published: it may come late. */
const PUBLISH_WITHIN_MS = 30 * 60_000;

/** Panels of every comparison report, beside what the gate reads. Source: contracts/iris-and-ferries.md, section 5. */
const REPORT_PANELS = [
  'train_loss',
  'train_cross_entropy_loss',
  'throughput_mfu',
  'throughput_tokens_per_second',
  'moe_drop_fraction',
  'grad_norm_total',
  'memory_peak_gib',
] as const;

/** What acts on the outside: a verb, its arguments from the view, and the reading that proves the outcome. */
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
  publish_report: {
    verb: 'publish_report',
    args: (view) => {
      const { plan, history } = view;
      // A run that is launched again has its report already: the same steps of the same two runs.
      if (history.some(({ event }) => event === 'launched_once')) return null;
      const { start, end } = windowOf(plan);
      const panels = [...new Set([...metricsOf(plan), ...REPORT_PANELS])];
      return { family: plan.family, title: reportTitle(view), control: plan.oldRun, candidate: plan.newRun, from: start, to: end, panels };
    },
    proof: 'the tracker lists a report of that title',
    actWithinMs: PUBLISH_WITHIN_MS,
    aside: true,
  },
  post_chart: {
    verb: 'post_chart',
    args: ({ operationId, seq, state, asides, facts }) => {
      // On the way back it is drawn if nobody was asked before it, and if a window was judged: then nothing was drawn yet.
      const drawn = asides.some(({ effect }) => effect === 'post_chart');
      if (state === 'relaunching_old' && (drawn || facts.trialWindow === undefined)) return null;
      return { operationId, seq: seq + 1 };
    },
    proof: 'the thread holds a file of that title by the bot',
    actWithinMs: PUBLISH_WITHIN_MS,
    aside: true,
  },
  file_failure_issue: {
    verb: 'file_failure_issue',
    args: ({ operationId }) => ({ operationId }),
    proof: "an issue by the bot's own account carries the operation's marker",
    actWithinMs: PUBLISH_WITHIN_MS,
    aside: true,
  },
};

/** A cancel is given one recorded id. A row that would cancel without one is a fault in the table, and must not act. */
function exact(view: HeroView, jobId: string | undefined): string {
  if (jobId === undefined) throw new Error(`${view.operationId} in ${view.state}: no recorded coordinator to cancel`);
  return jobId;
}
