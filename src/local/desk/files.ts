import { randomBytes } from 'node:crypto';
import { BOT } from './person.js';
import { isRecord, type Json, parseJson, recordsOf, textOf } from './record.js';
import type { Fields } from './slack-api.js';
import { plain, type Reply } from './web.js';

/** The largest file that is taken, in bytes. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;

interface Held {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  title: string;
  bytes: Buffer | null;
  /** The message that shares it. */
  ts: string | null;
}

type Post = (fields: Fields) => Promise<Json>;

/**
 * The flow of an upload: a place is asked for, the bytes are posted there, and only the completion shows the file to
 * anybody, as a message of its own. The emulator knows no files.
 */
export class Files {
  readonly #held = new Map<string, Held>();
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  place(fields: Fields): Json {
    const length = Number(fields.length);
    if (!Number.isInteger(length) || length < 1 || length > FILE_BYTES_MAX) return { ok: false, error: 'invalid_arguments' };
    const id = `F${randomBytes(12).toString('hex').toUpperCase()}`;
    this.#held.set(id, { id, name: fields.filename ?? '', length, title: fields.filename ?? '', bytes: null, ts: null });
    return { ok: true, file_id: id, upload_url: `${this.#base}/slack/upload/${id}` };
  }

  take(id: string, bytes: Buffer): Reply {
    const file = this.#held.get(id);
    if (file === undefined || bytes.length !== file.length) return plain('no such upload\n', 400);
    file.bytes = bytes;
    return plain(`OK - ${bytes.length}\n`);
  }

  /** Shares uploaded files in one message; those that never came are refused, all of them. */
  async complete(fields: Fields, post: Post): Promise<Json> {
    const named = recordsOf(parseJson(fields.files ?? '[]'));
    const files = named.map(({ id, title }) => ({ file: this.#held.get(textOf(id)), title: textOf(title) }));
    if (files.length === 0 || files.some(({ file }) => file === undefined || file.bytes === null || file.ts !== null))
      return { ok: false, error: 'file_not_found' };
    const text = fields.initial_comment ?? '';
    const thread = fields.thread_ts === undefined ? {} : { thread_ts: fields.thread_ts };
    // The emulator takes no message without a text; Slack shows none beside a file.
    const posted = await post({
      channel: fields.channel_id ?? '',
      text: text === '' ? files.map(({ title }) => title).join(', ') : text,
      ...thread,
    });
    if (posted.ok !== true) return posted;
    for (const { file, title } of files) if (file !== undefined) Object.assign(file, { title, ts: textOf(posted.ts) });
    return { ok: true, files: files.flatMap(({ file }) => (file === undefined ? [] : [this.#shown(file)])) };
  }

  /** A message with the files that it shares. */
  within(message: unknown): unknown {
    if (!isRecord(message)) return message;
    const own = [...this.#held.values()].filter(({ ts }) => ts !== null && ts === message.ts);
    return own.length === 0 ? message : { ...message, files: own.map((file) => this.#shown(file)), upload: true };
  }

  /** The picture itself, to whoever knows its address. */
  show(id: string): Reply {
    const file = this.#held.get(id);
    if (file?.bytes === undefined || file.bytes === null || file.ts === null) return plain('not found\n', 404);
    return { status: 200, headers: { 'content-type': 'image/png' }, body: file.bytes };
  }

  #shown({ id, name, title, length }: Held): Json {
    return {
      id,
      name,
      title,
      mimetype: 'image/png',
      filetype: 'png',
      size: length,
      user: BOT.userId,
      permalink: `${this.#base}/files/${id}`,
    };
  }
}
