import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { expect, test } from 'vitest';
import { onFreePort } from '../../../src/local/desk/web.js';

async function listening(port: number): Promise<Server> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening'); // rejects when it cannot
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('a port that somebody else takes between the look and the start is left to them', async () => {
  const others = await listening(0);
  const looks = [portOf(others), portOf(others), 0];

  const own = await onFreePort(listening, async () => looks.shift() ?? 0);

  expect(looks).toEqual([]);
  expect(portOf(own)).not.toBe(portOf(others));
  own.close();
  others.close();
});

test('any other fault of the start is its own, and is not tried again', async () => {
  let starts = 0;
  const broken = onFreePort(async () => {
    starts += 1;
    throw new Error('a seed that is none');
  });

  await expect(broken).rejects.toThrow('a seed that is none');
  expect(starts).toBe(1);
});
