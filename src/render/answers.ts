import { byWhom } from './happened.js';
import { eventInWords, stateInWords } from './state-words.js';
import { instant, person, say, type Text, words } from './text.js';

/** What only the person who asked is told, whichever command or button it was. What happens is told in the thread. */

/** The command as it is typed: `/hero-deploy`, `/ferry`. */
type Command = string;

/** `what`: how a sentence about them begins. */
export function otherChannel(what: string, channel: string): Text {
  return say`${words(what)} in the channel ${channel} only. Nothing was done.`;
}

/** What is wrong with what was typed, in a sentence of who read it. */
export function notUnderstood(fault: string): Text {
  return say`${words(fault)}`;
}

export function notRead(fault: string): Text {
  return say`${words(fault)} Nothing was done.`;
}

export function takesNothing(verb: string): Text {
  return say`${verb} takes nothing more. Nothing was done.`;
}

export function takesNoField(verb: string, field: string): Text {
  return say`${verb} takes no ${`${field.slice(0, 40)}=`}. Nothing was done.`;
}

export function noSuchVerb(command: Command, verb: string): Text {
  return say`${verb.slice(0, 40)} is not something ${command} does. Nothing was done.`;
}

export function whichOne(open: readonly string[]): Text {
  return say`Which one? Open are ${words(open.join(', '))}. Name it in the command.`;
}

/** All that is wrong with what was to be put on file, each by its field. */
export function faultLines(head: string, faults: readonly string[], command: Command): readonly Text[] {
  return [
    say`${words(head)}`,
    ...faults.map((fault) => say`• ${words(fault)}`),
    say`Nothing was put on file. ${`${command} help`} shows the fields.`,
  ];
}

export function taken(operationId: string, state: string): Text {
  return say`${operationId}: accepted. Now: ${words(stateInWords(operationId, state))}.`;
}

export function takenAlready(operationId: string, event: string, actor: string, at: Date): Text {
  return say`${operationId}: that was accepted already (${byWhom(eventInWords(operationId, event), say`, by ${person(actor)} at ${instant(at)}`)}).`;
}

/** A typed time as it was understood. */
export function readAs(time: string): Text {
  return say`Read as ${words(time)}.`;
}

/** What stands in a plan though nobody typed it. */
export function readNotTyped(fields: readonly string[]): Text {
  return say`Read, not typed: ${words(fields.join(', ') || 'nothing')}. Look at them in the thread before agreeing.`;
}

export function notMyButton(): Text {
  return say`That button is not one of mine. Nothing was done.`;
}

export function buttonOfAnotherChannel(): Text {
  return say`That button belongs to an operation of another channel. Nothing was done.`;
}

export function notMyCommand(command: Command): Text {
  return say`${command} is not one of my commands. Nothing was done.`;
}

/** To a delivery that Slack repeated. */
export function receivedAlready(): Text {
  return say`That was received already, and is worked on once. The thread tells what became of it.`;
}

export function faultOfMine(): Text {
  return say`A fault of mine stopped that on its way. It may have been taken: look at ${'/hero-deploy status'} or ${'/ferry status'} before asking again.`;
}

export function notStored(): Text {
  return say`Not taken: the journal could not be written just now. Nothing was done; please try again in a moment.`;
}

/** Below a card that is shown to whoever asked for it. */
export function onlyLooked(): Text {
  return say`This shows what the last readings said; nothing was changed.`;
}

/** Why a form is not there, before what it was to show. */
export function formFault(fault: string): Text {
  return say`${words(`(${fault})`)}`;
}

export function notOnFileHere(): Text {
  return say`It is not on file in this channel.`;
}
