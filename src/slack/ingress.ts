import type {
  BlockAction,
  ButtonAction,
  Context,
  Middleware,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewResponseAction,
  ViewSubmitAction,
} from '@slack/bolt';
import { digestOf } from '../journal/digest.js';
import type { Ingress, Stored } from '../journal/ingress.js';
import type { Standing } from '../protocol/people.js';
import { faultOfMine, notStored, receivedAlready } from '../render/answers.js';
import { answerText } from '../render/blocks.js';
import { refusalText } from '../render/refusal.js';
import type { Text } from '../render/text.js';

const NOT_STORED = answerText([notStored()]);

async function refuseForm(ack: (answer: ViewResponseAction) => Promise<void>, view: ViewSubmitAction['view']): Promise<void> {
  const [first = ''] = Object.keys(view.state.values);
  await ack({ response_action: 'errors', errors: { [first]: NOT_STORED } });
}

/** How somebody stands who asks. Source: contracts/slack-github-platform.md 4.8. */
export interface WhoAsks {
  standing(userId: string, teamId: string | undefined): Promise<Standing>;
}

/** What may open a modal: good once, for three seconds. */
export interface Trigger {
  readonly kind: 'command' | 'button';
  /** The text that was typed after the command, or the button's value. */
  readonly what: string;
  readonly triggerId: string;
}

/** A modal that was opened at once; `viewId` null: it could not be. */
export interface Shown {
  readonly opened: Promise<{ readonly viewId: string | null; readonly fault: string }>;
  readonly turnedAway: (lines: readonly Text[]) => Promise<void>;
}

