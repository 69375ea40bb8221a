import type { Form } from './bot-door.js';
import { DeskError } from './desk-error.js';
import { BOT, type Channel, type Person, TEAM } from './person.js';
import { isRecord, type Json, recordsOf, textOf } from './record.js';

/** Which button of a message: all that is given must match, and exactly one button may. */
export interface ButtonChoice {
  readonly actionId?: string | undefined;
  readonly value?: string | undefined;
  /** The words on the button. */
  readonly text?: string | undefined;
}

interface Moment {
  readonly person: Person;
  readonly at: Date;
  /** The workspace that the person is of: in a shared channel it may be another than the bot's. */
  readonly teamId: string;
  readonly triggerId: string;
  readonly responseUrl: string;
}

/** The form of a slash command, its text escaped as Slack does with `should_escape: true`. Throws DeskError for text without a slash. */
export function commandForm(moment: Moment, channel: Channel, typed: string, directory: Directory): Form {
  const [, command, text = ''] = /^\s*(\/[^\s]+)(?:\s+([\s\S]*))?$/.exec(typed) ?? [];
  if (command === undefined) throw new DeskError(`say "${typed}": only slash commands can be sent to the bot`);
  return {
    token: 'unused',
    team_id: moment.teamId,
    team_domain: TEAM.domain,
    channel_id: channel.id,
    channel_name: channel.name,
    user_id: moment.person.id,
    user_name: moment.person.name,
    command,
    text: escapeCommandText(text.trim(), directory),
    api_app_id: BOT.appId,
    is_enterprise_install: 'false',
    response_url: moment.responseUrl,
    trigger_id: moment.triggerId,
  };
}

/** Who and what can be named in a command. */
export interface Directory {
  readonly people: readonly Person[];
  readonly channels: readonly Channel[];
}

/** `@name`, `#name` and links as Slack hands them over; all other `&`, `<`, `>` as entities. */
export function escapeCommandText(text: string, { people, channels }: Directory): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\bhttps?:\/\/\S+/g, (link) => `<${link}>`)
    .replace(/(?<![\w/])([@#])([a-z0-9][\w.-]*)/g, (whole, sign: string, name: string) => {
      const named = (sign === '@' ? people : channels).find((each) => each.name === name);
      return named === undefined ? whole : `<${sign}${named.id}|${name}>`;
    });
}

/** The form of a click on a button of `message`, as drawn there. Throws DeskError when the button is not drawn exactly once. */
export function clickForm(moment: Moment, channel: Channel, message: Json, choice: ButtonChoice): Form {
  const { block, button } = buttonOf(message, choice);
  const ephemeral = message.is_ephemeral === true;
  const threadTs = textOf(message.thread_ts);
  const payload = {
    type: 'block_actions',
    user: { id: moment.person.id, username: moment.person.name, name: moment.person.name, team_id: moment.teamId },
    api_app_id: BOT.appId,
    token: 'unused',
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: ephemeral,
      ...(threadTs === '' ? {} : { thread_ts: threadTs }),
    },
    trigger_id: moment.triggerId,
    team: TEAM,
    enterprise: null,
    is_enterprise_install: false,
    channel,
    ...(ephemeral ? {} : { message }),
    state: { values: {} },
    response_url: moment.responseUrl,
    actions: [{ ...button, confirm: button.confirm, block_id: block.block_id, action_ts: stampOf(moment.at) }],
  };
  return { payload: JSON.stringify(payload) };
}

/** The form of a modal's submission. */
export function submissionForm(moment: Moment, view: Json, values: Json): Form {
  const payload = {
    type: 'view_submission',
    team: TEAM,
    user: { id: moment.person.id, username: moment.person.name, name: moment.person.name, team_id: moment.teamId },
    api_app_id: BOT.appId,
    token: 'unused',
    trigger_id: moment.triggerId,
    view: { ...view, state: { values }, app_installed_team_id: TEAM.id },
    response_urls: [],
    is_enterprise_install: false,
    enterprise: null,
  };
  return { payload: JSON.stringify(payload) };
}

/** All buttons of a message, in the order they are drawn. */
export function buttonsOf(message: Json): readonly { readonly block: Json; readonly button: Json }[] {
  return recordsOf(message.blocks).flatMap((block) => {
    const elements = [...recordsOf(block.elements), ...(isRecord(block.accessory) ? [block.accessory] : [])];
    return elements.filter((element) => element.type === 'button').map((button) => ({ block, button }));
  });
}

function buttonOf(message: Json, choice: ButtonChoice): { readonly block: Json; readonly button: Json } {
  const all = buttonsOf(message);
  const [chosen, second] = all.filter(
    ({ button }) =>
      (choice.actionId === undefined || button.action_id === choice.actionId) &&
      (choice.value === undefined || button.value === choice.value) &&
      (choice.text === undefined || (isRecord(button.text) && button.text.text === choice.text)),
  );
  if (chosen !== undefined && second === undefined) return chosen;
  const drawn = all.map(({ button }) => `${textOf(button.action_id)}=${textOf(button.value)}`).join(', ') || 'none';
  throw new DeskError(
    `click ${JSON.stringify(choice)}: ${chosen === undefined ? 'no such button' : 'more than one such button'}; drawn: ${drawn}`,
  );
}

/** The event that somebody opened the Home tab. Source: docs.slack.dev/reference/events/app_home_opened. */
export function homeEvent(person: Person, openedAt: Date, view: Json | undefined): Json {
  const at = stampOf(openedAt);
  return {
    type: 'event_callback',
    token: 'unused',
    team_id: TEAM.id,
    api_app_id: BOT.appId,
    event: {
      type: 'app_home_opened',
      user: person.id,
      channel: `D${person.id.slice(1)}`,
      tab: 'home',
      event_ts: at,
      ...(view === undefined ? {} : { view }),
    },
    event_id: `Ev${at.replace('.', '')}${person.id}`,
    event_time: Math.floor(Number(at)),
    authorizations: [{ enterprise_id: null, team_id: TEAM.id, user_id: BOT.userId, is_bot: true, is_enterprise_install: false }],
  };
}

function stampOf(instant: Date): string {
  const ms = instant.getTime();
  return `${Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, '0')}000`;
}
