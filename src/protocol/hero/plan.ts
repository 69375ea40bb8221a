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

const Line = z.string().trim().min(1, 'says nothing').max(300, 'is longer than 300 characters');
const UserId = z.string().regex(/^[UW][A-Z0-9]{2,}$/, 'a Slack user id');
const CheckpointPath = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,9}:\/\/[A-Za-z0-9][A-Za-z0-9_./=+-]*\/step-[0-9]+\/?$/, 'a checkpoint path that ends in step-<N>');

/** What is written down of the run that will be launched: enough to find it, to repeat it and to know when it ends. */
const RunRecord = z.strictObject({
  /** The launch as it will be run, in the deploy worktree; secrets come by environment and never stand in it. */
  command: z.array(z.string()).min(1),
  outputRoot: z.string().min(1),
  retention: Line.nullable(),
});

export const HeroPlan = z
  .strictObject({
    kind: z.enum(['swap', 'recover']),
    family: z.string().min(1),
    oldRun: RunId,
    newRun: NewRunId,
    handoffStep: Step,
    handoffCheckpoint: z.string().regex(/\/step-[0-9]+\/?$/, 'a checkpoint path that ends in step-<N>'),
    /** A handoff that is not permanent, agreed to because a copy of it exists: where, as an object-store path. */
    permanentWaiver: z.strictObject({ copy: CheckpointPath }).nullable(),
    windowSteps: z.int().min(20, 'must be at least 20').max(10_000, 'must be at most 10,000'),
    /** The step at which the run ends by itself. */
    finalStep: Step.min(1),
    /** The most steps of the control that the cut may throw away: window plus overshoot. */
    discardedStepsMax: z.int().min(20, 'must be at least 20'),
    deploy: z.strictObject({ worktree: z.string().min(1), commit: Sha }),
    rollback: z.strictObject({ worktree: z.string().min(1), commit: Sha }),
    /** Every commit reachable from the deploy commit and not from the rollback commit, oldest first. */
    commits: z.array(z.strictObject({ sha: Sha, subject: z.string() })),
    /** `<parent run>?_step=<k>`, or null when no child is wanted in the tracker. */
    forkFrom: z.string().nullable(),
    tracker: z.strictObject({ entity: z.string().min(1), project: z.string().min(1) }),
    /** The scheduler user under which the old run runs and the new one is launched. */
    user: z.string().min(1),
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
    reason: z.string().min(1).max(500),
    record: RunRecord,
    /** What the window will not show, each in a few words: an evaluation, a checkpoint save, a data change. */
    notExercised: z.array(Line).max(20),
    /** What was armed to catch a crash of the new run. */
    coreDump: Line.nullable(),
    /** Reports that follow the run elsewhere, and how each is put back after a rollback. */
    downstream: z.array(z.strictObject({ what: Line, link: Line, done: z.boolean(), undo: Line })).max(20),
    /** Who answers for the run; null: the requester. */
    dri: UserId.nullable(),
    /** Who looked at the change beside those who agree. */
    reviewer: UserId.nullable(),
    /** `owner/name#n`. */
    statusIssue: z.string().min(1),
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
