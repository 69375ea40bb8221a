import { createServer, type Server } from 'node:http';
import { App, HTTPReceiver, type Receiver } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { Logger as Pino } from 'pino';
import { OpsError } from '../errors.js';
import type { IngressRow } from '../journal/ingress.js';
import { Inflight } from './inflight.js';
import { boltLogger } from './log.js';

/** The port is in use, or may not be bound: nothing was started. */
export class PortError extends OpsError {
  readonly code = 'port';
  override readonly exitCode = 6;
}

export interface SlackOptions {
  readonly botToken: string;
  readonly signingSecret: string;
  readonly apiUrl: string | undefined;
  readonly port: number;
  readonly log: Pino;
}

/** How the way in from Slack stands. */
export interface DoorState {
  /** `refused`: Slack does not take our token, which waiting does not mend. */
  readonly kind: 'open' | 'connecting' | 'refused';
  readonly since: Date;
  readonly detail: string;
  /** How many connections there have been: one in HTTP mode. */
  readonly connections: number;
}

/** The Bolt app behind its way in, and the one client that everything is posted through. */
export interface SlackApp {
  readonly app: App;
  readonly client: WebClient;
  /** Opens the way in; resolves with the port, or null where there is none. Throws PortError. */
  listen(): Promise<number | null>;
  state(): DoorState;
  /** Hands in what was stored before a crash and not handled; its acknowledgement is long over. */
  resume(row: IngressRow): Promise<void>;
  /** Takes nothing new, waits a little for what is being worked on, and closes. */
  close(): Promise<void>;
}

export interface HttpApp extends SlackApp {
  listen(): Promise<number>;
}

/** How long a shutdown waits for handlers that work: they read the outside at most. */
export const DRAIN_MS = 5_000;

/** Slack in HTTP mode: it posts commands and clicks to our port, signed. */
export function createSlackApp({ botToken, signingSecret, apiUrl, port, log }: SlackOptions): HttpApp {
  const receiver = new HTTPReceiver({ signingSecret, endpoints: ['/slack/events'], logger: boltLogger(log) });
  const bolt = createBolt({ botToken, apiUrl, receiver, log });
  const server = createServer((request, response) => {
    try {
      receiver.requestListener(request, response);
    } catch {
      response.writeHead(404).end(); // what it throws of a path or method that is not its own would end the process
    }
  });
  const since = new Date();
  return {
    ...bolt,
    listen: () => listen(server, port),
    state: () => ({ kind: server.listening ? 'open' : 'connecting', since, detail: 'HTTP', connections: 1 }),
    close: () => close(server, () => bolt.inflight.idle(DRAIN_MS)),
  };
}

export interface Bolt extends Pick<SlackApp, 'app' | 'client' | 'resume'> {
  readonly inflight: Inflight;
}

/** The app and the client, whatever the way in is. */
export function createBolt(parts: {
  readonly botToken: string;
  readonly apiUrl: string | undefined;
  readonly receiver: Receiver;
  readonly log: Pino;
}): Bolt {
  const { botToken, receiver, log } = parts;
  const options = clientOptions(parts);
  const app = new App({
    token: botToken,
    receiver,
    clientOptions: options,
    logger: boltLogger(log),
    tokenVerificationEnabled: false,
    botId: 'unused',
    botUserId: 'unused',
    ignoreSelf: false,
  });
  app.error(async (fault) => log.error({ from: 'bolt', fault: fault.message, original: fault.original?.message }, 'a handler failed'));
  const inflight = new Inflight();
  app.use(inflight.middleware);
  return {
    app,
    inflight,
    client: new WebClient(botToken, options),
    resume: (row) => app.processEvent({ body: JSON.parse(row.body), ack: async () => {} }),
  };
}

/** The outbox repeats what may be repeated, and looks the rest up first: a client must never do so by itself. */
export function clientOptions({ apiUrl, log }: { readonly apiUrl: string | undefined; readonly log: Pino }): WebClientOptions {
  return {
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 10_000,
    logger: boltLogger(log),
  };
}

/** Binds a port of this machine only; 0 takes a free one. Throws PortError. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'another program listens there' : (cause.code ?? cause.message);
      reject(new PortError(`listen on 127.0.0.1:${port}: ${why}`, { cause }));
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function close(server: Server, idle: () => Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    void idle().then(() => server.closeAllConnections());
  });
}
