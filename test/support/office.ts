import { Octokit } from '@octokit/rest';
import { type Logger, pino } from 'pino';
import { stringify } from 'yaml';
import type { Ask } from '../../commands/plan-entry.js';
import { type Assembly, assemble, type Surroundings } from '../../src/assembly.js';
import { MACHINE_TIMERS } from '../../src/engine/loop.js';
import { type Fleet, parseFleet } from '../../src/fleet.js';
import { type Database, openDatabase } from '../../src/journal/database.js';
import { Journal } from '../../src/journal/journal.js';
import { Outbox } from '../../src/journal/outbox.js';
import { type Desk, startDesk } from '../../src/local/desk/desk.js';
import type { UserGroup } from '../../src/local/desk/membership.js';
import type { Person } from '../../src/local/desk/person.js';
import { recordsOf, textOf } from '../../src/local/desk/record.js';
import type { Reads } from '../../src/protocol/outside.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { createSlackApp } from '../../src/slack/app.js';
import { HANDOFF, OLD_RUN, WINDOW } from './plan.js';
import { World } from './world.js';

export const ADA = { id: 'U0ADA00001', name: 'ada', realName: 'Ada', role: 'requester', zone: 'America/Los_Angeles' } as const;
export const GRACE = { id: 'U0GRACE001', name: 'grace', realName: 'Grace', role: 'approver', zone: 'Europe/Berlin' } as const;
export const LIN = { id: 'U0LIN00001', name: 'lin', realName: 'Lin', role: 'approver' } as const;
export const BOB = { id: 'U0BOB00001', name: 'bob', realName: 'Bob', role: 'bystander' } as const;
export const CHANNEL = { id: 'C0HERO0001', name: 'hero' };
const TOKENS = { signingSecret: 'a signing secret', botToken: 'xoxb-bot', githubToken: 'ghp_bot', ghToken: 'gho_operator' };
const COMMAND = { command: ['not-run'] };
export const GATE = 'gate="train_loss tracks within 0.01"';

export interface OfficeOptions {
  /** Lists of `people.hero` other than the usual ones, as they stand in the fleet file. */
  readonly people?: Readonly<Record<string, unknown>>;
  readonly groups?: readonly UserGroup[];
  /** Ferry lanes of the fleet file; none if left out. */
  readonly lanes?: Readonly<Record<string, unknown>>;
  /** Takes secrets out of what is typed. */
  readonly scrub?: (text: string) => string;
  /** Stands between the bot and the cluster in memory. */
  readonly outside?: (world: Surroundings['outside']) => Surroundings['outside'];
  readonly log?: Logger;
}

/**
 * The whole bot between a real Bolt receiver and the local desk, over a cluster in memory: what people type, press and fill
 * in reaches it signed over HTTP, and what it posts is held by the emulators. Time is the world's.
 */
export class Office {
  private constructor(
    readonly desk: Desk,
    readonly world: World,
    readonly database: Database,
    readonly assembly: Assembly,
    readonly fleet: Fleet,
    private readonly close: () => Promise<void>,
  ) {}

  static async open(options: OfficeOptions = {}): Promise<Office> {
    const people: readonly Person[] = [ADA, GRACE, LIN, BOB];
    const github = { owner: 'marin-community', repository: 'marin', issueTitle: 'Hero status' };
    const world = new World();
    world.nowMs = Date.now();
    // People act at the world's time: however long a busy machine makes it wait, no click is an old one.
    const desk = await startDesk({ ...TOKENS, people, channels: [CHANNEL], groups: options.groups, github, ackMs: 60_000, now: world.now });
    const fleet = fleetOf(desk, options);
    const database = openDatabase(':memory:');
    const log = options.log ?? pino({ level: 'silent' });
    const slack = createSlackApp({ ...TOKENS, apiUrl: desk.slackApiUrl, port: 0, log });
    const quiet = { debug() {}, info() {}, warn() {}, error() {} };
    const inMemory: Surroundings['outside'] = {
      ask: askOf(world),
      read: (verb, args) => world.read(verb, placed(args)),
      act: (verb, args) => world.act(verb, placed(args)),
      isGone: () => world.isGone(),
    };
    const assembly = assemble({
      fleet,
      journal: new Journal(database),
      now: world.now,
      timers: MACHINE_TIMERS,
      outboxMs: 30,
      log,
      outside: options.outside?.(inMemory) ?? inMemory,
      slack,
      github: {
        octokit: new Octokit({ auth: TOKENS.githubToken, log: quiet, baseUrl: desk.githubApiUrl }),
        login: async () => 'harbormaster[bot]',
      },
      pictures: { draw: async () => Buffer.from('png'), upload: async () => undefined },
      health: () => [{ name: 'monitor', state: 'ok', detail: 'in a test' }],
      scrub: options.scrub ?? ((text) => text),
    });
    const port = await slack.listen();
    await assembly.start();
    desk.connectBot(`http://127.0.0.1:${port}`);
    const close = async (): Promise<void> => {
      await slack.close();
      await assembly.stop();
      await desk.stop();
    };
    return new Office(desk, world, database, assembly, fleet, close);
  }

