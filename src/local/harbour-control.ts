import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

type Action = { readonly kind: string; readonly on?: boolean };

/** Takes the page's wishes about the harbour itself, on loopback and by a token. */
export class HarbourControl {
  readonly token = randomBytes(16).toString('hex');
  private obey: ((action: Action) => Promise<unknown>) | null = null;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static listen(): Promise<HarbourControl> {
    const server = createServer();
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(new HarbourControl(server, `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`));
      });
    });
  }

  serve(obey: (action: Action) => Promise<unknown>): void {
    this.obey = obey;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = (status: number, body: unknown): void => void response.writeHead(status).end(JSON.stringify(body));
    if (request.headers.authorization !== `Bearer ${this.token}` || this.obey === null) return reply(401, { error: 'wrong token' });
    let text = '';
    for await (const chunk of request) text += String(chunk);
    try {
      const result = await this.obey(JSON.parse(text));
      reply(200, { result: result ?? null });
    } catch (fault) {
      reply(409, { error: fault instanceof Error ? fault.message : `${fault}` });
    }
  }
}
