import type { Octokit } from '@octokit/rest';
import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Logger as Pino } from 'pino';
import { formsAtOnce } from '../commands/forms.js';
import type { HeroDesk } from '../commands/hero-deploy.js';
import type { HomeDesk } from '../commands/home.js';
import { register } from '../commands/index.js';
import type { Ask } from '../commands/plan-entry.js';
import { Engine } from './engine/engine.js';
import { Loop, type Timers } from './engine/loop.js';
import { Monitor, type Reader } from './engine/monitor.js';
import { type Actor, Worker } from './engine/worker.js';
import { FerrySchedule } from './ferry-schedule.js';
import { FerryTelling, LaneTelling } from './ferry-telling.js';
import type { Fleet } from './fleet.js';
import { HeroTelling } from './hero-telling.js';
import { canonicalJson, digestOf } from './journal/digest.js';
import { Ingress, type IngressRow } from './journal/ingress.js';
import type { Journal, OperationRow } from './journal/journal.js';
import { Outbox } from './journal/outbox.js';
import { nextInstant } from './lanes.js';
import { Charts, type Pictures } from './outbox/charts.js';
import { Deliverer } from './outbox/deliver.js';
import { FailureIssues } from './outbox/failure-issues.js';
import { GithubIssue } from './outbox/github.js';
import { IssueBody, type Standing } from './outbox/issue-body.js';
import { IssueChain, type IssuePlace } from './outbox/issue-chain.js';
import { SlackThread } from './outbox/slack.js';
import { roleListsOf } from './person-list.js';
import { createFerry } from './protocol/ferry/ferry.js';
import { createHero } from './protocol/hero/hero.js';
import { createLane } from './protocol/lane/lane.js';
import { withPublishing } from './publishing.js';
import { ferryDocuments } from './render/ferry/documents.js';
import type { Figure } from './render/hero/figure.js';
import type { HomeContent } from './render/home.js';
import { stateInWords } from './render/state-words.js';
import { labelOf, type StatusLine, statusBlock } from './render/status-block.js';
import { code, link, type Text } from './render/text.js';
import { Door } from './slack/ingress.js';
import { People } from './slack/people.js';
import { Tellings } from './tellings.js';

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
  readonly github: { readonly octokit: Octokit; login(): Promise<string> };
  /** Draws a chart, and puts it where Slack wants it. */
  readonly pictures: { draw(figure: Figure): Promise<Buffer>; readonly upload: Pictures['upload'] };
  /** Bytes left on the journal's disk when that is too few to begin anything; null while there is room. */
  readonly shortage?: () => number | null;
  /** How each part of the bot does, for the Home tab. */
  readonly health: () => HomeContent['health'];
  /** Takes out of a text whatever is secret here. */
  readonly scrub: (text: string) => string;
  /** A pass ended in a fault of ours; it has been logged. */
  readonly onFault?: () => void;
}

/** Everything of the bot but its doors and its clock: put together once, then started. */
export interface Assembly {
  readonly engine: Engine;
  readonly monitor: Monitor;
  readonly worker: Worker;
  /** Begins the passes, and hands in what arrived before a crash. */
  start(): Promise<void>;
  /** When the monitor last finished a pass; null before the first. */
  tickedAt(): Date | null;
  /** Begins no act any more; what is on file and not started is the next process's. */
  retire(): void;
  /** Resolves when the passes that run have ended; none begins after it. */
  stop(): Promise<void>;
}

/** Cards that may have been left behind by a kill between a last row and its drawing. */
const RECENT_CARDS = 20;

