import type { Octokit } from '@octokit/rest';
import { clockFinding, type Finding } from './finding.js';

/** The methods of octokit that the table needs. */
export type RepositoryClient = { readonly rest: Pick<Octokit['rest'], 'issues' | 'repos'> };

export type IssueTarget = { readonly owner: string; readonly repo: string; readonly issue_number: number };

/**
 * GitHub's side of the table. Whether the issue can be written is tried by giving it the title that it has: that changes
 * nothing, and needs the same permission as a comment. Never throws for what GitHub did: that is unknown.
 */
export async function readGithubWorkspace(parts: {
  readonly client: RepositoryClient;
  readonly target: IssueTarget;
  /** As whom we comment. */
  readonly login: () => Promise<string>;
  readonly now: () => Date;
}): Promise<readonly Finding[]> {
  const { client, target, now } = parts;
  const [login, issue] = await Promise.all([readLogin(parts.login), readIssue(client, target, now)]);
  return [login, ...issue];
}

async function readLogin(login: () => Promise<string>): Promise<Finding> {
  try {
    return found('token', 'right', `comments as ${await login()}`);
  } catch (fault) {
    return refusal('token', fault, 'GITHUB_TOKEN, or GITHUB_APP_ID with GITHUB_APP_PRIVATE_KEY');
  }
}

async function readIssue(client: RepositoryClient, target: IssueTarget, now: () => Date): Promise<readonly Finding[]> {
  const name = `${target.owner}/${target.repo}#${target.issue_number}`;
  try {
    const { data, headers } = await client.rest.issues.get(target);
    const clock = clockFinding('github', headers.date, now());
    if (data.number !== target.issue_number) {
      return [found('issue readable', 'wrong', `${name} was moved to ${data.html_url}: name that one in the fleet file`), clock];
    }
    const readable = found('issue readable', 'right', `${name}: ${data.title}`);
    if (data.locked) return [readable, found('issue writable', 'wrong', `${name} is locked: unlock the conversation`), clock];
    if (data.state !== 'open') return [readable, found('issue writable', 'wrong', `${name} is closed: reopen it, or name another`), clock];
    return [readable, await tryToWrite(client, target, data.title, name), clock];
  } catch (fault) {
    return [refusal('issue readable', fault, `${name}, which needs the permission Issues: read and write`)];
  }
}

async function tryToWrite(client: RepositoryClient, target: IssueTarget, title: string, name: string): Promise<Finding> {
  try {
    await client.rest.issues.update({ ...target, title });
    return found('issue writable', 'right', `${name} took a change that changes nothing`);
  } catch (fault) {
    return refusal('issue writable', fault, `${name}, which needs the permission Issues: read and write`);
  }
}

/** Source: contracts/slack-github-platform.md, section 5. A 403 may also be a rate limit, which is no answer. */
export function refusal(about: string, fault: unknown, what: string): Finding {
  const status = typeof fault === 'object' && fault !== null && 'status' in fault ? fault.status : null;
  const message = fault instanceof Error ? fault.message : 'no answer';
  const answered = status === 401 || status === 404 || status === 410 || status === 422 || (status === 403 && !/rate limit/i.test(message));
  return found(about, answered ? 'wrong' : 'unknown', answered ? `${what}: ${status} ${message}` : message);
}

function found(about: string, kind: Finding['kind'], detail: string): Finding {
  return { side: 'github', about, kind, detail };
}
