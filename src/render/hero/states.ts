import type { HeroView } from '../../protocol/hero/facts.js';
import type { HeroEvent, HeroState } from '../../protocol/hero/table.js';

/** A state in words for the first line of a message, and its mark. */
export const STATE_WORDS: Readonly<Record<HeroState, { readonly mark: string; readonly words: string }>> = {
  planned: { mark: '📝', words: 'planned' },
  agreed: { mark: '🤝', words: 'agreed' },
  preflighting: { mark: '🔎', words: 'reading the guards' },
  blocked: { mark: '⛔', words: 'blocked' },
  ready: { mark: '⏳', words: 'ready, the control window is filling' },
  awaiting_launch: { mark: '🚦', words: 'the launch gate is open' },
  arming: { mark: '🔎', words: 'approved, reading the guards once more' },
  forking: { mark: '🌱', words: 'forking the tracker' },
  stopping_old: { mark: '🛑', words: 'stopping the old run' },
  nothing_running: { mark: '🕳️', words: 'NOTHING IS RUNNING' },
  rearming: { mark: '🔎', words: 'reading the guards before another launch' },
  launching: { mark: '🚀', words: 'launching the new run' },
  starting: { mark: '🌅', words: 'the new run is starting' },
  trial: { mark: '⚖️', words: 'trial' },
  awaiting_rollback: { mark: '🚨', words: 'THE TRIAL FAILED' },
  awaiting_decision: { mark: '⚖️', words: 'the window is complete, a decision is awaited' },
  watching: { mark: '👀', words: 'accepted, watching' },
  stopping_new: { mark: '↩️', words: 'rolling back: stopping the new run' },
  anchoring: { mark: '⚓', words: 'rolling back: finding where the old run resumes' },
  awaiting_anchor: { mark: '⚓', words: 'rolling back: the anchor needs a person' },
  relaunching_old: { mark: '↩️', words: 'rolling back: launching the old run' },
  replaying: { mark: '🔁', words: 'rolling back: comparing the replay' },
  held: { mark: '✋', words: 'HELD: not known' },
  closed: { mark: '✅', words: 'closed, the new run is the hero' },
  rolled_back: { mark: '⏮️', words: 'rolled back, the old run is the hero' },
  cancelled: { mark: '🗑️', words: 'cancelled, nothing was changed' },
  left_down: { mark: '🌑', words: 'left down on purpose' },
  abandoned: { mark: '🏳️', words: 'abandoned, a person has it' },
};

/** A rollback whose replay was not compared: it must not look like one that was. */
export const UNVERIFIED = { mark: '⚠️', words: 'rolled back, UNVERIFIED' } as const;

/** The state of an operation; a rollback that could not be verified says so wherever it is named. */
export function stateWords(view: HeroView): { readonly mark: string; readonly words: string } {
  const named = STATE_WORDS[view.state as HeroState];
  return view.state === 'rolled_back' && view.facts.unverified === true ? UNVERIFIED : named;
}

