import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebClient } from '@slack/web-api';
import { pino } from 'pino';
import { parseFleet } from '../../src/fleet.js';
import { createGithub } from '../../src/github.js';
import { HeroTelling } from '../../src/hero-telling.js';
import { Outbox } from '../../src/journal/outbox.js';
import { type Desk, type DeskOptions, startDesk } from '../../src/local/desk/desk.js';
import { Deliverer } from '../../src/outbox/deliver.js';
import { GithubIssue, keysIn } from '../../src/outbox/github.js';
import { type FollowUpPolicy, IssueChain } from '../../src/outbox/issue-chain.js';
import { SlackThread } from '../../src/outbox/slack.js';
import { code } from '../../src/render/text.js';
import { clientOptions } from '../../src/slack/app.js';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';
import { FaultProxy } from './fault-proxy.js';

export const CHANNEL = { id: 'C1', name: 'hero' };
export const SECOND = { id: 'C2', name: 'ops' };
const PEOPLE = [
  { id: REQUESTER, name: 'ada', role: 'requester' },
  { id: APPROVER, name: 'grace', role: 'approver' },
] as const;
const EXAMPLE = readFileSync(join(import.meta.dirname, '..', '..', 'harbor.example.yaml'), 'utf8');

/** An engine in virtual time that tells what happens through the real clients, over a fault proxy each, to real emulators. */
export class ToldWorld {
  readonly bot = startEngine();
  readonly outbox = new Outbox(this.bot.database);
  readonly deliverer: Deliverer;

  private constructor(
    readonly desk: Desk,
    readonly slack: FaultProxy,
    readonly github: FaultProxy,
    private readonly followUp: FollowUpPolicy,
  ) {
    this.deliverer = this.restarted();
    this.bot.engine.onRecorded((operationId) => this.deliverer.touch(operationId));
  }

  static async start(
    options: Partial<DeskOptions> = {},
    followUp: FollowUpPolicy = { opens: false, follows: undefined },
  ): Promise<ToldWorld> {
    const desk = await startDesk({
      signingSecret: 'unused',
      botToken: 'xoxb-bot',
      githubToken: 'ghp_onthewire0',
      ghToken: 'gho_operator',
      people: PEOPLE,
      channels: [CHANNEL, SECOND],
      github: { owner: 'marin-community', repository: 'marin', issueTitle: 'Hero status' },
      ...options,
    });
    const origin = new URL(desk.url).origin;
    const [slack, github] = await Promise.all([FaultProxy.before(origin), FaultProxy.before(origin)]);
    // Rows are recorded in virtual time, comments in the emulator's own: what is asked for since then would not be there.
    github.path = (path) => path.replace(/([?&])since=[^&]*/, '$1');
    return new ToldWorld(desk, slack, github, followUp);
  }

  /** The outbox of a bot that is started on the same journal. */
  restarted(issueNumber = this.desk.issueNumber, followUp = this.followUp): Deliverer {
    const { desk, slack, github } = this;
    const fleet = parseFleet(EXAMPLE, 'harbor.example.yaml');
    const slackApiUrl = `${slack.url}${new URL(desk.slackApiUrl).pathname}`;
    const client = new WebClient('xoxb-bot', clientOptions({ apiUrl: slackApiUrl, log: pino({ level: 'silent' }) }));
    const target = { owner: 'marin-community', repo: 'marin', issue_number: issueNumber };
    const repository = `${target.owner}/${target.repo}`;
    const apiUrl = `${github.url}${new URL(desk.githubApiUrl).pathname}`;
    const { octokit, login } = createGithub(
      { github: { repository, issue: desk.issueNumber, apiUrl } },
      { kind: 'token', token: 'ghp_onthewire0' },
    );
    return new Deliverer(
      this.outbox,
      new HeroTelling(this.bot.engine, fleet),
      new SlackThread(client),
      new GithubIssue(octokit, target, login, () => null, new IssueChain(octokit, target, login, followUp)),
      this.bot.world.now,
      { secondChannel: SECOND.id, issue: [code(`${repository}#${desk.issueNumber}`)] },
    );
  }

  /** Somebody deletes a message of ours. */
  async deletes(ts: string): Promise<void> {
    await this.asBot('chat.delete', { channel: CHANNEL.id, ts });
  }

