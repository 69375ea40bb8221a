import type { GuardAnswer } from '../../protocol/hero/guard.js';
import { say, type Text, words } from '../text.js';

/** What whoever rehearses is told: every guard that is not open, and the open ones by name. */

export function whichToRehearse(): Text {
  return say`Which operation? Name it: ${'/hero-deploy rehearse hero-12'}.`;
}

export function rehearseTakesNoFields(): Text {
  return say`${'rehearse'} takes no fields. Nothing was done.`;
}

export function rehearsedForNext(guards: readonly GuardAnswer[]): readonly Text[] {
  return [say`No operation is open: this is how things stand for the next one. Nothing was changed.`, ...rehearsalLines(guards)];
}

/** `verdict`: how good a rehearsal it was, in words. */
export function rehearsedFor(operationId: string, verdict: string, guards: readonly GuardAnswer[]): readonly Text[] {
  return [say`${operationId}: ${words(verdict)}. Nothing was changed.`, ...rehearsalLines(guards)];
}

/** After the cut, or by somebody who may not ask, it was only a look. */
export function notFiledAsRehearsal(why: Text): Text {
  return say`It was not put on file as a rehearsal. ${why}`;
}

function rehearsalLines(guards: readonly GuardAnswer[]): readonly Text[] {
  const open = guards.filter(({ answer }) => answer === 'open').map(({ guard }) => guard);
  const closed = guards.filter(({ answer }) => answer !== 'open');
  return [
    ...closed.map(({ answer, guard, sentence }) => say`${words(`${answer === 'shut' ? '⛔' : '❓'} ${guard}: ${sentence}`)}`),
    ...(open.length === 0 ? [] : [say`${words(`🟢 ${open.length} open: ${open.join(', ')}`)}`]),
  ];
}
