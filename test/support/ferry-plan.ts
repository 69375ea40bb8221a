import type { JsonObject } from '../../src/protocol/table.js';

export const LANE = 'daily';
export const LAUNCH_COMMIT = 'c'.repeat(40);
export const RUN = '20261130-120000-daily-ferry';
export const LOG_PATH = 'docs/experiments/daily-ferry-log.md';
export const SEAL_LABELS = ['ferry', 'ferry-daily', 'ferry-log-only', 'ferry-sealed'];

/** A daily's plan that is right in every field; a test changes the one that it is about. */
export function ferryBody(changes: JsonObject = {}): JsonObject {
  return {
    kind: 'daily',
    lane: LANE,
    cluster: 'marin',
    run: RUN,
    jobName: `ferry-${RUN}`,
    trackerName: `ferry_daily_125m_${RUN}`,
    dir: '/lanes/daily',
    commit: LAUNCH_COMMIT,
    file: 'experiments/ferries/daily.py',
    clears: 'U0ASK',
    scheduledFor: null,
    objective: 'does the new optimizer hold at this size',
    regression: false,
    rationale: 'one setting changed',
    risk: 'low',
    fallback: 'stop it',
    delta: [{ name: 'learning_rate', was: '0.001', is: '0.002' }],
    context: { lastFerry: null, lastCommit: null, lastJob: null, lastLink: null, issues: [], pulls: [], commits: [] },
    repairs: null,
    failureIssue: null,
    limits: {
      approvalSeconds: 3_600,
      guardsSeconds: 60,
      launchSeconds: 60,
      queuedSeconds: 1_800,
      expectedSeconds: 18_000,
      blindSeconds: 300,
      cancelSeconds: 60,
      evidenceSeconds: 300,
      diagnosisSeconds: 60,
      reminderSeconds: 3_600,
    },
    evidence: { stepsMin: 100, metrics: { 'eval/bpb': { max: 3 } }, artefacts: true, evaluation: 'eval/bpb' },
    seal: { tag: 'ferry/daily/{date}/{run}', log: LOG_PATH, labels: SEAL_LABELS },
    labels: { proposal: ['ferry', 'ferry-daily'], failure: ['bug', 'agent-generated', 'canary'] },
    urgent: ['U0URGENT'],
    ...changes,
  };
}

/** A canary's plan: nothing changed, no seal. */
export function canaryBody(changes: JsonObject = {}): JsonObject {
  const run = '20261130-060000-canary-tpu-ferry';
  return ferryBody({
    kind: 'canary',
    lane: 'canary-tpu',
    run,
    jobName: `ferry-${run}`,
    trackerName: `canary-ferry-moe-${run}`,
    delta: [],
    seal: null,
    labels: { proposal: [], failure: ['bug', 'agent-generated', 'canary'] },
    evidence: { stepsMin: 100, metrics: { 'train/loss': { max: 8 } }, artefacts: false, evaluation: null },
    ...changes,
  });
}