  /** House-keeping closes the status issue. */
  async closesIssue(): Promise<void> {
    const url = `${this.desk.githubApiUrl}/repos/marin-community/marin/issues/${this.desk.issueNumber}`;
    const headers = { authorization: 'Bearer gho_operator', 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'PATCH', headers, body: '{"state":"closed"}' });
    if (!response.ok) throw new Error(`close the issue: ${response.status}`);
  }

  /** All issues of the repository, oldest first, with the text of their comments. */
  async issues(): Promise<
    readonly { readonly number: number; readonly title: string; readonly body: string; readonly comments: readonly string[] }[]
  > {
    const read = async (path: string) => {
      const url = `${this.desk.githubApiUrl}/repos/marin-community/marin/issues${path}`;
      const response = await fetch(url, { headers: { authorization: 'Bearer gho_operator' } });
      return (await response.json()) as { number: number; title: string; body: string | null }[];
    };
    const all = (await read('?state=all')).sort((a, b) => a.number - b.number);
    return Promise.all(
      all.map(async ({ number, title, body }) => {
        const comments = (await read(`/${number}/comments`)).map((comment) => comment.body ?? '');
        return { number, title, body: body ?? '', comments };
      }),
    );
  }

  /** Opens an issue as an operator does, and gives its number. */
  async opensIssue(title: string): Promise<number> {
    const url = `${this.desk.githubApiUrl}/repos/marin-community/marin/issues`;
    const headers = { authorization: 'Bearer gho_operator', 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ title }) });
    return ((await response.json()) as { number: number }).number;
  }

  private async asBot(method: string, fields: Readonly<Record<string, string>>): Promise<void> {
    const headers = { authorization: 'Bearer xoxb-bot' };
    const response = await fetch(`${this.desk.slackApiUrl}${method}`, { method: 'POST', headers, body: new URLSearchParams(fields) });
    const answer = await response.text();
    if (!answer.includes('"ok":true')) throw new Error(`${method}: ${answer}`);
  }

  /** One round of the outbox, as the loops make it. */
  async tell(): Promise<void> {
    await this.deliverer.flushThread();
    await this.deliverer.flushIssue();
  }

  /** So many ticks of five seconds; what happens is told as it happens. */
  async pass(ticks: number, steps = 0): Promise<void> {
    for (let n = 0; n < ticks; n++) {
      await this.bot.tick(1, steps);
      await this.tell();
    }
  }

  /** Keys of what was to be told, and what stands under them in all threads of an operation and on the issue, in order. */
  async told(operationId = 'hero-1'): Promise<{ told: readonly string[]; thread: readonly string[]; issue: readonly string[] }> {
    const rows = this.bot.database
      .prepare("SELECT seq FROM outbox WHERE operation_id = ? AND sink = 'thread' ORDER BY seq")
      .all(operationId) as { seq: number }[];
    const thread = (await this.replies()).flatMap((reply) => seqOf(keyOf(reply), operationId));
    const issue = (await this.desk.issue()).comments.flatMap(({ body }) => keysIn(body).flatMap((key) => seqOf(key, operationId)));
    return { told: rows.map(({ seq }) => `${seq}`), thread, issue };
  }

  /** The replies of all threads of the channel, in the order in which they were posted. */
  async replies(): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const roots = await this.desk.messages(CHANNEL.id);
    const threads = await Promise.all(roots.map(({ ts }) => this.desk.thread(`${ts}`, CHANNEL.id)));
    return threads.flat().sort((a, b) => Number(a.ts) - Number(b.ts));
  }

  /** What stands in a channel, replies left out. */
  async roots(channel = CHANNEL.id): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.desk.messages(channel);
  }

  async close(): Promise<void> {
    await Promise.all([this.slack.close(), this.github.close()]);
    await this.desk.stop();
  }
}

/** The key that the bot gave a message. */
export function keyOf({ metadata }: Readonly<Record<string, unknown>>): string {
  const payload = (metadata as { event_payload?: { key?: unknown } } | undefined)?.event_payload;
  return typeof payload?.key === 'string' ? payload.key : '';
}

function seqOf(key: string, operationId: string): readonly string[] {
  const [operation, seq = '', sink = ''] = key.split(':');
  return operation === operationId && (sink === 'thread' || sink === 'issue') ? [seq] : [];
}
