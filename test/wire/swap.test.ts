import { afterAll, beforeAll, expect, test } from 'vitest';
import { APPROVER, ASKER } from '../../src/local/fleet.js';
import { Player } from '../../src/local/player.js';
import { whispers } from '../support/harbour.js';
import { SocketHarbour } from './socket-harbour.js';

let harbour: SocketHarbour;
let player: Player;
beforeAll(async () => {
  harbour = await SocketHarbour.start();
  player = new Player(harbour);
});
afterAll(() => harbour.stop());

test('`harbor start` in Socket Mode carries a whole swap, with a refresh in its middle, a lost answer and a click that comes twice', async () => {
  const { wire } = harbour;
  const operationId = await player.toGate('fast-a2a');
  await wire.socket.refresh();
  wire.slack.plays(/chat\.postMessage/, { kind: 'drops_after' });
  wire.github.plays(/^POST .*\/comments/, { kind: 'drops_after' });
  await player.clicks(APPROVER.id, operationId, 'approve');
  const click = wire.envelopes.findLast(({ type }) => type === 'interactive');
  if (click === undefined) throw new Error('no click went over the wire');
  await wire.socket.deliver(click);
  await wire.socket.drop();
  await player.reaches(operationId, 'awaiting_decision');
  await wire.socket.deliver({ ...click, retry_attempt: 1, retry_reason: 'timeout' });
  await player.clicks(ASKER.id, operationId, 'go');
  await player.reaches(operationId, 'closed');
  await player.settled(operationId);

  const { told, thread, issue } = await player.told(operationId);
  expect(thread).toEqual(told);
  expect(issue).toEqual(told);
  expect(player.history(operationId).filter(({ event }) => event === 'launch_approved').length).toBe(1);
  expect((await harbour.clusterState()).maxLiveCoordinators).toEqual({ 'cw-us-east-08a': 1 });
  expect(wire.socket.connections).toBe(3);
  expect(wire.socket.acks.filter(({ envelopeId }) => envelopeId === click.envelope_id).length).toBe(3);
  expect(harbour.logged()).not.toContain('a handler failed');
});

test('F60: with every reply address gone, what is asked for is done and told in the stored channel and thread', async () => {
  await harbour.prepare('silent-hang');
  await harbour.desk({ do: 'fault', fault: { sink: 'slack', method: 'response_url', kind: 'status', status: 404, times: 100 } });
  const operationId = await player.plans('gate="train_loss tracks within 0.01" reason="long after midnight"');
  await player.says(APPROVER.id, `/hero-deploy agree ${operationId}`);
  await player.reaches(operationId, 'agreed');
  await player.settled(operationId);
  await harbour.desk({ do: 'mend', sink: 'slack' });

  const { told, thread, issue } = await player.told(operationId);
  expect(told).toEqual(['1', '2']);
  expect({ thread, issue }).toEqual({ thread: told, issue: told });
});

test('F67: over the socket too, a long dash is refused by name and a non-breaking space is a space', async () => {
  const before = (await whispers(harbour, ASKER.id)).length;
  await player.says(ASKER.id, '/hero-deploy cancel hero-2 —reason=“a slip”');
  const answer = await player.until('the refusal', async () => (await whispers(harbour, ASKER.id))[before]);
  const after = player.operation('hero-2')?.state;
  await player.says(ASKER.id, '/hero-deploy cancel\u00a0hero-2 reason=“a slip”');
  await player.reaches('hero-2', 'cancelled');

  expect(answer).toContain('"—" (U+2014) is a long dash');
  expect(after).toBe('agreed');
});

test('the start-up table stands in the log, and all of it is right', () => {
  const table = harbour
    .logged()
    .split('\n')
    .filter((line) => /^(ok|WRONG|unknown) /.test(line));

  expect(table.filter((line) => !line.startsWith('ok'))).toEqual([]);
  expect(table.map((line) => line.slice(17, 33).trim())).toEqual([
    'bot token',
    'scopes',
    'channel',
    'thread readable',
    'clock',
    'token',
    'issue readable',
    'issue writable',
    'clock',
  ]);
});

test('a bot that is told to stop comes to its end, and takes its note about itself away', async () => {
  const health = `http://127.0.0.1:${harbour.bot?.ready.healthPort}/healthz`;
  const before = await (await fetch(health)).json();

  await harbour.stopBot();

  expect(before).toMatchObject({ status: 'ok' });
  await expect(fetch(health)).rejects.toThrow();
});
