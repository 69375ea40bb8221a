import type { Row, Sink, Who } from '../table.js';

/**
 * The ferry protocol as data, for canaries and dailies. A line stands for one row per state in `from`. Told are the
 * proposal, its clearance, the launch, the first evaluation, major incidents and the end; the rest is recorded only.
 * `approve` is the word of the one person who clears the run, and of nobody else.
 */

const TOLD = ['thread', 'issue'] as const satisfies readonly Sink[];
const CARD = [] as const satisfies readonly Sink[];

const BEFORE_ACTING = ['draft', 'unfiled', 'proposed', 'cleared', 'arming'] as const;
const JOB_LIVES = ['running', 'stopping'] as const;
const JUDGED = ['running', 'stopping', 'verifying'] as const;
const SEAL_STEPS = ['tagging', 'branching', 'logging', 'opening', 'labelling'] as const;

const LINES = [
  // the proposal
  { from: [null], on: 'plan_made', to: 'draft', who: 'ask', then: null, tell: CARD },
  { from: ['draft'], on: 'proposed', to: 'proposed', who: 'bot', then: null, tell: TOLD },
  { from: ['draft'], on: 'issue_missing', to: 'filing', who: 'bot', then: 'file_issue', tell: CARD },
  { from: ['draft', 'filing'], on: 'issue_filed', to: 'proposed', who: 'bot', then: null, tell: TOLD },
  { from: ['filing'], on: 'issue_absent', to: 'unfiled', who: 'bot', then: null, tell: TOLD },
  { from: ['filing'], on: 'issue_unknown', to: 'unfiled', who: 'bot', then: null, tell: TOLD },
  { from: ['unfiled'], on: 'file_again', to: 'draft', who: 'ask', then: null, tell: CARD },

  // the launch gate
  { from: ['proposed'], on: 'approved', to: 'cleared', who: 'approve', then: null, tell: TOLD },
  { from: ['proposed'], on: 'waived', to: 'cleared', who: 'approve', then: null, tell: TOLD },
  { from: ['proposed'], on: 'standing_waiver_used', to: 'cleared', who: 'bot', then: null, tell: TOLD },
  { from: ['cleared'], on: 'clearance_expired', to: 'proposed', who: 'bot', then: null, tell: TOLD },
  { from: ['proposed'], on: 'approver_left', to: 'proposed', who: 'bot', then: null, tell: TOLD },
  { from: ['cleared'], on: 'approver_left', to: 'proposed', who: 'bot', then: null, tell: TOLD },
  { from: ['cleared'], on: 'launch_asked', to: 'arming', who: 'duty', then: 'read_guards', tell: CARD },
  { from: ['cleared'], on: 'launch_due', to: 'arming', who: 'bot', then: 'read_guards', tell: CARD },
  { from: ['arming'], on: 'guards_open', to: 'launching', who: 'bot', then: 'launch', tell: CARD },
  { from: ['arming'], on: 'guards_shut', to: 'cleared', who: 'bot', then: null, tell: TOLD },
  { from: ['arming'], on: 'guards_unknown', to: 'cleared', who: 'bot', then: null, tell: TOLD },
  { from: ['launching'], on: 'abort_asked', to: 'launching', who: 'duty', then: null, tell: TOLD },
  { from: ['launching'], on: 'launched_once', to: 'running', who: 'bot', then: null, tell: TOLD },
  { from: ['launching'], on: 'launched_once_after_abort', to: 'stopping', who: 'bot', then: 'cancel', tell: TOLD },
  { from: ['launching'], on: 'launch_absent', to: 'proposed', who: 'bot', then: null, tell: TOLD },
  { from: ['launching'], on: 'launch_two', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['launching'], on: 'launch_unknown', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: BEFORE_ACTING, on: 'cancel_asked', to: 'cancelled', who: 'duty', then: null, tell: TOLD },

  // the watch
  { from: ['running'], on: 'queued_long', to: 'running', who: 'bot', then: null, tell: TOLD },
  { from: ['running'], on: 'evaluated', to: 'running', who: 'bot', then: null, tell: TOLD },
  { from: ['running'], on: 'run_overdue', to: 'running', who: 'bot', then: null, tell: TOLD },
  { from: ['running'], on: 'watch_blind', to: 'running', who: 'bot', then: null, tell: TOLD },
  { from: ['running'], on: 'stop_asked', to: 'stopping', who: 'duty', then: 'cancel', tell: TOLD },
  { from: ['stopping'], on: 'stop_not_taken', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['stopping'], on: 'stop_unknown', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['running'], on: 'job_in_doubt', to: 'held', who: 'bot', then: null, tell: TOLD },

  // the end: what the scheduler says and what the evidence says
  { from: JOB_LIVES, on: 'ended_well', to: 'verifying', who: 'bot', then: null, tell: CARD },
  { from: JUDGED, on: 'canary_failed', to: 'triage', who: 'bot', then: null, tell: TOLD },
  { from: JOB_LIVES, on: 'canary_stopped', to: 'stopped', who: 'bot', then: null, tell: TOLD },
  { from: JUDGED, on: 'daily_failed', to: 'concluding', who: 'bot', then: null, tell: TOLD },
  { from: JOB_LIVES, on: 'daily_stopped', to: 'concluding', who: 'bot', then: null, tell: TOLD },
  { from: ['verifying'], on: 'canary_verified', to: 'succeeded', who: 'bot', then: null, tell: TOLD },
  { from: ['verifying'], on: 'canary_unverified', to: 'unverified', who: 'bot', then: null, tell: TOLD },
  { from: ['verifying'], on: 'daily_verified', to: 'concluding', who: 'bot', then: null, tell: TOLD },
  { from: ['verifying'], on: 'daily_unverified', to: 'concluding', who: 'bot', then: null, tell: TOLD },
  { from: ['concluding'], on: 'analysed', to: 'commenting', who: 'bot', then: 'comment_run', tell: CARD },
  { from: ['commenting'], on: 'closed_succeeded', to: 'awaiting_seal', who: 'bot', then: null, tell: CARD },
  { from: ['commenting'], on: 'closed_failed', to: 'awaiting_fix', who: 'bot', then: null, tell: CARD },
  { from: ['commenting'], on: 'closed_failed_again', to: 'escalated', who: 'bot', then: null, tell: TOLD },
  { from: ['commenting'], on: 'closed_stopped', to: 'stopped', who: 'bot', then: null, tell: CARD },
  { from: ['commenting'], on: 'closed_unverified', to: 'unverified', who: 'bot', then: null, tell: CARD },

  // a canary that failed: told first, then what is found out, then where it is kept
  { from: ['triage'], on: 'diagnosed_known_issue', to: 'reporting', who: 'bot', then: 'comment_failure', tell: TOLD },
  { from: ['triage'], on: 'diagnosed_new_issue', to: 'reporting', who: 'bot', then: 'file_failure', tell: TOLD },
  { from: ['triage'], on: 'diagnosis_overdue', to: 'failed', who: 'bot', then: null, tell: TOLD },
  { from: ['reporting'], on: 'failure_reported', to: 'failed', who: 'bot', then: null, tell: TOLD },
  { from: ['reporting'], on: 'failure_unreported', to: 'failed', who: 'bot', then: null, tell: TOLD },

  // a daily that failed: one fix, with its own commit and its own clearance, then a person
  { from: ['awaiting_fix'], on: 'fix_proposed', to: 'proposed', who: 'ask', then: null, tell: TOLD },
  { from: ['awaiting_fix'], on: 'escalate_asked', to: 'escalated', who: 'duty', then: null, tell: TOLD },

  // the seal: each step is read before it is done, and read back after; what is missing next is all that is done
  { from: ['awaiting_seal'], on: 'seal_asked', to: 'sealing', who: 'decide', then: null, tell: CARD },
  { from: ['awaiting_seal'], on: 'leave_unsealed', to: 'unsealed', who: 'decide', then: null, tell: TOLD },
  { from: ['sealing'], on: 'tag_missing', to: 'tagging', who: 'bot', then: 'push_tag', tell: CARD },
  { from: ['sealing'], on: 'branch_missing', to: 'branching', who: 'bot', then: 'make_branch', tell: CARD },
  { from: ['sealing'], on: 'entry_missing', to: 'logging', who: 'bot', then: 'write_log', tell: CARD },
  { from: ['sealing'], on: 'pull_missing', to: 'opening', who: 'bot', then: 'open_pull', tell: CARD },
  { from: ['sealing'], on: 'labels_missing', to: 'labelling', who: 'bot', then: 'label_pull', tell: CARD },
  { from: SEAL_STEPS, on: 'step_done', to: 'sealing', who: 'bot', then: null, tell: CARD },
  { from: SEAL_STEPS, on: 'step_absent', to: 'awaiting_seal', who: 'bot', then: null, tell: TOLD },
  { from: SEAL_STEPS, on: 'step_unknown', to: 'awaiting_seal', who: 'bot', then: null, tell: TOLD },
  { from: ['sealing', 'tagging'], on: 'tag_conflict', to: 'awaiting_seal', who: 'bot', then: null, tell: TOLD },
  { from: ['sealing'], on: 'pull_conflict', to: 'awaiting_seal', who: 'bot', then: null, tell: TOLD },
  { from: ['sealing'], on: 'seal_unknown', to: 'awaiting_seal', who: 'bot', then: null, tell: TOLD },
  { from: ['sealing'], on: 'sealed', to: 'sealed', who: 'bot', then: null, tell: TOLD },

  // not known
  { from: ['held'], on: 'recheck_asked', to: 'held', who: 'duty', then: null, tell: TOLD },
  { from: ['held'], on: 'recheck_proved', to: '@origin', who: 'bot', then: null, tell: TOLD },
  { from: ['held'], on: 'adopt', to: 'running', who: 'decide', then: null, tell: TOLD },
  { from: ['held'], on: 'retry_stop', to: 'stopping', who: 'duty', then: 'cancel', tell: TOLD },
  { from: ['held'], on: 'abandon', to: 'abandoned', who: 'duty', then: null, tell: TOLD },
] as const satisfies readonly {
  readonly from: readonly (string | null)[];
  readonly on: string;
  readonly to: string;
  readonly who: Who;
  readonly then: string | null;
  readonly tell: readonly Sink[];
}[];

