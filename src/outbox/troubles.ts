import type { CardRow, Outbox, OutboxRow } from '../journal/outbox.js';
import {
  BLOCKED_WORDS,
  cardIsFrozen,
  channelIsLost,
  issueIsClosed,
  mirrorGoesOn,
  mirrorIsBlocked,
  mirrorIsDelayed,
  mirrorMoved,
  threadWasLost,
} from '../render/notices.js';
import type { Text } from '../render/text.js';
import type { GithubIssue } from './github.js';
import { MirrorDelay } from './mirror-delay.js';
import { Notices } from './notices.js';
import type { Sent } from './sink.js';
import type { SlackThread } from './slack.js';

/** Where else something can be said, and what the status issue is called. */
export interface Places {
  /** Told once when a channel takes no posts any more. */
  readonly secondChannel?: string | undefined;
  readonly issue: Text;
}

/** How far back a notice is looked up: further than an outage lasts. */
const NOTICE_AGE_MS = 7 * 24 * 3600 * 1000;
/** Whether the issue was closed is asked no more often than this. */
const CLOSED_PACE_MS = 60_000;

/** What is done, and said, about a place that takes nothing any more, where waiting alone mends nothing. */
export class Troubles {
  private readonly notices: Notices;
  /** What GitHub's limits keep back. */
  readonly delay: MirrorDelay;
  private closedAskedMs = 0;

  constructor(
    private readonly outbox: Outbox,
    thread: SlackThread,
    private readonly issue: GithubIssue,
    private readonly now: () => Date,
    private readonly places: Places,
  ) {
    this.notices = new Notices(thread, issue, now);
    const delayed = (operationId: string, seq: number, until: Date): boolean =>
      this.inThread(operationId, `mirror:${seq}:delayed`, mirrorIsDelayed(places.issue, until));
    const over = (operationId: string, seq: number): boolean => this.inThread(operationId, `mirror:${seq}:on`, mirrorGoesOn(places.issue));
    this.delay = new MirrorDelay(outbox, { delayed, over }, now);
  }

  /** Says what is to be said in Slack, or on the issue, and is due. */
  flush(kind: 'channel' | 'issue'): Promise<void> {
    return this.notices.flush(kind);
  }

  /** A channel that takes no posts keeps its own queue; the second channel and the issue are told once. */
  channelLost(operationId: string, channel: string, { error, waitMs }: Extract<Sent, { kind: 'channel_lost' }>): void {
    this.outbox.parkChannel(channel, new Date(this.now().getTime() + waitMs));
    const key = `${operationId}:channel:${this.oldest('thread', operationId)?.seq ?? 0}`;
    const text = channelIsLost(operationId, channel, error, this.places.issue);
    const { secondChannel } = this.places;
    if (secondChannel !== undefined) this.notices.ask(key, { kind: 'channel', channel: secondChannel, root: null }, text);
    this.notices.ask(key, this.onIssue(), text);
  }

  /** The issue takes no comments: said in the thread of every operation that has lines for it. */
  mirrorBlocked({ why, error }: Extract<Sent, { kind: 'blocked' }>): void {
    const text = mirrorIsBlocked(this.places.issue, BLOCKED_WORDS[why], error);
    for (const operationId of new Set(this.outbox.undelivered('issue').map((row) => row.operation_id))) {
      this.inThread(operationId, `mirror:${this.oldest('issue', operationId)?.seq ?? 0}:${why}`, text);
    }
  }

  /** A full issue is followed by another: said in the thread of every operation that has lines for it. */
  mirrorMoved({ from, to }: Extract<Sent, { kind: 'moved' }>): void {
    for (const operationId of new Set(this.outbox.undelivered('issue').map((row) => row.operation_id))) {
      this.inThread(operationId, `mirror:moved:${to}`, mirrorMoved(from, to));
    }
  }

  /** A thread goes on under a new root: noted on the issue. `key` is that of the new root. */
  rootReplaced(operationId: string, key: string): void {
    this.notices.ask(key, this.onIssue(), threadWasLost(operationId));
  }

  /** Whether those who look at the old card have been told that it is dead, or nobody can be told there any more. */
  async cardFrozen({ operation_id: operationId, channel, ts, generation }: CardRow, error: string): Promise<boolean> {
    const place = { kind: 'channel', channel, root: ts } as const;
    const said = await this.notices.sayOnce(`${operationId}:frozen:${generation}`, place, cardIsFrozen(operationId, error));
    return said.kind === 'sent' || said.kind === 'root_lost';
  }

  /** A closed issue still takes comments, and nobody would look there: said in the thread, once a closing. */
  async askWhetherClosed(operationId: string): Promise<void> {
    const nowMs = this.now().getTime();
    if (nowMs - this.closedAskedMs < CLOSED_PACE_MS) return;
    this.closedAskedMs = nowMs;
    const closedAt = await this.issue.closedAt();
    if (typeof closedAt === 'string') this.inThread(operationId, `closed:${closedAt}`, issueIsClosed(this.places.issue));
  }

  /** In the thread of an operation; without one the trouble is met again with the next line. */
  private inThread(operationId: string, key: string, text: Text): boolean {
    const { channel, ts, stage } = this.outbox.card(operationId);
    if (stage !== 'posted') return false;
    this.notices.ask(`${operationId}:${key}`, { kind: 'channel', channel, root: ts }, text);
    return true;
  }

  private oldest(sink: OutboxRow['sink'], operationId: string): OutboxRow | undefined {
    return this.outbox.undelivered(sink).find((row) => row.operation_id === operationId);
  }

  private onIssue(): { readonly kind: 'issue'; readonly since: Date } {
    return { kind: 'issue', since: new Date(this.now().getTime() - NOTICE_AGE_MS) };
  }
}
