import { answer, need } from '../read.js';
import type { Need, Readings } from '../table.js';
import type { HeroView } from './facts.js';
import { type GuardAnswer, guard, guardOfBoth, type Occasion } from './guard.js';

/** A stamp so far ahead of our clock is no stamp of now. */
const AHEAD_SECONDS_MAX = 60;

export function podNeeds({ plan, facts }: HeroView, occasion: Occasion): readonly Need[] {
  const { family, kind, oldRun, newRun } = plan;
  const byRun = need('old_run_pods', 'run_pods', { family, runId: oldRun });
  if (kind === 'recover') return [byRun, need('new_run_pods', 'run_pods', { family, runId: newRun })];
  const { oldCoordinator } = facts;
  return isByJob(occasion, oldCoordinator) ? [need('old_pods', 'pods', { family, jobId: oldCoordinator })] : [byRun];
}

/** By the exact job once the cut is near: what will have to be proven gone. A first look asks for whatever leads the run now. */
function isByJob(occasion: Occasion, oldCoordinator: string | undefined): oldCoordinator is string {
  return oldCoordinator !== undefined && (occasion === 'arming' || occasion === 'rearming');
}

/** The scheduler goes on listing a run hours after its processes died: only steps that move say that there is a control. */
export function oldRun({ plan }: HeroView, readings: Readings): GuardAnswer {
  const reading = answer(readings, 'last_step', 'old_last_step');
  return guard('old run', reading, ({ step, atMs }) => {
    if (reading === undefined || step === null || atMs === null) return ['unknown', `telemetry holds no step of ${plan.oldRun}`];
    const age = Math.round((reading.readAt.getTime() - atMs) / 1000);
    if (age < -AHEAD_SECONDS_MAX)
      return ['unknown', `its newest step is stamped ${-age} s from now: a clock is wrong, ours or the trainer's`];
    if (age > plan.limits.hangSeconds)
      return [
        'unknown',
        `its newest step, ${step}, is ${Math.round(age / 60) >= 2 ? `${Math.round(age / 60)} min` : `${age} s`} old: stale, so treat it as not running well. Wait until it steps again, or find out what holds it`,
      ];
    return ['open', `${plan.oldRun} stepped to ${step} ${Math.max(0, age)} s before it was asked`];
  });
}

/** The witness of every stop, and what a new gang must not meet. */
export function pods(view: HeroView, readings: Readings, occasion: Occasion): GuardAnswer {
  if (view.plan.kind === 'recover') return deadPods(view, readings);
  if (occasion === 'rearming') return oldPods(view, readings);
  const { oldCoordinator } = view.facts;
  const reading = isByJob(occasion, oldCoordinator) ? answer(readings, 'pods', 'old_pods') : answer(readings, 'run_pods', 'old_run_pods');
  return guard('pods', reading, (all) =>
    all.length === 0
      ? ['unknown', `no pod of ${view.plan.oldRun} is listed although it runs: whoever looks there would take it for gone`]
      : ['open', `${all.length} pods of ${oldCoordinator ?? view.plan.oldRun} can be read`],
  );
}

/** A terminal coordinator is not enough: ranks of the new gang would meet those of the old one. */
function oldPods({ facts, plan }: HeroView, readings: Readings): GuardAnswer {
  const { oldCoordinator, declaredGone } = facts;
  if (oldCoordinator === undefined) {
    return guard('pods', answer(readings, 'run_pods', 'old_run_pods'), (all) =>
      all.length === 0 ? ['open', `${plan.oldRun} has no pods`] : ['shut', left(plan.oldRun, all)],
    );
  }
  const declared = declaredGone?.jobId === oldCoordinator ? declaredGone.pods : [];
  return guard('pods', answer(readings, 'pods', 'old_pods'), (all) => {
    if (all.length === 0) return ['open', `${oldCoordinator} has no pods`];
    return all.every(({ name }) => declared.includes(name))
      ? ['open', `the ${all.length} pods still listed of ${oldCoordinator} were declared gone by name`]
      : ['shut', left(oldCoordinator, all)];
  });
}

/** Of a run that died nobody may have the job id any more: all pods of its run count, and those of the run before it. */
function deadPods({ plan }: HeroView, readings: Readings): GuardAnswer {
  const dead = answer(readings, 'run_pods', 'new_run_pods');
  return guardOfBoth('pods', dead, answer(readings, 'run_pods', 'old_run_pods'), (own, before) => {
    if (own.length > 0) return ['shut', left(plan.newRun, own)];
    if (before.length > 0) return ['shut', left(plan.oldRun, before)];
    return ['open', `neither ${plan.newRun} nor ${plan.oldRun} has a pod left`];
  });
}

function left(whose: string, all: readonly { readonly name: string }[]): string {
  return `${whose} still has ${all.length} pods, the first is ${all[0]?.name}: a new gang would meet them. Wait until they are gone, or delete them`;
}
