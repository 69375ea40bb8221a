import { createHmac } from 'node:crypto';
import { DeskError } from './desk-error.js';
import type { Json } from './record.js';

/** What became of one command, click or submission at the bot's door. `form` can be sent again: that is a duplicate. */
export type Delivery = Acknowledged | Unanswered;

export interface Acknowledged {
  readonly kind: 'acknowledged';
  readonly status: number;
  readonly body: string;
  readonly form: Form;
}

export interface Unanswered {
  /** `operation_timeout`: no answer within 3 s. `dispatch_failed`: no connection, or an answer that is no success. */
  readonly kind: 'operation_timeout' | 'dispatch_failed';
  readonly detail: string;
  readonly form: Form;
}

/** The fields of one delivery, before they are signed. */
export type Form = Readonly<Record<string, string>>;

/** Brings what people do to the bot, signed as Slack signs it (docs.slack.dev: verifying requests from Slack, v0). */
export class BotDoor {
  readonly #signingSecret: string;
  readonly #ackMs: number;
  #url: string | undefined;

  constructor(options: { readonly signingSecret: string; readonly ackMs: number }) {
    this.#signingSecret = options.signingSecret;
    this.#ackMs = options.ackMs;
  }

  /** Where the bot listens: its origin, or the whole URL when the path is not `/slack/events`. */
  connect(url: string): void {
    const given = new URL(url);
    if (given.hostname !== '127.0.0.1' && given.hostname !== 'localhost')
      throw new DeskError(`connect bot: ${given.hostname} is not loopback`);
    this.#url = given.pathname === '/' ? new URL('/slack/events', given).href : given.href;
  }

  get connected(): boolean {
    return this.#url !== undefined;
  }

  /** Delivers a form and waits as long as Slack does. Never throws for what the bot did or did not do. */
  deliver(form: Form): Promise<Delivery> {
    return this.#send(form, new URLSearchParams(form).toString(), 'application/x-www-form-urlencoded');
  }

  /** Delivers an event, as the Events API does: JSON, under the same signature. */
  tell(event: Json): Promise<Delivery> {
    return this.#send({}, JSON.stringify(event), 'application/json');
  }

  async #send(form: Form, body: string, type: string): Promise<Delivery> {
    if (this.#url === undefined) return { kind: 'dispatch_failed', detail: 'no bot is connected', form };
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', this.#signingSecret).update(`v0:${timestamp}:${body}`).digest('hex');
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: {
          'content-type': type,
          'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
          'x-slack-request-timestamp': timestamp,
          'x-slack-signature': `v0=${signature}`,
        },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(this.#ackMs),
      });
      const answer = await response.text();
      if (!response.ok) return { kind: 'dispatch_failed', detail: `answered ${response.status}`, form };
      return { kind: 'acknowledged', status: response.status, body: answer, form };
    } catch (cause) {
      if (cause instanceof Error && cause.name === 'TimeoutError') {
        return { kind: 'operation_timeout', detail: `no answer within ${this.#ackMs} ms`, form };
      }
      return { kind: 'dispatch_failed', detail: cause instanceof Error ? cause.message : String(cause), form };
    }
  }
}