type Line = (typeof LINES)[number];
export type FerryState = Exclude<Line['from'][number], null> | Exclude<Line['to'], '@origin'>;
export type FerryEvent = Line['on'] | 'reminded' | 'taken' | 'restored' | 'compared';
export type FerryEffect = Exclude<Line['then'], null>;

export interface FerryRow extends Row {
  readonly from: FerryState | null;
  readonly on: FerryEvent;
  readonly to: FerryState | '@origin';
  readonly then: FerryEffect | null;
}

const MOVING: readonly FerryRow[] = LINES.flatMap((line) =>
  line.from.map((from) => ({ from, on: line.on, to: line.to, who: line.who, then: line.then, tell: line.tell })),
);

/** States in which nothing goes on without a person: it is said again at growing intervals. */
export const FERRY_WAITS: readonly FerryState[] = ['unfiled', 'awaiting_fix', 'awaiting_seal', 'held'];

const REMINDING: readonly FerryRow[] = FERRY_WAITS.map((state) => ({
  from: state,
  on: 'reminded',
  to: state,
  who: 'bot',
  then: null,
  tell: TOLD,
}));

/** What happens in every state and leaves it. */
const ANYWHERE: readonly { readonly on: 'taken' | 'restored' | 'compared'; readonly who: Who }[] = [
  // A person takes a ferry: reminders go to whoever has it.
  { on: 'taken', who: 'duty' },
  // It came back from a backup, and was then compared with the outside.
  { on: 'restored', who: 'bot' },
  { on: 'compared', who: 'bot' },
];

const STAYING: readonly FerryRow[] = [...new Set(MOVING.flatMap(({ from }) => (from === null ? [] : [from])))].flatMap((state) =>
  ANYWHERE.map(({ on, who }) => ({ from: state, on, to: state, who, then: null, tell: TOLD })),
);

/** Every row of the protocol, one state and one event each. */
export const FERRY_ROWS: readonly FerryRow[] = [...MOVING, ...REMINDING, ...STAYING];

export const FERRY_FINALS: ReadonlySet<string> = new Set<FerryState>([
  'succeeded',
  'failed',
  'stopped',
  'unverified',
  'escalated',
  'sealed',
  'unsealed',
  'cancelled',
  'abandoned',
]);

const NEVER_LOCKED: ReadonlySet<string> = new Set<FerryState>(['awaiting_fix', 'awaiting_seal', 'sealing', ...SEAL_STEPS]);

/** The lane is held from the draft until its job is over: a seal that waits for a person is in nobody's way. */
export const FERRY_LOCKED: ReadonlySet<string> = new Set<FerryState>(
  FERRY_ROWS.flatMap((row) => (row.from === null || NEVER_LOCKED.has(row.from) ? [] : [row.from])),
);
