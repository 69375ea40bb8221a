import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** What happens to a request on its way. */
export type Fate =
  /** The connection breaks, and nothing happened. */
  | { readonly kind: 'drops_before' }
  /** It takes effect, and the connection breaks before the answer. */
  | { readonly kind: 'drops_after' }
  /** It takes effect, and the answer comes late. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Something else takes effect than what was sent. */
  | { readonly kind: 'changes'; readonly body: (body: string) => string }
  /** Nothing happened, and this is the answer. */
  | {
      readonly kind: 'answers';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    };

interface Rule {
  readonly pattern: RegExp;
  readonly fate: Fate;
  left: number;
}

/** Stands before an emulator and plays what goes wrong on the way to the real one. */
export class FaultProxy {
  /** `METHOD /path` of every request, in order. */
  readonly seen: string[] = [];
  /** Answers requests that the emulator does not know. */
  instead: (request: IncomingMessage) => object | undefined = () => undefined;
  /** Changes the path of a request before it is handed on. */
  path: (path: string) => string = (path) => path;
  private rules: Rule[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
    private readonly target: string,
  ) {
    server.on('request', (request, response) => void this.handle(request, response));
  }

  /** `target` is an origin. */
  static async before(target: string): Promise<FaultProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return new FaultProxy(server, `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`, target);
  }

  /** The next `times` requests whose `METHOD /path` fits meet this fate. Older rules first. */
  plays(pattern: RegExp, fate: Fate, times = 1): void {
    this.rules.push({ pattern, fate, left: times });
  }

  /** Nothing gets through until it is mended. */
  goesDown(): void {
    this.plays(/./, { kind: 'answers', status: 503, body: { ok: false, error: 'service_unavailable', message: 'unavailable' } }, Infinity);
  }

  /** Nothing of what was to be played is played any more. */
  mend(): void {
    this.rules = [];
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => void this.server.close(() => resolve()));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const line = `${request.method} ${request.url}`;
    this.seen.push(line);
    const body = await buffer(request);
    const fate = this.take(line);
    if (fate?.kind === 'drops_before') return void response.destroy();
    if (fate?.kind === 'answers') {
      response.writeHead(fate.status, { 'content-type': 'application/json', ...fate.headers }).end(JSON.stringify(fate.body));
      return;
    }
    const own = this.instead(request);
    if (own !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(own));
      return;
    }
    const answer = await this.forward(request, fate?.kind === 'changes' ? Buffer.from(fate.body(`${body}`)) : body);
    if (fate?.kind === 'drops_after') return void response.destroy();
    if (fate?.kind === 'slow') await delay(fate.ms);
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(answer.body);
  }

  private take(line: string): Fate | undefined {
    const rule = this.rules.find(({ pattern, left }) => left > 0 && pattern.test(line));
    if (rule !== undefined) rule.left -= 1;
    return rule?.fate;
  }

  private async forward(request: IncomingMessage, body: Buffer) {
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !HOP.has(name) ? [[name, value] as [string, string]] : [],
    );
    const method = request.method ?? 'GET';
    const response = await fetch(`${this.target}${this.path(request.url ?? '/')}`, {
      method,
      headers,
      redirect: 'manual',
      ...(method === 'GET' || method === 'HEAD' ? {} : { body: new Uint8Array(body) }),
    });
    const kept = [...response.headers].filter(([name]) => !HOP.has(name));
    return { status: response.status, headers: kept, body: Buffer.from(await response.arrayBuffer()) };
  }
}

/** Of one connection only, or of a body that fetch has unpacked. */
const HOP = new Set(['host', 'connection', 'content-length', 'content-encoding', 'transfer-encoding', 'keep-alive']);
