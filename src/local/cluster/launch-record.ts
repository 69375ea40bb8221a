import { type Repository, TRAINER } from './repository.js';

/** The three values of a commit's launch script. */
export interface LaunchValues {
  readonly runId: string;
  readonly handoffCheckpoint: string;
  /** `<parent run>?_step=<k>`. */
  readonly forkFrom: string;
}

/** Written in place of a value that is not decided yet. */
export const PLACEHOLDER = 'REPLACE_BEFORE_DEPLOYMENT';

/** Writes the launch record into the authors' clone, without committing it. */
export async function writeLaunchRecord(repository: Repository, values: LaunchValues): Promise<void> {
  await repository.edit(`${TRAINER}/current_run.py`, [[/^CURRENT_HERO_RUN_ID = ".*"$/m, `CURRENT_HERO_RUN_ID = "${values.runId}"`]]);
  await repository.edit(`${TRAINER}/trigger_hero.sh`, [
    [/^HANDOFF_CHECKPOINT=".*"$/m, `HANDOFF_CHECKPOINT="${values.handoffCheckpoint}"`],
    [/^WANDB_FORK_FROM=".*"$/m, `WANDB_FORK_FROM="${values.forkFrom}"`],
  ]);
}

/** Writes where the launch script records its launches. */
export async function writeStatusIssue(repository: Repository, name: string, issue: number): Promise<void> {
  await repository.edit(`${TRAINER}/trigger_hero.sh`, [
    [/^STATUS_REPOSITORY=".*"$/m, `STATUS_REPOSITORY="${name}"`],
    [/^STATUS_ISSUE=".*"$/m, `STATUS_ISSUE="${issue}"`],
  ]);
}
