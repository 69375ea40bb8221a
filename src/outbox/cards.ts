import { digestOf } from '../journal/digest.js';
import type { CardRow, Outbox } from '../journal/outbox.js';
import { preceded, type SlackMessage } from '../render/blocks.js';
import { continuesHere } from '../render/notices.js';
import { link, type Text } from '../render/text.js';
import type { Sent } from './sink.js';
import type { SlackThread } from './slack.js';
import type { Troubles } from './troubles.js';

/** A card is not redrawn more often than this: all cards share one rate. */
const CARD_PACE_MS = 1_200;

/** The live cards: each is the root of its operation's thread, and is followed by another when it is lost. */
export class Cards {
  /** When a card may be redrawn next, in Unix milliseconds. */
  private readonly notBeforeMs = new Map<string, number>();
  private readonly dirty = new Set<string>();
  private readonly addresses = new Map<string, string | null>();

  constructor(
    private readonly outbox: Outbox,
    private readonly draw: (operationId: string) => SlackMessage,
    private readonly thread: SlackThread,
    private readonly troubles: Troubles,
    private readonly now: () => Date,
    private readonly issue: Text,
  ) {}

  touch(operationId: string): void {
    this.dirty.add(operationId);
  }

  async redrawDirty(): Promise<void> {
    for (const operationId of [...this.dirty]) {
      if (this.outbox.isPaused('thread', this.now())) return;
      await this.redraw(operationId);
    }
  }

  /** The root message's ts: posted now if it is not there yet. Null: not yet possible. */
  async root(operationId: string): Promise<string | null> {
    const card = this.outbox.card(operationId);
    if (card.stage === 'posted') return card.ts;
    const key = `${operationId}:card:${card.generation}`;
    if (card.stage === 'sending') {
      const found = await this.thread.findCard(card.channel, key);
      if (found.kind === 'unclear') return null;
      if (found.kind === 'found') {
        this.outbox.markCardPosted(operationId, found.id, '');
        this.touch(operationId);
        return found.id;
      }
    }
    return this.isParked(card) ? null : this.post(card, key);
  }

  private async post(card: CardRow, key: string): Promise<string | null> {
    const { operation_id: operationId, channel } = card;
    const drawn = await this.drawn(card);
    this.outbox.markCardSending(operationId);
    const sent = await this.thread.postCard(channel, key, drawn);
    if (sent.kind === 'sent') {
      this.outbox.markCardPosted(operationId, sent.id, digestOf(JSON.stringify(drawn)));
      if (card.generation > 1) this.troubles.rootReplaced(operationId, key);
      return sent.id;
    }
    if (sent.kind !== 'unclear') this.outbox.markCardNotSent(operationId);
    if (sent.kind === 'not_sent' || sent.kind === 'limited') this.pause(sent.waitMs);
    if (sent.kind === 'channel_lost') this.troubles.channelLost(operationId, channel, sent);
    return null;
  }

  private async redraw(operationId: string): Promise<void> {
    const card = this.outbox.card(operationId);
    if (this.outbox.isPaused(card.channel, this.now())) return;
    if (card.stage !== 'posted' || card.ts === null) {
      if (card.generation > 1) await this.root(operationId); // a card that was lost is followed at once, not with the next line
      return;
    }
    // Taken out before it is drawn: what happens while it is on its way is not in it, and makes it dirty again.
    this.dirty.delete(operationId);
    let isCurrent = false;
    try {
      isCurrent = await this.update(card, card.ts);
    } finally {
      if (!isCurrent) this.dirty.add(operationId);
    }
  }

  /** Whether the card shows now what was to be drawn when this began. */
  private async update(card: CardRow, ts: string): Promise<boolean> {
    const { operation_id: operationId, channel } = card;
    const drawn = await this.drawn(card);
    const digest = digestOf(JSON.stringify(drawn));
    if (digest === card.body_digest) return true;
    const nowMs = this.now().getTime();
    if (nowMs < (this.notBeforeMs.get(operationId) ?? 0)) return false;
    this.notBeforeMs.set(operationId, nowMs + CARD_PACE_MS);
    const sent = await this.thread.updateCard(channel, ts, drawn);
    if (sent.kind === 'sent') this.outbox.markCardPosted(operationId, ts, digest);
    else await this.meet(card, sent);
    return sent.kind === 'sent';
  }

  /** A card that was not redrawn is drawn again later, or lost. */
  private async meet(card: CardRow, sent: Sent): Promise<void> {
    const { operation_id: operationId, channel } = card;
    if (sent.kind === 'limited') this.pause(sent.waitMs);
    else if (sent.kind === 'not_sent') this.notBeforeMs.set(operationId, this.now().getTime() + sent.waitMs);
    else if (sent.kind === 'channel_lost') this.troubles.channelLost(operationId, channel, sent);
    else if (sent.kind === 'root_lost' || (sent.kind === 'frozen' && (await this.troubles.cardFrozen(card, sent.error)))) {
      this.outbox.markCardLost(operationId);
    }
  }

  private pause(waitMs: number): void {
    this.outbox.pause('thread', new Date(this.now().getTime() + waitMs));
  }

  /** The card; one that follows a lost one says so, and where the old thread is. */
  private async drawn(card: CardRow): Promise<SlackMessage> {
    const drawn = this.draw(card.operation_id);
    if (card.generation === 1) return drawn;
    const before = this.outbox.lastReplyBefore(card.operation_id, card.ts);
    const url = before === null ? null : await this.addressOf(card.channel, before);
    return preceded(continuesHere(card.operation_id, url === null ? [] : [link(url, 'the thread so far')], this.issue), drawn);
  }

  private async addressOf(channel: string, ts: string): Promise<string | null> {
    const known = this.addresses.get(ts);
    if (known !== undefined) return known;
    const address = await this.thread.addressOf(channel, ts);
    this.addresses.set(ts, address);
    return address;
  }

  /** Whether the channel, or the oldest line of the operation, waits for an instant: the card waits with it. */
  private isParked({ operation_id: operationId, channel }: CardRow): boolean {
    if (this.outbox.isPaused(channel, this.now())) return true;
    const first = this.outbox.undelivered('thread').find((row) => row.operation_id === operationId);
    return first !== undefined && this.now() < new Date(first.not_before);
  }
}
