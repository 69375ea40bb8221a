import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { permanentTree } from './checkpoint-trees.js';
import { writeLaunchRecord, writeStatusIssue } from './launch-record.js';
import type { ObjectStore } from './object-store.js';
import type { Repository } from './repository.js';
import { TRAINER } from './repository.js';
import { repositoryTemplate } from './template.js';
import { TRACKER_PROJECT, type Tracker } from './tracker.js';

const run = promisify(execFile);

/** The run from which everything here descends, and the one that is live at the start. */
export const BASE_RUN = 'hero-base';
export const FIRST_RUN = 'hero-main-step54k';
export const FIRST_STEP = 54_000;
const PRETRAINED_STEPS = 600;

/** Environment that the launch script needs. */
export const LAUNCH_ENVIRONMENT = { IRIS_USER: 'marin', WANDB_API_KEY: 'local-harbour-key' } as const;

/**
 * Builds the world of a new home: the repository, a base checkpoint that was really trained, its tracker run, and the first
 * control run, forked and launched by its own launch script. Throws with the script's words if that does not go through.
 */
export async function setUp(
  world: { readonly repository: Repository; readonly store: ObjectStore; readonly tracker: Tracker },
  issue: { readonly repository: string; readonly issue: number } | null,
): Promise<void> {
  const { repository, store, tracker } = world;
  const template = repositoryTemplate();
  await repository.create(template, 'Add the hero trainer and its launch script');
  const { stdout } = await run(
    process.execPath,
    [
      join(template, TRAINER, 'pretrain.mjs'),
      '--tree',
      permanentTree(BASE_RUN),
      '--step',
      String(FIRST_STEP),
      '--steps',
      String(PRETRAINED_STEPS),
    ],
    { env: { SIMULATED_STORE: store.root } },
  );
  tracker.create(`${TRACKER_PROJECT}/${BASE_RUN}`, FIRST_STEP - 1);
  if (issue !== null) await writeStatusIssue(repository, issue.repository, issue.issue);
  await writeLaunchRecord(repository, {
    runId: FIRST_RUN,
    handoffCheckpoint: stdout.trim(),
    forkFrom: `${BASE_RUN}?_step=${FIRST_STEP - 1}`,
  });
  await repository.commit(`Hand over to ${FIRST_RUN}`);
  await repository.cloneWorktrees();
  for (const action of ['fork-wandb', 'launch'] as const) {
    const report = await repository.launchScript(repository.deployWorktree, action, LAUNCH_ENVIRONMENT);
    if (report.exitCode !== 0) throw new Error(`${action} the first run: exit ${report.exitCode}: ${report.stderr}`);
  }
}
