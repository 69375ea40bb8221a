import { existsSync, mkdirSync } from 'node:fs';
import { WebClient } from '@slack/web-api';
import cron from 'node-cron';
import { type Logger as Pino, pino } from 'pino';
import { resolveCommands } from './adapters/command.js';
import { drawPicture } from './adapters/drawing.js';
import { notInstalled } from './adapters/installed.js';
import { isGone, isIntentGone } from './adapters/process-identity.js';
import { createFleetScrub, createRegistry, type Registry } from './adapters/registry.js';
import { type Assembly, assemble, type Surroundings } from './assembly.js';
import type { Engine } from './engine/engine.js';
import { MACHINE_TIMERS } from './engine/loop.js';
import { type Environment, loadEnvironment } from './environment.js';
import { FleetError } from './errors.js';
import type { Fleet } from './fleet.js';
import { createGithub } from './github.js';
import { readHealth, type Vitals } from './health/health.js';
import { Metrics } from './health/metrics.js';
import { noteWhere } from './health/note.js';
import { HealthServer } from './health/server.js';
import { openDatabase } from './journal/database.js';
import { Journal } from './journal/journal.js';
import { Outbox } from './journal/outbox.js';
import { takeOwnership } from './journal/owner.js';
import { Reserve } from './journal/reserve.js';
import { checkSideFiles, checkStore } from './journal/store.js';
import { createLog } from './log.js';
import { groupsNamedIn, roleListsOf } from './person-list.js';
import type { Acts, Reads } from './protocol/outside.js';
import type { JsonObject } from './protocol/table.js';
import { clientOptions, createSlackApp, type SlackApp } from './slack/app.js';
import { createSocketApp } from './slack/socket.js';
import type { Finding } from './workspace/finding.js';
import { probesOf } from './workspace/probes.js';
import { readWorkspace, refuseWrong } from './workspace/workspace.js';

/** A running bot. */
export interface Bot {
  /** Where Slack posts to; null in Socket Mode. */
  readonly port: number | null;
  readonly healthPort: number;
  readonly engine: Engine;
  /** The start-up table; empty where it is read after the start, since operations were open. */
  readonly workspace: readonly Finding[];
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
const UPLOAD_MS = 30_000;
/** How long a start waits for the workspace to answer. */
const WORKSPACE_MS = 5_000;

/** The composition root: builds everything once and starts it, or throws with nothing left started. */
export async function startBot({ fleet, env, now = () => new Date(), log: given }: BotOptions): Promise<Bot> {
  checkExecutables(fleet, env);
  const secrets = loadEnvironment(env, fleet);
  const log = given ?? createLog(pino.destination(2), createFleetScrub(fleet, env));
  mkdirSync(fleet.data, { recursive: true });
  const undo: (() => void | Promise<void>)[] = [];
  const undoAll = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const owner = takeOwnership(fleet.data, now());
    let ended = false;
    undo.push(() => owner.release(ended));
    checkSideFiles(fleet.data);
    if (owner.afterUncleanStop && existsSync(`${fleet.data}/journal.db`)) checkStore(`${fleet.data}/journal.db`, 'open');
    const database = openDatabase(`${fleet.data}/journal.db`);
    undo.push(() => void database.close());
    const bot = await compose({ fleet, secrets, env, now, log, journal: new Journal(database), undo, undoAll });
    const stop = async (): Promise<void> => {
      ended = true;
      await bot.stop();
    };
    return { ...bot, stop };
  } catch (fault) {
    await undoAll();
    throw fault;
  }
}

