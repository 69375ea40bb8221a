import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { type Child, startChild } from '../../src/local/child.js';
import type { Prepared } from '../../src/local/cluster/prepare.js';
import type { ClusterState } from '../../src/local/cluster/state.js';
import { type Desk, startDesk } from '../../src/local/desk/desk.js';
import { type DeskOrder, obey } from '../../src/local/desk/orders.js';
import { APPROVER, ASKER, BYSTANDER, CHANNEL, localFleet, REPOSITORY } from '../../src/local/fleet.js';
import type { Harbour } from '../../src/local/harbour.js';
import { ACK_MS, PACE } from '../support/harbour.js';
import { startWire, type Wire } from './wire.js';

const DIST = join(import.meta.dirname, '..', '..', 'dist', 'src');
/** What the bot is started with. */
export const SECRETS = {
  SLACK_BOT_TOKEN: 'xoxb-on-the-wire',
  SLACK_APP_TOKEN: 'xapp-on-the-wire',
  GITHUB_TOKEN: 'ghp_onthewire0',
};

interface ClusterReady {
  readonly controlUrl: string;
  readonly token: string;
  readonly bin: string;
  readonly deployWorktree: string;
  readonly rollbackWorktree: string;
}

/** The local harbour with its bot in Socket Mode: `harbor start` as it is built, over a wire that can be cut. */
export class SocketHarbour implements Harbour {
  readonly pageUrl = undefined;
  bot: Child<{ readonly healthPort: number }> | null = null;

  private constructor(
    readonly home: string,
    readonly deskItself: Desk,
    readonly wire: Wire,
    private readonly clusterChild: Child<ClusterReady>,
  ) {}

  static async start(): Promise<SocketHarbour> {
    const harbour = await SocketHarbour.standIns();
    await harbour.startBot();
    return harbour;
  }

  /** Everything but the bot, and the fleet file that one would be started with. */
  static async standIns(): Promise<SocketHarbour> {
    const home = mkdtempSync(join(tmpdir(), 'harbor-wire-'));
    const desk = await startDesk({
      signingSecret: 'nothing is signed on a socket',
      botToken: SECRETS.SLACK_BOT_TOKEN,
      githubToken: SECRETS.GITHUB_TOKEN,
      ghToken: 'gho_operator',
      people: [ASKER, APPROVER, BYSTANDER],
      channels: [CHANNEL],
      github: REPOSITORY,
      ackMs: ACK_MS,
    });
    const wire = await startWire(desk);
    const github = {
      apiUrl: desk.githubApiUrl,
      token: 'gho_operator',
      repository: `${REPOSITORY.owner}/${REPOSITORY.repository}`,
      issue: desk.issueNumber,
    };
    const cluster = await startChild<ClusterReady>(
      join(DIST, 'local/cluster/main.js'),
      [JSON.stringify({ home: join(home, 'cluster'), pace: PACE, github })],
      { log: join(home, 'cluster.log') },
    );
    const harbour = new SocketHarbour(home, desk, wire, cluster);
    harbour.writeFleet();
    return harbour;
  }

  get fleetFile(): string {
    return join(this.home, 'harbor.yaml');
  }

  async desk<T>(order: DeskOrder): Promise<T> {
    return (await obey(this.deskItself, order)) as T;
  }

  async cluster(action: { readonly kind: string; readonly [key: string]: unknown }): Promise<unknown> {
    return (await this.ask<{ result: unknown }>('/control', { method: 'POST', body: JSON.stringify(action) })).result;
  }

  clusterState(): Promise<ClusterState> {
    return this.ask<ClusterState>('/state', {});
  }

  async prepare(change: string): Promise<Prepared> {
    return (await this.cluster({ kind: 'prepare', change })) as Prepared;
  }

  async startBot(): Promise<void> {
    this.bot ??= await startChild(join(DIST, 'cli.js'), ['start', '--fleet', this.fleetFile], { env: SECRETS, log: this.log });
  }

  async killBot(): Promise<void> {
    await this.bot?.kill();
    this.bot = null;
  }

  async stopBot(): Promise<void> {
    await this.bot?.stop();
    this.bot = null;
  }

  shutHours(): Promise<void> {
    return Promise.reject(new Error('hours are not shut on the wire'));
  }

  askRehearsal(): Promise<void> {
    return Promise.reject(new Error('no rehearsal is asked for on the wire'));
  }

  reschedule(): Promise<void> {
    return Promise.reject(new Error('no lane sails on the wire'));
  }

  /** What the bot has logged, its start-up table included. */
  logged(): string {
    return readFileSync(this.log, 'utf8');
  }

  async stop(): Promise<void> {
    await this.stopBot();
    await this.wire.close();
    await Promise.all([this.clusterChild.stop(), this.deskItself.stop()]);
    rmSync(this.home, { recursive: true, force: true });
  }

  private get log(): string {
    return join(this.home, 'bot.log');
  }

  private async ask<T>(path: string, init: RequestInit): Promise<T> {
    const { controlUrl, token } = this.clusterChild.ready;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${controlUrl}${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  private writeFleet(): void {
    const { bin, deployWorktree, rollbackWorktree } = this.clusterChild.ready;
    const fleet = parse(
      localFleet({
        data: join(this.home, 'data'),
        bin,
        deployWorktree,
        rollbackWorktree,
        slackApiUrl: this.wire.slackApiUrl,
        githubApiUrl: this.wire.githubApiUrl,
        issueNumber: this.deskItself.issueNumber,
        pace: PACE,
        hoursShut: false,
        rehearsalAsked: false,
        trackerKey: 'a key that opens nothing',
      }),
    );
    fleet.slack.mode = 'socket';
    writeFileSync(this.fleetFile, stringify(fleet));
  }
}
