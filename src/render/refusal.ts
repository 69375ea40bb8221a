import type { JsonObject, Refusal } from '../protocol/table.js';
import { byWhom } from './happened.js';
import { eventInWords, stateInWords } from './state-words.js';
import { instant, people, person, say, type Text, words } from './text.js';

const ACCOUNT_WORDS: Readonly<Record<string, string>> = {
  guest: "is a guest's",
  deactivated: 'is deactivated',
  other_team: 'belongs to another workspace',
  bot: "is a bot's",
  no_such_account: 'does not exist',
};

/** Why nothing was done: which rule, who can, what next. */
export function refusalText(operationId: string, refusal: Refusal, details: JsonObject): Text {
  const list = (name: string): readonly string[] => {
    const value = details[name];
    return Array.isArray(value) ? value.map((each) => `${each}`) : [];
  };
  const field = (name: string): string => `${details[name] ?? ''}`;
  const command = commandOf(operationId);
  const help = say`See ${`${command} status ${operationId}`}.`;
  switch (refusal) {
    case 'no_such_operation':
      return say`There is no operation ${operationId}. See ${`${command} list`}.`;
    case 'no_such_transition':
      return say`${operationId} now: ${words(stateInWords(operationId, field('state')))}. That is not possible in this state. ${help}`;
    case 'stale_button':
      return say`That button was drawn for an earlier state and did nothing. ${operationId} now: ${words(stateInWords(operationId, field('state')))}. Since then: ${byWhom(eventInWords(operationId, field('event')), say`, by ${person(field('by'))}${field('at') === '' ? [] : say` at ${instant(field('at'))}`}`)}.`;
    case 'stale_plan':
      return say`That button or form was drawn for an earlier version of the plan and did nothing. Look at the newest card of ${operationId}.`;
    case 'too_old':
      return say`That was asked at ${instant(field('askedAt'))}, more than ${field('limitSeconds')} s ago, and was not taken. Look at the present state, then ask again.`;
    case 'not_allowed':
      if (field('role') === 'bot')
        return say`Nobody can ask for that: it is done by itself, when the readings of ${operationId} prove it. ${help}`;
      return say`You may not do that to ${operationId}: it needs somebody of "${words(field('role'))}" in the fleet file (${people(list('may'))}). Nothing was changed.`;
    case 'own_request':
      return list('may').length === 0
        ? say`You asked for ${operationId}, so somebody else must do that, and the fleet file names nobody else under "${words(field('role'))}".`
        : say`You asked for ${operationId}, so somebody else must do that: ${people(list('may'))}. Nothing was changed.`;
    case 'nobody_may':
      return say`Nobody may do that: the list "${words(field('role'))}" of the fleet file is empty, or names only user groups that Slack does not list just now. Nothing was changed.`;
    case 'subject_locked':
      return say`Another operation holds ${words(heldBy(field('holder')))}: ${field('holder')} (${words(stateInWords(field('holder'), field('state')))}, asked for by ${person(field('by'))}, held since ${field('since') === '' ? words('') : instant(field('since'))}). It must end first. Nothing was changed.`;
    case 'clock_behind':
      return say`Our clock (${instant(field('now'))}) is earlier than the last recorded row (${instant(field('lastAt'))}), so nothing that depends on an age may happen. A rollback still may. Mend the clock.`;
    case 'not_proven':
      // What was typed, or what is on file: no later reading makes it so.
      if (details.isKnown === true) return say`Not taken: it needs ${words(field('needs'))}. Nothing was changed. ${help}`;
      return say`Not taken: the last readings do not prove what it needs: ${words(field('needs'))}. ${help}`;
    case 'no_pass':
      return say`No go without a PASS: the verdict is ${field('verdict')}. ${`/hero-deploy no-go ${operationId}`} rolls back; ${`/hero-deploy override ${operationId} reason="…"`} goes on against the verdict, by a named person.`;
    case 'liveness_unknown':
      return say`No go now: the new run was not seen to step just now. Wait for the next reading, then press again. ${help}`;
    case 'reason_missing':
      return say`That needs a reason: add ${'reason="…"'}.`;
    case 'not_a_live_coordinator':
      return say`${field('jobId')} is not the one live ${words(command === '/ferry' ? 'job called' : 'coordinator of')} ${field('wanted')}. Live: ${words(list('live').join(', ') || 'none')}. Nothing was changed.`;
    case 'account_refused':
      return say`Slack says that your account ${words(ACCOUNT_WORDS[field('account')] ?? 'is not a full member of this workspace')}. Nothing was done; the attempt is on file.`;
    case 'account_unread':
      return say`Not taken: Slack could not be asked just now whether you are a member of this workspace, and whoever cannot be looked up may do nothing. Try again in a moment.${command === '/ferry' ? [] : say` ${'/hero-deploy hand'} says how to go on without the bot.`}`;
    case 'not_the_requester':
      if (operationId.startsWith('lane-'))
        return say`Only ${person(field('clears'))}, the owner of that schedule, can give its standing waiver. Nothing was changed.`;
      return say`Only ${person(field('clears'))} can clear that run: by an own approval, or by an own waiver for this run here in the thread. Nobody else's word counts, nor one that is passed on. Nothing was changed.`;
    case 'fix_used':
      return say`${operationId} has had its one fix. ${`${command} escalate ${operationId}`} hands it to a person.`;
    case 'not_compared':
      return say`The journal was restored from a backup at ${instant(field('at'))}, and ${operationId} has not been compared with the outside since. Nothing was done. It is read at every tick; ask again when the thread says that it was compared.`;
    case 'disk_full':
      return say`The disk of the journal is nearly full (${field('freeMb')} MB left), so nothing new is begun. Cancelling and rolling back still work. Make room; nothing was changed.`;
    case 'nothing_changed':
      return field('by') === ''
        ? say`Nothing to do for ${operationId}: ${words(field('sentence') || 'it says that already')}.`
        : say`Nothing to do for ${operationId}: ${words(field('sentence'))} by ${person(field('by'))} at ${instant(field('at'))}.`;
  }
}

/** The command of an operation's protocol. */
function commandOf(operationId: string): string {
  return /^(?:ferry|lane)-/.test(operationId) ? '/ferry' : '/hero-deploy';
}

/** What the holder of a lock holds. */
function heldBy(holder: string): string {
  return holder.startsWith('ferry-') ? 'the lane' : 'the family';
}
