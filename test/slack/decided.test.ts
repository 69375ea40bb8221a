import { App, type Middleware, type Receiver, type SlackCommandMiddlewareArgs } from '@slack/bolt';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/journal/database.js';
import { Ingress } from '../../src/journal/ingress.js';
import { arrivalOf, Door } from '../../src/slack/ingress.js';
import { boltLogger } from '../../src/slack/log.js';

class NoReceiver implements Receiver {
  init(): void {}
  async start(): Promise<void> {}
  async stop(): Promise<void> {}
}

/** The door before one handler; `answers` is what the wire does with each answer to a person. */
function openDoor(handler: Middleware<SlackCommandMiddlewareArgs>, answers: (text: string, left: readonly string[]) => Response) {
  const database = openDatabase(':memory:');
  const unhandled = () => new Ingress(database).takeUnhandled().map(({ request_key }) => request_key);
  const logger = boltLogger(pino({ level: 'silent' }));
  const wire = (async (_input, init) => answers(JSON.parse(`${init?.body}`).text, unhandled())) satisfies typeof fetch;
  const unused = { tokenVerificationEnabled: false, botId: 'unused', botUserId: 'unused' };
  const app = new App({ token: 'xoxb', receiver: new NoReceiver(), ...unused, ignoreSelf: false, logger, clientOptions: { fetch: wire } });
  const faults: string[] = [];
  app.error(async (fault) => void faults.push(`${fault.original?.message ?? fault.message}`));
  const door = new Door(
    new Ingress(database),
    () => new Date('2026-11-30T12:00:00Z'),
    (text) => text,
    { standing: async () => ({ kind: 'member', groups: {} }) },
  );
  app.command('/hero-deploy', door.command, handler);
  const says = (text: string) =>
    app.processEvent({
      body: {
        command: '/hero-deploy',
        text,
        user_id: 'U1',
        team_id: 'T1',
        trigger_id: text,
        response_url: 'https://slack.invalid/respond',
      },
      ack: async () => {},
    });
  return { says, unhandled, faults };
}

const refuses: Middleware<SlackCommandMiddlewareArgs> = async ({ context, respond }) => {
  await arrivalOf(context).decided();
  await respond('Not possible. Nothing was done.');
};

test('a request is on file as decided before anybody hears the answer, so that no crash has it decided anew', async () => {
  const waiting: (readonly string[])[] = [];
  const door = openDoor(refuses, (_text, left) => {
    waiting.push(left);
    return new Response('ok');
  });

  await door.says('rollback');

  expect(waiting).toEqual([[]]);
});

test('an answer that is lost on the way does not hand the request in again at the next start', async () => {
  const door = openDoor(refuses, () => {
    throw new TypeError('fetch failed');
  });

  await door.says('rollback');

  expect(door.unhandled()).toEqual([]);
  expect(door.faults).toEqual(['fetch failed']);
});

test('a fault before anything was decided is told, and is not tried again behind the back of who asked', async () => {
  const answers: string[] = [];
  const faulty: Middleware<SlackCommandMiddlewareArgs> = async () => {
    throw new Error('out of luck');
  };
  const door = openDoor(faulty, (text) => {
    answers.push(text);
    return new Response('ok');
  });

  await door.says('plan');

  expect(answers).toEqual([expect.stringMatching(/^A fault of mine/)]);
  expect(door.unhandled()).toEqual([]);
  expect(door.faults).toEqual(['out of luck']);
});
