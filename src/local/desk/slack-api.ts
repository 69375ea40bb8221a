import { randomBytes } from 'node:crypto';
import { complaintsAboutBlocks, isTooMuchText, withBlockIds } from './block-kit.js';
import type { Ephemerals } from './ephemerals.js';
import type { Files } from './files.js';
import { pageOf } from './history.js';
import type { Membership } from './membership.js';
import { BOT, TEAM } from './person.js';
import { isRecord, type Json, parseJson, textOf } from './record.js';
import type { SlackState } from './slack-state.js';
import type { Views } from './views.js';

/** The fields of a Web API call. Objects are JSON text, as in a form. */
export type Fields = Readonly<Record<string, string>>;

/** Slack cuts `text` of a post past 40,000 characters, and refuses it in an update past 4,000. */
const UPDATE_TEXT_MAX = 4_000;

interface Parts {
  readonly state: SlackState;
  readonly ephemerals: Ephemerals;
  readonly views: Views;
  readonly membership: Membership;
  readonly files: Files;
  readonly botToken: string;
  readonly onWrite: () => void;
}

/** The Web API as the bot meets it: refuses what Slack would refuse, then asks the emulator. */
export class SlackApi {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Answers a call that carries a token, as it comes from outside. */
  async answer(method: string, token: string, fields: Fields): Promise<Json> {
    if (token === '') return refuse('not_authed');
    if (token !== this.#parts.botToken) return refuse('invalid_auth');
    return this.call(method, fields);
  }

  /** Answers a call of the bot. */
  async call(method: string, fields: Fields): Promise<Json> {
    const { state } = this.#parts;
    switch (method) {
      case 'auth.test':
        return { ...(await state.call(method)), bot_id: BOT.botId, app_id: BOT.appId, team_id: TEAM.id, is_enterprise_install: false };
      case 'chat.postMessage':
        return this.#write(() => this.#post(fields));
      case 'chat.update':
        return this.#write(() => this.#update(fields));
      case 'chat.postEphemeral':
        return this.#write(() => this.#whisper(fields));
      case 'files.getUploadURLExternal':
        return this.#parts.files.place(fields);
      case 'files.completeUploadExternal':
        return this.#write(() => this.#parts.files.complete(fields, (message) => this.#post(message)));
      case 'conversations.history':
      case 'conversations.replies':
        return this.#read(method, fields);
      case 'users.info':
        return this.#parts.membership.describe(fields.user ?? '', await state.call(method, fields));
      case 'usergroups.users.list':
        return this.#parts.membership.members(fields.usergroup ?? '');
      case 'views.publish':
        return this.#write(() => this.#parts.views.publish(fields));
      case 'views.open':
      case 'views.push':
      case 'views.update':
        return this.#write(() => this.#parts.views.call(method, fields));
      default:
        return this.#write(() => state.call(method, fields));
    }
  }

  async #write(act: () => Promise<Json>): Promise<Json> {
    const answer = await act();
    this.#parts.onWrite();
    return answer;
  }

  async #post(fields: Fields): Promise<Json> {
    const checked = checkedBlocks(fields);
    if (checked.kind === 'refused') return checked.answer;
    const { state } = this.#parts;
    const threadTs = fields.thread_ts ?? '';
    if (threadTs !== '') {
      const thread = await state.call('conversations.replies', { channel: fields.channel ?? '', ts: threadTs });
      const messages = Array.isArray(thread.messages) ? thread.messages : [];
      if (thread.ok === true && !messages.some((message: unknown) => isRecord(message) && message.ts === threadTs)) {
        return refuse('thread_not_found');
      }
    }
    return state.call('chat.postMessage', {
      ...checked.fields,
      channel: (fields.channel ?? '').replace(/^#/, ''),
      bot_id: BOT.botId,
      app_id: BOT.appId,
    });
  }

  async #update(fields: Fields): Promise<Json> {
    if ([...(fields.text ?? '')].length > UPDATE_TEXT_MAX) return refuse('msg_too_long');
    const checked = checkedBlocks(fields);
    return checked.kind === 'refused' ? checked.answer : this.#parts.state.call('chat.update', checked.fields);
  }

  async #whisper(fields: Fields): Promise<Json> {
    const checked = checkedBlocks(fields);
    if (checked.kind === 'refused') return checked.answer;
    const answer = await this.#parts.state.call('chat.postEphemeral', checked.fields);
    if (answer.ok !== true) return answer;
    const blocks = parseJson(checked.fields.blocks ?? '[]');
    const { ts } = this.#parts.ephemerals.add({
      userId: fields.user ?? '',
      channel: fields.channel ?? '',
      text: fields.text ?? '',
      blocks: Array.isArray(blocks) ? blocks : [],
      ...(fields.thread_ts === undefined || fields.thread_ts === '' ? {} : { threadTs: fields.thread_ts }),
      from: 'app',
    });
    return { ok: true, message_ts: ts };
  }

  async #read(method: string, fields: Fields): Promise<Json> {
    const { state } = this.#parts;
    const { channel = '', ts = '' } = fields;
    const probe = await state.call(method, { channel, ts, limit: '1' });
    if (probe.ok !== true) return probe;
    if (method === 'conversations.replies') {
      const { messages } = await state.call(method, { channel, ts });
      return Array.isArray(messages) && messages.length > 0 ? pageOf(messages, 'oldest_first', fields) : refuse('thread_not_found');
    }
    const all = await state.messages(channel);
    const roots = all.filter((message) => textOf(message.thread_ts) === '' || message.thread_ts === message.ts);
    return pageOf(roots, 'newest_first', fields);
  }
}

/** An answer of the Web API that says no. */
export function refuse(error: string, more: Json = {}): Json {
  return { ok: false, error, ...more };
}

type Checked = { readonly kind: 'fine'; readonly fields: Fields } | { readonly kind: 'refused'; readonly answer: Json };

/** Checks the blocks of a message; fine ones come back with the ids that Slack would have given them. */
export function checkedBlocks(fields: Fields): Checked {
  if (fields.blocks === undefined || fields.blocks === '') return { kind: 'fine', fields };
  const blocks = parseJson(fields.blocks);
  if (!Array.isArray(blocks)) return { kind: 'refused', answer: refuse('invalid_blocks_format') };
  const messages = complaintsAboutBlocks(blocks, 'message');
  if (messages.length > 0) {
    return { kind: 'refused', answer: refuse('invalid_blocks', { errors: messages, response_metadata: { messages } }) };
  }
  if (isTooMuchText(blocks)) return { kind: 'refused', answer: refuse('msg_blocks_too_long') };
  return { kind: 'fine', fields: { ...fields, blocks: JSON.stringify(withBlockIds(blocks, () => randomBytes(4).toString('base64url'))) } };
}
