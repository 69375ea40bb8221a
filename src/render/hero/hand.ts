import type { HeroView } from '../../protocol/hero/facts.js';
import { code, say, type Text, words } from '../text.js';

/** How the commands of a fleet are typed by a person; nothing in it is a secret. */
export interface HandTools {
  readonly iris: readonly string[];
  readonly cluster: string;
  readonly launcher: readonly string[];
  readonly launchScript: string;
  readonly user: string;
}

/** What a person types to go on without the bot: exact commands, where, and what they should print. */
export function handKit(view: HeroView, tools: HandTools): readonly Text[] {
  const { plan, facts } = view;
  const list = say`See what is live: ${line([...tools.iris, '--cluster', tools.cluster, 'job', 'list', '--prefix', `/${tools.user}/hero-`])}`;
  const cancelOld = cancel(tools, facts.oldCoordinator ?? `the coordinator of ${plan.oldRun}`);
  const cancelNew = cancel(tools, facts.newCoordinator ?? `the coordinator of ${plan.newRun}`);
  const launchNew = launch(tools, plan.deploy.worktree, 'launch', plan.newRun);
  const launchOld = launch(tools, plan.rollback.worktree, 'launch', plan.oldRun);
  const steps: Readonly<Record<string, readonly Text[]>> = {
    forking: launch(tools, plan.deploy.worktree, 'fork-wandb', plan.newRun),
    stopping_old: [...cancelOld, ...launchNew],
    nothing_running: [say`Forward:`, ...launchNew, say`Or back:`, ...launchOld],
    launching: launchNew,
    starting: [say`Back:`, ...cancelNew, ...launchOld],
    trial: [say`Back:`, ...cancelNew, ...launchOld],
    awaiting_rollback: [...cancelNew, ...launchOld],
    awaiting_decision: [say`Back:`, ...cancelNew, ...launchOld],
    watching: [say`Back:`, ...cancelNew, ...launchOld],
    stopping_new: [...cancelNew, ...launchOld],
    anchoring: launchOld,
    awaiting_anchor: launchOld,
    relaunching_old: launchOld,
    held: [
      say`First find out what is live. Then, as it proves: stop`,
      ...cancelOld,
      ...cancelNew,
      say`or launch`,
      ...launchNew,
      ...launchOld,
    ],
  };
  const own = steps[view.state];
  if (own === undefined) return [say`${view.operationId} is ${words(view.state.replaceAll('_', ' '))}: nothing has to be done by hand.`];
  return [
    say`By hand, ${view.operationId} (${words(view.state.replaceAll('_', ' '))}). The bot reads on: what you did is found, and offered to be adopted.`,
    list,
    ...own,
  ];
}

function cancel(tools: HandTools, jobId: string): readonly Text[] {
  return [
    say`Stop: ${line([...tools.iris, '--cluster', tools.cluster, 'job', 'stop', '--exact', jobId])}`,
    say`It prints the id under "Terminated jobs:". It is gone when its state is killed and it has no pods, each seen twice.`,
  ];
}

function launch(tools: HandTools, worktree: string, subCommand: string, runId: string): readonly Text[] {
  return [
    say`In ${worktree}, pristine: ${`IRIS_USER=${tools.user} ${[...tools.launcher, tools.launchScript, subCommand].join(' ')}`} with ${'WANDB_API_KEY'} set.`,
    say`Its last line is the job id, ${`/${tools.user}/${runId}-coord-…`}. Look that exactly one is live. Never run it a second time on doubt.`,
  ];
}

function line(argv: readonly string[]): ReturnType<typeof code> {
  return code(argv.map((part) => (/^[A-Za-z0-9_./:=,@-]+$/.test(part) ? part : `'${part}'`)).join(' '));
}
