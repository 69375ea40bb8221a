import type { Octokit } from '@octokit/rest';
import { continues, goesOnIn, opensAfter } from '../render/follow-up.js';

/** An issue's place. Its fields may change: an issue is transferred, or followed by another. */
export interface IssuePlace {
  owner: string;
  repo: string;
  issue_number: number;
}

/** What the fleet file says of a status issue that is full. */
export interface FollowUpPolicy {
  /** Whether a follow-up issue is opened by the bot; else a person is asked to name one. */
  readonly opens: boolean;
  /** The issue that the one in the fleet file follows. */
  readonly follows: number | undefined;
}

const TIMEOUT_MS = 10_000;
/** A body has no room for more than this. Source: contracts/slack-github-platform.md, section 5. */
const BODY_MAX = 60_000;

/**
 * The status issue, those that it follows, and those that follow it. Which follow is read from GitHub itself, by a marker in
 * the first line of an issue of our own: a bot that was killed between opening one and writing there opens no second.
 */
export class IssueChain {
  /** Full issues before the present one, oldest first: what was told stands there too. */
  readonly earlier: IssuePlace[] = [];
  private isSettled = false;

  constructor(
    private readonly client: { readonly rest: Pick<Octokit['rest'], 'issues'>; readonly paginate: Octokit['paginate'] },
    /** The present issue; changed in place, since others write there too. */
    private readonly present: IssuePlace,
    private readonly login: () => Promise<string>,
    private readonly policy: FollowUpPolicy,
  ) {
    if (policy.follows !== undefined) this.earlier.push({ ...present, issue_number: policy.follows });
  }

  get opens(): boolean {
    return this.policy.opens;
  }

  /** Finds out, once a process, which issue is written to. Rejects when GitHub does not say. */
  async settle(): Promise<void> {
    if (this.isSettled) return;
    if (this.policy.opens) await this.findNewest();
    this.isSettled = true;
    const [last] = this.earlier.slice(-1);
    if (last !== undefined) await this.link(last);
  }

  /** Opens the issue that follows a full one, unless it is there already, and goes on there. Rejects when that is not sure. */
  async follow(): Promise<void> {
    const full = this.present.issue_number;
    await this.findNewest();
    if (this.present.issue_number === full) {
      const { data } = await this.client.rest.issues.get({ ...this.present, ...limits() });
      const { owner, repo } = this.present;
      const body = `${followsMarker(full)}\n${opensAfter(full)}`;
      const created = await this.client.rest.issues.create({ owner, repo, title: data.title, body, ...limits() });
      if (created.status !== 201) throw new Error(`status ${created.status} for a new issue`);
      this.goTo(created.data.number);
    }
    const [last] = this.earlier.slice(-1);
    if (last !== undefined) await this.link(last);
  }

  private async findNewest(): Promise<void> {
    const { owner, repo } = this.present;
    const login = await this.login();
    const query = { owner, repo, creator: login, state: 'all', per_page: 100, ...limits() } as const;
    const own = (await this.client.paginate(this.client.rest.issues.listForRepo, query)).filter(({ user }) => user?.login === login);
    for (;;) {
      const marker = followsMarker(this.present.issue_number);
      // The oldest, should there ever be two. Only one with a greater number follows, so that this ends.
      const [next] = own
        .filter(({ number, body }) => number > this.present.issue_number && (body ?? '').startsWith(marker))
        .sort((a, b) => a.number - b.number);
      if (next === undefined) return;
      this.goTo(next.number);
    }
  }

  private goTo(number: number): void {
    this.earlier.push({ ...this.present });
    this.present.issue_number = number;
  }

  /** Each names the other in its body: a full issue takes no comment, and its body can still be edited. */
  private async link(before: IssuePlace): Promise<void> {
    try {
      const number = this.present.issue_number;
      await this.mention(before, `<!-- harbor-continues:1 in=${number} -->`, goesOnIn(number));
      await this.mention(this.present, followsMarker(before.issue_number), continues(before.issue_number));
    } catch {
      // A convenience for readers: the next process tries again, and no line waits for it.
    }
  }

  private async mention(place: IssuePlace, marker: string, words: string): Promise<void> {
    const { data } = await this.client.rest.issues.get({ ...place, ...limits() });
    const before = data.body ?? '';
    const body = `${before.trimEnd()}\n\n${marker}\n${words}`.trimStart();
    if (before.includes(marker) || body.length > BODY_MAX) return;
    await this.client.rest.issues.update({ ...place, body, ...limits() });
  }
}

function followsMarker(number: number): string {
  return `<!-- harbor-follow-up:1 of=${number} -->`;
}

function limits(): { readonly request: { readonly signal: AbortSignal } } {
  return { request: { signal: AbortSignal.timeout(TIMEOUT_MS) } };
}
