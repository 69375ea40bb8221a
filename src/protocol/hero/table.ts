import type { Row, Sink, Who } from '../table.js';

/**
 * The hero protocol as data. A line stands for one row per state in `from`; an event has one target, and `@origin`
 * is the only target that is not a constant. Everything told is told in the thread and on the status issue.
 */

const TOLD = ['thread', 'issue'] as const satisfies readonly Sink[];
const CARD = [] as const satisfies readonly Sink[];

const BEFORE_ACTING = ['planned', 'agreed', 'blocked', 'preflighting', 'ready', 'awaiting_launch'] as const;
const ON_TRIAL = ['starting', 'trial'] as const;
const CANDIDATE_LIVE = ['starting', 'trial', 'awaiting_rollback', 'awaiting_decision', 'watching'] as const;
const FROM_READY_ON = [
  'ready',
  'awaiting_launch',
  'arming',
  'forking',
  'stopping_old',
  'nothing_running',
  'rearming',
  'launching',
  'starting',
  'trial',
  'awaiting_rollback',
  'awaiting_decision',
  'watching',
  'stopping_new',
  'anchoring',
  'awaiting_anchor',
  'relaunching_old',
  'replaying',
] as const;

const LINES = [
  // plan
  { from: [null], on: 'plan_made', to: 'planned', who: 'ask', then: null, tell: TOLD },
  { from: ['planned', 'agreed', 'blocked'], on: 'plan_revised', to: 'planned', who: 'ask', then: null, tell: TOLD },
  { from: ['planned'], on: 'plan_agreed', to: 'agreed', who: 'agree', then: null, tell: TOLD },

  // preflight and launch gate
  { from: ['agreed', 'blocked', 'ready'], on: 'preflight_asked', to: 'preflighting', who: 'duty', then: 'read_guards', tell: CARD },
  { from: ['preflighting'], on: 'guards_open', to: 'ready', who: 'bot', then: null, tell: TOLD },
  { from: ['preflighting'], on: 'guards_shut', to: 'blocked', who: 'bot', then: null, tell: TOLD },
  { from: ['preflighting'], on: 'guards_unknown', to: 'blocked', who: 'bot', then: null, tell: TOLD },
  { from: ['ready'], on: 'window_known', to: 'awaiting_launch', who: 'bot', then: null, tell: TOLD },
  { from: ['ready'], on: 'window_known_approved_ahead', to: 'arming', who: 'bot', then: 'read_guards', tell: TOLD },
  { from: ['ready'], on: 'control_retried', to: 'ready', who: 'bot', then: null, tell: TOLD },
  { from: ['ready', 'awaiting_launch'], on: 'control_finished', to: 'cancelled', who: 'bot', then: null, tell: TOLD },
  { from: ['ready', 'awaiting_launch'], on: 'control_died', to: 'nothing_running', who: 'bot', then: null, tell: TOLD },
  { from: ['ready'], on: 'launch_approved', to: 'ready', who: 'approve', then: null, tell: TOLD },
  { from: ['awaiting_launch'], on: 'launch_approved', to: 'arming', who: 'approve', then: 'read_guards', tell: TOLD },
  { from: ['ready'], on: 'approval_expired', to: 'ready', who: 'bot', then: null, tell: TOLD },
  { from: ['awaiting_launch'], on: 'approval_expired', to: 'awaiting_launch', who: 'bot', then: null, tell: TOLD },
  { from: ['ready'], on: 'approver_left', to: 'ready', who: 'bot', then: null, tell: TOLD },
  { from: ['awaiting_launch'], on: 'approver_left', to: 'awaiting_launch', who: 'bot', then: null, tell: TOLD },
  { from: ['awaiting_launch'], on: 'launch_rejected', to: 'agreed', who: 'approve', then: null, tell: TOLD },

  // the cut
  { from: ['arming'], on: 'guards_open', to: 'stopping_old', who: 'bot', then: 'cancel_old', tell: TOLD },
  { from: ['arming'], on: 'guards_open_fork_wanted', to: 'forking', who: 'bot', then: 'fork', tell: TOLD },
  { from: ['arming'], on: 'guards_open_recover', to: 'launching', who: 'bot', then: 'launch_new', tell: TOLD },
  { from: ['arming'], on: 'guards_shut', to: 'blocked', who: 'bot', then: null, tell: TOLD },
  { from: ['arming'], on: 'guards_unknown', to: 'awaiting_launch', who: 'bot', then: null, tell: TOLD },
  { from: ['forking'], on: 'fork_proven', to: 'stopping_old', who: 'bot', then: 'cancel_old', tell: TOLD },
  { from: ['forking'], on: 'fork_proven_after_abort', to: 'agreed', who: 'bot', then: null, tell: TOLD },
  { from: ['forking'], on: 'fork_absent', to: 'awaiting_launch', who: 'bot', then: null, tell: TOLD },
  { from: ['forking'], on: 'fork_unknown', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['stopping_old'], on: 'old_gone', to: 'launching', who: 'bot', then: 'launch_new', tell: TOLD },
  { from: ['stopping_old'], on: 'old_gone_after_abort', to: 'nothing_running', who: 'bot', then: null, tell: TOLD },
  { from: ['stopping_old'], on: 'old_still_live', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['stopping_old'], on: 'old_unknown', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['nothing_running'], on: 'launch_again', to: 'rearming', who: 'duty', then: 'read_guards', tell: TOLD },
  { from: ['nothing_running'], on: 'rollback_asked', to: 'anchoring', who: 'duty', then: 'read_anchor', tell: TOLD },
  { from: ['nothing_running'], on: 'leave_down', to: 'left_down', who: 'duty', then: null, tell: TOLD },
  { from: ['rearming'], on: 'guards_open', to: 'launching', who: 'bot', then: 'launch_new', tell: TOLD },
  { from: ['rearming'], on: 'guards_shut', to: 'nothing_running', who: 'bot', then: null, tell: TOLD },
  { from: ['rearming'], on: 'guards_unknown', to: 'nothing_running', who: 'bot', then: null, tell: TOLD },
  { from: ['launching'], on: 'launched_once', to: 'starting', who: 'bot', then: 'publish_report', tell: TOLD },
  { from: ['launching'], on: 'launched_once_after_abort', to: 'stopping_new', who: 'bot', then: 'cancel_new', tell: TOLD },
  { from: ['launching'], on: 'launch_absent', to: 'nothing_running', who: 'bot', then: null, tell: TOLD },
  { from: ['launching'], on: 'launch_two', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['launching'], on: 'launch_unknown', to: 'held', who: 'bot', then: null, tell: TOLD },

  // the trial
  { from: ['starting'], on: 'phase_reached', to: 'starting', who: 'bot', then: null, tell: TOLD },
  { from: ['starting'], on: 'queued_long', to: 'starting', who: 'bot', then: null, tell: TOLD },
  { from: ['starting'], on: 'trial_began', to: 'trial', who: 'bot', then: null, tell: TOLD },
  { from: ON_TRIAL, on: 'gate_failed', to: 'awaiting_rollback', who: 'bot', then: 'post_chart', tell: TOLD },
  { from: ON_TRIAL, on: 'retried', to: 'awaiting_rollback', who: 'bot', then: 'post_chart', tell: TOLD },
  { from: ON_TRIAL, on: 'hung', to: 'awaiting_rollback', who: 'bot', then: 'post_chart', tell: TOLD },
  { from: ON_TRIAL, on: 'ended', to: 'awaiting_rollback', who: 'bot', then: 'post_chart', tell: TOLD },
  { from: ON_TRIAL, on: 'startup_overdue', to: 'awaiting_rollback', who: 'bot', then: null, tell: TOLD },
  { from: ON_TRIAL, on: 'gate_failed_automatic', to: 'stopping_new', who: 'bot', then: 'cancel_new', tell: TOLD },
  { from: ON_TRIAL, on: 'retried_automatic', to: 'stopping_new', who: 'bot', then: 'cancel_new', tell: TOLD },
  { from: ON_TRIAL, on: 'hung_automatic', to: 'stopping_new', who: 'bot', then: 'cancel_new', tell: TOLD },
  { from: ON_TRIAL, on: 'ended_automatic', to: 'stopping_new', who: 'bot', then: 'cancel_new', tell: TOLD },
  { from: ON_TRIAL, on: 'startup_overdue_automatic', to: 'stopping_new', who: 'bot', then: 'cancel_new', tell: TOLD },
  { from: ['trial'], on: 'window_closed', to: 'awaiting_decision', who: 'bot', then: 'post_chart', tell: TOLD },
  { from: CANDIDATE_LIVE, on: 'rollback_asked', to: 'stopping_new', who: 'duty', then: 'cancel_new', tell: TOLD },
  { from: CANDIDATE_LIVE, on: 'no_go', to: 'stopping_new', who: 'duty', then: 'cancel_new', tell: TOLD },
  { from: ['awaiting_rollback'], on: 'decision_overdue', to: 'stopping_new', who: 'bot', then: 'cancel_new', tell: TOLD },
  { from: ['awaiting_rollback', 'awaiting_decision'], on: 'override', to: 'watching', who: 'override', then: null, tell: TOLD },
  { from: ['awaiting_decision'], on: 'extend', to: 'awaiting_decision', who: 'decide', then: null, tell: TOLD },
  { from: ['awaiting_decision'], on: 'go_approved', to: 'watching', who: 'decide', then: null, tell: TOLD },
  { from: ['watching'], on: 'closed', to: 'closed', who: 'bot', then: null, tell: TOLD },

  // the way back
  { from: ['stopping_new'], on: 'new_gone', to: 'anchoring', who: 'bot', then: 'read_anchor', tell: TOLD },
  { from: ['stopping_new'], on: 'new_still_live', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['stopping_new'], on: 'new_unknown', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['anchoring'], on: 'anchor_in_range', to: 'relaunching_old', who: 'bot', then: 'launch_old', tell: TOLD },
  { from: ['anchoring'], on: 'anchor_outside', to: 'awaiting_anchor', who: 'bot', then: null, tell: TOLD },
  { from: ['anchoring'], on: 'anchor_unknown', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['awaiting_anchor'], on: 'anchor_confirmed', to: 'relaunching_old', who: 'decide', then: 'launch_old', tell: TOLD },
  { from: ['awaiting_anchor'], on: 'leave_down', to: 'left_down', who: 'duty', then: null, tell: TOLD },
  { from: ['relaunching_old'], on: 'relaunched_once', to: 'replaying', who: 'bot', then: 'post_chart', tell: TOLD },
  { from: ['relaunching_old'], on: 'relaunch_absent', to: 'nothing_running', who: 'bot', then: null, tell: TOLD },
  { from: ['relaunching_old'], on: 'relaunch_two', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['relaunching_old'], on: 'relaunch_unknown', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['replaying'], on: 'replay_matches', to: 'rolled_back', who: 'bot', then: 'file_failure_issue', tell: TOLD },
  { from: ['replaying'], on: 'replay_not_comparable', to: 'rolled_back', who: 'bot', then: 'file_failure_issue', tell: TOLD },
  { from: ['replaying'], on: 'replay_differs', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['replaying'], on: 'retried', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['replaying'], on: 'hung', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['replaying'], on: 'close_unverified', to: 'rolled_back', who: 'decide', then: 'file_failure_issue', tell: TOLD },

  // calling it off
  { from: BEFORE_ACTING, on: 'cancel_asked', to: 'cancelled', who: 'duty', then: null, tell: TOLD },
  { from: ['arming'], on: 'abort_asked', to: 'agreed', who: 'duty', then: null, tell: TOLD },
  { from: ['forking'], on: 'abort_asked', to: 'forking', who: 'duty', then: null, tell: TOLD },
  { from: ['stopping_old'], on: 'abort_asked', to: 'stopping_old', who: 'duty', then: null, tell: TOLD },
  { from: ['launching'], on: 'abort_asked', to: 'launching', who: 'duty', then: null, tell: TOLD },

  // not known
  { from: FROM_READY_ON, on: 'foreign_coordinator', to: 'held', who: 'bot', then: null, tell: TOLD },
  { from: ['held'], on: 'recheck_asked', to: 'held', who: 'duty', then: null, tell: TOLD },
  { from: ['held'], on: 'recheck_proved', to: '@origin', who: 'bot', then: null, tell: TOLD },
  { from: ['held'], on: 'adopt_new', to: 'starting', who: 'decide', then: null, tell: TOLD },
  { from: ['held'], on: 'adopt_old', to: 'replaying', who: 'decide', then: null, tell: TOLD },
  { from: ['held'], on: 'declare_gone', to: '@origin', who: 'decide', then: null, tell: TOLD },
  { from: ['held'], on: 'retry_cancel_old', to: 'stopping_old', who: 'approve', then: 'cancel_old', tell: TOLD },
  { from: ['held'], on: 'retry_cancel_new', to: 'stopping_new', who: 'duty', then: 'cancel_new', tell: TOLD },
  { from: ['held'], on: 'called_off', to: 'agreed', who: 'duty', then: null, tell: TOLD },
  { from: ['held'], on: 'rollback_asked', to: 'stopping_new', who: 'duty', then: 'cancel_new', tell: TOLD },
  { from: ['held'], on: 'rollback_asked_nothing_live', to: 'anchoring', who: 'duty', then: 'read_anchor', tell: TOLD },
  { from: ['held'], on: 'leave_down', to: 'left_down', who: 'duty', then: null, tell: TOLD },
  { from: ['held'], on: 'abandon', to: 'abandoned', who: 'duty', then: null, tell: TOLD },
] as const satisfies readonly {
  readonly from: readonly (string | null)[];
  readonly on: string;
  readonly to: string;
  readonly who: Who;
  readonly then: string | null;
  readonly tell: readonly Sink[];
}[];

