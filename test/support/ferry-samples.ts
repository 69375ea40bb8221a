import type { FerryFacts, FerryView } from '../../src/protocol/ferry/facts.js';
import { FerryPlan } from '../../src/protocol/ferry/plan.js';
import type { FerryEvent, FerryRow, FerryState } from '../../src/protocol/ferry/table.js';
import type { Entry, JsonObject, Readings } from '../../src/protocol/table.js';
import { canaryBody, ferryBody, LAUNCH_COMMIT, RUN } from './ferry-plan.js';
import { AT, historyTo } from './samples.js';

/** One of everything that can be said of a ferry, for the tests that look at how it is said. */

const JOB = `/marin/ferry-${RUN}`;
const ISSUE = 'https://github.com/marin-community/marin/issues/4711';
const FAILURE = 'https://github.com/marin-community/marin/issues/4702';
const PULL = 'https://github.com/marin-community/marin/pull/4720';
const TRACKED = `https://wandb.ai/marin/marin_moe/runs/ferry_daily_125m_${RUN}-8f31ab`;
const TAG = `ferry/daily/20261130/ferry_daily_125m_${RUN}-8f31ab`;

/** What the protocol leaves on file with a row, in its own sentences. */
const DETAILS: Partial<Record<FerryEvent, JsonObject>> = {
  issue_absent: { sentence: 'the proposal is on no issue of ours, seen twice' },
  issue_unknown: { sentence: 'whether the proposal is on an issue is not known' },
  approver_left: { sentence: 'whoever clears it has left: the account is deactivated' },
  waived: { sentence: 'same as yesterday, go' },
  guards_shut: { sentence: "the lane's checkout is not clean (train.py)" },
  guards_unknown: { sentence: 'git did not answer in time' },
  cancel_asked: { sentence: 'the node pool is down tonight' },
  launched_once: { sentence: `exactly one job of that name: ${JOB}`, jobId: JOB },
  launched_once_after_abort: { sentence: `exactly one job of that name: ${JOB}`, jobId: JOB },
  launch_absent: { sentence: `no job is called ferry-${RUN}, seen twice` },
  standing_waiver_used: { sentence: '"the nightly canary changes nothing"' },
  launch_two: { sentence: `two jobs have the name: ${JOB}, /eve/ferry-${RUN}` },
  launch_unknown: { sentence: `whether ferry-${RUN} runs is not known` },
  queued_long: { sentence: 'still queued after 30 min; it stays watched to its end' },
  evaluated: { sentence: 'eval/bpb 1.21 at step 5000, read from the tracker, which lags 40 s', url: TRACKED },
  run_overdue: { sentence: 'it has run for 6 h, where 5 h were expected' },
  watch_blind: { sentence: 'the scheduler has not answered for 5 min; that says nothing of the run' },
  stop_not_taken: { sentence: `${JOB} is still running` },
  stop_unknown: { sentence: 'the job could not be read' },
  job_in_doubt: { sentence: `the scheduler has no job ${JOB} any more` },
  canary_failed: { sentence: 'the scheduler says failed after 12 min: exit code 1' },
  canary_stopped: { sentence: 'the scheduler says killed after 12 min' },
  canary_verified: { sentence: 'step 512, train/loss 3.1, all as the lane wants it' },
  canary_unverified: { sentence: 'the tracker shows no run of that name' },
  daily_failed: { sentence: 'the scheduler says failed after 2 h: exit code 1' },
  daily_stopped: { sentence: 'the scheduler says killed after 2 h' },
  daily_verified: { sentence: 'step 10000, eval/bpb 1.14, the artefacts are there' },
  daily_unverified: { sentence: 'its last step is 80, and 100 were to be reached' },
  diagnosed_known_issue: { sentence: 'RESOURCE_EXHAUSTED: out of memory', category: 'out of memory' },
  diagnosed_new_issue: { sentence: 'RESOURCE_EXHAUSTED: out of memory', category: 'out of memory' },
  diagnosis_overdue: { sentence: 'whether issue 4702 is open could not be read (timed_out), so nothing was filed' },
  failure_reported: { url: FAILURE },
  failure_unreported: { sentence: 'it stands on no issue, seen twice' },
  escalate_asked: { sentence: 'the loss is wrong, and not by a setting' },
  leave_unsealed: { sentence: 'only a trial of the lane' },
  step_absent: { sentence: `tag ${TAG} is not on the remote, seen twice` },
  step_unknown: { sentence: `whether that was done is not known: tag ${TAG}` },
  tag_conflict: { sentence: `tag ${TAG} is at aaaaaaaaaa, and this ferry was launched from cccccccccc; a tag is never moved` },
  pull_conflict: { sentence: 'pull request 4720 is closed', url: PULL },
  seal_unknown: { sentence: 'the log could not be read' },
  sealed: { sentence: `tag ${TAG} at cccccccccc, pull request 4720 changes the log alone; each read back`, url: PULL },
  abandon: { sentence: 'the cluster is rebuilt' },
};

