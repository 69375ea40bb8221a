import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/journal/database.js';
import { type Arrival, Ingress, type Stored } from '../../src/journal/ingress.js';
import type { SlackApp } from '../../src/slack/app.js';
import { Door } from '../../src/slack/ingress.js';
import { createSocketApp, type SocketTiming } from '../../src/slack/socket.js';
import { SocketServer } from './socket-server.js';

const answers: string[] = [];
const respond = createServer(async (request, response) => {
  answers.push(((await json(request)) as { text: string }).text);
  response.end('ok');
});
let responseUrl = '';
beforeAll(async () => {
  await new Promise<void>((done) => void respond.listen(0, '127.0.0.1', done));
  const address = respond.address();
  responseUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`;
});
afterAll(() => void respond.close());

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
  answers.length = 0;
});

/** Quick to try again; patient with a busy machine, but where a test is about patience. */
const FAST: SocketTiming = { helloMs: 10_000, silentMs: 20_000, livedMs: 0, retryMs: 20, retryMaxMs: 100, refusedMs: 60 };

interface Scene {
  readonly timing?: Partial<SocketTiming>;
  readonly before?: (server: SocketServer) => void;
  readonly work?: (typed: string) => Promise<void>;
  /** Until when the ledger takes to say that an arrival is on file. */
  readonly stored?: Promise<void>;
}

class SlowIngress extends Ingress {
  /** How many arrivals are on file. */
  onFile = 0;

  constructor(private readonly until: Promise<void>) {
    super(openDatabase(':memory:'));
  }

  override async store(arrival: Arrival): Promise<Stored> {
    const stored = await super.store(arrival);
    this.onFile += 1;
    await this.until;
    return stored;
  }
}

/** The real receiver behind the real door and ledger, before a handler that notes what it was handed. */
async function open({ timing = {}, before = () => {}, work = async () => {}, stored = Promise.resolve() }: Scene = {}) {
  const server = await SocketServer.listen();
  opened.push(server);
  before(server);
  const log = pino({ level: 'silent' });
  const now = () => new Date();
  const slack: SlackApp = createSocketApp({
    botToken: 'xoxb-1',
    appToken: 'xapp-1',
    apiUrl: `${server.url}/api/`,
    now,
    log,
    timing: { ...FAST, ...timing },
  });
  const handled: string[] = [];
  const ledger = new SlowIngress(stored);
  const door = new Door(ledger, now, (typed) => typed, { standing: async () => ({ kind: 'member', groups: {} }) });
  slack.app.command('/hero-deploy', door.command, async ({ command }) => {
    handled.push(command.text);
    await work(command.text);
  });
  await slack.listen();
  opened.push(slack);
  let triggers = 0;
  const says = (text: string, trigger = `trigger-${++triggers}`): Promise<unknown> => server.deliver(command(server, text, trigger));
  return { server, slack, ledger, handled, says };
}

/** A promise that is kept when it is told to be. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function command(server: SocketServer, text: string, trigger: string) {
  return server.envelopeOf('slash_commands', {
    command: '/hero-deploy',
    text,
    user_id: 'U1',
    team_id: 'T1',
    channel_id: 'C1',
    trigger_id: trigger,
    response_url: responseUrl,
  });
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`still not so: ${what}`);
    await delay(5);
  }
}

test('an envelope is acknowledged by its id, once its request is on file', async () => {
  const { server, slack, handled, says } = await open();

  await says('list');
  await until('it is handled', () => handled.length === 1);

  expect(slack.state().kind).toBe('open');
  expect(server.acks).toEqual([{ envelopeId: 'envelope-1', payload: {}, connection: 1 }]);
  expect(handled).toEqual(['list']);
});

test('F57: the same envelope twice, and once more as a retry, acts once and is acknowledged each time', async () => {
  const { server, handled } = await open();
  const envelope = command(server, 'cancel', 'pressed-once');

  await server.deliver(envelope);
  await server.deliver(envelope);
  const last = await server.deliver({ ...envelope, retry_attempt: 1, retry_reason: 'timeout' });
  await until('it is handled', () => handled.length > 0);

  expect(handled).toEqual(['cancel']);
  expect(server.acks.map(({ envelopeId }) => envelopeId)).toEqual(['envelope-1', 'envelope-1', 'envelope-1']);
  expect(last).toMatchObject({ text: expect.stringContaining('received already') });
});

test('a delivery whose first copy came over a connection that is gone is taken: the retry is the only one', async () => {
  const { server, handled } = await open();

  await server.deliver({ ...command(server, 'rollback', 'lost-before'), retry_attempt: 1, retry_reason: 'timeout' });
  await until('it is handled', () => handled.length > 0);

  expect(handled).toEqual(['rollback']);
});

test.each(['warning', 'refresh_requested', 'link_disabled'] as const)(
  'a connection that Slack recycles (%s) is opened anew at once',
  async (reason) => {
    const { server, slack, handled, says } = await open();
    await says('before');

    await server.refresh(reason);
    await says('after');

    await until('both are handled', () => handled.length === 2);
    expect(server.acks.map(({ connection }) => connection)).toEqual([1, 2]);
    expect(slack.state()).toMatchObject({ kind: 'open', connections: 2 });
  },
);

test('an abrupt drop, with nobody to answer for a while, ends nothing: the next connection takes what comes', async () => {
  const { server, slack, handled, says } = await open();
  server.opening = { kind: 'drops' };

  await server.drop();
  await until('the drop is noticed', () => slack.state().kind === 'connecting');
  await delay(150);
  server.opening = { kind: 'opens' };
  await says('rollback');

  await until('it is handled', () => handled.length === 1);
  expect(slack.state().kind).toBe('open');
});

test.each(['internal_error', 'ratelimited'])('Slack that answers %s at the start keeps nobody from starting', async (error) => {
  const { server, slack, says } = await open({
    before: (down) => {
      down.opening = { kind: 'refuses', error };
    },
  });
  const atStart = slack.state().kind;

  server.opening = { kind: 'opens' };
  await says('list');

  expect(atStart).toBe('connecting');
  expect(slack.state().kind).toBe('open');
});

test('a token that was revoked is said to be refused, and is taken again when it is good again', async () => {
  const { server, slack, says } = await open();
  server.opening = { kind: 'refuses', error: 'invalid_auth' };
  await server.drop();
  await until('it is refused', () => slack.state().kind === 'refused');
  const refused = slack.state().detail;

  server.opening = { kind: 'opens' };
  await says('list');

  expect(refused).toBe('slack: invalid_auth');
  expect(slack.state().kind).toBe('open');
});

test('a connection without a hello is given up', async () => {
  const { server, slack, says } = await open({
    timing: { helloMs: 400 },
    before: (mute) => {
      mute.hello = false;
    },
  });
  server.hello = true;
  await until('one is greeted in time', () => slack.state().kind === 'open');
  await says('list');

  expect(server.connections).toBeGreaterThan(1);
  expect(slack.state().kind).toBe('open');
});

test('a connection that has gone silent is replaced, though nobody closed it', async () => {
  const { server, slack, handled } = await open({ timing: { silentMs: 2_500 } });
  server.pongs = false;
  await until('another connection', () => server.connections >= 2);
  server.pongs = true;

  await server.deliver(command(server, 'list', 'after'));
  await until('it is handled', () => handled.length > 0);

  expect(handled).toEqual(['list']);
  expect(slack.state().kind).toBe('open');
});

test('a request whose acknowledgement cannot be sent any more is on file, and is carried out', async () => {
  const stored = gate();
  const { server, slack, ledger, handled } = await open({ stored: stored.opened });
  const lost = server.deliver(command(server, 'rollback', 'unanswered'), 200).catch((fault: Error) => fault.message);
  await until('it is on file', () => ledger.onFile === 1);
  server.opening = { kind: 'drops' };
  await server.drop();
  await until('the drop is noticed', () => slack.state().kind === 'connecting');
  stored.open();

  await until('it is handled', () => handled.length === 1);
  expect(await lost).toMatch(/^operation_timeout/);
  expect(server.acks).toEqual([]);
  expect(handled).toEqual(['rollback']);
});

test('a shutdown lets what is being worked on come to its end, and closes the connection last', async () => {
  const finish = gate();
  const done: string[] = [];
  const { server, slack, handled } = await open({
    work: async (typed) => {
      await finish.opened;
      done.push(typed);
    },
  });
  await server.deliver(command(server, 'plan', 'slow'));
  await until('it is begun', () => handled.length === 1);

  const closed = slack.close().then(() => done.push('closed'));
  await delay(20);
  finish.open();
  await closed;

  expect(done).toEqual(['plan', 'closed']);
});
