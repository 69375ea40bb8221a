import type { HeroFacts, HeroView } from '../../src/protocol/hero/facts.js';
import { HeroPlan } from '../../src/protocol/hero/plan.js';
import type { HeroEvent, HeroRow, HeroState } from '../../src/protocol/hero/table.js';
import type { Entry, JsonObject, Readings } from '../../src/protocol/table.js';
import { NEW_RUN, OLD_RUN, planBody } from './plan.js';

/** One of everything that can be said, for the tests that look at how it is said. */

export const AT = new Date('2026-11-30T12:00:00Z');
export const MAY_DO = {
  ask: ['U0ASK'],
  agree: ['U0ASK', 'U0APPROVE'],
  approve: ['U0APPROVE', 'S0LEADS'],
  decide: ['U0APPROVE'],
  override: ['U0APPROVE'],
  onCall: ['U0ONCALL'],
  duty: ['U0ASK', 'U0APPROVE', 'S0LEADS', 'U0ONCALL'],
};
const OLD_JOB = `/marin/${OLD_RUN}-coord-835a843f`;
const NEW_JOB = `/marin/${NEW_RUN}-coord-9900b7bd`;

const CRITERION = {
  id: 'train_loss',
  required: true,
  verdict: 'PASS',
  reason: 'within',
  decidedAt: 54_060,
  mean: 0.0004,
  halfWidth: 0.0011,
  lo: -0.01,
  hi: 0.01,
  largest: { step: 54_012, difference: 0.006 },
  pairs: 61,
  expected: 61,
  dropped: 0,
  spikes: 0,
  exceptions: [],
  lean: null,
} as const;

const GUARDS = [
  {
    guard: 'deploy worktree',
    answer: 'shut',
    sentence: 'is not pristine (train.py): commit or remove what is there',
    source: 'git status (exit 0, 12 ms)',
  },
  {
    guard: 'credentials',
    answer: 'unknown',
    sentence: 'could not be read: it did not answer in time (no answer within 30 s)',
    source: 'iris whoami',
  },
  { guard: 'clock', answer: 'open', sentence: 'a swap and its rollback (10 min) end before 24:00 UTC', source: 'fleet file' },
].map((guard) => ({ ...guard, readAt: AT.toISOString() }));

const DETAILS: Partial<Record<HeroEvent, JsonObject>> = {
  plan_revised: { changes: [{ field: 'windowSteps', was: '60', now: '50' }] },
  guards_open: { guards: GUARDS.filter(({ answer }) => answer === 'open') },
  guards_shut: { guards: GUARDS },
  guards_unknown: { guards: GUARDS.slice(1) },
  window_known: {
    sanity: [{ id: 'train_loss', reach: 'rarely', margin: 0.001, marginNeeded: 0.003, expected: 61, lostMax: 3, gapMax: 2 }],
  },
  control_retried: { sentence: 'the control was retried (attempt 1); its window is read again' },
  launch_approved: { sentence: 'not after 17:30 America/Los_Angeles, which is 2026-12-01T01:30Z' },
  approver_left: {
    sentence: 'whoever approved has left: the account is deactivated, so somebody else has to approve',
  },
  owner_left: { sentence: 'whoever had it has left: the account is deactivated' },
  stall_suspected: { since: AT.toISOString(), sentence: 'no step for 5 min at step 54071' },
  monitor_sees: { since: AT.toISOString() },
  monitor_blind: { since: AT.toISOString(), sentence: 'telemetry does not answer' },
  old_gone: { sentence: `${OLD_JOB} is killed and has no pods, each seen twice` },
  old_still_live: { sentence: `${OLD_JOB} is still running 60 s after the cancel` },
  launched_once: { sentence: `exactly one live coordinator: ${NEW_JOB}` },
  phase_reached: { phase: 'compiling', attempt: 0, fromSeconds: 60, untilSeconds: 600 },
  looked_around: {
    looked: 120,
    left: 3,
    more: 2,
    moved: [{ metric: 'throughput_duration', control: 18.5, candidate: 16.8, errors: 120, pairs: 61 }],
  },
  chart_posted: { url: 'https://example.slack.com/files/U0BOT/F0CHART/chart.png' },
  failure_filed: { url: 'https://github.com/marin-community/marin/issues/4399' },
  gate_failed: { sentence: 'train_loss failed at step 54040' },
  retried: { sentence: 'attempt 2 began at step 54000' },
  ended: { sentence: 'the scheduler says failed, seen twice' },
  startup_overdue: { sentence: 'no step 80 min after the launch; it compiles' },
  queued_long: { sentence: '3 of 16 machines are short' },
  launch_absent: { sentence: 'no coordinator of the run is live, seen twice' },
  launch_two: { sentence: `live are ${NEW_JOB} and /eve/hero-fast-a2a-step54k-coord-1` },
  anchor_outside: { sentence: 'step-52000 is the newest, and 54000 to 54071 were expected' },
  replay_differs: { sentence: 'step 54010 differs by 0.02' },
  replay_not_comparable: { sentence: 'the two share no step' },
  rehearsed: { sentence: 'a good rehearsal, 18 guards answered' },
  failure_not_filed: { sentence: 'no issue of ours has its marker, seen twice' },
  alert: { sentence: 'grad_norm_total above 2: 2.4 at step 54080' },
  hung: { sentence: 'no step for 15 min at step 54071, agreed limit 15 min; the scheduler says running' },
  window_closed: { verdict: 'PASS' },
  override: { reason: 'a hole in telemetry, known', sentence: 'a hole in telemetry, known' },
  leave_down: { reason: 'for the night', sentence: 'for the night' },
  abandon: { reason: 'a person has it', sentence: 'a person has it' },
  foreign_coordinator: { sentence: 'live in the family and not expected now: /eve/hero-other-step10k-coord-1' },
  replay_matches: { sentence: '14 replayed steps equal the run’s own rows exactly' },
};

