import type { BotDoor, Delivery } from './bot-door.js';
import { DeskError } from './desk-error.js';
import { asMessage, type Ephemerals } from './ephemerals.js';
import { asReadBack } from './history.js';
import type { Membership } from './membership.js';
import { type ButtonChoice, buttonsOf, clickForm, commandForm, type Directory, homeEvent, submissionForm } from './payloads.js';
import { type Channel, type Person, TEAM } from './person.js';
import { isRecord, type Json, parseJson, textOf } from './record.js';
import type { Origin, ResponseUrls } from './response-urls.js';
import type { SlackState } from './slack-state.js';
import { type Views, valuesOf } from './views.js';

/** What somebody did, for the page's guide: the command typed, the value of the button clicked, what the cluster was asked. */
export interface Act {
  readonly by: string;
  readonly kind: 'command' | 'click' | 'submission' | 'cluster';
  readonly text: string;
  /** Whether the bot acknowledged it. */
  readonly taken: boolean;
}

/** Acts that are kept. */
const ACTS_MAX = 500;

interface Parts {
  readonly directory: Directory;
  readonly state: SlackState;
  readonly door: BotDoor;
  readonly views: Views;
  readonly ephemerals: Ephemerals;
  readonly urls: ResponseUrls;
  readonly membership: Membership;
  readonly onWrite: () => void;
  readonly now: () => Date;
}

/** What people do in the local Slack, brought to the bot; what the bot answers at once is shown to them. */
export class Ingress {
  readonly #parts: Parts;
  readonly #acts: Act[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get acts(): readonly Act[] {
    return this.#acts;
  }

  async says(userId: string, text: string, channelId?: string): Promise<Delivery> {
    const person = this.#person(userId);
    const channel = this.#channel(channelId);
    const origin = { userId, channel: channel.id };
    const moment = await this.#moment(person, origin);
    const form = commandForm(moment, channel, text, this.#parts.directory);
    return this.#deliver({ by: userId, kind: 'command', text: text.trim() }, origin, form, form.command ?? '');
  }

  /** Clicks a button as the message has it now. Throws DeskError when it is not drawn. */
  async clicks(userId: string, messageTs: string, choice: ButtonChoice, channelId?: string): Promise<Delivery> {
    const channel = this.#channel(channelId);
    const whispered = this.#parts.ephemerals.find(userId, messageTs);
    if (whispered !== undefined) return this.clicksOld(userId, asMessage(whispered), choice, whispered.channel);
    const message = (await this.#parts.state.messages(channel.id)).find(({ ts }) => ts === messageTs);
    if (message === undefined) throw new DeskError(`click in ${messageTs}: no such message in #${channel.name}`);
    return this.clicksOld(userId, asReadBack(message, false), choice, channel.id);
  }

  /** Clicks a button of a message as somebody remembers it: a client that still shows an old card. */
  async clicksOld(userId: string, message: Json, choice: ButtonChoice, channelId?: string): Promise<Delivery> {
    const person = this.#person(userId);
    const channel = this.#channel(channelId);
    const threadTs = textOf(message.thread_ts);
    const clicked = { ts: textOf(message.ts), ephemeral: message.is_ephemeral === true, ...(threadTs === '' ? {} : { threadTs }) };
    const origin = { userId, channel: channel.id, clicked };
    const moment = await this.#moment(person, origin);
    const form = clickForm(moment, channel, message, choice);
    const value = choice.value ?? buttonsOf(message).find(({ button }) => button.action_id === choice.actionId)?.button.value;
    return this.#deliver(
      { by: userId, kind: 'click', text: textOf(value) || (choice.actionId ?? choice.text ?? '') },
      origin,
      form,
      'This button',
    );
  }

  /** Submits an open modal; `filled` is what was entered, by `block_id`. */
  async submits(viewId: string, filled: Readonly<Record<string, string>>): Promise<Delivery> {
    const { views, ephemerals, door, onWrite } = this.#parts;
    const open = views.find(viewId);
    if (open === undefined) throw new DeskError(`submit ${viewId}: this modal is not open`);
    const person = this.#person(open.userId);
    const origin = { userId: person.id, channel: this.#channel(undefined).id };
    const moment = await this.#moment(person, origin, viewId);
    const form = submissionForm(moment, open.view, valuesOf(open.view, filled));
    const delivery = await views.submitted(viewId, async () => {
      const answered = await door.deliver(form);
      if (answered.kind === 'acknowledged') await views.settle(viewId, answered.body);
      return answered;
    });
    this.notes({ by: person.id, kind: 'submission', text: textOf(open.view.callback_id), taken: delivery.kind === 'acknowledged' });
    if (delivery.kind !== 'acknowledged')
      ephemerals.add({ ...origin, text: `We had some trouble connecting. Try again? (${delivery.kind})`, blocks: [], from: 'slack' });
    onWrite();
    return delivery;
  }

  /** Opens the bot's Home tab. */
  async opensHome(userId: string): Promise<Delivery> {
    const person = this.#person(userId);
    return this.#parts.door.tell(homeEvent(person, this.#parts.now(), this.#parts.views.homeOf(userId)));
  }

  async #moment(person: Person, origin: Origin, viewId?: string) {
    const { views, urls, membership, now } = this.#parts;
    const teamId = membership.teamOf(person.id, TEAM.id);
    return { person, at: now(), teamId, triggerId: await views.trigger(person.id, viewId), responseUrl: urls.mint(origin) };
  }

  /** Delivers the very same command, click or submission once more, newly signed: what a repeated delivery looks like. */
  repeats(delivery: Pick<Delivery, 'form'>): Promise<Delivery> {
    return this.#parts.door.deliver(delivery.form);
  }

  async #deliver(act: Omit<Act, 'taken'>, origin: Origin, form: Delivery['form'], what: string): Promise<Delivery> {
    const { door, urls, ephemerals, onWrite } = this.#parts;
    const delivery = await door.deliver(form);
    this.notes({ ...act, taken: delivery.kind === 'acknowledged' });
    if (delivery.kind !== 'acknowledged') {
      const text = `${what} failed with the error "${delivery.kind}"`;
      ephemerals.add({ userId: origin.userId, channel: origin.channel, text, blocks: [], from: 'slack' });
    } else if (act.kind === 'command' && delivery.body.trim() !== '') {
      // Only a command's acknowledgement is shown; that of a click has no body to Slack.
      const body = parseJson(delivery.body);
      await urls.say(origin, isRecord(body) ? body : { text: delivery.body });
    }
    onWrite();
    return delivery;
  }

  /** Keeps an act for the page's guide. */
  notes(act: Act): void {
    this.#acts.push(act);
    if (this.#acts.length > ACTS_MAX) this.#acts.shift();
  }

  #person(userId: string): Person {
    const person = this.#parts.directory.people.find(({ id }) => id === userId);
    if (person === undefined) throw new DeskError(`act as ${userId}: nobody of that id is here`);
    return person;
  }

  #channel(channelId: string | undefined): Channel {
    const { channels } = this.#parts.directory;
    const channel = channelId === undefined ? channels[0] : channels.find(({ id }) => id === channelId);
    if (channel === undefined) throw new DeskError(`act in ${channelId ?? 'the first channel'}: there is no such channel`);
    return channel;
  }
}
