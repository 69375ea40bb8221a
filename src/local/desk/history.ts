import { isRecord, type Json, textOf } from './record.js';
import type { Fields } from './slack-api.js';

/** A message as Slack gives it back. `metadata` only to those who ask; no "(edited)" on a message drawn with blocks. */
export function asReadBack(message: Json, withMetadata: boolean): Json {
  const { metadata, edited, ...rest } = message;
  const answered = typeof message.reply_count === 'number' && message.reply_count > 0;
  const drawn = Array.isArray(message.blocks) && message.blocks.length > 0;
  const kept = isRecord(metadata) && Object.keys(metadata).length > 0; // `{}` in an update is how metadata is removed
  return {
    ...rest,
    ...(answered && message.thread_ts === undefined ? { thread_ts: message.ts } : {}),
    ...(edited !== undefined && !drawn ? { edited } : {}),
    ...(withMetadata && kept ? { metadata } : {}),
  };
}

/**
 * One page of `conversations.history` or `conversations.replies`: `oldest` and `latest` are exclusive unless
 * `inclusive`, `limit` is 100 by default, and the cursor continues after the last message of the page.
 */
export function pageOf(messages: readonly unknown[], order: 'oldest_first' | 'newest_first', fields: Fields): Json {
  const inclusive = fields.inclusive === 'true' || fields.inclusive === '1';
  const { oldest = '', latest = '', cursor = '' } = fields;
  const limit = Math.min(Number(fields.limit) || 100, 999);
  const within = messages.filter(isRecord).filter(({ ts }) => {
    const at = Number(textOf(ts));
    return (
      (oldest === '' || at > Number(oldest) || (inclusive && at === Number(oldest))) &&
      (latest === '' || at < Number(latest) || (inclusive && at === Number(latest)))
    );
  });
  within.sort((a, b) => (textOf(a.ts) < textOf(b.ts) ? -1 : 1) * (order === 'oldest_first' ? 1 : -1));
  const last =
    cursor === ''
      ? ''
      : Buffer.from(cursor, 'base64')
          .toString('utf8')
          .replace(/^after:/, '');
  const from = last === '' ? 0 : within.findIndex(({ ts }) => ts === last) + 1;
  const page = within.slice(from, from + limit);
  const more = from + page.length < within.length;
  const next = more ? Buffer.from(`after:${textOf(page.at(-1)?.ts)}`).toString('base64') : '';
  const withMetadata = fields.include_all_metadata === 'true' || fields.include_all_metadata === '1';
  return {
    ok: true,
    messages: page.map((message) => asReadBack(message, withMetadata)),
    has_more: more,
    response_metadata: { next_cursor: next },
  };
}
