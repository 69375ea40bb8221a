import type { Octokit } from '@octokit/rest';
import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Logger as Pino } from 'pino';
import { formsAtOnce } from '../commands/forms.js';
import type { HeroDesk } from '../commands/hero-deploy.js';
import { register } from '../commands/index.js';
import type { Ask } from '../commands/plan-entry.js';
import { Engine } from './engine/engine.js';
import { Loop, type Timers } from './engine/loop.js';
import { Monitor, type Reader } from './engine/monitor.js';
import { type Actor, Worker } from './engine/worker.js';
import type { Fleet } from './fleet.js';
import { canonicalJson, digestOf } from './journal/digest.js';
import { Ingress, type IngressRow } from './journal/ingress.js';
import type { Journal } from './journal/journal.js';
import { Outbox } from './journal/outbox.js';
import { Deliverer } from './outbox/deliver.js';
import { GithubIssue } from './outbox/github.js';
import { SlackThread } from './outbox/slack.js';
import { createHero } from './protocol/hero/hero.js';
import { Door } from './slack/ingress.js';
import { People } from './slack/people.js';
import { HeroTelling } from './telling.js';

/** What the bot stands in: its record, its time, and everything outside it. */
export interface Surroundings {
  readonly fleet: Fleet;
  readonly journal: Journal;
  readonly now: () => Date;
  readonly timers: Timers;
  /** How often the outbox looks for what waits, beside being woken. */
  readonly outboxMs: number;
  readonly log: Pino;
  readonly outside: Reader & Actor & { readonly ask: Ask };
  readonly slack: { readonly app: App; readonly client: WebClient; resume(row: IngressRow): Promise<void> };
  readonly github: Octokit;
  /** Bytes left on the journal's disk when that is too few to begin anything; null while there is room. */
  readonly shortage?: () => number | null;
  /** Takes out of a text whatever is secret here. */
  readonly scrub: (text: string) => string;
}

/** Everything of the bot but its doors and its clock: put together once, then started. */
export interface Assembly {
  readonly engine: Engine;
  readonly monitor: Monitor;
  readonly worker: Worker;
  /** Begins the passes, and hands in what arrived before a crash. */
  start(): Promise<void>;
  /** Begins no act any more; what is on file and not started is the next process's. */
  retire(): void;
  /** Resolves when the passes that run have ended; none begins after it. */
  stop(): Promise<void>;
}

/** Cards that may have been left behind by a kill between a last row and its drawing. */
const RECENT_CARDS = 20;

/** Throws BrokenChainError when the history of an open operation does not fit its chain. */
export function assemble({ fleet, journal, now, timers, outboxMs, log, outside, slack, github, scrub, shortage }: Surroundings): Assembly {
  const engine = createEngine(fleet, journal, now, shortage);
  const people = new People(slack.client, { hero: { ...fleet.people.hero } }, now);
  for (const { operation_id } of journal.openOperations()) journal.verify(operation_id);
  const telling = new HeroTelling(engine, fleet);
  const deliverer = new Deliverer(
    new Outbox(journal.database),
    telling,
    new SlackThread(slack.client),
    new GithubIssue(github, issueOf(fleet)),
    now,
  );

  const onFault = (fault: unknown): void => log.error({ fault: fault instanceof Error ? fault.stack : `${fault}` }, 'a pass failed');
  const worker = new Worker(
    engine,
    outside,
    () => monitorLoop.wake(),
    (intentId, fault) => log.error({ intentId, fault: fault instanceof Error ? fault.message : `${fault}` }, 'an act failed on our side'),
  );
  const reader: Reader = { read: async (verb, args) => people.read(verb, args) ?? outside.read(verb, args) };
  const monitor = new Monitor(engine, reader, worker);
  const loop = (pass: () => Promise<void>, intervalMs: number): Loop => new Loop({ pass, intervalMs, onFault, timers });
  const threadLoop = loop(() => deliverer.flushThread(), outboxMs);
  const issueLoop = loop(() => deliverer.flushIssue(), outboxMs);
  const monitorLoop = loop(async () => {
    void people.keepWarm(); // never waited for: no outage of Slack may hold up a tick
    await monitor.tick();
    for (const { operation_id } of journal.openOperations()) deliverer.touch(operation_id);
    threadLoop.wake();
  }, fleet.monitor.tickSeconds * 1000);
  const loops = [monitorLoop, threadLoop, issueLoop];
  engine.onRecorded((operationId, intentId) => {
    const view = engine.view(operationId);
    log.info({ operationId, seq: view?.seq, state: view?.state, intentId }, 'recorded');
    deliverer.touch(operationId);
    for (const each of loops) each.wake();
  });

  const ingress = new Ingress(journal.database);
  const desk: HeroDesk = {
    engine,
    fleet,
    ask: (verb, args) => {
      const found = people.read(verb, args);
      return found === null ? outside.ask(verb, args) : Promise.resolve(found as never); // a verb of `PeopleReads`, asked by its need
    },
    client: slack.client,
    status: (operationId) => telling.status(operationId),
    hand: (operationId) => telling.hand(operationId),
    brief: (operationId) => telling.brief(operationId),
    evidence: (operationId, seq) => telling.message(operationId, seq).message.evidence,
  };
  register(slack.app, new Door(ingress, now, scrub, people, formsAtOnce(desk)), desk);

  const start = async (): Promise<void> => {
    engine.tellRestored();
    for (const each of loops) each.start();
    for (const { operation_id } of journal.recentOperations(fleet.slack.channel, RECENT_CARDS)) deliverer.touch(operation_id);
    for (const row of ingress.takeUnhandled()) await slack.resume(row);
  };
  const stop = async (): Promise<void> => {
    for (const each of loops) await each.stop();
  };
  return { engine, monitor, worker, start, retire: () => worker.stop(), stop };
}

function createEngine(fleet: Fleet, journal: Journal, now: () => Date, shortage: Surroundings['shortage']): Engine {
  const { requestSeconds, rehearsalHours } = fleet.policy.hero;
  const workingHours = Object.fromEntries(Object.entries(fleet.families).map(([name, family]) => [name, family.workingHours]));
  const rehearsal = { hours: rehearsalHours, fleetDigest: digestOf(canonicalJson(fleet)) };
  const hero = createHero({ people: fleet.people.hero, requestSeconds, workingHours, rehearsal, tickSeconds: fleet.monitor.tickSeconds });
  return new Engine({ journal, protocols: [hero], now, standingRequired: true, ...(shortage === undefined ? {} : { shortage }) });
}

/** Where the status issue is, as the client wants it. */
export function issueOf({ github: { repository, issue } }: Fleet) {
  const [owner = '', repo = ''] = repository.split('/');
  return { owner, repo, issue_number: issue };
}
