import { stringify } from 'yaml';
import { type Fleet, parseFleet } from '../../src/fleet.js';
import { APPROVER, BYSTANDER, ON_CALL, REQUESTER } from './mentions.js';

export const CHANNEL = 'C0HEROOPS1';
export const APPROVAL_SECONDS = 600;

const COMMAND = { command: ['not-run'] };

/** The fleet file of the simulated harbour: limits are a few ticks each. */
export const FLEET: Fleet = parseFleet(
  stringify({
    version: 1,
    data: '/not-used',
    clusters: { marin: { scheduler: 'marin', telemetry: 'marin', namespace: 'iris' } },
    families: {
      hero: {
        cluster: 'marin',
        user: 'marin',
        gang: { tasks: 2, devices: 8 },
        repository: { deployWorktree: '/deploy', rollbackWorktree: '/rollback' },
        checkpoints: { permanent: 's3://hero/grug/{run}/v/checkpoints' },
        tracker: { entity: 'marin', project: 'marin_moe' },
        windowSteps: 20,
        finalStep: 1_000_000,
        discardedSteps: 2_000,
        limits: { queued: 60, startUp: 150, stall: 30, hang: 60, cancel: 60, launch: 60, watch: 30, guards: 30, reminder: 240 },
        workingHours: { zone: 'UTC', from: '00:00', until: '24:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
      },
    },
    metrics: { train_loss: { better: 'lower' } },
    adapters: { iris: COMMAND, finelog: COMMAND, kubectl: COMMAND, objectstore: COMMAND, tracker: COMMAND },
    people: {
      hero: {
        ask: [REQUESTER, APPROVER],
        agree: [REQUESTER, APPROVER],
        approve: [REQUESTER, APPROVER],
        decide: [REQUESTER, APPROVER],
        override: [APPROVER],
        onCall: [ON_CALL],
      },
    },
    policy: { hero: { approvalSeconds: APPROVAL_SECONDS, requestSeconds: 120, rehearsalHours: 0 } },
    slack: { channel: CHANNEL },
    github: { repository: 'marin-community/marin', issue: 1 },
    monitor: { tickSeconds: 10 },
  }),
  'simulated',
);

/** Whose word counts for what, beside the bot's. */
export function mayDo(who: string, person: string): boolean {
  const { ask, agree, approve, decide, override, onCall } = FLEET.people.hero;
  const roles: Readonly<Record<string, readonly string[]>> = {
    ask,
    agree,
    approve,
    decide,
    override,
    duty: [...ask, ...decide, ...approve, ...onCall],
  };
  return person !== BYSTANDER && (roles[who] ?? []).includes(person);
}