/** Throws FleetError naming every executable of the fleet file that is not here, and every variable that is not set. */
function checkExecutables(fleet: Fleet, env: NodeJS.ProcessEnv): void {
  const faults = notInstalled(fleet, env);
  if (faults.length > 0) throw new FleetError(`check executables of the fleet file:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  resolveCommands(fleet.adapters, env);
}

interface Parts {
  readonly fleet: Fleet;
  readonly secrets: Environment;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => Date;
  readonly log: Pino;
  readonly journal: Journal;
  /** What ends what has been started, in the order of its start: it is ended the other way round. */
  readonly undo: (() => void | Promise<void>)[];
  readonly undoAll: () => Promise<void>;
}

async function compose(parts: Parts): Promise<Bot> {
  const { fleet, secrets, env, now, log, journal, undo, undoAll } = parts;
  const github = createGithub(fleet, secrets.github);
  const client = new WebClient(secrets.botToken, clientOptions({ apiUrl: fleet.slack.apiUrl, log }));
  const probes = probesOf({ fleet, groups: groupsNamedIn(roleListsOf(fleet)), client, github, now, limitMs: WORKSPACE_MS });
  // What is open is watched first: a broken token must not keep a run from being rolled back.
  const open = journal.openOperations().length > 0;
  let workspace: readonly Finding[] = open ? [] : await readWorkspace(probes, WORKSPACE_MS);
  refuseWrong(workspace);

  const registry = createRegistry({ fleet, env, now });
  const slack = createSlack(parts);
  const startedAt = now();
  const outbox = new Outbox(journal.database);
  const vitals = (): Vitals => ({
    now: now(),
    startedAt,
    tickSeconds: fleet.monitor.tickSeconds,
    tickedAt: assembly.tickedAt(),
    door: slack.state(),
    backlog: outbox.backlog().map(({ oldest_at, ...row }) => ({ ...row, oldestAt: new Date(oldest_at) })),
    workspace,
  });
  const metrics = new Metrics(() => ({ vitals: vitals(), health: readHealth(vitals()), open: journal.openOperations() }));
  const health = new HealthServer({
    report: () => readHealth(vitals()),
    metrics: async () => ({ text: await metrics.text(), contentType: metrics.contentType }),
  });
  const reserve = new Reserve({ folder: fleet.data });
  const assembly: Assembly = assemble({
    fleet,
    journal,
    now,
    timers: MACHINE_TIMERS,
    outboxMs: OUTBOX_MS,
    log,
    outside: outsideOf(registry, now, metrics),
    slack,
    github,
    pictures: { draw: drawPicture, upload: uploadBytes },
    health: () => readHealth(vitals()).parts,
    scrub: createFleetScrub(fleet, env),
    shortage: () => reserve.shortage(),
    onFault: () => metrics.faulted(),
  });
  assembly.engine.onRecorded((operationId) => metrics.recorded(assembly.engine.view(operationId)?.state ?? 'unknown'));
  const healthPort = await health.listen(fleet.health.port);
  undo.push(() => health.close());
  undo.push(noteWhere(fleet.data, healthPort));

  undo.push(() => assembly.stop());
  undo.push(() => registry.stop());
  const port = await slack.listen();
  undo.push(() => slack.close());
  // Intervals wake passes and due times; what is due is a row, so a missed wake-up loses nothing.
  const fireDues = (): void => assembly.monitor.fireDues();
  const dueTask = cron.schedule('* * * * * *', fireDues, { timezone: 'UTC', noOverlap: true, logger: quietCron(log) });
  undo.push(() => assembly.retire());
  undo.push(async () => void (await dueTask.destroy()));
  await assembly.start();
  if (open) {
    void readWorkspace(probes, WORKSPACE_MS).then((findings) => {
      workspace = findings;
      for (const finding of findings.filter(({ kind }) => kind !== 'right')) log.warn(finding, 'workspace');
    });
  }
  log.info({ port, healthPort, data: fleet.data }, 'ready');
  return { port, healthPort, engine: assembly.engine, workspace, stop: undoAll };
}

function createSlack({ fleet: { slack }, secrets, now, log }: Parts): SlackApp {
  const common = { botToken: secrets.botToken, apiUrl: slack.apiUrl, log };
  return secrets.slack.mode === 'socket'
    ? createSocketApp({ ...common, appToken: secrets.slack.appToken, now })
    : createSlackApp({ ...common, signingSecret: secrets.slack.signingSecret, port: slack.port });
}

/** The adapters as the engine knows them: by verb, with the processes of an act looked for on this machine. */
function outsideOf(registry: Registry, now: () => Date, metrics: Metrics): Surroundings['outside'] {
  return {
    ask: (verb, args) => registry.read(verb, args),
    read: async (verb, args) => {
      const reading = await registry.read(verb as keyof Reads, args as never);
      metrics.read(verb, reading.kind);
      return reading;
    },
    act: (verb: string, args: JsonObject, intent) => registry.act(verb as keyof Acts, args as never, intent),
    isGone: async ({ intentId, identity }) =>
      identity === null ? isIntentGone(intentId, now()) : isGone({ ...identity, intentId }, now()),
  };
}

/** Slack's second step of an upload: the bytes as they are, to the address that it named. */
async function uploadBytes(url: string, bytes: Buffer): Promise<void> {
  const response = await fetch(url, { method: 'POST', body: new Uint8Array(bytes), signal: AbortSignal.timeout(UPLOAD_MS) });
  if (!response.ok) throw new Error(`upload a file to Slack: status ${response.status}`);
}

function quietCron(log: Pino) {
  const warn = (message: unknown): void => log.warn({ from: 'cron' }, `${message}`);
  return { info() {}, debug() {}, warn, error: warn };
}
