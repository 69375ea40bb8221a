import type { BlockAction, ButtonAction, Context, Middleware, SlackActionMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import type { Ingress, Stored } from '../journal/ingress.js';

const REPEATED = 'That was received already, and is worked on once. The thread tells what became of it.';
const FAULT = 'A fault of mine stopped that on its way. It may have been taken: look at `/hero-deploy status` before asking again.';
const NOT_STORED = 'Not taken: the journal could not be written just now. Nothing was done; please try again in a moment.';

/**
 * Puts an arrival on file before anything is acknowledged. A repeated delivery is acknowledged and goes no further;
 * what could not be stored is answered truthfully in time.
 */
export class Door {
  constructor(
    private readonly ingress: Ingress,
    private readonly now: () => Date,
    /** Takes secrets out of what was typed: it goes to the thread, the issue and the journal. */
    private readonly scrub: (text: string) => string,
  ) {}

  readonly command: Middleware<SlackCommandMiddlewareArgs> = async ({ command, ack, next, context, respond }) => {
    command.text = command.text.split('"').map(this.scrub).join('"'); // piece by piece: no field swallows the next
    const requestKey = `command:${command.trigger_id}`;
    const stored = await this.store({ requestKey, kind: 'command', actor: command.user_id, body: JSON.stringify(withoutToken(command)) });
    if (stored === 'failed') return void (await ack({ response_type: 'ephemeral', text: NOT_STORED }));
    if (stored.kind === 'repeated') return void (await ack({ response_type: 'ephemeral', text: REPEATED }));
    await ack();
    context.arrival = { requestKey, askedAt: stored.receivedAt } satisfies AskedAs;
    await this.handle(requestKey, next, () => respond({ response_type: 'ephemeral', text: FAULT }));
  };

  readonly click: Middleware<SlackActionMiddlewareArgs<BlockAction<ButtonAction>>> = async ({
    body,
    action,
    ack,
    next,
    context,
    respond,
  }) => {
    const requestKey = `click:${body.trigger_id}`;
    const stored = await this.store({ requestKey, kind: 'click', actor: body.user.id, body: JSON.stringify(withoutToken(body)) });
    await ack();
    if (stored === 'failed') return void (await respond({ response_type: 'ephemeral', replace_original: false, text: NOT_STORED }));
    if (stored.kind === 'repeated') return;
    context.arrival = { requestKey, askedAt: earlier(stored.receivedAt, Number(action.action_ts) * 1000) } satisfies AskedAs;
    await this.handle(requestKey, next, () => respond({ response_type: 'ephemeral', replace_original: false, text: FAULT }));
  };

  /** A handler that faults is answered for, and not handed in again by the next start: whether it was taken is on file. */
  private async handle(requestKey: string, next: () => Promise<unknown>, answer: () => Promise<unknown>): Promise<void> {
    let outcome = 'handled';
    try {
      await next();
    } catch (fault) {
      outcome = 'fault';
      await answer().catch(() => undefined); // the fault itself is what the log is for
      throw fault;
    } finally {
      this.ingress.markHandled(requestKey, outcome, this.now());
    }
  }

  private async store(arrival: { requestKey: string; kind: 'command' | 'click'; actor: string; body: string }): Promise<Stored | 'failed'> {
    try {
      return await this.ingress.store({ ...arrival, receivedAt: this.now() });
    } catch {
      return 'failed'; // a busy or full disk: said to the person, since it cannot be said to the journal
    }
  }
}

/** Under which key, and when, a person asked. */
export interface AskedAs {
  readonly requestKey: string;
  readonly askedAt: Date;
}

/** What the door noted of the arrival that a handler is working on. */
export function arrivalOf(context: Context): AskedAs {
  return context.arrival;
}

/** Slack says when a button was pressed; a delivery may come much later. */
function earlier(receivedAt: Date, pressedMs: number): Date {
  return Number.isFinite(pressedMs) && pressedMs > 0 && pressedMs < receivedAt.getTime() ? new Date(pressedMs) : receivedAt;
}

/** The verification token of old is a secret of the workspace, and nothing here needs it. */
function withoutToken(body: object): object {
  return { ...body, token: undefined };
}
