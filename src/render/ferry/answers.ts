import { stateInWords } from '../state-words.js';
import { instant, person, say, type Text, words } from '../text.js';

/** What only the person who asked about a ferry, or about a lane's schedule, is told. */

/** A ferry or a schedule as the journal lists it. */
export interface ListedFerry {
  readonly operationId: string;
  readonly lane: string;
  readonly state: string;
  readonly requester: string;
  readonly createdAt: string;
}

export function noLanes(): Text {
  return say`The fleet file has no lanes, so there are no ferries here. Nothing was done.`;
}

export function noFerryHere(operationId: string): Text {
  return say`There is no ferry ${operationId} in this channel. See ${'/ferry list'}.`;
}

export function noFerryIsOpen(): Text {
  return say`No ferry is open in this channel. ${'/ferry propose lane=… objective="…"'} makes one.`;
}

export function noFerryYet(lanes: readonly string[]): Text {
  return say`No ferry has been proposed in this channel. Lanes: ${words(lanes.join(', ') || 'none')}.`;
}

export function listedFerry({ operationId, lane, state, requester, createdAt }: ListedFerry): Text {
  return say`${operationId}: ${words(`${lane}, ${stateInWords(operationId, state)}`)}, asked for by ${person(requester)}, ${instant(createdAt)}`;
}

export function noSchedule(lane: string, scheduled: readonly string[]): Text {
  return say`No lane ${lane.slice(0, 40)} has a schedule; those that have one are ${words(scheduled.join(', ') || 'none')}. Nothing was done.`;
}

export function proposeMakesNew(): Text {
  return say`${'propose'} makes a new ferry, and takes no operation. Nothing was done.`;
}

export function aboutTheSchedule(verb: string, operationId: string): Text {
  return say`${verb} with ${'lane='} is about the lane's schedule, and takes no ${operationId} beside it. Nothing was done.`;
}

export function beingProposed(operationId: string, inferred: readonly string[]): Text {
  return say`${operationId} is being proposed; its thread has the card. Read, not typed: ${words(inferred.join(', ') || 'nothing')}.`;
}

export function launchedAlready(jobId: string, at: string): Text {
  return say`It was launched once, as ${jobId} at ${instant(at)}; another run of the lane is another ${'/ferry propose'}.`;
}

export function fixNeeds(operationId: string): Text {
  return say`A fix names its own commit and says why: ${`/ferry fix ${operationId} commit=<40 hex> rationale="…"`}. Nothing was done.`;
}

export function ferryHelp(fields: readonly string[]): readonly Text[] {
  return [
    say`${'/ferry propose lane=daily objective="…"'} — a new run. Fields: ${words(fields.join(', '))}.`,
    say`${'approve'} or ${'waive reason="…"'}: only by the person who asked. ${'launch'} launches what is cleared; ${'cancel'} and ${'stop'} are anybody's of the lane.`,
    say`${'seal'}, ${'leave-unsealed'} end a daily that succeeded; ${'fix commit=… rationale="…"'} once, then ${'escalate'}, for one that failed.`,
    say`${'off lane=…'}, ${'on lane=…'} switch a schedule; ${'waive lane=… until=YYYY-MM-DD reason="…"'} gives its standing waiver, ${'revoke lane=…'} takes it back.`,
    say`${'file-again'} for a proposal that is not filed; ${'recheck'}, ${'adopt job=…'}, ${'retry-stop'}, ${'abandon'} for what is held; ${'take'} says that you have it; ${'status'} and ${'list'} only look.`,
    say`All but ${'propose'} and ${'list'} take a ferry such as ${'ferry-12'}, or mean the only open one.`,
  ];
}