/** Throws BrokenChainError when the history of an open operation does not fit its chain. */
export function assemble({
  fleet,
  journal,
  now,
  timers,
  outboxMs,
  log,
  outside,
  slack,
  github,
  pictures,
  health,
  scrub,
  shortage,
  onFault: faulted,
}: Surroundings): Assembly {
  const engine = createEngine(fleet, journal, now, shortage);
  const people = new People(slack.client, roleListsOf(fleet), now);
  for (const { operation_id } of journal.openOperations()) journal.verify(operation_id);
  const heroes = new HeroTelling(engine, fleet);
  const telling = new Tellings(engine, { hero: heroes, ferry: new FerryTelling(engine, fleet.lanes), lane: new LaneTelling(engine) });
  const schedule = new FerrySchedule(engine, fleet, outside.ask);
  const sails = Object.keys(fleet.lanes).length > 0;
  const outbox = new Outbox(journal.database);
  const draw: Pictures['draw'] = (operationId, seq) => pictures.draw(heroes.figure(operationId, seq));
  const charts = new Charts(slack.client, outbox, { draw, upload: pictures.upload }, now);
  const target = issueOf(fleet);
  const { owner, repo } = target;
  const issues = new FailureIssues(
    github.octokit,
    { owner, repo },
    () => github.login(),
    (operationId) => heroes.failureIssue(operationId),
    now,
  );
  const published = withPublishing(outside, charts, issues);
  const deliverer = new Deliverer(
    outbox,
    telling,
    new SlackThread(slack.client),
    new GithubIssue(
      github.octokit,
      target,
      () => github.login(),
      (userId) => people.nameOf(userId),
      chainOf(fleet, github, target),
    ),
    now,
    {
      secondChannel: fleet.slack.secondChannel,
      get issue() {
        return issueName(fleet, target.issue_number); // a full issue is followed by another
      },
    },
  );

  const onFault = (fault: unknown): void => {
    log.error({ fault: fault instanceof Error ? fault.stack : `${fault}` }, 'a pass failed');
    faulted?.();
  };
  const worker = new Worker(
    engine,
    published,
    () => monitorLoop.wake(),
    (intentId, fault) => log.error({ intentId, fault: fault instanceof Error ? fault.message : `${fault}` }, 'an act failed on our side'),
  );
  const reader: Reader = { read: async (verb, args) => people.read(verb, args) ?? published.read(verb, args) };
  const monitor = new Monitor(engine, reader, worker);
  let tickedAt: Date | null = null;
  const loop = (pass: () => Promise<void>, intervalMs: number): Loop => new Loop({ pass, intervalMs, onFault, timers });
  const threadLoop = loop(() => deliverer.flushThread(), outboxMs);
  const issueBody = new IssueBody(github.octokit, target, () => standingOf(journal, engine), now);
  const issueLoop = loop(async () => {
    await deliverer.flushIssue();
    if (!outbox.isPaused('issue', now())) await issueBody.flush(); // a limit is GitHub's whole, and so is the wait
  }, outboxMs);
  const monitorLoop = loop(async () => {
    void people.keepWarm(); // never waited for: no outage of Slack may hold up a tick
    await monitor.tick();
    tickedAt = now();
    if (sails) await schedule.pass();
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
  const zoneOf: HeroDesk['zoneOf'] = (userId) => people.zoneOf(userId);
  const desk = { engine, fleet, ask: outside.ask, zoneOf, status: (operationId: string) => telling.status(operationId) };
  const heroDesk: HeroDesk = {
    ...desk,
    ask: (verb, args) => {
      const found = people.read(verb, args);
      return found === null ? outside.ask(verb, args) : Promise.resolve(found as never); // a verb of `PeopleReads`, asked by its need
    },
    client: slack.client,
    hand: (id) => heroes.hand(id),
    brief: (id) => heroes.brief(id),
    evidence: (operationId, seq) => telling.message(operationId, seq).message.evidence,
  };
  const homeDesk: HomeDesk = {
    engine,
    client: slack.client,
    people,
    glance: (operationId) => telling.glance(operationId),
    cardOf: (operationId) => outbox.postedCard(operationId),
    health,
  };
  register(slack.app, new Door(ingress, now, scrub, people, formsAtOnce(heroDesk)), heroDesk, desk, homeDesk);

  const start = async (): Promise<void> => {
    engine.tellRestored();
    schedule.ensure(() => monitor.fireDues());
    for (const each of loops) each.start();
    for (const { operation_id } of journal.recentOperations(fleet.slack.channel, RECENT_CARDS)) deliverer.touch(operation_id);
    for (const row of ingress.takeUnhandled()) await slack.resume(row);
  };
  const stop = async (): Promise<void> => {
    for (const each of loops) await each.stop();
  };
  return { engine, monitor, worker, start, tickedAt: () => tickedAt, retire: () => worker.stop(), stop };
}

function createEngine(fleet: Fleet, journal: Journal, now: () => Date, shortage: Surroundings['shortage']): Engine {
  const { requestSeconds, rehearsalHours } = fleet.policy.hero;
  const workingHours = Object.fromEntries(Object.entries(fleet.families).map(([name, family]) => [name, family.workingHours]));
  const rehearsal = { hours: rehearsalHours, fleetDigest: digestOf(canonicalJson(fleet)) };
  const hero = createHero({ people: fleet.people.hero, requestSeconds, workingHours, rehearsal, tickSeconds: fleet.monitor.tickSeconds });
  const policy = { lanes: fleet.lanes, requestSeconds, tickSeconds: fleet.monitor.tickSeconds };
  const ferry = createFerry(policy, ferryDocuments({ repository: fleet.github.repository }));
  const lane = createLane({ ...policy, nextInstant });
  return new Engine({
    journal,
    protocols: [hero, ferry, lane],
    now,
    standingRequired: true,
    ...(shortage === undefined ? {} : { shortage }),
  });
}

/** Operations that ended last, and are still listed. */
const ENDED_SHOWN = 5;

/** How things stand, for the body of the status issue. */
function standingOf(journal: Journal, engine: Engine): Standing {
  const line = (operation: OperationRow): StatusLine => {
    const { operation_id: operationId, state, seq, head } = operation;
    return { operationId, state, words: stateInWords(operationId, state), since: engine.viewOf(operation).enteredAt, seq, head };
  };
  const open = journal.openOperations();
  const [lines, past] = [open.map(line), journal.lastEnded(ENDED_SHOWN).map(line)];
  return { block: (comments) => statusBlock(lines, past, comments), label: labelOf(open.map(({ state }) => state)) };
}

/** The status issue as people know it. */
function issueName({ github: { repository, apiUrl } }: Fleet, issue: number): Text {
  const name = `${repository}#${issue}`;
  return apiUrl === undefined ? [link(`https://github.com/${repository}/issues/${issue}`, name)] : [code(name)];
}

/** The status issue among those that it follows, and that follow it. */
export function chainOf({ github: { followUp, follows } }: Fleet, github: Surroundings['github'], target: IssuePlace): IssueChain {
  return new IssueChain(github.octokit, target, () => github.login(), { opens: followUp === 'open', follows });
}

/** Where the status issue is, as the client wants it. */
export function issueOf({ github: { repository, issue } }: Fleet) {
  const [owner = '', repo = ''] = repository.split('/');
  return { owner, repo, issue_number: issue };
}
