import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Desk } from '../../src/local/desk/desk.js';
import { FaultProxy } from './fault-proxy.js';
import { type Envelope, SocketServer } from './socket-server.js';

/** The way between a bot in Socket Mode and the desk. What people do at the desk goes over the socket, as envelopes. */
export interface Wire {
  readonly slack: FaultProxy;
  readonly github: FaultProxy;
  readonly socket: SocketServer;
  /** For `slack.apiUrl` and `github.apiUrl` of a fleet file. */
  readonly slackApiUrl: string;
  readonly githubApiUrl: string;
  /** Every envelope that was handed over, in order. */
  readonly envelopes: Envelope[];
  close(): Promise<void>;
}

/** Puts a wire between a desk and a bot that is to be started. */
export async function startWire(desk: Desk): Promise<Wire> {
  const origin = new URL(desk.url).origin;
  const [slack, github, socket] = await Promise.all([FaultProxy.before(origin), FaultProxy.before(origin), SocketServer.listen()]);
  slack.instead = (request) =>
    request.url?.endsWith('/apps.connections.open') === true ? socket.answer(request, { kind: 'opens' }) : undefined;
  const envelopes: Envelope[] = [];
  const bridge = createServer(async (request, response) => {
    const envelope = envelopeOf(socket, await text(request));
    envelopes.push(envelope);
    try {
      const payload = await socket.deliver(envelope);
      const said = typeof payload === 'object' && payload !== null && Object.keys(payload).length > 0;
      response.writeHead(200, { 'content-type': 'application/json' }).end(said ? JSON.stringify(payload) : '');
    } catch {
      response.destroy(); // the desk shows what Slack shows when nobody acknowledges
    }
  });
  bridge.listen(0, '127.0.0.1');
  await once(bridge, 'listening');
  const address = bridge.address();
  desk.connectBot(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`);
  return {
    slack,
    github,
    socket,
    envelopes,
    slackApiUrl: `${slack.url}${new URL(desk.slackApiUrl).pathname}`,
    githubApiUrl: `${github.url}${new URL(desk.githubApiUrl).pathname}`,
    async close() {
      bridge.closeAllConnections();
      await new Promise<void>((resolve) => void bridge.close(() => resolve()));
      await Promise.all([slack.close(), github.close(), socket.close()]);
    },
  };
}

/** What Slack posts as a form in HTTP mode is the payload of an envelope in Socket Mode. */
function envelopeOf(socket: SocketServer, form: string): Envelope {
  const fields = Object.fromEntries(new URLSearchParams(form));
  if (fields.payload !== undefined) return socket.envelopeOf('interactive', JSON.parse(fields.payload));
  return socket.envelopeOf('slash_commands', fields);
}
