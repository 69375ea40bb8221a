import { shortened } from './issue-text.js';
import { code, instant, type Part, say, type Text, words } from './text.js';

/** What is said about the telling itself: a place that takes no posts, a card that is frozen, a thread that goes on elsewhere. */

/** What is quoted of an answer of Slack's or GitHub's, in characters. */
const ERROR_MAX = 300;

/** In the new first message of a thread. `before`: a link to the old one, or nothing. */
export function continuesHere(operationId: string, before: Text, issue: Text): Text {
  const where = before.length === 0 ? say`` : say` (${before})`;
  return say`${operationId} goes on here: the first message of its thread was lost${where}. Earlier lines are not said again; they are on ${issue}.`;
}

/** On the issue, when the first message of a thread was lost. */
export function threadWasLost(operationId: string): Text {
  return say`The first message of the thread of ${operationId} was lost; it goes on under a new one. Nothing else changed.`;
}

/** In the old thread, when its card cannot be redrawn any more. */
export function cardIsFrozen(operationId: string, error: string): Text {
  return say`The card above cannot be redrawn any more (${quoted(error)}): what it shows is old, and its buttons are dead. ${operationId} stands as its last line here says, and goes on under a new card.`;
}

/** In the second channel and on the issue, when a channel takes no posts. */
export function channelIsLost(operationId: string, channel: string, error: string, issue: Text): Text {
  return say`The channel ${channel} takes no posts any more (${quoted(error)}). ${operationId} goes on: guards and monitoring carry on, every line is on ${issue}, and what waits for the channel follows there when it takes posts again.`;
}

/** In the thread, when the issue takes no comments. */
export function mirrorIsBlocked(issue: Text, why: Text, error: string): Text {
  return say`The mirror is blocked: ${issue} ${why} (${quoted(error)}). The lines for it are kept, and follow in order once it takes them.`;
}

/** In the thread, when GitHub asks us to wait. */
export function mirrorIsDelayed(issue: Text, until: Date): Text {
  return say`Mirror delayed: GitHub asks to write less to ${issue}, and is asked again at ${instant(until)}. The lines for it are kept, and follow in order.`;
}

/** In the thread, when all that waited is there. */
export function mirrorGoesOn(issue: Text): Text {
  return say`Mirror goes on: every line up to here is on ${issue}.`;
}

/** In the thread, when a full issue is followed by another. */
export function mirrorMoved(from: number, to: number): Text {
  return say`The status issue ${`#${from}`} takes no more comments. The mirror goes on in ${`#${to}`}, which was opened for it; each names the other.`;
}

/** In the thread, when somebody or something closed the issue. */
export function issueIsClosed(issue: Text): Text {
  return say`${issue} is closed. It is written to nonetheless; reopen it?`;
}

/** What makes an issue refuse comments, as the end of a sentence. */
export const BLOCKED_WORDS = {
  locked: say`is locked: unlock the conversation`,
  full: say`takes no more comments: name a new issue in the fleet file, with ${code('follows')} and the number of this one`,
  gone: say`is deleted, moved, or hidden from the bot: name the right one in the fleet file`,
  forbidden: say`may not be written by the bot: it needs the permission ${code('Issues: read and write')}`,
} as const;

export type BlockedWhy = keyof typeof BLOCKED_WORDS;

function quoted(error: string): Part {
  return words(shortened(error, ERROR_MAX));
}
