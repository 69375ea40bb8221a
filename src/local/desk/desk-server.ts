import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { PortError } from '../../slack/app.js';
import { BOT_SCOPES } from '../../slack/scopes.js';
import { DeskError } from './desk-error.js';
import type { Fault, Faults } from './faults.js';
import type { Files } from './files.js';
import type { GithubApi } from './github-api.js';
import type { Page } from './page.js';
import { isRecord, parseJson } from './record.js';
import type { ResponseUrls } from './response-urls.js';
import type { Fields, SlackApi } from './slack-api.js';
import { json, plain, type Reply, readBytes, send } from './web.js';

/** What stands behind the desk's address. */
export interface Doors {
  readonly slackApi: SlackApi;
  readonly githubApi: GithubApi;
  readonly urls: ResponseUrls;
  readonly faults: Faults;
  readonly files: Files;
  readonly page: Page | undefined;
}

/** The one HTTP server in front of both emulators. It listens before they start, since their links name its port. */
export class DeskServer {
  readonly url: string;
  readonly #server: Server;
  #doors: Doors | undefined;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Listens on loopback. Throws PortError. */
  static listen(port: number): Promise<DeskServer> {
    return new Promise((resolve, reject) => {
      const server = createServer();
      server.once('error', (cause: NodeJS.ErrnoException) => {
        const why = cause.code === 'EADDRINUSE' ? 'another program listens there; name another port with --port' : cause.message;
        reject(new PortError(`listen on 127.0.0.1:${port}: ${why}`, { cause }));
      });
      server.listen(port, '127.0.0.1', () => {
        const address = server.address();
        const desk = new DeskServer(server, typeof address === 'object' && address !== null ? address.port : port);
        server.on('request', (request, response) => void desk.#handle(request, response));
        resolve(desk);
      });
    });
  }

  serve(doors: Doors): void {
    this.#doors = doors;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      // A foreign Host is a page elsewhere that had its name point at this machine.
      const hosts = [new URL(this.url).host, `localhost:${new URL(this.url).port}`];
      if (!hosts.includes(request.headers.host ?? '')) {
        send(response, plain('this address is not the desk\n', 403));
        return;
      }
      if (this.#doors === undefined) {
        send(response, plain('the desk is starting\n', 503));
        return;
      }
      await this.#route(this.#doors, request, response);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      send(response, json({ ok: false, error: 'desk', message }, cause instanceof DeskError ? 409 : 500));
    }
  }

  async #route(doors: Doors, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const bytes = await readBytes(request);
    const body = bytes.toString('utf8');
    const authorization = request.headers.authorization ?? '';
    const slack = /^\/slack\/api\/([\w.]+)/.exec(url)?.[1];
    if (slack !== undefined) {
      const fields = fieldsOf(request, body);
      const token = authorization.replace(/^Bearer\s+/i, '') || (fields.token ?? '');
      return this.#under(doors.faults.take('slack', slack), response, slackRefusal, async () =>
        json(await doors.slackApi.answer(slack, token, fields), 200, { 'x-oauth-scopes': BOT_SCOPES.join(',') }),
      );
    }
    if (url.startsWith('/github/')) {
      const path = url.slice('/github'.length);
      const fault = doors.faults.take('github', `${method} ${path}`);
      return this.#under(fault, response, githubRefusal, () => doors.githubApi.answer({ method, path, authorization, body }));
    }
    const responseId = /^\/slack\/response\/(\w+)$/.exec(url)?.[1];
    if (responseId !== undefined && method === 'POST') {
      return this.#under(doors.faults.take('slack', 'response_url'), response, slackRefusal, () => doors.urls.use(responseId, body));
    }
    const uploadId = /^\/slack\/upload\/(F[0-9A-F]+)$/.exec(url)?.[1];
    if (uploadId !== undefined && method === 'POST') {
      return this.#under(doors.faults.take('slack', 'upload'), response, slackRefusal, async () => doors.files.take(uploadId, bytes));
    }
    const fileId = /^\/files\/(F[0-9A-F]+)$/.exec(url)?.[1];
    if (fileId !== undefined && method === 'GET') return send(response, doors.files.show(fileId));
    const page = await doors.page?.answer(request, url, body);
    send(response, page ?? plain('not found\n', 404));
  }

  async #under(
    fault: Fault | undefined,
    response: ServerResponse,
    refusal: (fault: Fault) => Reply,
    act: () => Promise<Reply>,
  ): Promise<void> {
    if (fault?.kind === 'status') {
      send(response, refusal(fault));
      return;
    }
    if (fault?.kind === 'drop_before_write') return void response.destroy();
    const reply = await act();
    if (fault?.kind === 'drop_after_write') return void response.destroy();
    send(response, reply);
  }
}

/** The fields of a Web API call, from its form, its JSON body or its query. Objects become JSON text. */
function fieldsOf(request: IncomingMessage, body: string): Fields {
  const query = Object.fromEntries(new URL(request.url ?? '/', 'http://desk').searchParams);
  if (!(request.headers['content-type'] ?? '').includes('application/json'))
    return { ...query, ...Object.fromEntries(new URLSearchParams(body)) };
  const parsed = parseJson(body);
  if (!isRecord(parsed)) return query;
  const given = Object.entries(parsed).filter(([, value]) => value !== undefined && value !== null);
  return {
    ...query,
    ...Object.fromEntries(given.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])),
  };
}

function slackRefusal(fault: Fault): Reply {
  return json(
    { ok: false, error: fault.error ?? (fault.status === 429 ? 'ratelimited' : 'internal_error') },
    fault.status ?? 200,
    fault.headers ?? {},
  );
}

function githubRefusal(fault: Fault): Reply {
  return json(
    { message: fault.error ?? 'Server Error', documentation_url: 'https://docs.github.com/rest' },
    fault.status ?? 500,
    fault.headers ?? {},
  );
}
