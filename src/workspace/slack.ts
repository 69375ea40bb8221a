import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { scopesFor } from '../slack/scopes.js';
import { clockFinding, type Finding } from './finding.js';

/** The methods of the client that the table needs. */
export type SlackClient = Pick<WebClient, 'auth' | 'conversations'>;

interface Room {
  readonly findings: readonly Finding[];
  readonly isPrivate: boolean;
}

/** Slack's side of the table. Only reads. Never throws for what Slack did: that is unknown. */
export async function readSlackWorkspace(parts: {
  readonly client: SlackClient;
  readonly channel: string;
  readonly secondChannel: string | undefined;
}): Promise<readonly Finding[]> {
  const { client, channel, secondChannel } = parts;
  const rooms = await Promise.all([
    readRoom(client, 'channel', channel),
    ...(secondChannel === undefined ? [] : [readRoom(client, 'second channel', secondChannel)]),
  ]);
  const isPrivate = rooms.some((room) => room.isPrivate);
  const [token, thread] = await Promise.all([readToken(client, isPrivate), readThread(client, channel)]);
  return [...token, ...rooms.flatMap(({ findings }) => findings), thread];
}

async function readToken(client: SlackClient, isPrivate: boolean): Promise<readonly Finding[]> {
  try {
    const { user, team, response_metadata: metadata } = await client.auth.test();
    const token: Finding = { side: 'slack', about: 'bot token', kind: 'right', detail: `${user ?? 'a bot'} in ${team ?? 'its team'}` };
    const scopes = metadata?.scopes;
    if (scopes === undefined) return [token, found('scopes', 'unknown', 'the answer does not say which the token has')];
    const missing = scopesFor(isPrivate).filter((scope) => !scopes.includes(scope));
    if (missing.length === 0) return [token, found('scopes', 'right', scopesFor(isPrivate).join(', '))];
    return [token, found('scopes', 'wrong', `missing: ${missing.join(', ')}. Update the app from manifest.yml and install it again`)];
  } catch (fault) {
    return [refusal('bot token', fault, 'SLACK_BOT_TOKEN')];
  }
}

async function readRoom(client: SlackClient, about: string, channel: string): Promise<Room> {
  try {
    const { channel: room } = await client.conversations.info({ channel });
    const isPrivate = room?.is_private === true;
    const name = `#${room?.name ?? channel}`;
    if (room?.is_archived === true) return { isPrivate, findings: [found(about, 'wrong', `${name} is archived`)] };
    // Slack says whether a bot is a member only in what it answers to that bot's own token.
    if (room?.is_member !== true) {
      return { isPrivate, findings: [found(about, 'wrong', `the bot is not in ${name}: /invite it there`)] };
    }
    return { isPrivate, findings: [found(about, 'right', `the bot is in ${name}`)] };
  } catch (fault) {
    return { isPrivate: false, findings: [refusal(about, fault, `the channel ${channel}`)] };
  }
}

/** Whether what was posted can be looked up: without it a lost answer cannot be told from a lost post. */
async function readThread(client: SlackClient, channel: string): Promise<Finding> {
  const about = 'thread readable';
  try {
    const { messages = [] } = await client.conversations.history({ channel, limit: 1, include_all_metadata: true });
    const [newest] = messages;
    if (newest?.ts === undefined) return found(about, 'right', 'the channel is readable, and empty');
    await client.conversations.replies({ channel, ts: newest.thread_ts ?? newest.ts, limit: 1, include_all_metadata: true });
    return found(about, 'right', 'the newest thread was read');
  } catch (fault) {
    return refusal(about, fault, 'reading the channel');
  }
}

/** Slack's clock, from any answer of it. */
export async function readSlackClock(apiUrl: string | undefined, now: () => Date, limitMs: number): Promise<Finding> {
  try {
    const url = new URL('api.test', apiUrl ?? 'https://slack.com/api/');
    const response = await fetch(url, { method: 'POST', redirect: 'error', signal: AbortSignal.timeout(limitMs) });
    await response.text();
    return clockFinding('slack', response.headers.get('date'), now());
  } catch (fault) {
    return found('clock', 'unknown', describe(fault));
  }
}

/** A code of Slack's is an answer, so that something is wrong; anything else is no answer. */
export function refusal(about: string, fault: unknown, what: string): Finding {
  if (!(fault instanceof WebAPIPlatformError) || TRANSIENT.has(`${fault.data.error}`)) return found(about, 'unknown', describe(fault));
  const needed = 'needed' in fault.data ? `, needs ${fault.data.needed}` : '';
  return found(about, 'wrong', `${what}: ${fault.data.error}${needed}`);
}

const TRANSIENT = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'ratelimited', 'unknown_method']);

function found(about: string, kind: Finding['kind'], detail: string): Finding {
  return { side: 'slack', about, kind, detail };
}

function describe(fault: unknown): string {
  return fault instanceof Error ? fault.message : 'no answer';
}
