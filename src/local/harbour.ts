import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { STATE_WORDS, UNVERIFIED } from '../render/hero/states.js';
import { type Child, startChild } from './child.js';
import type { Prepared } from './cluster/prepare.js';
import type { ClusterState } from './cluster/state.js';
import type { DeskOrder } from './desk/orders.js';
import { APPROVER, ASKER, BYSTANDER, CHANNEL, localFleet, REPOSITORY } from './fleet.js';
import { HarbourControl } from './harbour-control.js';
import { type Home, takeHome } from './home.js';
import { type LaneSchedule, lanesShown } from './lanes.js';

/** The local harbour: cluster, desk and bot as three processes, so that a killed bot loses neither cluster nor Slack. */
export interface Harbour {
  readonly home: string;
  readonly fleetFile: string;
  readonly pageUrl: string | undefined;
  readonly bot: { readonly pid: number } | null;
  desk<T>(order: DeskOrder): Promise<T>;
  cluster(action: { readonly kind: string; readonly [key: string]: unknown }): Promise<unknown>;
  clusterState(): Promise<ClusterState>;
  prepare(change: string): Promise<Prepared>;
  startBot(): Promise<void>;
  killBot(): Promise<void>;
  /** Shuts or opens the working hours: the fleet file is written anew and the bot started again with it. */
  shutHours(shut: boolean): Promise<void>;
  /** Asks for a rehearsal before each swap, or for none; in the same way. */
  askRehearsal(asked: boolean): Promise<void>;
  /** Gives the local canary another schedule: the fleet file is written anew and the bot started again with it. */
  reschedule(schedule: LaneSchedule): Promise<void>;
  stop(): Promise<void>;
}

export interface HarbourOptions {
  /** A folder of its own; what an earlier harbour left in it is removed first. */
  readonly home: string;
  /** Multiplies the time that steps, starts and stops take; 1 for people, less for tests. */
  readonly pace?: number;
  readonly page?: boolean;
  readonly port?: number;
  /** How long Slack waits for an acknowledgement; left out, 3 s. A busy machine may need more. */
  readonly ackMs?: number;
  readonly onBotEnd?: () => void;
}

interface DeskReady {
  readonly slackApiUrl: string;
  readonly githubApiUrl: string;
  readonly pageUrl?: string;
  readonly controlUrl: string;
  readonly issueNumber: number;
}

interface ClusterReady {
  readonly controlUrl: string;
  readonly token: string;
  readonly bin: string;
  readonly deployWorktree: string;
  readonly rollbackWorktree: string;
  readonly lanesWorktree: string;
}

/** Starts everything, or throws with nothing left running. */
export async function startHarbour(options: HarbourOptions): Promise<Harbour> {
  const home = takeHome(options.home);
  const started: { stop(): Promise<void> }[] = [home];
  try {
    return await LocalHarbour.start(options, started, home);
  } catch (fault) {
    for (const each of started.reverse()) await each.stop();
    throw fault;
  }
}

