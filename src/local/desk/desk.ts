import { BotDoor, type Delivery } from './bot-door.js';
import { DeskServer } from './desk-server.js';
import { type Ephemeral, Ephemerals } from './ephemerals.js';
import { type Fault, Faults } from './faults.js';
import { Files } from './files.js';
import { GithubApi } from './github-api.js';
import { GithubState, type Repository } from './github-state.js';
import { asReadBack } from './history.js';
import { Ingress } from './ingress.js';
import { type AccountKind, Membership, type UserGroup } from './membership.js';
import { Page, type PageOptions } from './page.js';
import type { ButtonChoice } from './payloads.js';
import type { Channel, Person } from './person.js';
import { isRecord, type Json, recordsOf, textOf } from './record.js';
import { ResponseUrls } from './response-urls.js';
import { SlackApi } from './slack-api.js';
import { SlackState } from './slack-state.js';
import { type OpenView, Views } from './views.js';

export interface DeskOptions {
  /** Left out or 0: any free port. */
  readonly port?: number | undefined;
  readonly signingSecret: string;
  readonly botToken: string;
  /** The bot's GitHub token. */
  readonly githubToken: string;
  /** The GitHub token of the launch script's `gh`. */
  readonly ghToken: string;
  readonly people: readonly Person[];
  /** The first one is where commands are said unless another is named. */
  readonly channels: readonly Channel[];
  /** User groups of the workspace. */
  readonly groups?: readonly UserGroup[] | undefined;
  readonly github: Repository;
  readonly page?: PageOptions | undefined;
  /** How long Slack waits for an acknowledgement: 3,000 ms. */
  readonly ackMs?: number | undefined;
  /** The time at which people act, and by which `response_url`s age. */
  readonly now?: () => Date;
}

/** The status issue as GitHub holds it, comments oldest first. */
export interface StatusIssue {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly comments: readonly { readonly id: number; readonly author: string; readonly body: string; readonly createdAt: string }[];
}

/** The stand-in for Slack and GitHub: what the bot talks to, and what people do there. */
export interface Desk {
  readonly url: string;
  /** For `clientOptions.slackApiUrl`; ends with `/api/`. */
  readonly slackApiUrl: string;
  /** For octokit's `baseUrl`. */
  readonly githubApiUrl: string;
  /** Where a person looks, when a page was asked for. */
  readonly pageUrl: string | undefined;
  readonly issueNumber: number;
  /** Tells the desk where the bot listens: an origin (`/slack/events` is added) or a whole URL, on loopback. */
  connectBot(url: string): void;
  /** Tells the page how the harbour itself stands, such as whether the bot runs. */
  showHarbour(state: Json): void;
  /** Tells the page where the cluster takes its orders. */
  connectCluster(url: string, token: string): void;
  /** Types a slash command. Resolves when the bot has acknowledged it, or after 3 s. */
  says(userId: string, text: string, channelId?: string): Promise<Delivery>;
  /** Clicks a button as it is drawn now, in a message or in an ephemeral message of this person. Throws DeskError if it is not. */
  clicks(userId: string, messageTs: string, choice: ButtonChoice, channelId?: string): Promise<Delivery>;
  /** Clicks a button of a message as somebody remembers it. */
  clicksOld(userId: string, message: Json, choice: ButtonChoice, channelId?: string): Promise<Delivery>;
  /** Submits an open modal with what was filled in, by `block_id`. */
  submits(viewId: string, filled: Readonly<Record<string, string>>): Promise<Delivery>;
  /** Sends a delivery again as it was: a duplicate. */
  repeats(delivery: Pick<Delivery, 'form'>): Promise<Delivery>;
  /** The root messages of a channel, oldest first, with their metadata. */
  messages(channelId?: string): Promise<readonly Json[]>;
  /** The replies of a thread without its root, oldest first, with their metadata. */
  thread(rootTs: string, channelId?: string): Promise<readonly Json[]>;
  /** What only this person sees, oldest first. */
  ephemerals(userId: string): readonly Ephemeral[];
  /** The modals open in front of this person, the topmost last. */
  views(userId: string): readonly OpenView[];
  /** Opens the bot's Home tab: Slack tells the bot, which publishes what is to be seen there. */
  opensHome(userId: string): Promise<Delivery>;
  /** What this person finds on the Home tab, once it was published. */
  home(userId: string): Json | undefined;
  /** An account becomes another kind: a guest, deactivated, of another workspace. */
  setAccount(userId: string, kind: AccountKind): void;
  setGroup(group: UserGroup): void;
  issue(): Promise<StatusIssue>;
  fault(fault: Fault): void;
  /** Ends all faults of a sink that are still to be played. */
  mend(sink: Fault['sink']): void;
  stop(): Promise<void>;
}

