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
    await acknowledged(ack);
    await this.work(context, { requestKey, askedAt: stored.receivedAt }, next, async () => {
      await respond({ response_type: 'ephemeral', text: FAULT });
    });
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
    await acknowledged(ack);
    if (stored === 'failed') return void (await respond({ response_type: 'ephemeral', replace_original: false, text: NOT_STORED }));
    if (stored.kind === 'repeated') return;
    const askedAt = earlier(stored.receivedAt, Number(action.action_ts) * 1000);
    await this.work(context, { requestKey, askedAt }, next, async () => {
      await respond({ response_type: 'ephemeral', replace_original: false, text: FAULT });
    });
  };

  /** Hands on what is on file. It counts as handled before anybody is answered, and also when its handler had a fault. */
  private async work(
    context: Context,
    asked: { readonly requestKey: string; readonly askedAt: Date },
    next: () => Promise<void>,
    sayFaulted: () => Promise<void>,
  ): Promise<void> {
    let mark: Promise<void> | null = null;
    const decided = (): Promise<void> => {
      mark ??= this.ingress.markHandled(asked.requestKey, 'handled', this.now());
      return mark;
    };
    context.arrival = { ...asked, decided } satisfies AskedAs;
    try {
      await next();
    } catch (fault) {
      const early = mark === null;
      await decided();
      if (early) await sayFaulted().catch(() => undefined); // the fault itself is what the log is for
      throw fault;
    }
    await decided();
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
  /**
   * Puts on file that it was decided on. To be awaited before the person is answered: what was answered once must not be
   * decided anew after a crash.
   */
  readonly decided: () => Promise<void>;
}

/** What the door noted of the arrival that a handler is working on. */
export function arrivalOf(context: Context): AskedAs {
  return context.arrival;
}

/**
 * A socket may be gone between the arrival and its acknowledgement. What is on file is worked on nonetheless: Slack tells
 * the person that it failed, or delivers it again, and the thread tells what became of it.
 */
async function acknowledged(ack: () => Promise<void>): Promise<void> {
  await ack().catch(() => undefined);
}

/** Slack says when a button was pressed; a delivery may come much later. */
function earlier(receivedAt: Date, pressedMs: number): Date {
  return Number.isFinite(pressedMs) && pressedMs > 0 && pressedMs < receivedAt.getTime() ? new Date(pressedMs) : receivedAt;
}

/** The verification token of old is a secret of the workspace, and nothing here needs it. */
function withoutToken(body: object): object {
  return { ...body, token: undefined };
}
