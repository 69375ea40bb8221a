import { z } from 'zod';
import type { Reads, TrackerChild } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import { checkedRunId } from './binding.js';
import { parseJson } from './frames.js';
import type { Outside } from './outside.js';
import { type Parsed, type Question, understood } from './question.js';

const Shown = z.discriminatedUnion('exists', [
  z.strictObject({ exists: z.literal(false) }),
  z.strictObject({
    exists: z.literal(true),
    // Whatever a run was configured with stands here too; only these three are ours.
    config: z.looseObject({
      hero_handoff_checkpoint: z.string().nullish(),
      hero_wandb_fork_from: z.string().nullish(),
      hero_launch_commit: z.string().nullish(),
    }),
    last_step: z.int().nullish(),
  }),
]);

/** The run's page in the tracker. That the tracker does not answer is not that there is no page. */
export function readTrackerChild(outside: Outside, { family, runId }: Reads['tracker_child']['args']): Promise<Reading<TrackerChild>> {
  return outside.ask(trackerQuestion(outside, family, runId));
}

/** The question after one page. Source: contracts/iris-and-ferries.md 4.2, the three keys that a fork writes. */
export function trackerQuestion(outside: Outside, family: string, runId: string): Question<TrackerChild> {
  const { entity, project } = outside.familyOf(family).tracker;
  return {
    name: 'tracker show',
    command: outside.commands.tracker,
    args: ['show', `${entity}/${project}/${checkedRunId(runId)}`],
    parse: parseChild,
  };
}

function parseChild(stdout: string): Parsed<TrackerChild> {
  const shown = parseJson(stdout, Shown);
  if (shown.kind === 'not_understood') return shown;
  if (!shown.value.exists)
    return understood({ exists: false, handoffCheckpoint: null, forkFrom: null, launchCommit: null, lastHistoryStep: null });
  const { config, last_step: lastHistoryStep } = shown.value;
  return understood({
    exists: true,
    handoffCheckpoint: config.hero_handoff_checkpoint ?? null,
    forkFrom: config.hero_wandb_fork_from ?? null,
    launchCommit: config.hero_launch_commit ?? null,
    lastHistoryStep: lastHistoryStep ?? null,
  });
}
