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

/** How many ports in a row may be lost to others before something else must be wrong. */
const PORTS_MAX = 20;

/**
 * Starts what wants to be told a loopback port, on one that is free: the emulators do not say which one they took. Between
 * the look and the start another process may take it, and then it is the next port. Throws what `start` throws otherwise.
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>, look: () => Promise<number> = freePort): Promise<T> {
  for (let lost = 1; ; lost += 1) {
    const port = await look();
    try {
      return await start(port);
    } catch (fault) {
      if (!isTaken(fault) || lost >= PORTS_MAX) throw fault;
    }
  }
}

function isTaken(fault: unknown): boolean {
  return fault instanceof Error && 'code' in fault && fault.code === 'EADDRINUSE';
}

function freePort(): Promise<number> {
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