/** What happened, in words. */
export const EVENT_WORDS: Readonly<Record<HeroEvent, string>> = {
  plan_made: 'A plan was made',
  plan_revised: 'The plan was revised',
  plan_agreed: 'The plan was agreed',
  preflight_asked: 'The preflight was asked for',
  guards_open: 'All guards are open',
  guards_open_fork_wanted: 'All guards are open; the tracker is forked first',
  guards_open_recover: 'All guards are open; the run is launched again',
  guards_shut: 'A guard is shut',
  guards_unknown: 'A guard could not be read, so nothing was touched',
  window_known: 'The control has covered the window and is frozen',
  window_known_approved_ahead: 'The control has covered the window; the launch was approved ahead',
  control_retried: 'The control did not run through',
  control_finished: 'The control finished by itself',
  control_died: 'The control ended by itself',
  launch_approved: 'The launch was approved',
  approval_expired: 'The approval expired unused; it can be given again',
  approver_left: 'The approval is void',
  launch_rejected: 'The launch was rejected',
  fork_proven: 'The tracker child is there',
  fork_proven_after_abort: 'The tracker child is there; nothing goes on by itself from here',
  fork_absent: 'The tracker was not forked',
  fork_unknown: 'Whether the tracker was forked is not known',
  old_gone: 'The old run is gone',
  old_gone_after_abort: 'The old run is gone; nothing is launched by itself from here',
  old_still_live: 'The cancel did not take: the old run is still live',
  old_unknown: 'Whether the old run is gone is not known',
  launch_again: 'Another launch was asked for',
  rollback_asked: 'A rollback was asked for',
  rollback_asked_nothing_live: 'A rollback was asked for; no run has to be stopped first',
  leave_down: 'The family is left down',
  launched_once: 'Launched once',
  launched_once_after_abort: 'Launched once; the abort is carried out now',
  launch_absent: 'The launch did not happen',
  launch_two: 'Two coordinators are live',
  launch_unknown: 'What became of the launch is not known',
  phase_reached: 'The new run {phase}',
  queued_long: 'The new run is still queued',
  trial_began: 'The trial began',
  gate_failed: 'The gate FAILED',
  retried: 'The run was retried by itself, which fails the trial',
  hung: 'It HANGS',
  ended: 'The new run ended inside the window',
  startup_overdue: 'The start took longer than agreed',
  gate_failed_automatic: 'The gate FAILED; it is rolled back as agreed',
  retried_automatic: 'The run was retried by itself; it is rolled back as agreed',
  hung_automatic: 'It HANGS; it is rolled back as agreed',
  ended_automatic: 'The new run ended inside the window; it is rolled back as agreed',
  startup_overdue_automatic: 'The start took longer than agreed; it is rolled back as agreed',
  window_closed: 'The trial window is complete',
  no_go: 'No-go',
  decision_overdue: 'Nobody answered in the agreed time; it is rolled back as agreed',
  override: 'The verdict was overridden',
  extend: 'The observation was extended; no verdict changes by it',
  go_approved: 'Go',
  alert: 'Trouble after the decision',
  closed: 'The watch is over',
  new_gone: 'The new run is gone',
  new_still_live: 'The cancel did not take: the new run is still live',
  new_unknown: 'Whether the new run is gone is not known',
  anchor_in_range: 'The old run resumes from its newest checkpoint',
  anchor_outside: 'The newest checkpoint of the old tree is outside the expected range',
  anchor_unknown: 'Where the old run would resume is not known',
  anchor_confirmed: 'The anchor was confirmed',
  relaunched_once: 'The old run was launched once',
  relaunch_absent: 'The old run was not launched',
  relaunch_two: 'Two coordinators of the old run are live',
  relaunch_unknown: 'What became of the relaunch is not known',
  replay_matches: "The replay equals the old run's own rows",
  replay_not_comparable: 'The replay could not be compared',
  replay_differs: "The replay differs from the old run's own rows",
  close_unverified: 'Closed without a verified replay',
  cancel_asked: 'The operation was cancelled',
  abort_asked: 'An abort was asked for',
  foreign_coordinator: 'A coordinator that was not expected is live',
  recheck_asked: 'A recheck was asked for',
  recheck_proved: 'The recheck proved what happened',
  adopt_new: 'The new run that a person launched was adopted',
  adopt_old: 'The old run that a person launched was adopted',
  reminded: 'Still waiting for a person',
  taken: 'Somebody has it now',
  owner_left: 'It needs somebody new',
  restored: 'Came back from a backup',
  compared: 'Compared with the outside again',
  rehearsed: 'Rehearsed: everything was read, nothing was changed',
  declare_gone: 'A run was declared gone',
  retry_cancel_old: 'The cancel of the old run is tried again',
  retry_cancel_new: 'The cancel of the new run is tried again',
  called_off: 'The swap was called off; the old run steps on',
  abandon: 'The operation was abandoned; the lock is released',
};

/** A state as a refusal names it; one of another protocol is said as it is written. */
export function stateInWords(state: string): string {
  return Object.hasOwn(STATE_WORDS, state) ? STATE_WORDS[state as HeroState].words : state.replaceAll('_', ' ');
}

/** The same for an event. */
export function eventInWords(event: string): string {
  return Object.hasOwn(EVENT_WORDS, event) ? EVENT_WORDS[event as HeroEvent].replace(' {phase}', ' goes on') : event.replaceAll('_', ' ');
}
