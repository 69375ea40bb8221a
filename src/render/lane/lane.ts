import { type LaneFacts, type LaneView, validWaiver } from '../../protocol/lane/facts.js';
import type { LaneEvent, LaneState } from '../../protocol/lane/table.js';
import type { Entry } from '../../protocol/table.js';
import { happenedText } from '../happened.js';
import type { Card, Message } from '../message.js';
import { instant, person, say, strong, type Text, words } from '../text.js';

/** A schedule's state in words, and its mark. */
export const LANE_STATE_WORDS: Readonly<Record<LaneState, { readonly mark: string; readonly words: string }>> = {
  scheduled: { mark: '🗓️', words: 'scheduled' },
  off: { mark: '🔕', words: 'OFF' },
  retired: { mark: '🗑️', words: 'no longer scheduled' },
};

export const LANE_EVENT_WORDS: Readonly<Record<LaneEvent, string>> = {
  plan_made: 'The lane has a schedule',
  due_came: 'A run is due',
  due_came_late: 'A run is due, noticed late',
  due_skipped: 'A due run was skipped',
  ferry_proposed: 'The due run was proposed',
  ferry_not_proposed: 'The due run was not proposed',
  ferry_was_good: 'A run of the lane succeeded',
  overdue: 'The lane is OVERDUE',
  switched_off: 'The schedule was switched off',
  switched_on: 'The schedule was switched on',
  waiver_given: 'A standing waiver was given',
  waiver_revoked: 'The standing waiver was revoked',
  waiver_voided: 'The standing waiver is void',
  schedule_changed: 'The schedule was changed in the fleet file',
  restored: 'The schedule came back from a backup: switch it off and on to go on',
  compared: 'The schedule was compared with the outside',
  retired: 'The schedule is no longer in the fleet file',
};

/** What its owner has to know of, and may have to mend. */
const LOOKED_AT: ReadonlySet<string> = new Set<LaneEvent>(['overdue', 'ferry_not_proposed', 'due_skipped']);

export function laneMessage(view: LaneView, entry: Entry<LaneFacts>): Message {
  const { mark, words: state } = LANE_STATE_WORDS[entry.to as LaneState];
  const { sentence, reason } = entry.details;
  const awaited = LOOKED_AT.has(entry.event)
    ? [say`Next: ${person(view.plan.owner)} looks at it, or runs it by hand: ${`/ferry propose lane=${view.plan.lane} objective="…"`}.`]
    : [];
  const changed = entry.event === 'schedule_changed' ? [say`Due ${view.plan.cron} in UTC, cleared by ${person(view.plan.owner)}.`] : [];
  return {
    mark: entry.event === 'overdue' ? '🚨' : mark,
    title: say`${strong(`${view.operationId} · ${view.plan.lane} · ${state}`)}`,
    lines: [happenedText(LANE_EVENT_WORDS[entry.event as LaneEvent], entry.actor, sentence ?? reason), ...awaited, ...changed],
    evidence: [[words('at '), instant(entry.at), words(` · row ${entry.seq}`)]],
  };
}

/** The schedule as it stands: next instant, newest good run, waiver; a lane that is off is never green. */
export function laneCard(view: LaneView, next: Date | null, now: Date): Card {
  const { plan, facts } = view;
  const { mark, words: state } = LANE_STATE_WORDS[view.state as LaneState];
  const waiver = validWaiver(view, now);
  return {
    mark,
    title: say`${strong(`${view.operationId} · ${plan.lane} · ${state}`)}`,
    lines: [
      ...(view.state === 'off'
        ? offLine(view)
        : view.state === 'retired'
          ? [say`It is no longer in the fleet file, so nothing is due.`]
          : [say`Due ${plan.cron} in UTC; next ${next === null ? words('never') : instant(next)}.`]),
      say`Cleared by ${person(plan.owner)}${waiver === null ? words(', run by run.') : say`, by a standing waiver until ${instant(waiver.until)}.`}`,
      facts.lastGood === undefined
        ? say`No good run on record.`
        : say`Last good: ${facts.lastGoodFerry ?? '?'}, ${instant(facts.lastGood)}.`,
    ],
    evidence: [say`Since ${instant(view.enteredAt)} · row ${view.seq} · plan ${view.planVersion} ${view.planHash.slice(0, 8)}`],
    buttons: [],
  };
}

function offLine(view: LaneView): readonly Text[] {
  const off = view.history.findLast(({ event }) => event === 'switched_off');
  return [
    say`${strong('Off')} since ${instant(off?.at ?? view.enteredAt)}, by ${person(off?.actor ?? 'bot')}: nothing is due, and nothing watches this lane.`,
  ];
}
