import { mkdirSync } from 'node:fs';
import { Octokit } from '@octokit/rest';
import cron from 'node-cron';
import { type Logger as Pino, pino } from 'pino';
import { register } from '../commands/index.js';
import { isGone, isIntentGone } from './adapters/process-identity.js';
import { createFleetScrub, createRegistry } from './adapters/registry.js';
import { Engine } from './engine/engine.js';
import { Loop } from './engine/loop.js';
import { Monitor } from './engine/monitor.js';
import { type Actor, Worker } from './engine/worker.js';
import { type Environment, type Fleet, loadEnvironment } from './fleet.js';
import { openDatabase } from './journal/database.js';
import { Ingress } from './journal/ingress.js';
import { Journal } from './journal/journal.js';
import { Outbox } from './journal/outbox.js';
import { takeOwnership } from './journal/owner.js';
import { Deliverer } from './outbox/deliver.js';
import { GithubIssue } from './outbox/github.js';
import { SlackThread } from './outbox/slack.js';
import { createHero } from './protocol/hero/hero.js';
import type { Acts, Reads } from './protocol/outside.js';
import type { JsonObject } from './protocol/table.js';
import { createSlackApp } from './slack/app.js';
import { Door } from './slack/ingress.js';
import { HeroTelling } from './telling.js';

/** A running bot. */
export interface Bot {
  readonly port: number;
  readonly engine: Engine;
  /** Drains: no new request, no new pass; what acts is left to act, and is read about by the next start. */
  stop(): Promise<void>;
}

export interface BotOptions {
  readonly fleet: Fleet;
  readonly env: NodeJS.ProcessEnv;
  readonly now?: () => Date;
  readonly log?: Pino;
}

/** How often the outbox looks for what waits, beside being woken. */
const OUTBOX_MS = 1_000;
/** Cards that may have been left behind by a kill between a last row and its drawing. */
const RECENT_CARDS = 20;

/** The composition root: builds everything once and starts it, or throws with nothing left started. */
export async function startBot({ fleet, env, now = () => new Date(), log = pino(pino.destination(2)) }: BotOptions): Promise<Bot> {
  const secrets = loadEnvironment(env);
  mkdirSync(fleet.data, { recursive: true });
  const undo: (() => void | Promise<void>)[] = [];
  try {
    const owner = takeOwnership(fleet.data, now());
    undo.push(() => owner.release());
    const database = openDatabase(`${fleet.data}/journal.db`);
    undo.push(() => void database.close());
    return await compose({ fleet, secrets, env, now, log, journal: new Journal(database), undo });
  } catch (fault) {
    for (const step of undo.reverse()) await step();
    throw fault;
  }
}

interface Parts {
  readonly fleet: Fleet;
  readonly secrets: Environment;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => Date;
  readonly log: Pino;
  readonly journal: Journal;
  readonly undo: (() => void | Promise<void>)[];
}

