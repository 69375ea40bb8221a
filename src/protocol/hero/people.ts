import { ENTITLEMENT_WORDS, type Entitlement } from '../people.js';
import { answer, need } from '../read.js';
import type { Need, Readings } from '../table.js';
import type { HeroView } from './facts.js';
import type { Assessed } from './guard.js';
import { HERO_FINALS } from './table.js';
import type { HeroProposal } from './watcher.js';

/** Whether the people on whom a swap rests are still there: who may approve, who did, and who has it. */

export function peopleNeeds(view: HeroView): readonly Need[] {
  const besides = view.plan.requesterMayApprove ? null : view.requester;
  return [need('approvers', 'somebody', { protocol: 'hero', role: 'approve', besides }), ...approverNeed(view)];
}

function approverNeed({ facts }: HeroView): readonly Need[] {
  const { approval } = facts;
  return approval === undefined || approval === null
    ? []
    : [need('approver', 'entitled', { protocol: 'hero', role: 'approve', userId: approval.by })];
}

/** The approval's giver while it is unused, and whoever has the operation. */
export function leaverNeeds(view: HeroView): readonly Need[] {
  if (HERO_FINALS.has(view.state)) return [];
  return [need('owner', 'account', { userId: ownerOf(view) }), ...(isUnused(view) ? approverNeed(view) : [])];
}

function ownerOf(view: HeroView): string {
  return view.facts.takenBy ?? view.requester;
}

/** In `arming` and after it the guard says it instead: there an approval is being used. */
function isUnused({ state }: HeroView): boolean {
  return state === 'ready' || state === 'awaiting_launch';
}

/** Somebody who is known to be gone, from the workspace or from the list, and what follows from it. What could not be read proves nothing. */
export function whoLeft(view: HeroView, readings: Readings): HeroProposal | null {
  const approval = view.facts.approval ?? null;
  const approver = answer(readings, 'entitled', 'approver');
  if (isUnused(view) && approval !== null && approver?.kind === 'known' && approver.value !== 'member') {
    const sentence = `whoever approved ${ENTITLEMENT_WORDS[approver.value]}, so somebody else has to approve`;
    return { on: 'approver_left', key: approval.at, details: { userId: approval.by, sentence } };
  }
  const owner = answer(readings, 'account', 'owner');
  const userId = ownerOf(view);
  if (owner?.kind !== 'known' || owner.value === 'member' || view.facts.ownerLeft === userId) return null;
  return { on: 'owner_left', key: userId, details: { userId, sentence: `whoever had it ${ENTITLEMENT_WORDS[owner.value]}` } };
}

/** Before anything is touched: is there anybody who could approve? Empty and unreadable are both nobody. */
export function whetherSomebodyMayApprove(found: string | null): Assessed {
  if (found !== null) return ['open', 'somebody else may approve'];
  return [
    'shut',
    'approver list empty or unreadable: nobody else in it is a member of the workspace; put user ids or a user group into the fleet file',
  ];
}

/** Just before the cut: would whoever approved still be heard? */
export function whetherApproverStays(state: Entitlement): Assessed {
  if (state === 'member') return ['open', 'whoever approved is a member'];
  return ['shut', `whoever approved ${ENTITLEMENT_WORDS[state]}: somebody else has to approve`];
}
