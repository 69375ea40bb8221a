import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';

/** What the desk answers to one HTTP request. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** The longest request body the desk reads, in bytes. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

/** A JSON answer. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body: JSON.stringify(value) };
}

/** A plain text answer. */
export function plain(text: string, status = 200): Reply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: text };
}

/** Reads a request to its end, as text. Throws RangeError past 8 MB. */
export async function readBody(request: IncomingMessage): Promise<string> {
  return (await readBytes(request)).toString('utf8');
}

/** Reads a request to its end. Throws RangeError past 8 MB. */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > BODY_BYTES_MAX) throw new RangeError('read request body: longer than 8 MB');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** Sends an answer, unless the other side has gone. */
export function send(response: ServerResponse, reply: Reply): void {
  if (response.destroyed) return;
  response.writeHead(reply.status, { 'cache-control': 'no-store', ...reply.headers });
  response.end(reply.body);
}

/** A loopback port that is free now. The emulators want a number, and one of their versions mishandles 0. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
