import type { JsonObject } from '../../src/protocol/table.js';

export const OLD_RUN = 'hero-main-step54k';
export const NEW_RUN = 'hero-fast-a2a-step54k';
export const HANDOFF = 54_000;
export const WINDOW = 60;
export const DEPLOY = 'd'.repeat(40);
export const ROLLBACK = 'b'.repeat(40);

/** A plan that is right in every field; a test changes the one that it is about. */
export function planBody(changes: JsonObject = {}): JsonObject {
  return {
    kind: 'swap',
    family: 'hero',
    oldRun: OLD_RUN,
    newRun: NEW_RUN,
    handoffStep: HANDOFF,
    handoffCheckpoint: `s3://hero/grug/${OLD_RUN}/v/checkpoints/step-${HANDOFF}`,
    permanentWaiver: null,
    windowSteps: WINDOW,
    finalStep: 1_000_000,
    discardedStepsMax: 500,
    deploy: { worktree: 'deploy', commit: DEPLOY },
    rollback: { worktree: 'rollback', commit: ROLLBACK },
    commits: [{ sha: DEPLOY, subject: 'Overlap the all-to-all' }],
    forkFrom: `${OLD_RUN}?_step=${HANDOFF - 1}`,
    tracker: { entity: 'marin', project: 'marin_moe' },
    user: 'marin',
    gate: [{ id: 'train_loss', kind: 'tracks', metric: 'train_loss', better: 'lower', margin: { abs: 0.01 }, logEvery: 1 }],
    onFailure: { kind: 'ask' },
    limits: {
      queuedSeconds: 60,
      startUpSeconds: 300,
      stallSeconds: 30,
      hangSeconds: 60,
      cancelSeconds: 60,
      launchSeconds: 60,
      watchSeconds: 120,
      guardsSeconds: 20,
      approvalSeconds: 600,
      reminderSeconds: 900,
    },
    workingHours: { zone: 'UTC', from: '00:00', until: '24:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
    roundTripSeconds: 600,
    paceSecondsPerStep: 0.5,
    gang: { tasks: 16, devices: 64 },
    requesterMayApprove: false,
    reason: 'faster steps at equal loss',
    record: { command: ['bash', 'trigger_hero.sh', 'launch'], outputRoot: `s3://hero/grug/${NEW_RUN}/v/checkpoints`, retention: null },
    notExercised: [],
    coreDump: null,
    downstream: [],
    dri: null,
    reviewer: null,
    statusIssue: 'marin-community/marin#1',
    ...changes,
  };
}
