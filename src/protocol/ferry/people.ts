import { ENTITLEMENT_WORDS, type Entitlement } from '../people.js';
import { answer, need } from '../read.js';
import type { Need, Readings, Who } from '../table.js';
import type { FerryView } from './facts.js';
import type { FerryProposal } from './watcher.js';

/** Who may do what with a lane, by the ids of Slack users and user groups; from the fleet file. An empty list is nobody, and so is a group that could not be read. */
export interface LanePeople {
  readonly ask: readonly string[];
  readonly decide: readonly string[];
  readonly onCall: readonly string[];
}

/** The people of a lane whose word a row takes, as the fleet file has them. */
export function lanePeopleFor(who: Exclude<Who, 'bot'>, people: LanePeople): readonly string[] {
  switch (who) {
    case 'ask':
    case 'agree':
    case 'approve':
      return people.ask;
    case 'decide':
    case 'override':
      return people.decide;
    case 'duty':
      return [...new Set([...people.ask, ...people.decide, ...people.onCall])];
  }
}

/** Whether somebody would still be heard who clears runs of a lane: a member, and on its list. */
export function clearerNeed(lane: string, userId: string): Need {
  return need('clearer', 'entitled', { protocol: `lane:${lane}`, role: 'ask', userId });
}

/** What is known to be wrong with whoever clears; null: they are known to be heard, or nothing is known. */
export function whyNotHeard(readings: Readings): string | null {
  const clearer = answer(readings, 'entitled', 'clearer');
  return clearer?.kind !== 'known' || clearer.value === 'member' ? null : ENTITLEMENT_WORDS[clearer.value];
}

/** Only what is known counts: a word may be used while Slack says that its giver is heard, and not otherwise. */
export function isHeard(readings: Readings): boolean {
  const clearer = answer(readings, 'entitled', 'clearer');
  return clearer?.kind === 'known' && clearer.value === ('member' satisfies Entitlement);
}

/** The one person who clears this run is gone: an unused clearance of theirs is void, and nobody else can give another. Said once. */
export function whoLeft(view: FerryView, readings: Readings): FerryProposal | null {
  const words = whyNotHeard(readings);
  const { clears, scheduledFor } = view.plan;
  const { clearance = null, clearerLeft } = view.facts;
  if (words === null || clearerLeft === clears) return null;
  const voided = clearance === null ? '' : ', and so its clearance is void';
  const next =
    scheduledFor === null ? 'Cancel it and propose it again' : 'Cancel it, and name another owner of the schedule in the fleet file';
  const sentence = `whoever alone could ${words}${voided}. ${next}`;
  return { on: 'approver_left', key: clearance?.at ?? 'gate', details: { userId: clears, sentence } };
}