  stop(): Promise<void> {
    return this.close();
  }

  state(operationId = 'hero-1'): string | undefined {
    return this.assembly.engine.view(operationId)?.state;
  }

  /** Types a command, and gives what only this person is told of it. */
  async says(person: Person, text: string): Promise<string> {
    await this.answered();
    const before = this.desk.ephemerals(person.id).length;
    await this.desk.says(person.id, text);
    const answer = await this.until(`an answer to ${text}`, () => this.desk.ephemerals(person.id)[before]?.text);
    await this.answered();
    return answer;
  }

  /** Presses a button of the card, as it is drawn; resolves when it is decided what becomes of it, and before it is told. */
  async presses(person: Person, action: string, operationId = 'hero-1'): Promise<void> {
    const card = await this.until(`a button ${action}`, async () => {
      this.world.advance(0.5); // a card is not redrawn more often than it may be
      const found = await this.card(operationId);
      return JSON.stringify(found ?? {}).includes(`:${action}:`) ? found : undefined;
    });
    await this.desk.clicks(person.id, textOf(card.ts), { actionId: `harbor.${action}` });
    await this.answered();
  }

  /** Presses a button, and gives what only this person is told of it. */
  async asks(person: Person, action: string, operationId = 'hero-1'): Promise<string> {
    await this.answered();
    const before = this.desk.ephemerals(person.id).length;
    await this.presses(person, action, operationId);
    return this.until(`an answer to ${action}`, () => this.desk.ephemerals(person.id)[before]?.text);
  }

  async card(operationId = 'hero-1') {
    const roots = await this.desk.messages();
    return roots.findLast((message) =>
      textOf((message.metadata as { event_payload?: { key?: unknown } })?.event_payload?.key).startsWith(`${operationId}:card`),
    );
  }

  /** The text of every reply in the thread of an operation. */
  async thread(operationId = 'hero-1'): Promise<readonly string[]> {
    const card = await this.card(operationId);
    return card === undefined ? [] : (await this.desk.thread(textOf(card.ts))).map(({ text }) => textOf(text));
  }

  async reaches(state: string, operationId = 'hero-1'): Promise<void> {
    await this.until(`${operationId} ${state}`, () => (this.state(operationId) === state ? true : undefined));
  }

  /** Time passes, the live runs train some steps, and everything is looked at once. */
  async tick(steps = 0, seconds = 1): Promise<void> {
    this.world.advance(seconds);
    this.world.train(steps);
    await this.assembly.monitor.tick();
    await this.assembly.worker.idle();
  }

  /** Ticks until an operation is in a state. */
  async ticksTo(state: string, { steps = 0, seconds = 1 }: { readonly steps?: number; readonly seconds?: number } = {}): Promise<void> {
    await this.until(`hero-1 ${state}`, async () => {
      if (this.state() === state) return true;
      await this.tick(steps, seconds);
      return undefined;
    });
  }

  /** The old run trains, at a pace that can be read. */
  runs(): void {
    if (this.world.live().length > 0) return;
    this.world.start(OLD_RUN, HANDOFF);
    for (let n = 0; n < 10; n++) {
      this.world.advance(1);
      this.world.train(1);
    }
  }

