import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, type WebClient } from '@slack/web-api';
import { evidenceValue, messageBlocks, noticeBlocks, type SlackMessage, shortMessage } from '../render/blocks.js';
import type { Text } from '../render/text.js';
import type { Found, Line, Sent } from './sink.js';

/** Slack says of these that part of the work may have been done. Source: contracts/slack-github-platform.md, 4.6 and 4.7. */
const AMBIGUOUS = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'team_added_to_org']);
const LIMITED = new Set(['ratelimited', 'rate_limited']);
const ROOT_LOST = new Set(['thread_not_found', 'message_not_found']);
const FROZEN = new Set(['cant_update_message', 'edit_window_closed', 'block_mismatch', 'streaming_state_conflict', 'update_failed']);
const CHANNEL_LOST =
  /^(is_archived|is_inactive|channel_not_found|not_in_channel|restricted_action.*|no_permission|ekm_access_denied|external_channel_migrating)$/;
const TOO_LARGE = new Set(['msg_too_long', 'msg_blocks_too_long', 'invalid_blocks', 'invalid_blocks_format', 'too_many_attachments']);
const PARKED_MS = 30_000;
/** A channel is tried again this seldom: a person has to invite the bot, or to take it out of the archive. */
const CHANNEL_PARKED_MS = 10 * 60_000;

/** The thread as a sink. Nothing is repeated here: the client is made without retries, and a doubt is answered as one. */
export class SlackThread {
  constructor(private readonly client: WebClient) {}

  async postCard(channel: string, key: string, card: SlackMessage): Promise<Sent> {
    const metadata = { event_type: 'harbor_card', event_payload: { key } };
    return this.post({ channel, ...card, metadata });
  }

  async updateCard(channel: string, ts: string, card: SlackMessage): Promise<Sent> {
    return this.fitting(card, (message) => this.send(() => this.client.chat.update({ channel, ts, ...message })));
  }

  async reply(channel: string, root: string, line: Line): Promise<Sent> {
    const metadata = {
      event_type: 'harbor_line',
      event_payload: { key: line.key, op: line.operationId, seq: line.seq, head: line.head.slice(0, 16) },
    };
    const message = messageBlocks(line.message, evidenceValue(line.operationId, line.seq, line.head));
    return this.post({ channel, thread_ts: root, ...message, metadata });
  }

  /** Says something about the telling itself, in a thread or in the channel. */
  async notice(channel: string, root: string | null, key: string, notice: Text): Promise<Sent> {
    const metadata = { event_type: 'harbor_notice', event_payload: { key } };
    return this.post({ channel, ...(root === null ? {} : { thread_ts: root }), ...noticeBlocks(notice), metadata });
  }

  /** The address of a message; null when Slack does not give it. */
  async addressOf(channel: string, ts: string): Promise<string | null> {
    try {
      return (await this.client.chat.getPermalink({ channel, message_ts: ts })).permalink ?? null;
    } catch {
      return null; // a link is a convenience: without it the words say the same
    }
  }

  /** Looks a key up among the replies of a thread. */
  async findReply(channel: string, root: string, key: string): Promise<Found> {
    return this.find(key, async (cursor) =>
      this.client.conversations.replies({
        channel,
        ts: root,
        include_all_metadata: true,
        limit: 200,
        ...(cursor === '' ? {} : { cursor }),
      }),
    );
  }

  /** Looks a card's key up among the newest messages of a channel. */
  async findCard(channel: string, key: string): Promise<Found> {
    return this.find(key, async (cursor) =>
      this.client.conversations.history({ channel, include_all_metadata: true, limit: 200, ...(cursor === '' ? {} : { cursor }) }),
    );
  }