async function compose({ fleet, secrets, env, now, log, journal, undo }: Parts): Promise<Bot> {
  const registry = createRegistry({ fleet, env, now });
  undo.push(() => registry.stop());
  const { people } = fleet;
  const { requestSeconds } = fleet.policy.hero;
  const workingHours = Object.fromEntries(Object.entries(fleet.families).map(([name, family]) => [name, family.workingHours]));
  const hero = createHero({ people: people.hero, requestSeconds, workingHours, tickSeconds: fleet.monitor.tickSeconds });
  const engine = new Engine({ journal, protocols: [hero], now });
  for (const { operation_id } of journal.openOperations()) journal.verify(operation_id);

  const slack = createSlackApp({
    botToken: secrets.SLACK_BOT_TOKEN,
    signingSecret: secrets.SLACK_SIGNING_SECRET,
    apiUrl: fleet.slack.apiUrl,
    port: fleet.slack.port,
    log,
  });
  const telling = new HeroTelling(engine, fleet);
  const deliverer = createDeliverer({ fleet, secrets, now, journal, telling, slack });

  const onFault = (fault: unknown): void => log.error({ fault: fault instanceof Error ? fault.stack : `${fault}` }, 'a pass failed');
  const worker = new Worker(
    engine,
    actorOf(registry, now),
    () => monitorLoop.wake(),
    (intentId, fault) => log.error({ intentId, fault: fault instanceof Error ? fault.message : `${fault}` }, 'an act failed on our side'),
  );
  const monitor = new Monitor(engine, { read: (verb, args) => registry.read(verb as keyof Reads, args as never) }, worker);
  const threadLoop = new Loop(() => deliverer.flushThread(), OUTBOX_MS, onFault);
  const issueLoop = new Loop(() => deliverer.flushIssue(), OUTBOX_MS, onFault);
  const monitorLoop = new Loop(
    async () => {
      await monitor.tick();
      for (const { operation_id } of journal.openOperations()) deliverer.touch(operation_id);
      threadLoop.wake();
    },
    fleet.monitor.tickSeconds * 1000,
    onFault,
  );
  engine.onRecorded((operationId, intentId) => {
    const view = engine.view(operationId);
    log.info({ operationId, seq: view?.seq, state: view?.state, intentId }, 'recorded');
    deliverer.touch(operationId);
    for (const loop of [monitorLoop, threadLoop, issueLoop]) loop.wake();
  });

  const ingress = new Ingress(journal.database);
  register(slack.app, new Door(ingress, now, createFleetScrub(fleet, env)), {
    engine,
    fleet,
    ask: (verb, args) => registry.read(verb, args),
    status: (operationId) => telling.status(operationId),
    hand: (operationId) => telling.hand(operationId),
    brief: (operationId) => telling.brief(operationId),
  });
  const port = await slack.listen();
  undo.push(() => slack.close());

  // Intervals wake passes and due times; what is due is a row, so a missed wake-up loses nothing.
  const dueTask = cron.schedule('* * * * * *', () => monitor.fireDues(), { timezone: 'UTC', noOverlap: true, logger: quietCron(log) });
  for (const loop of [monitorLoop, threadLoop, issueLoop]) loop.start();
  for (const { operation_id } of journal.recentOperations(fleet.slack.channel, RECENT_CARDS)) deliverer.touch(operation_id);
  for (const row of ingress.takeUnhandled()) await slack.resume(row);
  log.info({ port, data: fleet.data }, 'ready');

  const stop = async (): Promise<void> => {
    await dueTask.destroy();
    worker.stop();
    await slack.close();
    await registry.stop();
    for (const loop of [monitorLoop, threadLoop, issueLoop]) await loop.stop();
    for (const step of undo.slice(0, 2).reverse()) await step();
  };
  return { port, engine, stop };
}

function actorOf(registry: ReturnType<typeof createRegistry>, now: () => Date): Actor {
  return {
    act: (verb: string, args: JsonObject, intent) => registry.act(verb as keyof Acts, args as never, intent),
    isGone: async ({ intentId, identity }) =>
      identity === null ? isIntentGone(intentId, now()) : isGone({ ...identity, intentId }, now()),
  };
}

function createDeliverer(parts: {
  readonly fleet: Fleet;
  readonly secrets: Environment;
  readonly now: () => Date;
  readonly journal: Journal;
  readonly telling: HeroTelling;
  readonly slack: ReturnType<typeof createSlackApp>;
}): Deliverer {
  const { fleet, secrets, now, journal, telling, slack } = parts;
  const { repository, issue, apiUrl } = fleet.github;
  const [owner = '', repo = ''] = repository.split('/');
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const octokit = new Octokit({ auth: secrets.GITHUB_TOKEN, log: quiet, ...(apiUrl === undefined ? {} : { baseUrl: apiUrl }) });
  const mirror = new GithubIssue(octokit, { owner, repo, issue_number: issue });
  return new Deliverer(new Outbox(journal.database), telling, new SlackThread(slack.client), mirror, now);
}

function quietCron(log: Pino) {
  const warn = (message: unknown): void => log.warn({ from: 'cron' }, `${message}`);
  return { info() {}, debug() {}, warn, error: warn };
}
