import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { SocketModeReceiver } from '@slack/bolt';
import { WebAPIPlatformError } from '@slack/web-api';
import type { Logger as Pino } from 'pino';
import { clientOptions, createBolt, type DoorState, DRAIN_MS, type SlackApp } from './app.js';
import { boltLogger } from './log.js';

export interface SocketOptions {
  readonly botToken: string;
  /** `xapp-…`, with `connections:write`. */
  readonly appToken: string;
  readonly apiUrl: string | undefined;
  readonly now: () => Date;
  readonly log: Pino;
  readonly timing?: Partial<SocketTiming>;
}

/** Milliseconds. */
export interface SocketTiming {
  /** From an attempt to Slack's `hello`; later the attempt is given up. */
  readonly helloMs: number;
  /** Without a message, ping or pong for so long, the connection is dead, whatever it says of itself. */
  readonly silentMs: number;
  /** A connection that ends sooner than this has failed, and is not opened again at once. */
  readonly livedMs: number;
  /** After a failure: doubled with each one that follows, up to `retryMaxMs`. */
  readonly retryMs: number;
  readonly retryMaxMs: number;
  /** A token that was refused is tried again this late: somebody must act first. */
  readonly refusedMs: number;
}

const TIMING: SocketTiming = { helloMs: 15_000, silentMs: 45_000, livedMs: 5_000, retryMs: 500, retryMaxMs: 30_000, refusedMs: 60_000 };

/** How long a connection may take to say goodbye. Source: contracts/slack-github-platform.md, section 6 (#2752). */
const GOODBYE_MS = 2_000;

const REFUSED = new Set([
  'not_authed',
  'invalid_auth',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'user_removed_from_team',
  'team_disabled',
  'missing_scope',
  'not_allowed_token_type',
]);

const PONG = 'undici:websocket:pong';
const PING = 'undici:websocket:ping';

/** Slack in Socket Mode: a socket that we open, and open again whatever ends it. */
export function createSocketApp({ botToken, appToken, apiUrl, now, log, timing }: SocketOptions): SlackApp {
  const logger = boltLogger(log);
  // Its own reconnecting waits five seconds after each refresh, and ends the process when Slack cannot be reached.
  const receiver = new SocketModeReceiver({
    appToken,
    logger,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions({ apiUrl, log }) },
  });
  const bolt = createBolt({ botToken, apiUrl, receiver, log });
  const socket = new Socket(receiver.client, now, log, { ...TIMING, ...timing });
  return {
    ...bolt,
    listen: async () => {
      await socket.open();
      return null;
    },
    state: () => socket.state,
    close: async () => {
      await bolt.inflight.idle(DRAIN_MS); // an acknowledgement goes over the socket: it is closed last
      await socket.close();
    },
  };
}

type Client = SocketModeReceiver['client'];
type End = 'lived' | 'broke' | 'refused';

/** Keeps one connection, one attempt at a time, until it is closed. */
class Socket {
  state: DoorState;
  private stopped = false;
  private heardAtMs = 0;
  private wake: () => void = () => {};
  private keeping: Promise<void> = Promise.resolve();
  private readonly heard = (): void => {
    this.heardAtMs = this.now().getTime();
  };

  constructor(
    private readonly client: Client,
    private readonly now: () => Date,
    private readonly log: Pino,
    private readonly timing: SocketTiming,
  ) {
    this.state = { kind: 'connecting', since: now(), detail: 'Socket Mode', connections: 0 };
  }

  /** Begins; resolves when the first attempt has come to something. What fails is tried again, so that it never throws. */
  async open(): Promise<void> {
    for (const channel of [PING, PONG]) subscribe(channel, this.heard);
    this.client.on('ws_message', this.heard);
    await new Promise<void>((first) => {
      this.keeping = this.keep(first);
    });
  }

  async close(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.hangUp();
    await this.keeping;
    for (const channel of [PING, PONG]) unsubscribe(channel, this.heard);
  }

  private async keep(first: () => void): Promise<void> {
    let failures = 0;
    while (!this.stopped) {
      const end = await this.connection(first);
      failures = end === 'lived' ? 0 : failures + 1;
      first();
      if (!this.stopped) await this.pause(this.pauseOf(end, failures));
    }
  }

  /** One connection, from the attempt to its end. */
  private async connection(begun: () => void): Promise<End> {
    const over = new Promise<void>((resolve) => this.client.once('disconnected', () => resolve()));
    const hello = await within(this.timing.helloMs, this.client.start());
    if (hello.kind !== 'done') {
      await this.hangUp();
      const error = hello.kind === 'late' ? 'no hello in time' : describe(hello.fault);
      const refused = hello.kind === 'failed' && isRefused(hello.fault);
      this.log.warn({ from: 'socket', error }, 'not connected to Slack');
      this.become(refused ? 'refused' : 'connecting', error);
      return refused ? 'refused' : 'broke';
    }
    this.heard();
    this.become('open', 'Socket Mode', 1);
    begun();
    const openedMs = this.now().getTime();
    const watch = setInterval(() => this.watch(), Math.min(1_000, this.timing.silentMs / 3));
    await over;
    clearInterval(watch);
    if (!this.stopped) this.become('connecting', 'the connection ended');
    return this.now().getTime() - openedMs >= this.timing.livedMs ? 'lived' : 'broke';
  }

  /** A connection that says nothing any more is dead, though nobody has closed it. */
  private watch(): void {
    const silentMs = this.now().getTime() - this.heardAtMs;
    if (silentMs <= this.timing.silentMs) return;
    this.heard();
    this.log.warn({ from: 'socket', silentMs }, 'nothing heard from Slack: connecting anew');
    void this.hangUp();
  }

  /** Ends what there is of a connection; a goodbye that does not come is not waited for. */
  private async hangUp(): Promise<void> {
    const goodbye = await within(GOODBYE_MS, this.client.disconnect());
    if (goodbye.kind === 'late') await within(GOODBYE_MS, this.client.disconnect()); // said twice, the client lets go
  }

  private become(kind: DoorState['kind'], detail: string, connections = 0): void {
    const { state } = this;
    const since = state.kind === kind ? state.since : this.now();
    this.state = { kind, detail, since, connections: state.connections + connections };
    if (state.kind !== kind) this.log.info({ from: 'socket', door: kind, connections: this.state.connections }, detail);
  }

  /** Slack recycles connections every few hours: after one that had lived, the next is opened at once. */
  private pauseOf(end: End, failures: number): number {
    if (end === 'lived') return 0;
    if (end === 'refused') return this.timing.refusedMs;
    return Math.min(this.timing.retryMaxMs, this.timing.retryMs * 2 ** Math.min(failures - 1, 10));
  }

  private pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

type Within = { readonly kind: 'done' } | { readonly kind: 'late' } | { readonly kind: 'failed'; readonly fault: unknown };

async function within(limitMs: number, work: Promise<unknown>): Promise<Within> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Within>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'late' }), limitMs);
  });
  const done = work.then(
    (): Within => ({ kind: 'done' }),
    (fault: unknown): Within => ({ kind: 'failed', fault }),
  );
  const outcome = await Promise.race([done, late]);
  clearTimeout(timer);
  return outcome;
}

function isRefused(fault: unknown): boolean {
  return fault instanceof WebAPIPlatformError && REFUSED.has(`${fault.data.error}`);
}

function describe(fault: unknown): string {
  if (fault instanceof WebAPIPlatformError) return `slack: ${fault.data.error}`;
  return fault instanceof Error ? `slack: ${fault.message}` : 'slack: the connection was not made';
}
