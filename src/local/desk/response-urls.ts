import { randomBytes } from 'node:crypto';
import type { Ephemerals } from './ephemerals.js';
import { isRecord, type Json, parseJson, textOf } from './record.js';
import { checkedBlocks, type Fields, type SlackApi } from './slack-api.js';
import { json, plain, type Reply } from './web.js';

/** Source: docs.slack.dev/interactivity/handling-user-interaction: five uses within 30 minutes. */
const USES_MAX = 5;
const AGE_MAX_MS = 30 * 60 * 1000;

/** Where a response goes: to whom, and the message that was clicked, if one was. */
export interface Origin {
  readonly userId: string;
  readonly channel: string;
  readonly clicked?: { readonly ts: string; readonly ephemeral: boolean; readonly threadTs?: string };
}

/** The URLs on which the bot may answer a command or a click later on. */
export class ResponseUrls {
  readonly #minted = new Map<string, { readonly origin: Origin; readonly at: Date; uses: number }>();
  readonly #parts: { readonly base: string; readonly api: SlackApi; readonly ephemerals: Ephemerals; readonly now: () => Date };

  constructor(parts: { readonly base: string; readonly api: SlackApi; readonly ephemerals: Ephemerals; readonly now: () => Date }) {
    this.#parts = parts;
  }

  mint(origin: Origin): string {
    const id = randomBytes(12).toString('hex');
    this.#minted.set(id, { origin, at: this.#parts.now(), uses: 0 });
    return `${this.#parts.base}/slack/response/${id}`;
  }

  /** Answers one use. A used-up, expired or unknown URL is 404, as Slack has it. */
  async use(id: string, body: string): Promise<Reply> {
    const minted = this.#minted.get(id);
    if (minted === undefined) return json({ ok: false, error: 'invalid_url' }, 404);
    if (this.#parts.now().getTime() - minted.at.getTime() > AGE_MAX_MS) return json({ ok: false, error: 'expired_url' }, 404);
    if (minted.uses >= USES_MAX) return json({ ok: false, error: 'used_url' }, 404);
    const said = parseJson(body);
    if (!isRecord(said)) return plain('invalid_payload', 400);
    const answer = await this.say(minted.origin, said);
    if (answer.ok !== true) return json(answer, 400);
    minted.uses += 1;
    return plain('ok');
  }

  /** Says something to where an interaction came from: the body of an acknowledgement, or of a use of its URL. */
  async say(origin: Origin, said: Json): Promise<Json> {
    const { api, ephemerals } = this.#parts;
    const fields = fieldsOf(said);
    const { clicked } = origin;
    if (clicked !== undefined && isYes(said.delete_original)) {
      if (!clicked.ephemeral) return api.call('chat.delete', { channel: origin.channel, ts: clicked.ts });
      ephemerals.remove(clicked.ts);
      return { ok: true };
    }
    const checked = checkedBlocks(fields);
    if (checked.kind === 'refused') return checked.answer;
    const blocks = parseJson(checked.fields.blocks ?? '[]');
    const drawn = { text: checked.fields.text ?? '', blocks: Array.isArray(blocks) ? blocks : [] };
    if (drawn.text === '' && drawn.blocks.length === 0) return { ok: false, error: 'no_text' };
    if (clicked !== undefined && isYes(said.replace_original)) {
      if (!clicked.ephemeral) return api.call('chat.update', { ...checked.fields, channel: origin.channel, ts: clicked.ts });
      ephemerals.replace(clicked.ts, drawn);
      return { ok: true };
    }
    const threadTs = textOf(said.thread_ts) || (clicked?.threadTs ?? '');
    const inThread = threadTs === '' ? {} : { thread_ts: threadTs };
    if (said.response_type === 'in_channel')
      return api.call('chat.postMessage', { ...checked.fields, ...inThread, channel: origin.channel });
    ephemerals.add({
      ...drawn,
      userId: origin.userId,
      channel: origin.channel,
      ...(threadTs === '' ? {} : { threadTs }),
      from: 'app',
    });
    return { ok: true };
  }
}

function fieldsOf(said: Json): Fields {
  const metadata = isRecord(said.metadata) ? { metadata: JSON.stringify(said.metadata) } : {};
  const blocks = said.blocks === undefined ? {} : { blocks: typeof said.blocks === 'string' ? said.blocks : JSON.stringify(said.blocks) };
  return { ...(typeof said.text === 'string' ? { text: said.text } : {}), ...blocks, ...metadata };
}

function isYes(value: unknown): boolean {
  return value === true || value === 'true';
}
