import { App, type Receiver } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { pino } from 'pino';
import { type Assembly, assemble } from '../../src/assembly.js';
import { createGithub } from '../../src/github.js';
import type { Database } from '../../src/journal/database.js';
import { Journal } from '../../src/journal/journal.js';
import { boltLogger } from '../../src/slack/log.js';
import { FLEET } from './fleet.js';
import type { Github } from './github.js';
import { Died, type Life } from './life.js';
import type { Outside } from './outside.js';
import type { Scene } from './scene.js';
import type { Slack } from './slack.js';

export interface BotParts {
  readonly scene: Scene;
  readonly life: Life;
  readonly database: Database;
  readonly outside: Outside;
  readonly slack: Slack;
  readonly github: Github;
}

const NOBODY_READS = pino({ level: 'silent' });

/** What the bot's cron does each second, here somewhat less often: a due time is a row, and nothing is lost by it. */
const DUES_MS = 3_000;
const OUTBOX_MS = 4_000;

/** One running bot: the product's own parts, in virtual time, between simulated outsides. */
export class Bot {
  private readonly app: App;
  private readonly assembly: Assembly;

  constructor(private readonly parts: BotParts) {
    const { scene, life, database, slack, github, outside } = parts;
    const wire = slack.wire(life);
    const log = pino({ level: 'error' }, { write: (line) => this.faulted(line) });
    this.app = new App({
      token: 'xoxb-simulated',
      receiver: new NoReceiver(),
      tokenVerificationEnabled: false,
      botId: 'unused',
      botUserId: 'unused',
      ignoreSelf: false,
      convoStore: false,
      logger: boltLogger(NOBODY_READS),
      clientOptions: { fetch: wire, logger: boltLogger(NOBODY_READS) },
    });
    this.app.error(async (fault) => this.handlerFaulted(fault.original ?? fault));
    const client = new WebClient('xoxb-simulated', {
      fetch: wire,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      logger: boltLogger(NOBODY_READS),
    });
    this.assembly = assemble({
      health: () => [],
      scrub: (text) => text,
      fleet: FLEET,
      journal: new Journal(database),
      now: life.now,
      outboxMs: OUTBOX_MS,
      timers: scene.agenda.timersWhile(() => !life.dead),
      log,
      outside,
      slack: { app: this.app, client, resume: (row) => this.receive(JSON.parse(row.body), () => {}) },
      pictures: {
        draw: async () => Buffer.from('a picture'),
        upload: async (url) => void (await wire(url, { method: 'POST', body: 'a picture' })),
      },
      github: createGithub(FLEET, { kind: 'token', token: 'simulated' }, github.wire(life)),
    });
  }

  get engine() {
    return this.assembly.engine;
  }

  start(): void {
    this.assembly.start().catch((fault) => this.faulted(`start: ${fault}`));
    this.wakeDues();
  }

  private wakeDues(): void {
    const { scene, life } = this.parts;
    scene.agenda.after(DUES_MS, () => {
      if (life.dead) return;
      this.wakeDues();
      try {
        this.assembly.monitor.fireDues();
      } catch (fault) {
        if (!(fault instanceof Died)) throw fault;
      }
    });
  }

  /** Hands in what came over the wire. */
  async receive(body: Record<string, unknown>, ack: (answer: unknown) => void): Promise<void> {
    const { scene, life } = this.parts;
    scene.arriving++;
    scene.activity++;
    // A dead bot never comes back from what it was working on, so the count is put right here and at its death.
    try {
      await this.app.processEvent({ body, ack: async (answer) => ack(answer) });
    } finally {
      if (!life.dead) scene.arriving--;
      scene.activity++;
    }
  }

  /** A fault that the bot writes into its log is one that nobody should have to read. */
  private faulted(line: string): void {
    if (!this.parts.life.dead) this.parts.scene.breaks(`the bot logged a fault: ${line.slice(0, 900)}`);
  }

  private handlerFaulted(fault: Error): void {
    if (fault instanceof TypeError && fault.message === 'fetch failed') return; // an answer to a person that was lost on the way
    this.faulted(`${fault.stack}`);
  }
}

/** The wire is the simulation's own. */
class NoReceiver implements Receiver {
  init(): void {}
  async start(): Promise<void> {}
  async stop(): Promise<void> {}
}