/** Starts the desk on loopback. */
export async function startDesk(options: DeskOptions): Promise<Desk> {
  const now = options.now ?? (() => new Date());
  const server = await DeskServer.listen(options.port ?? 0);
  const { url } = server;
  const githubApiUrl = `${url}/github`;
  const files = new Files(url);
  const [slack, github] = await Promise.all([
    SlackState.start(options.people, options.channels, files),
    GithubState.start(options.github, options, githubApiUrl),
  ]);

  const door = new BotDoor({ signingSecret: options.signingSecret, ackMs: options.ackMs ?? 3_000 });
  const faults = new Faults();
  const ephemerals = new Ephemerals(now);
  const views = new Views(slack);
  const changes = { count: 0 };
  const onWrite = (): void => {
    changes.count += 1;
  };
  const membership = new Membership(options.people, options.groups ?? []);
  const slackApi = new SlackApi({ state: slack, ephemerals, views, membership, files, botToken: options.botToken, onWrite });
  const githubApi = new GithubApi({ state: github, logins: options, base: githubApiUrl, onWrite });
  const urls = new ResponseUrls({ base: url, api: slackApi, ephemerals, now });
  const directory = { people: options.people, channels: options.channels };
  const ingress = new Ingress({ directory, state: slack, door, views, ephemerals, urls, membership, onWrite, now });

  const home = options.channels[0]?.id ?? '';
  const desk: Desk = {
    url,
    slackApiUrl: `${url}/slack/api/`,
    githubApiUrl,
    pageUrl: options.page === undefined ? undefined : `${url}/t/${options.page.token}/`,
    issueNumber: github.issueNumber,
    connectBot: (botUrl) => {
      door.connect(botUrl);
      onWrite();
    },
    showHarbour: (shown) => {
      page?.showHarbour(shown);
      onWrite();
    },
    connectCluster: (clusterUrl, token) => {
      page?.connectCluster(clusterUrl, token);
      onWrite();
    },
    says: (userId, text, channelId) => ingress.says(userId, text, channelId),
    clicks: (userId, ts, choice, channelId) => ingress.clicks(userId, ts, choice, channelId),
    clicksOld: (userId, message, choice, channelId) => ingress.clicksOld(userId, message, choice, channelId),
    submits: (viewId, filled) => ingress.submits(viewId, filled),
    repeats: (delivery) => ingress.repeats(delivery),
    messages: async (channelId = home) => {
      const all = await slack.messages(channelId);
      return all.filter(({ ts, thread_ts }) => thread_ts === undefined || thread_ts === ts).map((message) => asReadBack(message, true));
    },
    thread: async (rootTs, channelId = home) => {
      const { messages } = await slack.call('conversations.replies', { channel: channelId, ts: rootTs });
      return recordsOf(messages)
        .filter(({ ts }) => ts !== rootTs)
        .map((message) => asReadBack(message, true));
    },
    ephemerals: (userId) => ephemerals.of(userId),
    views: (userId) => views.of(userId),
    opensHome: (userId) => ingress.opensHome(userId),
    home: (userId) => views.homeOf(userId),
    setAccount: (userId, kind) => membership.setAccount(userId, kind),
    setGroup: (group) => membership.setGroup(group),
    issue: () => readIssue(github),
    fault: (fault) => faults.add(fault),
    mend: (sink) => faults.clear(sink),
    stop: async () => {
      await server.stop();
      await Promise.all([slack.stop(), github.stop()]);
    },
  };
  const page =
    options.page === undefined
      ? undefined
      : new Page(options.page, { directory, desk, views, state: slack, ingress, door, changeCount: () => changes.count, onWrite });
  server.serve({ slackApi, githubApi, urls, faults, files, page });
  return desk;
}

async function readIssue(github: GithubState): Promise<StatusIssue> {
  const [issue, comments] = await Promise.all([github.read(github.issuePath), github.comments(github.issuePath)]);
  const read = isRecord(issue) ? issue : {};
  return {
    title: textOf(read.title),
    body: textOf(read.body),
    labels: recordsOf(read.labels).map(({ name }) => textOf(name)),
    comments: comments.map((comment) => ({
      id: Number(comment.id),
      author: isRecord(comment.user) ? textOf(comment.user.login) : '',
      body: textOf(comment.body),
      createdAt: textOf(comment.created_at),
    })),
  };
}