/** States in which what was published or posted may still be read back. */
const LAUNCHED = [
  'starting',
  'trial',
  'awaiting_rollback',
  'awaiting_decision',
  'watching',
  'stopping_new',
  'anchoring',
  'awaiting_anchor',
  'relaunching_old',
  'replaying',
  'nothing_running',
  'held',
] as const;
const STEPPING = ['starting', 'trial', 'awaiting_decision', 'watching'] as const;
const SEEING = ['starting', 'trial', 'awaiting_rollback', 'awaiting_decision', 'watching', 'replaying'] as const;

/** What is noted of a run or of what the bot published, and moves nothing: none of it is a verdict. */
const NOTES = [
  { in: STEPPING, on: 'stall_suspected', tell: TOLD },
  { in: STEPPING, on: 'stall_over', tell: TOLD },
  { in: SEEING, on: 'monitor_blind', tell: TOLD },
  { in: SEEING, on: 'monitor_sees', tell: TOLD },
  { in: ['trial', 'awaiting_decision', 'watching'], on: 'alert', tell: TOLD },
  { in: ['awaiting_decision', 'awaiting_rollback'], on: 'looked_around', tell: TOLD },
  { in: LAUNCHED, on: 'report_published', tell: CARD },
  { in: LAUNCHED, on: 'report_missing', tell: CARD },
  { in: LAUNCHED, on: 'chart_posted', tell: TOLD },
  { in: LAUNCHED, on: 'chart_missing', tell: TOLD },
  { in: ['rolled_back'], on: 'failure_filed', tell: TOLD },
  { in: ['rolled_back'], on: 'failure_not_filed', tell: TOLD },
] as const satisfies readonly { readonly in: readonly string[]; readonly on: string; readonly tell: readonly Sink[] }[];

