import { stringify } from 'yaml';
import { type LaneSchedule, localLanes } from './lanes.js';

/** The people of the local harbour. */
export const ASKER = { id: 'U0ASKER001', name: 'ada', realName: 'Ada', role: 'requester' } as const;
export const APPROVER = { id: 'U0APPROVE1', name: 'grace', realName: 'Grace', role: 'approver' } as const;
export const BYSTANDER = { id: 'U0BYSTAND1', name: 'bob', realName: 'Bob', role: 'bystander' } as const;
export const CHANNEL = { id: 'C0HEROOPS1', name: 'hero-ops' } as const;
export const REPOSITORY = { owner: 'marin-community', repository: 'marin', issueTitle: 'Hero run: status' } as const;

export interface LocalWorld {
  readonly data: string;
  readonly bin: string;
  readonly deployWorktree: string;
  readonly rollbackWorktree: string;
  /** The checkout of the ferries; a world without one has no lanes. */
  readonly lanesWorktree?: string;
  /** When the local canary is due; left out, it is due once a day. */
  readonly schedule?: LaneSchedule | null;
  readonly slackApiUrl: string;
  readonly githubApiUrl: string;
  readonly issueNumber: number;
  /** Multiplies every limit that depends on how fast the local world runs. */
  readonly pace: number;
  /** Shut: no swap fits, because its rollback would not. */
  readonly hoursShut: boolean;
  /** No swap without a good rehearsal of its plan. */
  readonly rehearsalAsked: boolean;
  /** What launch scripts log to the tracker with: it opens nothing outside this harbour. */
  readonly trackerKey: string;
}

/** The local fleet file. The world is scaled, the clock is not: limits are seconds where the real ones are minutes. */
export function localFleet(world: LocalWorld): string {
  const { bin, pace } = world;
  // A floor under each: a busy machine must not look like a hang.
  const scaled = (seconds: number, atLeast = 1): number => Math.max(atLeast, Math.round(seconds * pace * 10) / 10);
  const local = (name: string) => ({ command: [`${bin}/${name}`], timeoutSeconds: 20 });
  const path = { PATH: `${bin}:${process.env.PATH ?? '/usr/bin:/bin'}` };
  const both = [ASKER.id, APPROVER.id];
  return stringify({
    version: 1,
    data: world.data,
    dataFreeMegabytes: 20,
    clusters: { marin: { scheduler: 'marin', telemetry: 'cw-us-east-08a', namespace: 'iris' } },
    families: {
      hero: {
        cluster: 'marin',
        user: 'marin',
        gang: { tasks: 4, devices: 16 },
        repository: {
          deployWorktree: world.deployWorktree,
          rollbackWorktree: world.rollbackWorktree,
          launchNeeds: ['gh', 'git', 'iris', 'tracker'],
        },
        checkpoints: {
          permanent: 's3://hero/grug/{run}/2026.08.19.2/checkpoints',
          temporary: 's3://hero-checkpoints/tmp/ttl=14d/checkpoints-temp/hero/marin/grug/{run}/2026.08.19.2/checkpoints',
        },
        tracker: { entity: 'marin-community', project: 'marin_moe' },
        windowSteps: 60,
        evaluationEverySteps: 0,
        deterministic: true,
        // The model is small and its gradients are not.
        alerts: [
          { metric: 'moe_drop_fraction', above: 0.5 },
          { metric: 'optim_skipped_step', above: 0 },
        ],
        finalStep: 1_000_000,
        retention: 'permanent ones for good, temporary ones for 14 days',
        // A newcomer reads for a while between the plan and the launch; at this pace 20,000 steps are half an hour or more.
        discardedSteps: 20_000,
        limits: {
          queued: scaled(20, 10),
          startUp: scaled(40, 25),
          stall: scaled(3, 2.5),
          hang: scaled(6, 4),
          cancel: scaled(20, 10),
          launch: scaled(20, 15),
          watch: scaled(6, 2),
          guards: scaled(10, 10),
          reminder: scaled(60),
        },
        workingHours: world.hoursShut
          ? { zone: 'UTC', from: '00:00', until: '00:01', days: ['sun'] }
          : { zone: 'UTC', from: '00:00', until: '24:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
      },
    },
    lanes: world.lanesWorktree === undefined ? {} : localLanes(world.lanesWorktree, scaled, both, APPROVER.id, world.schedule ?? null),
    metrics: {
      train_loss: { better: 'lower', every: 1, sameBatches: true },
      throughput_mfu: { better: 'higher', every: 10 },
      throughput_duration: { better: 'lower', every: 10 },
      moe_drop_fraction: { better: 'lower', every: 10 },
      grad_norm_total: { better: 'lower', every: 10 },
      memory_peak_gib: { better: 'lower', every: 10 },
    },
    values: { hbm_release_threshold: 170 },
    adapters: {
      iris: local('iris'),
      finelog: local('finelog'),
      kubectl: local('kubectl'),
      objectstore: local('objectstore'),
      tracker: local('tracker'),
      gh: local('gh'),
      launcher: { command: ['bash'], env: { ...path, WANDB_API_KEY: world.trackerKey }, timeoutSeconds: 60 },
      analysis: local('analysis'),
    },
    people: { hero: { ask: both, agree: both, approve: both, decide: both, override: [APPROVER.id], onCall: [] } },
    policy: {
      hero: { requesterMayApprove: false, approvalSeconds: 900, requestSeconds: 300, rehearsalHours: world.rehearsalAsked ? 24 : 0 },
    },
    slack: { channel: CHANNEL.id, mode: 'http', port: 0, apiUrl: world.slackApiUrl },
    github: { repository: `${REPOSITORY.owner}/${REPOSITORY.repository}`, issue: world.issueNumber, apiUrl: world.githubApiUrl },
    health: { port: 0 },
    monitor: { tickSeconds: Math.max(0.2, Math.min(0.5, pace * 0.5)) },
  });
}
