import { createServer, type Server } from 'node:http';
import { App, HTTPReceiver } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import type { Logger as Pino } from 'pino';
import { OpsError } from '../errors.js';
import type { IngressRow } from '../journal/ingress.js';
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

/** The Bolt app behind its own HTTP server, and the one client that everything is posted through. */
export interface SlackApp {
  readonly app: App;
  readonly client: WebClient;
  /** Binds the port; resolves with it. Throws PortError. */
  listen(): Promise<number>;
  /** Hands in what was stored before a crash and not handled; its acknowledgement is long over. */
  resume(row: IngressRow): Promise<void>;
  close(): Promise<void>;
}

export function createSlackApp({ botToken, signingSecret, apiUrl, port, log }: SlackOptions): SlackApp {
  const logger = boltLogger(log);
  // The outbox repeats what may be repeated, and looks the rest up first: the client must never do so by itself.
  const clientOptions = {
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 10_000,
    logger,
  };
  const receiver = new HTTPReceiver({ signingSecret, endpoints: ['/slack/events'], logger });
  const app = new App({
    token: botToken,
    receiver,
    clientOptions,
    logger,
    tokenVerificationEnabled: false,
    botId: 'unused',
    botUserId: 'unused',
    ignoreSelf: false,
  });
  app.error(async (fault) => log.error({ from: 'bolt', fault: fault.message, original: fault.original?.message }, 'a handler failed'));

  const server = createServer((request, response) => {
    try {
      receiver.requestListener(request, response);
    } catch {
      response.writeHead(404).end(); // what it throws of a path or method that is not its own would end the process
    }
  });
  return {
    app,
    client: new WebClient(botToken, clientOptions),
    listen: () => listen(server, port),
    resume: (row) => app.processEvent({ body: JSON.parse(row.body), ack: async () => {} }),
    close: () => close(server),
  };
}

function listen(server: Server, port: number): Promise<number> {
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

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
