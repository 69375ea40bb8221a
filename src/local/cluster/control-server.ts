import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ControlAction } from './actions.js';
import { listen } from './endpoint.js';
import type { ClusterState } from './state.js';

const BODY_CHARS_MAX = 64 * 1024;

export interface Controlled {
  state(): ClusterState;
  control(action: ControlAction): Promise<unknown>;
}

export interface ControlServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** The control API on loopback: `GET /state`, `POST /control`, with `authorization: Bearer <token>`. */
export async function startControlServer(token: string, cluster: Controlled): Promise<ControlServer> {
  const server = createServer((request, response) => {
    serve(token, cluster, request, response).catch((error: unknown) => send(response, 500, { error: (error as Error).message }));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function serve(token: string, cluster: Controlled, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isSame(request.headers.authorization ?? '', `Bearer ${token}`))
    return send(response, 401, { error: 'the token is missing or wrong' });
  if (request.method === 'GET' && request.url === '/state') return send(response, 200, cluster.state());
  if (request.method !== 'POST' || request.url !== '/control') return send(response, 404, { error: 'GET /state or POST /control' });
  const action = ControlAction.safeParse(await readJson(request));
  if (!action.success)
    return send(response, 422, { error: action.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ') });
  try {
    send(response, 200, { result: (await cluster.control(action.data)) ?? null });
  } catch (error) {
    send(response, 409, { error: (error as Error).message });
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > BODY_CHARS_MAX) return null;
  }
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}
