import type { LaunchIdentity } from '../outside.js';
import { isTerminal } from '../outside.js';
import { answer, need } from '../read.js';
import type { Reading } from '../reading.js';
import type { Need, Readings } from '../table.js';
import type { HeroView } from './facts.js';
import { type GuardAnswer, guard, guardOfBoth } from './guard.js';

export function identityNeeds({ plan }: HeroView): readonly Need[] {
  const { family, deploy, rollback, oldRun } = plan;
  return [
    need('deploy_identity', 'launch_identity', { family, dir: deploy.worktree }),
    need('rollback_identity', 'launch_identity', { family, dir: rollback.worktree }),
    need('old_tracker', 'tracker_child', { family, runId: oldRun }),
  ];
}

/** A launch under another name than the old run's would be looked for, and stopped, in the wrong place. */
export function user(view: HeroView, readings: Readings): GuardAnswer {
  const deploy = answer(readings, 'launch_identity', 'deploy_identity');
  const rollback = answer(readings, 'launch_identity', 'rollback_identity');
  const running = ownerOfOldRun(view, readings);
  if (running?.kind === 'unknown') return guard('user', running, () => ['unknown', '']);
  return guardOfBoth('user', deploy, rollback, (ahead, back) => {
    const wanted = running?.value ?? view.plan.user;
    const whose = running?.value === undefined ? 'agreed was' : 'the old run belongs to';
    if (ahead.user !== wanted)
      return ['shut', `the new run would be launched as ${ahead.user}, ${whose} ${wanted}: mend the launch script or the plan`];
    if (back.user !== wanted)
      return ['shut', `a rollback would be launched as ${back.user}, ${whose} ${wanted}: mend the user of the fleet file`];
    return ['open', `both launches go out as ${wanted}`];
  });
}

/** By its live coordinator, else by the id on file; undefined where neither is there, as for a run that is dead. */
function ownerOfOldRun(view: HeroView, readings: Readings): Reading<string> | undefined {
  const listed = answer(readings, 'coordinators', 'coordinators');
  if (listed === undefined || listed.kind === 'unknown') return listed;
  const live = listed.value.find(({ runId, state }) => runId === view.plan.oldRun && !isTerminal(state));
  const owner = live?.user ?? /^\/([^/]+)\//.exec(view.facts.oldCoordinator ?? '')?.[1];
  return owner === undefined ? undefined : { ...listed, value: owner };
}

/** A run whose rows go to another project is one that nobody finds. */
export function trackerProject({ plan }: HeroView, readings: Readings): GuardAnswer {
  const { entity, project } = plan.tracker;
  const deploy = answer(readings, 'launch_identity', 'deploy_identity');
  const rollback: Reading<LaunchIdentity> | undefined = answer(readings, 'launch_identity', 'rollback_identity');
  if (rollback?.kind !== 'known') return guard('tracker project', rollback, () => ['unknown', '']);
  return guardOfBoth('tracker project', deploy, answer(readings, 'tracker_child', 'old_tracker'), (ahead, page) => {
    if (ahead.project === null) return ['unknown', 'the launch script of the deploy worktree names no tracker project: name it there'];
    if (ahead.project !== project)
      return ['shut', `the new run would log to ${ahead.project}, agreed was ${project}: mend the launch script`];
    // A script of old may leave it out: then the page that its run has is what counts.
    if (rollback.value.project !== null && rollback.value.project !== project)
      return ['shut', `a rollback would log to ${rollback.value.project}, agreed was ${project}: mend the rollback worktree`];
    if (!page.exists) return ['shut', `${plan.oldRun} has no page in ${entity}/${project}: it logs to another project than agreed`];
    return ['open', `both runs log to ${entity}/${project}`];
  });
}