/** What is done within Slack's three seconds, beside storing. Neither may look anything up. */
export interface AtOnce {
  shows(trigger: Trigger): Shown | null;
  /** What a submission is acknowledged with; `goesOn` false: that was all. */
  answers(view: ViewSubmitAction['view']): { readonly ack: ViewResponseAction; readonly goesOn: boolean };
  /** Says something in a modal that is open, as far as it still is. */
  tells(viewId: string, lines: readonly Text[]): Promise<void>;
}

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
    private readonly people: WhoAsks,
    private readonly atOnce: AtOnce = {
      shows: () => null,
      answers: () => ({ ack: { response_action: 'clear' }, goesOn: true }),
      tells: async () => undefined,
    },
  ) {}

  readonly command: Middleware<SlackCommandMiddlewareArgs> = async ({ command, ack, next, context, respond }) => {
    command.text = command.text.split('"').map(this.scrub).join('"'); // piece by piece: no field swallows the next
    const requestKey = `command:${command.trigger_id}`;
    const stored = await this.store({ requestKey, kind: 'command', actor: command.user_id, body: JSON.stringify(withoutToken(command)) });
    if (stored === 'failed') return void (await ack({ response_type: 'ephemeral', text: NOT_STORED }));
    if (stored.kind === 'repeated') return void (await ack({ response_type: 'ephemeral', text: answerText([receivedAlready()]) }));
    await acknowledged(ack);
    const shown = this.atOnce.shows({ kind: 'command', what: command.text, triggerId: command.trigger_id });
    const who = { requestKey, askedAt: stored.receivedAt, userId: command.user_id, teamId: command.team_id, shown };
    await this.work(context, who, next, async (lines) => {
      await respond({ response_type: 'ephemeral', text: answerText(lines) });
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
    const shown = this.atOnce.shows({ kind: 'button', what: action.value ?? '', triggerId: body.trigger_id });
    const who = { requestKey, askedAt, userId: body.user.id, teamId: body.user.team_id ?? body.team?.id, shown };
    await this.work(context, who, next, async (lines) => {
      await respond({ response_type: 'ephemeral', replace_original: false, text: answerText(lines) });
    });
  };

  /** A form that was filled in. The same one with other words in it is another request. */
  readonly submission: Middleware<SlackViewMiddlewareArgs<ViewSubmitAction>> = async ({ body, view, ack, next, context }) => {
    this.scrubValues(view);
    const requestKey = `submission:${view.id}:${view.hash}:${digestOf(JSON.stringify(view.state.values)).slice(0, 16)}`;
    const stored = await this.store({
      requestKey,
      kind: 'submission',
      actor: body.user.id,
      body: JSON.stringify(withoutToken({ ...body, view })),
    });
    if (stored === 'failed') return refuseForm(ack, view);
    const { ack: answer, goesOn } = this.atOnce.answers(view);
    if (stored.kind === 'repeated' && goesOn) return void (await ack());
    await ack(answer);
    if (!goesOn) return this.ingress.markHandled(requestKey, 'refused: faults in the form', this.now());
    const who = {
      requestKey,
      askedAt: stored.kind === 'new' ? stored.receivedAt : this.now(),
      userId: body.user.id,
      teamId: body.user.team_id,
      shown: null,
    };
    await this.work(context, who, next, async (lines) => {
      await this.atOnce.tells(view.id, lines);
    });
  };

  private scrubValues(view: ViewSubmitAction['view']): void {
    for (const block of Object.values(view.state.values)) {
      for (const input of Object.values(block)) if (typeof input.value === 'string') input.value = this.scrub(input.value);
    }
  }

  /**
   * Hands on what is on file, with who asks. It counts as handled before anybody is answered, and also when its handler had a
   * fault. An account that Slack does not call a full member gets no further, whatever it asked for.
   */
  private async work(
    context: Context,
    asked: Asked,
    next: () => Promise<void>,
    answer: (lines: readonly Text[]) => Promise<void>,
  ): Promise<void> {
    let mark: Promise<void> | null = null;
    let became = 'handled';
    const decided = (): Promise<void> => {
      mark ??= this.ingress.markHandled(asked.requestKey, became, this.now());
      return mark;
    };
    const standing = await this.people.standing(asked.userId, asked.teamId);
    if (standing.kind === 'refused') {
      became = `refused: account_refused, ${standing.account}`;
      await decided();
      const lines = [refusalText('', 'account_refused', { account: standing.account })];
      await asked.shown?.turnedAway(lines);
      return answer(lines);
    }
    const note = (word: string): void => {
      became = word;
    };
    const { requestKey, askedAt, shown } = asked;
    context.arrival = { requestKey, askedAt, standing, decided, note, shown } satisfies AskedAs;
    try {
      await next();
    } catch (fault) {
      const early = mark === null;
      await decided();
      if (early) await answer([faultOfMine()]).catch(() => undefined); // the fault itself is what the log is for
      throw fault;
    }
    await decided();
  }

  private async store(arrival: {
    requestKey: string;
    kind: 'command' | 'click' | 'submission';
    actor: string;
    body: string;
  }): Promise<Stored | 'failed'> {
    try {
      return await this.ingress.store({ ...arrival, receivedAt: this.now() });
    } catch {
      return 'failed'; // a busy or full disk: said to the person, since it cannot be said to the journal
    }
  }
}

interface Asked {
  readonly requestKey: string;
  readonly askedAt: Date;
  readonly userId: string;
  readonly teamId: string | undefined;
  readonly shown: Shown | null;
}

/** Under which key, when, and as whom a person asked. */
export interface AskedAs {
  readonly requestKey: string;
  readonly askedAt: Date;
  readonly standing: Standing;
  /** What became of it, for the record: a refused attempt stays on file as one. */
  readonly note: (word: string) => void;
  /** The modal that was opened at once for this, if it opens one. */
  readonly shown: Shown | null;
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

/** The verification token of old is a secret of the workspace, names are not who somebody is, and nothing here needs either. */
function withoutToken(body: object): object {
  const { user } = body as { readonly user?: { readonly id?: string; readonly team_id?: string } };
  const named = user === undefined ? {} : { user: { id: user.id, team_id: user.team_id } };
  return { ...body, ...named, token: undefined, user_name: undefined };
}