  private async find(key: string, page: (cursor: string) => Promise<Page>): Promise<Found> {
    try {
      let cursor = '';
      for (let pages = 0; pages < 20; pages++) {
        const { messages = [], response_metadata: next } = await page(cursor);
        const found = messages.find((message) => keyOf(message) === key);
        if (found?.ts !== undefined) return { kind: 'found', id: found.ts };
        cursor = next?.next_cursor ?? '';
        if (cursor === '') return { kind: 'absent' };
      }
      return { kind: 'unclear', error: 'more pages than are looked through' };
    } catch (fault) {
      // A thread that is not there has no replies either: one whose root was deleted after replies came is still listed.
      if (fault instanceof WebAPIPlatformError && fault.data.error === 'thread_not_found') return { kind: 'absent' };
      return { kind: 'unclear', error: describe(fault) };
    }
  }

  private post(post: Post): Promise<Sent> {
    return this.fitting(post, (message) =>
      this.send(async () => {
        const posted = await this.client.chat.postMessage({ ...post, ...message, unfurl_links: false });
        const root = post.thread_ts;
        if (root === undefined || posted.message === undefined || posted.message.thread_ts === root) return posted;
        // Slack took it for a message of the channel: its thread is not there any more, and no line stands loose.
        await this.client.chat.delete({ channel: post.channel, ts: `${posted.ts}` });
        return 'loose';
      }),
    );
  }

  /** What Slack finds too large all the same goes out short; the full text is in the record. */
  private async fitting(whole: SlackMessage, send: (message: SlackMessage) => Promise<Sent>): Promise<Sent> {
    const sent = await send(whole);
    if (sent.kind !== 'not_sent' || !TOO_LARGE.has(sent.error.replace('slack: ', ''))) return sent;
    return send(shortMessage(whole));
  }

  private async send(call: () => Promise<{ readonly ts?: string } | 'loose'>): Promise<Sent> {
    try {
      const posted = await call();
      if (posted === 'loose') return { kind: 'root_lost', error: 'slack: posted outside its thread' };
      const { ts } = posted;
      return ts === undefined ? { kind: 'unclear', error: 'an answer without ts' } : { kind: 'sent', id: ts };
    } catch (fault) {
      return outcomeOf(fault);
    }
  }
}

interface Post extends SlackMessage {
  readonly channel: string;
  readonly thread_ts?: string;
  readonly metadata: { event_type: string; event_payload: Record<string, string | number> };
}

interface Page {
  readonly messages?: readonly { readonly ts?: string; readonly metadata?: { readonly event_payload?: unknown } }[];
  readonly response_metadata?: { readonly next_cursor?: string };
}

function keyOf(message: { readonly metadata?: { readonly event_payload?: unknown } }): unknown {
  const payload = message.metadata?.event_payload;
  return typeof payload === 'object' && payload !== null && 'key' in payload ? payload.key : undefined;
}

function outcomeOf(fault: unknown): Sent {
  const error = describe(fault);
  if (fault instanceof WebAPIRateLimitedError) return { kind: 'limited', error, waitMs: fault.retryAfter * 1000 };
  if (fault instanceof WebAPIPlatformError) {
    const code = `${fault.data.error}`;
    if (LIMITED.has(code)) return { kind: 'limited', error, waitMs: PARKED_MS };
    if (ROOT_LOST.has(code)) return { kind: 'root_lost', error };
    if (FROZEN.has(code)) return { kind: 'frozen', error };
    if (CHANNEL_LOST.test(code)) return { kind: 'channel_lost', error, waitMs: CHANNEL_PARKED_MS };
    return AMBIGUOUS.has(code) ? { kind: 'unclear', error } : { kind: 'not_sent', error, waitMs: PARKED_MS };
  }
  if (fault instanceof WebAPIHTTPError && fault.statusCode < 500) return { kind: 'not_sent', error, waitMs: PARKED_MS };
  return { kind: 'unclear', error };
}

function describe(fault: unknown): string {
  if (fault instanceof WebAPIPlatformError) return `slack: ${fault.data.error}`;
  return fault instanceof Error ? `slack: ${fault.message}` : 'slack: an unknown fault';
}