type Line = (typeof LINES)[number];
export type HeroState = Exclude<Line['from'][number], null> | Exclude<Line['to'], '@origin'>;
export type HeroEvent =
  | Line['on']
  | (typeof NOTES)[number]['on']
  | 'reminded'
  | 'taken'
  | 'restored'
  | 'compared'
  | 'rehearsed'
  | 'owner_left';
export type HeroEffect = Exclude<Line['then'], null>;

export interface HeroRow extends Row {
  readonly from: HeroState | null;
  readonly on: HeroEvent;
  readonly to: HeroState | '@origin';
  readonly then: HeroEffect | null;
}

const MOVING: readonly HeroRow[] = LINES.flatMap((line) =>
  line.from.map((from) => ({ from, on: line.on, to: line.to, who: line.who, then: line.then, tell: line.tell })),
);

const NOTING: readonly HeroRow[] = NOTES.flatMap(({ in: states, on, tell }) =>
  states.map((state) => ({ from: state, on, to: state, who: 'bot' as const, then: null, tell })),
);

/** States in which nothing goes on without a person: it is said again at growing intervals. */
export const WAITING_FOR_A_PERSON: readonly HeroState[] = [
  'nothing_running',
  'awaiting_rollback',
  'awaiting_decision',
  'awaiting_anchor',
  'held',
];

