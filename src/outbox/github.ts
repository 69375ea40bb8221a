import type { Octokit } from '@octokit/rest';
import { markdown } from '../render/markdown.js';
import type { Found, Line, Sent } from './sink.js';

/** Below GitHub's 65,536, with room for what is added around it. */
const BODY_MAX = 60_000;
const PARKED_MS = 60_000;
const TIMEOUT_MS = 10_000;

/** The methods of octokit that the mirror needs. */
export type IssueClient = { readonly rest: Pick<Octokit['rest'], 'issues' | 'users'>; readonly paginate: Octokit['paginate'] };

/** The status issue as a sink. Several lines may share one comment; each has its marker, and nothing is repeated blindly. */
export class GithubIssue {
  private login: string | null = null;

  constructor(
    private readonly client: IssueClient,
    private readonly target: { readonly owner: string; readonly repo: string; readonly issue_number: number },
  ) {}

  /** How many of the lines, from the first, fit into one comment: at least one. */
  fitting(lines: readonly Line[]): readonly Line[] {
    let size = 0;
    const count = lines.findIndex((line) => {
      size += section(line).length + 2;
      return size > BODY_MAX;
    });
    return count === -1 ? lines : lines.slice(0, Math.max(1, count));
  }

  async post(lines: readonly Line[]): Promise<Sent> {
    const body = lines.map(section).join('\n\n').slice(0, BODY_MAX);
    try {
      const { status, data } = await this.client.rest.issues.createComment({ ...this.target, body, ...limits() });
      // A redirected POST turns into a GET and answers 200 with the list: only a created comment counts.
      if (status !== 201 || typeof data.id !== 'number') return { kind: 'unclear', error: `github: status ${status} for a new comment` };
      return { kind: 'sent', id: `${data.id}` };
    } catch (fault) {
      return outcomeOf(fault);
    }
  }

  /** Looks a line's marker up among our own comments: a marker by anybody else proves nothing. */
  async find(key: string, since: Date): Promise<Found> {
    try {
      const found = (await this.own(since)).find(({ body }) => keysIn(body).includes(key));
      return found === undefined ? { kind: 'absent' } : { kind: 'found', id: `${found.id}` };
    } catch (fault) {
      return { kind: 'unclear', error: describe(fault) };
    }
  }

  /** What the issue tells of an operation since an instant. Rejects when it cannot be read. */
  async told(operationId: string, since: Date): Promise<readonly Mark[]> {
    return (await this.own(since)).flatMap(({ body }) => marksIn(body)).filter((mark) => mark.operationId === operationId);
  }

  private async own(since: Date): Promise<readonly { readonly id: number; readonly body: string }[]> {
    this.login ??= (await this.client.rest.users.getAuthenticated(limits())).data.login;
    const comments = await this.client.paginate(this.client.rest.issues.listComments, {
      ...this.target,
      per_page: 100,
      since: since.toISOString(),
      ...limits(),
    });
    return comments.filter(({ user }) => user?.login === this.login).map(({ id, body }) => ({ id, body: body ?? '' }));
  }
}

/** The hidden marker of a line, and its text. Key, operation and head never hold what could end a comment. */
function section(line: Line): string {
  const marker = `<!-- harbor:1 op=${line.operationId} seq=${line.seq} key=${line.key} head=${line.head.slice(0, 16)} -->`;
  const { mark, title, lines, evidence } = line.message;
  const body = [`${mark} ${markdown(title)}`, ...lines.map(markdown)].join('\n');
  const facts = evidence.map((each) => `- ${markdown(each)}`).join('\n');
  return `${marker}\n${body}\n\n${facts}`;
}

/** A told row as its hidden marker names it. */
export interface Mark {
  readonly operationId: string;
  readonly seq: number;
  readonly key: string;
  /** The first 16 hex digits of the row's hash. */
  readonly head: string;
}

/** The markers in a comment, in order. */
export function marksIn(body: string): readonly Mark[] {
  return [...body.matchAll(/^<!-- harbor:1 op=(\S+) seq=(\d+) key=(\S+) head=(\S+) -->\r?$/gm)].map(
    ([, operationId = '', seq = '', key = '', head = '']) => ({ operationId, seq: Number(seq), key, head }),
  );
}

/** The keys of the markers in a comment, in order. */
export function keysIn(body: string): readonly string[] {
  return marksIn(body).map(({ key }) => key);
}

function limits(): { readonly request: { readonly signal: AbortSignal } } {
  return { request: { signal: AbortSignal.timeout(TIMEOUT_MS) } };
}

function outcomeOf(fault: unknown): Sent {
  const error = describe(fault);
  const status = statusOf(fault);
  if (status === null || status >= 500) return { kind: 'unclear', error };
  return { kind: 'not_sent', error, waitMs: waitOf(fault) };
}

function statusOf(fault: unknown): number | null {
  return typeof fault === 'object' && fault !== null && 'status' in fault && typeof fault.status === 'number' && 'response' in fault
    ? fault.status
    : null;
}

function waitOf(fault: unknown): number {
  const headers = (fault as { response?: { headers?: Record<string, string | undefined> } }).response?.headers ?? {};
  const retryAfter = Number(headers['retry-after']);
  return Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter * 1000 : PARKED_MS;
}

function describe(fault: unknown): string {
  return fault instanceof Error ? `github: ${fault.message}` : 'github: an unknown fault';
}