class LocalHarbour implements Harbour {
  bot: Child<{ readonly port: number }> | null = null;
  private hoursShut = false;
  private rehearsalAsked = false;
  private schedule: LaneSchedule | null = null;
  private wanted = false;
  private turn: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly options: HarbourOptions,
    private readonly secrets: Secrets,
    private readonly deskChild: Child<DeskReady>,
    private readonly clusterChild: Child<ClusterReady>,
    private readonly control: HarbourControl,
    private readonly folder: Home,
  ) {}

  static async start(options: HarbourOptions, started: { stop(): Promise<void> }[], folder: Home): Promise<LocalHarbour> {
    const secrets = newSecrets();
    const control = await HarbourControl.listen();
    started.push(control);
    const desk = await startChild<DeskReady>(ours('desk/main.js'), [JSON.stringify(deskOptions(options, secrets, control))], {
      log: logFile(options.home, 'desk'),
    });
    started.push(desk);
    const github = {
      apiUrl: desk.ready.githubApiUrl,
      token: secrets.ghToken,
      repository: `${REPOSITORY.owner}/${REPOSITORY.repository}`,
      issue: desk.ready.issueNumber,
    };
    const clusterOptions = { home: join(options.home, 'cluster'), pace: options.pace ?? 1, github };
    const cluster = await startChild<ClusterReady>(ours('cluster/main.js'), [JSON.stringify(clusterOptions)], {
      log: logFile(options.home, 'cluster'),
    });
    started.push(cluster);
    const harbour = new LocalHarbour(options, secrets, desk, cluster, control, folder);
    control.serve((action) => harbour.inTurn(() => harbour.obey(action)));
    await harbour.desk({ do: 'connectCluster', url: cluster.ready.controlUrl, token: cluster.ready.token });
    harbour.writeFleet();
    await harbour.startBot();
    return harbour;
  }

  get home(): string {
    return this.options.home;
  }

  get fleetFile(): string {
    return join(this.options.home, 'harbor.yaml');
  }

  get pageUrl(): string | undefined {
    return this.deskChild.ready.pageUrl;
  }

  async desk<T>(order: DeskOrder): Promise<T> {
    const answer = await post(this.deskChild.ready.controlUrl, this.secrets.controlToken, order);
    return (answer as { answer: T }).answer;
  }

  async cluster(action: { readonly kind: string; readonly [key: string]: unknown }): Promise<unknown> {
    const { controlUrl, token } = this.clusterChild.ready;
    return ((await post(`${controlUrl}/control`, token, action)) as { result: unknown }).result;
  }

  async clusterState(): Promise<ClusterState> {
    const { controlUrl, token } = this.clusterChild.ready;
    return (await fetchJson(`${controlUrl}/state`, { headers: { authorization: `Bearer ${token}` } })) as ClusterState;
  }

  async prepare(change: string): Promise<Prepared> {
    return (await this.cluster({ kind: 'prepare', change })) as Prepared;
  }

  async startBot(): Promise<void> {
    if (this.bot !== null) return;
    this.wanted = true;
    const env = {
      SLACK_BOT_TOKEN: this.secrets.botToken,
      SLACK_SIGNING_SECRET: this.secrets.signingSecret,
      GITHUB_TOKEN: this.secrets.githubToken,
    };
    const log = logFile(this.home, 'bot');
    const bot = await startChild<{ readonly port: number }>(ours('../cli.js'), ['start', '--fleet', this.fleetFile], { env, log });
    this.bot = bot;
    void bot.ended.then(() => this.botEnded(bot));
    await this.desk({ do: 'connectBot', url: `http://127.0.0.1:${bot.ready.port}` });
    await this.show();
  }

  async killBot(): Promise<void> {
    this.wanted = false;
    await this.bot?.kill();
    this.bot = null;
    await this.show();
  }

  async shutHours(shut: boolean): Promise<void> {
    this.hoursShut = shut;
    await this.reread();
  }

  async reschedule(schedule: LaneSchedule): Promise<void> {
    this.schedule = schedule;
    await this.reread();
  }

  async askRehearsal(asked: boolean): Promise<void> {
    this.rehearsalAsked = asked;
    await this.reread();
  }

  /** The fleet file is written anew, and the bot started again with it. */
  private async reread(): Promise<void> {
    this.writeFleet();
    const wasUp = this.bot !== null;
    this.wanted = false;
    await this.bot?.stop();
    this.bot = null;
    await this.show();
    if (wasUp) await this.startBot();
  }

  private botEnded(bot: Child<{ readonly port: number }>): void {
    if (this.bot !== bot) return;
    this.bot = null;
    if (!this.wanted) return;
    this.options.onBotEnd?.();
    void this.show();
  }

  /** Tells the page how the harbour stands. */
  private async show(): Promise<void> {
    const bot = this.bot === null ? 'down' : 'up';
    await this.desk({
      do: 'showHarbour',
      state: {
        bot,
        hoursShut: this.hoursShut,
        rehearsalAsked: this.rehearsalAsked,
        pace: this.options.pace ?? 1,
        lanes: lanesShown(this.schedule),
      },
    });
  }

  /** One wish at a time: two starts at once would be two bots. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }

  async stop(): Promise<void> {
    this.wanted = false;
    await this.bot?.stop();
    await Promise.all([this.clusterChild.stop(), this.deskChild.stop(), this.control.stop()]);
    await this.folder.stop();
  }

  private async obey(action: { readonly kind: string; readonly on?: boolean }): Promise<unknown> {
    if (action.kind === 'kill_bot') return this.killBot();
    if (action.kind === 'start_bot') return this.startBot();
    if (action.kind === 'shut_hours') return this.shutHours(action.on === true);
    if (action.kind === 'ask_rehearsal') return this.askRehearsal(action.on === true);
    throw new Error(`the harbour does not know ${action.kind}`);
  }

  private writeFleet(): void {
    const { bin, deployWorktree, rollbackWorktree, lanesWorktree } = this.clusterChild.ready;
    const { slackApiUrl, githubApiUrl, issueNumber } = this.deskChild.ready;
    const world = {
      data: join(this.home, 'data'),
      bin,
      deployWorktree,
      rollbackWorktree,
      lanesWorktree,
      schedule: this.schedule,
      slackApiUrl,
      githubApiUrl,
      issueNumber,
      pace: this.options.pace ?? 1,
      hoursShut: this.hoursShut,
      rehearsalAsked: this.rehearsalAsked,
      trackerKey: this.secrets.trackerKey,
    };
    writeFileSync(this.fleetFile, `# Written by the local harbour at each start. Local only.\n${localFleet(world)}`);
  }
}

type Secrets = Readonly<
  Record<'signingSecret' | 'botToken' | 'githubToken' | 'ghToken' | 'controlToken' | 'pageToken' | 'trackerKey', string>
>;

function newSecrets(): Secrets {
  const random = (): string => randomBytes(16).toString('hex');
  return {
    signingSecret: random(),
    botToken: `xoxb-local-${random()}`,
    githubToken: `ghp_local${random()}`,
    ghToken: `ghp_local${random()}`,
    controlToken: random(),
    pageToken: random(),
    trackerKey: random(),
  };
}

function deskOptions(options: HarbourOptions, secrets: Secrets, control: HarbourControl) {
  const { signingSecret, botToken, githubToken, ghToken, controlToken, pageToken } = secrets;
  const page = {
    token: pageToken,
    harbourUrl: control.url,
    harbourToken: control.token,
    states: {
      ...Object.fromEntries(Object.entries(STATE_WORDS).map(([state, { words }]) => [words, state])),
      [UNVERIFIED.words]: 'rolled_back',
    },
    suggestions: [
      { label: 'Plan the prepared change', text: '/hero-deploy plan gate="train_loss tracks within 0.01" reason="try {change}"' },
      { label: 'Propose a daily ferry', text: '/ferry propose lane=daily objective="does the new setting hold"' },
    ],
  };
  return {
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.ackMs === undefined ? {} : { ackMs: options.ackMs }),
    controlToken,
    signingSecret,
    botToken,
    githubToken,
    ghToken,
    people: [ASKER, APPROVER, BYSTANDER],
    channels: [CHANNEL, { id: 'C0ELSEWHR1', name: 'elsewhere' }],
    github: REPOSITORY,
    ...(options.page === true ? { page } : {}),
  };
}

/** A script of the build; tests run the sources, and Node runs no TypeScript. */
function ours(path: string): string {
  const script = fileURLToPath(new URL(path, import.meta.url));
  return script.includes('/dist/src/') ? script : script.replace('/src/', '/dist/src/');
}

function logFile(home: string, name: string): string {
  return join(home, `${name}.log`);
}

async function post(url: string, token: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return fetchJson(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function fetchJson(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(120_000) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${new URL(url).pathname}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}
