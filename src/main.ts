import { existsSync, mkdirSync } from 'node:fs';
import { Octokit } from '@octokit/rest';
import cron from 'node-cron';
import { type Logger as Pino, pino } from 'pino';
import { resolveCommands } from './adapters/command.js';
import { notInstalled } from './adapters/installed.js';
import { isGone, isIntentGone } from './adapters/process-identity.js';
import { createFleetScrub, createRegistry, type Registry } from './adapters/registry.js';
import { assemble, type Surroundings } from './assembly.js';
import type { Engine } from './engine/engine.js';
import { MACHINE_TIMERS } from './engine/loop.js';
import { FleetError } from './errors.js';
import { type Environment, type Fleet, loadEnvironment } from './fleet.js';
import { openDatabase } from './journal/database.js';
import { Journal } from './journal/journal.js';
import { takeOwnership } from './journal/owner.js';
import { Reserve } from './journal/reserve.js';
import { checkSideFiles, checkStore } from './journal/store.js';
import type { Acts, Reads } from './protocol/outside.js';
import type { JsonObject } from './protocol/table.js';
import { createSlackApp } from './slack/app.js';

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

const OUTBOX_MS = 1_000;

/** The composition root: builds everything once and starts it, or throws with nothing left started. */
export async function startBot({ fleet, env, now = () => new Date(), log = pino(pino.destination(2)) }: BotOptions): Promise<Bot> {
  checkExecutables(fleet, env);
  const secrets = loadEnvironment(env);
  mkdirSync(fleet.data, { recursive: true });
  const undo: (() => void | Promise<void>)[] = [];
  try {
    const owner = takeOwnership(fleet.data, now());
    undo.push(() => owner.release(false));
    checkSideFiles(fleet.data);
    if (owner.afterUncleanStop && existsSync(`${fleet.data}/journal.db`)) checkStore(`${fleet.data}/journal.db`, 'open');
    const database = openDatabase(`${fleet.data}/journal.db`);
    undo.push(() => void database.close());
    const bot = await compose({ fleet, secrets, env, now, log, journal: new Journal(database), undo });
    const stop = async (): Promise<void> => {
      await bot.stop();
      database.close();
      owner.release(true);
    };
    return { ...bot, stop };
  } catch (fault) {
    for (const step of undo.reverse()) await step();
    throw fault;
  }
}

/** Throws FleetError naming every executable of the fleet file that is not here, and every variable that is not set. */
function checkExecutables({ adapters }: Fleet, env: NodeJS.ProcessEnv): void {
  const faults = notInstalled(adapters, env);
  if (faults.length > 0) throw new FleetError(`check executables of the fleet file:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  resolveCommands(adapters, env);
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
  const slack = createSlackApp({
    botToken: secrets.SLACK_BOT_TOKEN,
    signingSecret: secrets.SLACK_SIGNING_SECRET,
    apiUrl: fleet.slack.apiUrl,
    port: fleet.slack.port,
    log,
  });
  const github = createOctokit(fleet, secrets);
  const outside = outsideOf(registry, now);
  const reserve = new Reserve({ folder: fleet.data });
  const assembly = assemble({
    fleet,
    journal,
    now,
    timers: MACHINE_TIMERS,
    outboxMs: OUTBOX_MS,
    log,
    outside,
    slack,
    github,
    scrub: createFleetScrub(fleet, env),
    shortage: () => reserve.shortage(),
  });
  const port = await slack.listen();
  undo.push(() => slack.close());

  // Intervals wake passes and due times; what is due is a row, so a missed wake-up loses nothing.
  const fireDues = (): void => assembly.monitor.fireDues();
  const dueTask = cron.schedule('* * * * * *', fireDues, { timezone: 'UTC', noOverlap: true, logger: quietCron(log) });
  await assembly.start();
  log.info({ port, data: fleet.data }, 'ready');

  const stop = async (): Promise<void> => {
    await dueTask.destroy();
    assembly.retire();
    await slack.close();
    await registry.stop();
    await assembly.stop();
  };
  return { port, engine: assembly.engine, stop };
}

/** The adapters as the engine knows them: by verb, with the processes of an act looked for on this machine. */
function outsideOf(registry: Registry, now: () => Date): Surroundings['outside'] {
  return {
    ask: (verb, args) => registry.read(verb, args),
    read: (verb, args) => registry.read(verb as keyof Reads, args as never),
    act: (verb: string, args: JsonObject, intent) => registry.act(verb as keyof Acts, args as never, intent),
    isGone: async ({ intentId, identity }) =>
      identity === null ? isIntentGone(intentId, now()) : isGone({ ...identity, intentId }, now()),
  };
}

/** The client of the status issue. */
export function createOctokit({ github: { apiUrl } }: Fleet, secrets: Pick<Environment, 'GITHUB_TOKEN'>): Octokit {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  return new Octokit({ auth: secrets.GITHUB_TOKEN, log: quiet, ...(apiUrl === undefined ? {} : { baseUrl: apiUrl }) });
}

function quietCron(log: Pino) {
  const warn = (message: unknown): void => log.warn({ from: 'cron' }, `${message}`);
  return { info() {}, debug() {}, warn, error: warn };
}
