import { type Fleet, parseFleet } from '../../src/fleet.js';
import type { HeroPolicy } from '../../src/protocol/hero/policy.js';
import { APPROVER, FLEET_DIGEST, REQUESTER } from '../support/engine.js';

const ALL_DAY = { zone: 'UTC', from: '00:00', until: '24:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] };
const COMMAND = { command: ['not-run'] };
const both = [REQUESTER, APPROVER];

/** The fleet whose guards are tried. None of its executables is run: each is stood in for. */
export const FLEET: Fleet = parseFleet(
  JSON.stringify({
    version: 1,
    data: '/tmp',
    dataFreeMegabytes: 1,
    clusters: { east: { scheduler: 'marin', telemetry: 'cw-us-east-08a', namespace: 'iris' } },
    families: {
      hero: {
        cluster: 'east',
        user: 'marin',
        gang: { tasks: 16, devices: 64 },
        repository: { deployWorktree: '/deploy', rollbackWorktree: '/rollback', launchNeeds: ['sh'] },
        checkpoints: { permanent: 's3://hero/grug/{run}/v/checkpoints' },
        tracker: { entity: 'marin-community', project: 'marin_moe' },
        workingHours: ALL_DAY,
      },
    },
    metrics: { train_loss: { better: 'lower' } },
    adapters: {
      iris: COMMAND,
      finelog: COMMAND,
      kubectl: COMMAND,
      objectstore: COMMAND,
      tracker: COMMAND,
      git: COMMAND,
      gh: COMMAND,
      launcher: { command: ['not-run'], env: { WANDB_API_KEY: '$WANDB_API_KEY' } },
    },
    people: { hero: { ask: both, agree: both, approve: both, decide: both, override: both, onCall: [] } },
    policy: { hero: {} },
    slack: { channel: 'C01HEROES' },
    github: { repository: 'marin-community/marin', issue: 8506 },
  }),
  'fleet of the matrix',
);

export const POLICY: HeroPolicy = {
  people: FLEET.people.hero,
  requestSeconds: 300,
  tickSeconds: 5,
  workingHours: { hero: FLEET.families.hero?.workingHours ?? ALL_DAY },
  rehearsal: { hours: 0, fleetDigest: FLEET_DIGEST },
};
