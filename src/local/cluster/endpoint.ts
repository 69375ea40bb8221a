import { createServer, type Server, type Socket } from 'node:net';
import { PROGRAMS, type Program } from './executables.js';
import type { Answer, Call } from './programs/call.js';

/** Fields before the arguments: token, program, folder, two environment variables, count of arguments. */
const HEAD_FIELDS = 6;
const CALL_BYTES_MAX = 8 * 1024 * 1024;

export interface Endpoint {
  readonly port: number;
  stop(): Promise<void>;
}

/** Listens on loopback for the executables' calls. The frame is described in `executables.ts`. */
export async function startEndpoint(token: string, answer: (program: Program, call: Call) => Promise<Answer>): Promise<Endpoint> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // A caller that is killed while it waits is no fault of ours.
    socket.once('error', () => socket.destroy());
    serve(socket, token, answer);
  });
  const port = await listen(server);
  return {
    port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Listens on a free port of 127.0.0.1. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('listen on loopback: no port');
  return address.port;
}

function serve(socket: Socket, token: string, answer: (program: Program, call: Call) => Promise<Answer>): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let done = false;
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > CALL_BYTES_MAX) socket.destroy();
    if (done || chunk.at(-1) !== 0) return;
    const fields = Buffer.concat(chunks).toString('utf8').split('\0').slice(0, -1);
    if (fields.length < HEAD_FIELDS || fields.length < HEAD_FIELDS + Number(fields[HEAD_FIELDS - 1])) return;
    done = true;
    void respond(socket, token, fields, answer);
  });
}

async function respond(
  socket: Socket,
  token: string,
  fields: readonly string[],
  answer: (program: Program, call: Call) => Promise<Answer>,
): Promise<void> {
  const [given, name, cwd = '', irisUser = '', wandbApiKey = '', , ...argv] = fields;
  const program = PROGRAMS.find((known) => known === name);
  if (given !== token || program === undefined) {
    socket.destroy();
    return;
  }
  let answered: Answer;
  try {
    answered = await answer(program, { argv, cwd, irisUser, wandbApiKey });
  } catch (error) {
    answered = { exitCode: 70, stdout: '', stderr: `${program}: fault of the simulated cluster: ${(error as Error).stack}\n` };
  }
  const stderr = Buffer.from(answered.stderr);
  const stdout = typeof answered.stdout === 'string' ? Buffer.from(answered.stdout) : answered.stdout;
  socket.end(Buffer.concat([Buffer.from(`${answered.exitCode} ${stderr.length}\n`), stderr, stdout]));
}
