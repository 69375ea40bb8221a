/** When a lane is due, and when it is overdue. */
export interface LaneSchedule {
  readonly cron: string;
  readonly overdueSeconds: number;
}

const ONCE_A_DAY: LaneSchedule = { cron: '0 6 * * *', overdueSeconds: 8 * 3600 };

/** The lanes as the page shows them; `due` in five fields, UTC, or null. */
export function lanesShown(schedule: LaneSchedule | null): { name: string; kind: string; due: string | null }[] {
  return [
    { name: 'daily', kind: 'daily', due: null },
    { name: 'canary-tpu', kind: 'canary', due: null },
    { name: 'canary-gpu', kind: 'canary', due: (schedule ?? ONCE_A_DAY).cron },
  ];
}

type Scaled = (seconds: number, atLeast?: number) => number;

/** The lanes of the local harbour, scaled as the rest of it is: each really trains a small model. */
export function localLanes(dir: string, scaled: Scaled, people: readonly string[], urgent: string, schedule: LaneSchedule | null) {
  const base = {
    cluster: 'marin',
    user: 'marin',
    repository: { dir },
    paths: ['experiments/ferries'],
    tracker: { entity: 'marin-community', project: 'marin' },
    limits: {
      approval: 900,
      guards: scaled(10, 10),
      launch: scaled(20, 15),
      queued: scaled(20, 10),
      expected: scaled(60, 60),
      blind: scaled(20, 15),
      cancel: scaled(20, 10),
      evidence: scaled(6, 5),
      diagnosis: scaled(10, 8),
      reminder: scaled(60, 60),
    },
    people: { ask: people, decide: people, urgent: [urgent] },
  };
  const options = ['--cpu=1', '--memory=2G', '--extra=cpu'];
  const canary = (stepsMin: number) => ({
    ...base,
    kind: 'canary',
    file: 'experiments/ferries/canary_ferry.py',
    launch: {
      options: [...options, '--priority=production'],
      command: ['python', '-m', 'experiments.ferries.canary_ferry'],
      runVariable: 'RUN_ID',
    },
    trackerName: 'canary-ferry-moe-{run}',
    evidence: { stepsMin, metrics: { 'train/loss': { max: 20 } } },
    labels: { failure: ['bug', 'agent-generated', 'canary'] },
    standingWaiverDays: 14,
  });
  return {
    daily: {
      ...base,
      kind: 'daily',
      file: 'experiments/ferries/daily.py',
      launch: { options, command: ['python', '-m', 'experiments.ferries.daily'] },
      trackerName: 'ferry_daily_125m_{run}',
      artefacts: 's3://ferries/{run}/checkpoints/',
      evidence: { stepsMin: 60, metrics: { 'eval/bpb': {}, 'train/loss': { max: 20 } }, evaluation: 'eval/bpb' },
      labels: { proposal: ['ferry', 'ferry-daily'] },
      seal: {
        tag: 'ferry/daily/{date}/{run}',
        log: 'docs/experiments/daily-ferry-log.md',
        labels: ['ferry', 'ferry-daily', 'ferry-log-only', 'ferry-sealed'],
      },
    },
    'canary-tpu': canary(40),
    'canary-gpu': { ...canary(20), schedule: { ...(schedule ?? ONCE_A_DAY), owner: people[0], late: 'skip' } },
  };
}
