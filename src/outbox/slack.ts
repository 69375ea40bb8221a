import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, type WebClient } from '@slack/web-api';
import { evidenceValue, messageBlocks, type SlackMessage } from '../render/blocks.js';
import type { Found, Line, Sent } from './sink.js';

/** Slack says of these that part of the work may have been done. Source: contracts/slack-github-platform.md, 4.6 and 4.7. */
const AMBIGUOUS = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'team_added_to_org']);
const ROOT_LOST = new Set(['thread_not_found', 'message_not_found', 'cant_update_message', 'edit_window_closed']);
const PARKED_MS = 30_000;

/** The thread as a sink. Nothing is repeated here: the client is made without retries, and a doubt is answered as one. */
export class SlackThread {
  constructor(private readonly client: WebClient) {}

  async postCard(channel: string, key: string, card: SlackMessage): Promise<Sent> {
    const metadata = { event_type: 'harbor_card', event_payload: { key } };
    return this.send(() => this.client.chat.postMessage({ channel, ...card, metadata, unfurl_links: false }));
  }

  async updateCard(channel: string, ts: string, card: SlackMessage): Promise<Sent> {
    return this.send(() => this.client.chat.update({ channel, ts, ...card }));
  }

  async reply(channel: string, root: string, line: Line): Promise<Sent> {
    const metadata = {
      event_type: 'harbor_line',
      event_payload: { key: line.key, op: line.operationId, seq: line.seq, head: line.head.slice(0, 16) },
    };
    const message = messageBlocks(line.message, evidenceValue(line.operationId, line.seq, line.head));
    return this.send(() => this.client.chat.postMessage({ channel, thread_ts: root, ...message, metadata, unfurl_links: false }));
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

  private async send(call: () => Promise<{ readonly ts?: string }>): Promise<Sent> {
    try {
      const { ts } = await call();
      return ts === undefined ? { kind: 'unclear', error: 'an answer without ts' } : { kind: 'sent', id: ts };
    } catch (fault) {
      return outcomeOf(fault);
    }
  }
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
  if (fault instanceof WebAPIRateLimitedError) return { kind: 'not_sent', error, waitMs: fault.retryAfter * 1000 };
  if (fault instanceof WebAPIPlatformError) {
    const code = `${fault.data.error}`;
    if (ROOT_LOST.has(code)) return { kind: 'root_lost', error };
    return AMBIGUOUS.has(code) ? { kind: 'unclear', error } : { kind: 'not_sent', error, waitMs: PARKED_MS };
  }
  if (fault instanceof WebAPIHTTPError && fault.statusCode < 500) return { kind: 'not_sent', error, waitMs: PARKED_MS };
  return { kind: 'unclear', error };
}

function describe(fault: unknown): string {
  if (fault instanceof WebAPIPlatformError) return `slack: ${fault.data.error}`;
  return fault instanceof Error ? `slack: ${fault.message}` : 'slack: an unknown fault';
}
