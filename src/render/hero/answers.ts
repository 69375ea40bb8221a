import { stateInWords } from '../state-words.js';
import { instant, person, say, type Text, words } from '../text.js';

/** What only the person who asked about a hero deploy is told. */

/** An operation as the journal lists it. */
export interface ListedHero {
  readonly operationId: string;
  readonly state: string;
  readonly locked: boolean;
  readonly requester: string;
  readonly createdAt: string;
}

export function noOperationHere(operationId: string): Text {
  return say`There is no operation ${operationId} in this channel. See ${'/hero-deploy list'}.`;
}

export function noneIsOpen(): Text {
  return say`No operation is open in this channel. ${'/hero-deploy plan'} makes one.`;
}

export function nothingPlannedYet(): Text {
  return say`No operation has been planned in this channel. ${'/hero-deploy plan'} makes one.`;
}

export function listedHero({ operationId, state, locked, requester, createdAt }: ListedHero): Text {
  const lock = words(locked ? ', holds the family' : '');
  return say`${operationId}: ${words(stateInWords(operationId, state))}${lock}, asked for by ${person(requester)}, ${instant(createdAt)}`;
}

export function planMakesNew(operationId: string): Text {
  return say`${'plan'} makes a new operation; to change ${operationId} use ${'revise'}. Nothing was done.`;
}

export function planned(operationId: string): Text {
  return say`${operationId} is planned; its thread has the card.`;
}

export function revised(operationId: string): Text {
  return say`${operationId} is revised; agreement and approval are void.`;
}

export function noSuchFamily(family: string): Text {
  return say`The fleet file has no family ${family} any more.`;
}

export function heroHelp(fields: readonly string[]): readonly Text[] {
  return [
    say`${'/hero-deploy plan reason="…" gate="train_loss tracks within 0.002"'} — a new swap. What is not typed is read: ${words(fields.join(', '))}.`,
    say`${'rehearse'} reads all guards on any day and changes nothing.`,
    say`${'revise'} changes a plan; ${'agree'} agrees to it; ${'preflight'} reads all guards; ${'launch'} approves the launch (${'not-after=17:30'} in your own zone, or ${'16:30Z'}, bounds it), ${'reject'} does not.`,
    say`${'go'}, ${'no-go'}, ${'rollback'}, ${'cancel'}: one person, at any time while they are possible. ${'override reason="…"'} goes on against the verdict; ${'extend'} only goes on looking.`,
    say`${'take'} says that you have it; ${'brief'} and ${'hand'} say what to know and how to go on without the bot.`,
    say`For what is held: ${'recheck'}, ${'adopt job=…'}, ${'retry-cancel'}, ${'declare-gone pods=…'}, ${'called-off'}, ${'confirm-anchor step=…'}, ${'close-unverified'}, ${'leave-down'}, ${'abandon'}. ${'status'} and ${'list'} only look.`,
    say`All but ${'plan'} and ${'list'} take an operation such as ${'hero-12'}, or mean the only open one.`,
  ];
}