/** A view in a state, by default with everything on file that may be. */
export function viewIn(state: HeroState, more: Partial<HeroView> = {}): HeroView {
  const facts: Partial<HeroFacts> = {
    oldCoordinator: OLD_JOB,
    newCoordinator: NEW_JOB,
    controlLastStep: 54_071,
    anchor: { step: 54_000, path: 's3://hero/step-54000' },
    verdict: { overall: 'PASS', complete: true, criteria: [{ ...CRITERION }] },
    failure: { event: 'hung', sentence: 'no step for 15 min at step 54071' },
  };
  return {
    operationId: 'hero-12',
    state,
    seq: 9,
    enteredAtSeq: 9,
    enteredAt: AT,
    lastAt: AT,
    plan: HeroPlan.parse(planBody()),
    planVersion: 1,
    planHash: '5824015b'.padEnd(64, '0'),
    requester: 'U0ASK',
    origin: state === 'held' ? 'stopping_old' : null,
    facts,
    history: [],
    intent: null,
    acting: [],
    asides: [],
    ...more,
  };
}

/** A row as it stands in the history, and the operation as of it. */
export function toldOf(row: HeroRow): { readonly view: HeroView; readonly entry: Entry<HeroFacts> } {
  const to: HeroState = row.to === '@origin' ? 'stopping_old' : row.to;
  const base = viewIn(to);
  const approval = { by: 'U0APPROVE', at: AT.toISOString(), until: '2026-11-30T13:00:00.000Z', planHash: base.planHash, gateSeq: 5 };
  const left = row.on === 'owner_left' ? { ownerLeft: 'U0ASK' } : {};
  const entry: Entry<HeroFacts> = {
    seq: 9,
    from: row.from,
    event: row.on,
    to,
    actor: row.who === 'bot' ? 'bot' : 'U0APPROVE',
    at: AT,
    facts: {
      ...left,
      ...(row.on === 'launch_approved' ? { approval } : {}),
      ...(row.on === 'window_closed' && base.facts.verdict !== undefined ? { verdict: base.facts.verdict } : {}),
    },
    details: DETAILS[row.on] ?? {},
  };
  return { view: { ...base, facts: { ...base.facts, ...left }, history: historyTo(entry) }, entry };
}

/** A row, and what must have gone before it: only what was restored from a backup is compared. */
export function historyTo<Facts>(entry: Entry<Facts>): readonly Entry<Facts>[] {
  return entry.event === 'compared' ? [{ ...entry, seq: entry.seq - 1, event: 'restored' }, entry] : [entry];
}

/** What the last readings say, one of them nothing. */
export const READINGS: Readings = {
  coordinators: {
    kind: 'known',
    value: [{ jobId: OLD_JOB, user: 'marin', runId: OLD_RUN, state: 'running' }],
    source: 'iris query coordinators (exit 0, 310 ms)',
    readAt: AT,
  },
  job: { kind: 'known', value: 'running', source: 'iris job describe', readAt: AT },
  pods: { kind: 'unknown', why: 'timed_out', detail: 'no answer within 30 s', source: 'kubectl get pods', readAt: AT },
  steps: { kind: 'known', value: { step: 54_071, atMs: AT.getTime(), rows: 72 }, source: 'finelog last step', readAt: AT },
};