const FACTS: Partial<FerryFacts> = {
  runIssue: { number: 4711, url: ISSUE },
  clearance: {
    kind: 'waiver',
    by: 'U0ASK',
    at: AT.toISOString(),
    until: '2026-11-30T13:00:00.000Z',
    planHash: '5824015b'.padEnd(64, '0'),
    quote: 'same as yesterday, go',
  },
  attempt: 1,
  jobId: JOB,
  launchedAt: AT.toISOString(),
  tracker: { name: `ferry_daily_125m_${RUN}-8f31ab`, url: TRACKED },
  outcome: 'succeeded',
  verdict: 'step 10000, eval/bpb 1.14, the artefacts are there',
  endedAt: '2026-11-30T14:05:00.000Z',
  lastStep: 10_000,
  metrics: { 'eval/bpb': 1.14 },
  observations: ['loss falls as it did yesterday'],
  diagnosis: ['step 310 of 512', 'RESOURCE_EXHAUSTED: out of memory'],
  category: 'out of memory',
  failureIssue: { number: 4702, url: FAILURE },
  closedIssue: null,
};

/** Who may do what for the lane. */
export const LANE_MAY_DO = { ask: ['U0ASK'], decide: ['U0DECIDE'], duty: ['U0ASK', 'U0DECIDE', 'U0ONCALL'] };

/** What is on file only once the job was launched. */
const BEFORE_LAUNCH: ReadonlySet<string> = new Set<FerryState>([
  'draft',
  'filing',
  'unfiled',
  'proposed',
  'cleared',
  'arming',
  'launching',
  'cancelled',
]);

/** A view in a state, with everything on file that may be by then. */
export function ferryViewIn(state: FerryState, kind: 'canary' | 'daily' = 'daily'): FerryView {
  const { jobId: _job, launchedAt: _at, tracker: _run, ...early } = FACTS;
  const context = {
    lastFerry: 'ferry-30',
    lastCommit: 'a'.repeat(40),
    lastJob: '/marin/ferry-20261129',
    lastLink: 'https://wandb.ai/marin/marin_moe/runs/yesterday',
    issues: [{ number: 4690, title: 'Loss spikes at step 3000', url: 'https://github.com/marin-community/marin/issues/4690' }],
    pulls: [{ number: 4688, title: 'Raise the learning rate', url: 'https://github.com/marin-community/marin/pull/4688' }],
    commits: [{ sha: LAUNCH_COMMIT, subject: 'Raise the learning rate' }],
  };
  return {
    operationId: 'ferry-31',
    state,
    seq: 9,
    enteredAtSeq: 9,
    enteredAt: AT,
    lastAt: AT,
    plan: FerryPlan.parse(kind === 'daily' ? ferryBody({ context }) : canaryBody({ context, failureIssue: 4_702 })),
    planVersion: 1,
    planHash: '5824015b'.padEnd(64, '0'),
    requester: 'U0ASK',
    origin: state === 'held' ? 'running' : null,
    facts: BEFORE_LAUNCH.has(state) ? early : FACTS,
    history: [],
    intent: null,
    acting: [],
    asides: [],
  };
}

/** A row as it stands in the history, and the ferry as of it. */
export function ferryToldOf(row: FerryRow): { readonly view: FerryView; readonly entry: Entry<FerryFacts> } {
  const to: FerryState = row.to === '@origin' ? 'running' : row.to;
  const isCanary = /^(canary|diagnos|failure_)/.test(row.on);
  const base = ferryViewIn(to, isCanary ? 'canary' : 'daily');
  const view = { ...base, facts: { ...base.facts, ...outcomeOf(row.on), ...clearanceOf(row.on, base.plan.clears) } };
  const entry: Entry<FerryFacts> = {
    seq: 9,
    from: row.from,
    event: row.on,
    to,
    actor: row.who === 'bot' ? 'bot' : row.who === 'approve' ? 'U0ASK' : 'U0APPROVE',
    at: AT,
    facts: { diagnosis: FACTS.diagnosis ?? [] },
    details: DETAILS[row.on] ?? {},
  };
  return { view: { ...view, history: historyTo(entry) }, entry };
}

function outcomeOf(event: FerryEvent): Partial<FerryFacts> {
  const [, outcome] = /_(failed|stopped|unverified)$/.exec(event) ?? [];
  return outcome === 'failed' || outcome === 'stopped' || outcome === 'unverified' ? { outcome } : {};
}

/** How a run was cleared, by the row that tells of it. */
function clearanceOf(event: FerryEvent, clears: string): Partial<FerryFacts> {
  if (event === 'approver_left') return { clearance: null, clearerLeft: clears };
  const { clearance } = FACTS;
  if (clearance === undefined || clearance === null) return {};
  if (event === 'approved') return { clearance: { ...clearance, kind: 'approval', quote: null } };
  return event === 'standing_waiver_used' ? { clearance: { ...clearance, kind: 'standing' } } : {};
}

/** What the last readings say of a ferry, one of them nothing. */
export const FERRY_READINGS: Readings = {
  jobs: {
    kind: 'known',
    value: [{ jobId: JOB, state: 'running', submittedAtMs: AT.getTime(), grantedAtMs: AT.getTime(), finishedAtMs: null, error: null }],
    source: 'iris query jobs (exit 0, 210 ms)',
    readAt: AT,
  },
  runs: { kind: 'unknown', why: 'timed_out', detail: 'no answer within 30 s', source: 'wandb runs', readAt: AT },
};
