import { z } from 'zod';
import { metricsRead } from '../gate/criterion.js';

/**
 * What people agree to. Every field decides what will be done, and so is covered by the plan's hash; where a value
 * was inferred is kept beside the plan, not in it.
 */

/** A new run's id: `hero-<change>-step<N>k`. ASCII only, bounded, never starting like an option. */
export const NEW_RUN_ID = /^hero-[A-Za-z0-9][A-Za-z0-9_.-]{0,80}-step[0-9]{1,9}k?$/;
/** Ids of runs that exist already deviate in form; their characters do not. */
export const RUN_ID = /^hero-[A-Za-z0-9][A-Za-z0-9_.-]{0,100}$/;
const COMMIT = /^[0-9a-f]{40}$/;

const RunId = z.string().regex(RUN_ID, 'a run id: hero-… of letters, digits, "_", "." and "-"');
const NewRunId = z.string().regex(NEW_RUN_ID, 'a new run id: hero-<change>-step<N>k of letters, digits, "_", "." and "-"');
const Sha = z.string().regex(COMMIT, 'a full commit id of 40 hex digits');
const Step = z.int().min(0).max(1_000_000_000);
const Seconds = z.number().positive();

const Size = z.strictObject({ abs: z.number().positive().optional(), rel: z.number().positive().optional() });
const Share = z.number().gt(0).max(1);
const Reported = { id: z.string().min(1), reportOnly: z.boolean().optional() };
const Sampled = {
  ...Reported,
  metric: z.string().min(1),
  was: z.string().min(1).optional(),
  skipFirst: z.int().min(0).optional(),
  logEvery: z.int().min(1),
  logPhase: z.int().min(0).optional(),
  minCoverage: Share.optional(),
  maxGap: z.int().min(0).optional(),
  nonFinite: z.enum(['fail', 'gap']).optional(),
};
const Compared = {
  ...Sampled,
  better: z.enum(['lower', 'higher']),
  sameBatches: z.boolean().optional(),
  minN: z.int().min(1).optional(),
};
const Criterion = z.discriminatedUnion('kind', [
  z.strictObject({ ...Compared, kind: z.enum(['tracks', 'not-worse']), margin: Size }),
  z.strictObject({ ...Compared, kind: z.literal('improves-by'), expect: Size, atLeastFrac: Share.optional() }),
  z.strictObject({
    ...Sampled,
    kind: z.literal('bounded'),
    min: z.number().optional(),
    max: z.number().optional(),
    minName: z.string().optional(),
    maxName: z.string().optional(),
    allow: z.number().min(0).optional(),
  }),
  z.strictObject({
    ...Reported,
    kind: z.literal('absent'),
    allow: z.int().min(0).optional(),
    maxBlindSeconds: z.number().positive().optional(),
  }),
]);

export const HeroPlan = z
  .strictObject({
    kind: z.enum(['swap', 'recover']),
    family: z.string().min(1),
    oldRun: RunId,
    newRun: NewRunId,
    handoffStep: Step,
    handoffCheckpoint: z.string().regex(/\/step-[0-9]+\/?$/, 'a checkpoint path that ends in step-<N>'),
    windowSteps: z.int().min(20).max(10_000),
    /** The most steps of the control that the cut may throw away: window plus overshoot. */
    discardedStepsMax: z.int().min(20),
    deploy: z.strictObject({ worktree: z.string().min(1), commit: Sha }),
    rollback: z.strictObject({ worktree: z.string().min(1), commit: Sha }),
    /** Every commit reachable from the deploy commit and not from the rollback commit, oldest first. */
    commits: z.array(z.strictObject({ sha: Sha, subject: z.string() })),
    /** `<parent run>?_step=<k>`, or null when no child is wanted in the tracker. */
    forkFrom: z.string().nullable(),
    gate: z.array(Criterion).min(1, 'a gate has at least one criterion'),
    /** What a failed gate does when nobody answers. */
    onFailure: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('ask') }),
      z.strictObject({ kind: z.literal('ask_then_automatic'), afterSeconds: Seconds }),
      z.strictObject({ kind: z.literal('automatic') }),
    ]),
    limits: z.strictObject({
      queuedSeconds: Seconds,
      startUpSeconds: Seconds,
      /** What a healthy run may pause beside its pace before a stall is suspected: a checkpoint and late telemetry. */
      stallSeconds: Seconds,
      evaluationSeconds: Seconds.optional(),
      /** Every how many steps the run is evaluated, which takes up to `evaluationSeconds`; 0: never. */
      evaluationEverySteps: z.int().min(0).optional(),
      hangSeconds: Seconds,
      cancelSeconds: Seconds,
      launchSeconds: Seconds,
      watchSeconds: Seconds,
      guardsSeconds: Seconds,
      approvalSeconds: Seconds,
      reminderSeconds: Seconds,
    }),
    workingHours: z.strictObject({ zone: z.string(), from: z.string(), until: z.string(), days: z.array(z.string()).min(1) }),
    /** From the cut to a finished rollback, at the control's pace: what must still fit into working hours. */
    roundTripSeconds: Seconds,
    /** The control's own, measured when the plan was made; 0 when it had too few rows. */
    paceSecondsPerStep: z.number().min(0),
    gang: z.strictObject({ tasks: z.int().min(1), devices: z.int().min(1) }),
    requesterMayApprove: z.boolean(),
    /** Whether the trainer repeats a step bit by bit: then a replay must equal the run's own rows exactly. */
    deterministic: z.boolean().optional(),
    /** Standing alerts, reported and not judged: raised when so many of a metric's newest rows lie outside. */
    alerts: z
      .array(
        z.strictObject({
          metric: z.string().min(1),
          above: z.number().optional(),
          below: z.number().optional(),
          rows: z.int().min(1),
        }),
      )
      .max(40)
      .optional(),
    /** What the window does not exercise, said beside its verdict. */
    notExercised: z.array(z.string().min(1).max(200)).max(20).optional(),
    /** What else people changed for this swap, and what to undo when it is rolled back. */
    downstream: z
      .array(z.strictObject({ what: z.string().min(1).max(200), undo: z.string().min(1).max(200) }))
      .max(20)
      .optional(),
    reason: z.string().min(1).max(500),
  })
  .refine((plan) => plan.oldRun !== plan.newRun, { path: ['newRun'], message: 'the new run must have an id of its own' })
  .refine((plan) => Number(/step-([0-9]+)\/?$/.exec(plan.handoffCheckpoint)?.[1]) === plan.handoffStep, {
    path: ['handoffCheckpoint'],
    message: 'does not name the handoff step',
  })
  .refine((plan) => plan.discardedStepsMax >= plan.windowSteps, {
    path: ['discardedStepsMax'],
    message: 'is below the window, so the control could never cover it',
  });

export type HeroPlan = z.infer<typeof HeroPlan>;

/** First and last step that are judged, both included. */
export function windowOf(plan: HeroPlan): { readonly start: number; readonly end: number } {
  return { start: plan.handoffStep, end: plan.handoffStep + plan.windowSteps };
}

/** Metrics that the gate reads, each once. */
export function metricsOf(plan: HeroPlan): readonly string[] {
  return [...new Set(['train_loss', ...plan.gate.flatMap(metricsRead)])];
}