  /** A plan of Ada's on file. */
  async plans(more = 'reason="faster"'): Promise<void> {
    this.runs();
    await this.says(ADA, `/hero-deploy plan ${GATE} ${more}`);
  }

  /** A swap up to its open launch gate. */
  async toGate(more?: string): Promise<void> {
    await this.plans(more);
    await this.presses(GRACE, 'agree');
    await this.reaches('agreed');
    await this.presses(ADA, 'preflight');
    await this.ticksTo('ready', { steps: 2 });
    await this.ticksTo('awaiting_launch', { steps: WINDOW });
  }

  /** Everything that was asked for so far is decided. Only then may time pass: what is asked for grows old. */
  async answered(): Promise<void> {
    await this.until('nothing is being worked on', () => (this.arrivals().every(({ answer }) => answer !== null) ? true : undefined));
  }

  /** Everything that is on file is told, in the thread and on the issue, and known to be. */
  async told(): Promise<void> {
    const outbox = new Outbox(this.database);
    await this.until('nothing waits to be told', () => (outbox.backlog().length === 0 ? true : undefined));
  }

  async until<T>(what: string, read: () => T | undefined | Promise<T | undefined>): Promise<T> {
    const deadline = Date.now() + 120_000;
    for (;;) {
      const found = await read();
      if (found !== undefined) return found;
      if (Date.now() > deadline) throw new Error(`still not so: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** What stands in the record of what people asked for: who, and what became of it. */
  arrivals(): readonly { readonly actor: string; readonly answer: string | null; readonly body: string }[] {
    return this.database.prepare('SELECT actor, answer, body FROM ingress ORDER BY received_at').all() as {
      actor: string;
      answer: string | null;
      body: string;
    }[];
  }
}

function askOf(world: World): Ask {
  return async (verb, args) => {
    const reading = await world.read(verb, placed(JSON.parse(JSON.stringify(args))));
    return reading.kind === 'unknown' ? reading : { ...reading, value: reading.value as Answers[typeof verb] };
  };
}

/** The world knows its worktrees by name; a fleet file names them by path. */
function placed(args: JsonObject): JsonObject {
  return typeof args.dir === 'string' ? { ...args, dir: args.dir.replace(/^\//, '') } : args;
}

type Answers = { readonly [V in keyof Reads]: Reads[V]['value'] };

function fleetOf(desk: Desk, { people = {}, lanes = {} }: OfficeOptions): Fleet {
  const both = [ADA.id, GRACE.id];
  return parseFleet(
    stringify({
      version: 1,
      data: '/not-used',
      clusters: { marin: { scheduler: 'marin', telemetry: 'marin', namespace: 'iris' } },
      families: {
        hero: {
          cluster: 'marin',
          user: 'marin',
          gang: { tasks: 16, devices: 64 },
          repository: { deployWorktree: '/deploy', rollbackWorktree: '/rollback' },
          checkpoints: { permanent: 's3://hero/grug/{run}/v/checkpoints' },
          tracker: { entity: 'marin', project: 'marin_moe' },
          windowSteps: WINDOW,
          finalStep: 250_000,
          discardedSteps: 5_000,
          limits: { guards: 30 },
          workingHours: {
            zone: 'America/Los_Angeles',
            from: '00:00',
            until: '24:00',
            days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
          },
        },
      },
      lanes,
      metrics: { train_loss: { better: 'lower' }, throughput_mfu: { better: 'higher', every: 10 } },
      adapters: { iris: COMMAND, finelog: COMMAND, kubectl: COMMAND, objectstore: COMMAND, tracker: COMMAND },
      people: { hero: { ask: both, agree: both, approve: both, decide: both, override: [GRACE.id], onCall: [], ...people } },
      policy: { hero: { rehearsalHours: 0 } },
      slack: { channel: CHANNEL.id },
      github: { repository: 'marin-community/marin', issue: desk.issueNumber },
      monitor: { tickSeconds: 5 },
    }),
    'office',
  );
}

/** Every text of a message's blocks, in order. */
export function wordsOf(message: { readonly blocks?: unknown } | undefined): string {
  return recordsOf(message?.blocks)
    .map((block) => JSON.stringify(block))
    .join('\n');
}