const REMINDING: readonly HeroRow[] = WAITING_FOR_A_PERSON.map((state) => ({
  from: state,
  on: 'reminded',
  to: state,
  who: 'bot',
  then: null,
  tell: TOLD,
}));

/** What happens in every state and leaves it. */
const ANYWHERE: readonly { readonly on: 'taken' | 'restored' | 'compared' | 'rehearsed' | 'owner_left'; readonly who: Who }[] = [
  // A person takes an operation: reminders go to whoever has it.
  { on: 'taken', who: 'duty' },
  // Whoever had it has left: reminders go to everybody on duty, until somebody takes it.
  { on: 'owner_left', who: 'bot' },
  // It came back from a backup, and was then compared with the outside.
  { on: 'restored', who: 'bot' },
  { on: 'compared', who: 'bot' },
];

const STAYING: readonly HeroRow[] = [...new Set(MOVING.flatMap(({ from }) => (from === null ? [] : [from])))].flatMap((state) =>
  ANYWHERE.map(({ on, who }) => ({ from: state, on, to: state, who, then: null, tell: TOLD })),
);

/** A rehearsal reads everything on any day before the cut, and leaves everything as it is. */
const REHEARSING: readonly HeroRow[] = (['planned', 'agreed', 'blocked', 'ready', 'awaiting_launch'] as const).map((state) => ({
  from: state,
  on: 'rehearsed',
  to: state,
  who: 'duty',
  then: null,
  tell: TOLD,
}));

/** Every row of the protocol, one state and one event each. */
export const HERO_ROWS: readonly HeroRow[] = [...MOVING, ...NOTING, ...REMINDING, ...STAYING, ...REHEARSING];

export const HERO_FINALS: ReadonlySet<string> = new Set<HeroState>(['closed', 'rolled_back', 'cancelled', 'left_down', 'abandoned']);

/** The family is held from the agreement until a final state or `watching`; a rollback out of `watching` takes it again. */
export const HERO_LOCKED: ReadonlySet<string> = new Set<HeroState>(
  MOVING.flatMap((row) => (row.from === null ? [] : [row.from])).filter((state) => state !== 'planned' && state !== 'watching'),
);
