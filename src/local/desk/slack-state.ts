import { createEmulator, type Emulator } from 'emulate';
import type { Files } from './files.js';
import { BOT, type Channel, type Person, TEAM } from './person.js';
import { isRecord, type Json, parseJson, recordsOf, textOf } from './record.js';
import { onFreePort } from './web.js';

/** The emulator counts 5,000 requests an hour and token, which Slack does not: a token rests well before that. */
const TOKEN_REQUESTS_MAX = 4_500;
const TOKENS = 100;

/**
 * Slack's state, held by the emulator. The emulator invents its own ids for people and channels, so ids are exchanged
 * at this border: outside are the ids of the fleet file, inside the emulator's.
 */
export class SlackState {
  readonly #emulator: Emulator;
  readonly #url: string;
  readonly #inner = new Map<string, string>();
  readonly #outer = new Map<string, string>();
  readonly #files: Files;
  #requests = 0;

  private constructor(emulator: Emulator, url: string, files: Files) {
    this.#files = files;
    this.#emulator = emulator;
    this.#url = url;
  }

  static async start(people: readonly Person[], channels: readonly Channel[], files: Files): Promise<SlackState> {
    const state = await onFreePort(async (port) => {
      const emulator = await createEmulator({ service: 'slack', port, seed: { slack: seedOf(people, channels) } });
      return new SlackState(emulator, `http://127.0.0.1:${port}`, files);
    });
    await state.#exchange(people, channels);
    return state;
  }

  /** Calls a Web API method as the bot. Fields that hold objects are JSON text, as in a form. */
  async call(method: string, fields: Readonly<Record<string, string>> = {}): Promise<Json> {
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) form.set(name, ID_FIELDS.has(name) ? this.#innerIds(value) : value);
    const token = `desk-${Math.floor(this.#requests++ / TOKEN_REQUESTS_MAX) % TOKENS}`;
    const response = await fetch(`${this.#url}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: form,
    });
    const answer = parseJson(await response.text());
    if (response.status === 404 || !isRecord(answer)) return { ok: false, error: 'unknown_method' };
    const outward = this.#outward(answer);
    if (!isRecord(outward)) return answer;
    const { messages } = outward;
    return Array.isArray(messages) ? { ...outward, messages: messages.map((message) => this.#files.within(message)) } : outward;
  }

  /** Every message of a channel, replies too, oldest first. */
  async messages(channel: string): Promise<readonly Json[]> {
    const roots: Json[] = [];
    for (let cursor = ''; ; ) {
      const page = await this.call('conversations.history', { channel, limit: '1000', ...(cursor === '' ? {} : { cursor }) });
      roots.push(...recordsOf(page.messages));
      cursor = isRecord(page.response_metadata) ? textOf(page.response_metadata.next_cursor) : '';
      if (cursor === '') break;
    }
    const answered = roots.filter((root) => typeof root.reply_count === 'number' && root.reply_count > 0);
    const threads = await Promise.all(answered.map((root) => this.call('conversations.replies', { channel, ts: textOf(root.ts) })));
    const replies = threads.flatMap((thread) =>
      recordsOf(thread.messages).filter((message) => message.ts !== message.thread_ts && message.thread_ts),
    );
    return [...roots, ...replies].sort((a, b) => (textOf(a.ts) < textOf(b.ts) ? -1 : 1));
  }

  async stop(): Promise<void> {
    await this.#emulator.close();
  }

  async #exchange(people: readonly Person[], channels: readonly Channel[]): Promise<void> {
    const users = recordsOf((await this.call('users.list', { limit: '1000' })).members);
    const rooms = recordsOf((await this.call('conversations.list', { limit: '1000' })).channels);
    for (const { id, name } of people) this.#pair(id, textOf(users.find((user) => user.name === name)?.id));
    for (const { id, name } of channels) {
      this.#pair(id, textOf(rooms.find((room) => room.name === name)?.id));
      await this.call('conversations.join', { channel: id });
    }
  }

  #pair(outer: string, inner: string): void {
    if (inner === '') throw new Error(`seed Slack state: ${outer} is not in the emulator`);
    this.#inner.set(outer, inner);
    this.#outer.set(inner, outer);
  }

  #innerIds(value: string): string {
    return value
      .split(',')
      .map((id) => this.#inner.get(id) ?? id)
      .join(',');
  }

  /** Only whole strings are ids; text that merely holds one was written outside and already says the outer id. */
  #outward(value: unknown): unknown {
    if (typeof value === 'string') return this.#outer.get(value) ?? value;
    if (Array.isArray(value)) return value.map((item) => this.#outward(item));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#outward(item)]));
  }
}

const ID_FIELDS = new Set(['channel', 'channels', 'channel_id', 'user', 'users', 'user_id']);

function seedOf(people: readonly Person[], channels: readonly Channel[]): Json {
  return {
    team: { name: 'Local harbour', domain: TEAM.domain },
    users: people.map(({ name, realName }) => ({ name, real_name: realName ?? name })),
    channels: channels.map(({ name }) => ({ name })),
    oauth_apps: [
      {
        app_id: BOT.appId,
        client_id: 'harbormaster',
        client_secret: 'unused',
        name: 'Harbormaster',
        redirect_uris: [],
        bot_id: BOT.botId,
        bot_user_id: BOT.userId,
        bot_name: BOT.name,
      },
    ],
    tokens: Array.from({ length: TOKENS }, (_, index) => ({
      token: `desk-${index}`,
      type: 'bot',
      user_id: BOT.userId,
      app_id: BOT.appId,
      bot_id: BOT.botId,
      bot_user_id: BOT.userId,
    })),
  };
}
