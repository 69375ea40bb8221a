import { z } from 'zod';
import { SwitchName } from './switches.js';
import { Change } from './template.js';

/** What a test or the page can do to the cluster. */
export const ControlAction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('prepare'), change: Change }),
  z.strictObject({ kind: z.literal('switch'), name: SwitchName, on: z.boolean() }),
  /** The live gang and its coordinator end FAILED. */
  z.strictObject({ kind: z.literal('control_dies') }),
  z.strictObject({ kind: z.literal('permanent_checkpoint'), runId: z.string() }),
  /** Runs the launch script of a worktree, as a person would. */
  z.strictObject({ kind: z.literal('launch_by_hand'), dir: z.string() }),
  z.strictObject({ kind: z.literal('cancel_by_hand'), jobId: z.string() }),
  /** Commits another value of a setting of the daily to main, and checks it out where ferries are launched. */
  z.strictObject({ kind: z.literal('change_daily'), setting: z.enum(['LEARNING_RATE', 'STEPS', 'EVAL_EVERY', 'SEED']), value: z.number() }),
  z.strictObject({ kind: z.literal('tag'), name: z.string() }),
  z.strictObject({ kind: z.literal('tagged'), name: z.string() }),
]);
export type ControlAction = z.infer<typeof ControlAction>;
