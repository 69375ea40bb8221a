import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { type WebSocket, WebSocketServer } from 'ws';

export type Payload = Readonly<Record<string, unknown>>;

/** What Slack sends over a socket. Source: docs.slack.dev/apis/events-api/using-socket-mode. */
export interface Envelope {
  readonly envelope_id: string;
  readonly type: 'slash_commands' | 'interactive' | 'events_api';
  readonly payload: Payload;
  readonly accepts_response_payload: boolean;
  readonly retry_attempt?: number;
  readonly retry_reason?: string;
}

/** What `apps.connections.open` does with the next request: answers it, refuses it with a code, or breaks the connection. */
export type Opening = { readonly kind: 'opens' } | { readonly kind: 'refuses'; readonly error: string } | { readonly kind: 'drops' };

/**
 * Slack's side of Socket Mode: says hello, hands over envelopes, takes acknowledgements, recycles and drops connections.
 * It answers `apps.connections.open` on its own address.
 */
export class SocketServer {
  /** Acknowledgements in the order in which they came, by envelope. */
  readonly acks: { readonly envelopeId: string; readonly payload: unknown; readonly connection: number }[] = [];
  /** How often a connection has been opened. */
  connections = 0;
  opening: Opening = { kind: 'opens' };
  /** Whether a connection is greeted; without it the other side must give up by itself. */
  hello = true;
  /** Whether pings are answered. */
  pongs = true;
  /** How many envelopes `envelopeOf` has made: each has its own id. */
  private made = 0;
  private live: WebSocket[] = [];
  private readonly waiting = new Map<string, (payload: unknown) => void>();
  private changed: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    const sockets = new WebSocketServer({ server, path: '/link', autoPong: false });
    sockets.on('connection', (socket) => this.greet(socket));
    server.on('request', async (request, response) => {
      await text(request);
      const { opening } = this;
      if (opening.kind === 'drops') return void response.destroy();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(this.answer(request, opening)));
    });
  }

  static async listen(): Promise<SocketServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return new SocketServer(server, `http://127.0.0.1:${port}`);
  }

  /** The answer of `apps.connections.open`, for whoever asks by another way. */
  answer({ headers }: Pick<IncomingMessage, 'headers'>, opening: Exclude<Opening, { kind: 'drops' }>): object {
    if (opening.kind === 'refuses') return { ok: false, error: opening.error };
    if (!`${headers.authorization}`.includes('xapp-')) return { ok: false, error: 'not_allowed_token_type' };
    return { ok: true, url: `${this.url.replace('http', 'ws')}/link` };
  }

  /** The connection over which the next envelope goes: the newest that is live. */
  async connected(): Promise<WebSocket> {
    for (;;) {
      const socket = this.live.at(-1);
      if (socket !== undefined) return socket;
      await new Promise<void>((resolve) => this.changed.push(resolve));
    }
  }

  envelopeOf(type: Envelope['type'], payload: Payload): Envelope {
    this.made += 1;
    return { envelope_id: `envelope-${this.made}`, type, payload, accepts_response_payload: type !== 'events_api' };
  }

  /** Hands an envelope over; resolves with the payload of its acknowledgement. Throws when none comes within `limitMs`. */
  async deliver(envelope: Envelope, limitMs = 120_000): Promise<unknown> {
    const socket = await this.connected();
    const acknowledged = new Promise<unknown>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`operation_timeout: ${envelope.envelope_id}`)), limitMs);
      this.waiting.set(envelope.envelope_id, (payload) => {
        clearTimeout(late);
        resolve(payload);
      });
    });
    acknowledged.catch(() => undefined); // whoever sends without waiting does not want to hear of it
    socket.send(JSON.stringify(envelope));
    return acknowledged;
  }

  /** Slack recycles a connection: it says so, and leaves the closing to the other side. */
  async refresh(reason: 'warning' | 'refresh_requested' | 'link_disabled' = 'refresh_requested'): Promise<void> {
    const socket = await this.connected();
    this.leaves(socket);
    socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'wire' } }));
  }

  /** The network goes: no close frame, nothing. */
  async drop(): Promise<void> {
    const socket = await this.connected();
    this.leaves(socket);
    socket.terminate();
  }

  async close(): Promise<void> {
    for (const socket of this.live) socket.terminate();
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => void this.server.close(() => resolve()));
  }

  private greet(socket: WebSocket): void {
    this.connections += 1;
    const connection = this.connections;
    socket.on('ping', (data) => void (this.pongs && socket.pong(data)));
    socket.on('close', () => this.leaves(socket));
    socket.on('message', (data) => {
      const { envelope_id: envelopeId, payload } = JSON.parse(`${data}`);
      this.acks.push({ envelopeId, payload, connection });
      this.waiting.get(envelopeId)?.(payload);
    });
    if (!this.hello) return;
    this.live.push(socket);
    socket.send(JSON.stringify({ type: 'hello', num_connections: 1, debug_info: { host: 'wire' }, connection_info: { app_id: 'A1' } }));
    for (const resolve of this.changed.splice(0)) resolve();
  }

  private leaves(socket: WebSocket): void {
    this.live = this.live.filter((each) => each !== socket);
  }
}
