import type { Octokit } from '@octokit/rest';
import { commentText } from '../render/comment.js';
import { markdownNaming, type NameOf } from '../render/markdown.js';
import type { BlockedWhy } from '../render/notices.js';
import type { Text } from '../render/text.js';
import type { IssueChain, IssuePlace } from './issue-chain.js';
import type { Found, Line, Sent } from './sink.js';

/** Below GitHub's 65,536, with room for what is added around it. */
const BODY_MAX = 60_000;
const PARKED_MS = 60_000;
/** An issue that takes no comments is tried again this seldom: a person has to act first. */
const BLOCKED_MS = 5 * 60_000;
/** Lines that share a comment, at most: each keeps its marker and its verdict also when GitHub finds the comment too long. */
const LINES_MAX = 20;
/** What is left of each line of such a comment, in characters. */
const SHORT_MAX = 1_000;
/** What is quoted of an answer of GitHub's, in characters. */
const ERROR_MAX = 300;
const TIMEOUT_MS = 10_000;
/** What waits follows in a new issue after so long. */
const MOVED_MS = 1_000;
/** Which issue is written to is asked again after so long. */
const UNSETTLED_MS = 10_000;

/** The methods of octokit that the mirror needs. */
export type IssueClient = { readonly rest: Pick<Octokit['rest'], 'issues'>; readonly paginate: Octokit['paginate'] };

/** The status issue as a sink. Several lines may share one comment; each has its marker, and nothing is repeated blindly. */
export class GithubIssue {
  constructor(
    private readonly client: IssueClient,
    private readonly target: IssuePlace,
    /** The login of our own comments. */
    private readonly login: () => Promise<string>,
    /** How people are called; GitHub knows no Slack ids. */
    private readonly nameOf: NameOf = () => null,
    /** What the issue follows, and is followed by; left out, it stands alone. */
    private readonly chain?: IssueChain,
  ) {}

  /** How many of the lines, from the first, fit into one comment: at least one. */
  fitting(lines: readonly Line[]): readonly Line[] {
    let size = 0;
    const count = lines.findIndex((line, index) => {
      size += this.section(line).length + 2;
      return size > BODY_MAX || index === LINES_MAX;
    });
    return count === -1 ? lines : lines.slice(0, Math.max(1, count));
  }

  async post(lines: readonly Line[]): Promise<Sent> {
    const sent = await this.comment(lines.map((line) => this.section(line)).join('\n\n'));
    if (sent.kind === 'blocked' && sent.why === 'full' && this.chain?.opens === true) return this.goesOn(this.chain, sent.error);
    if (sent.kind !== 'too_long') return sent;
    const short = await this.comment(lines.map((line) => this.shortSection(line)).join('\n\n'));
    return short.kind === 'too_long' ? { kind: 'not_sent', error: short.error, waitMs: PARKED_MS } : short;
  }

  /** A full issue is followed by another, where the lines that it did not take go next. */
  private async goesOn(chain: IssueChain, error: string): Promise<Sent> {
    const from = this.target.issue_number;
    try {
      await chain.follow();
      return { kind: 'moved', error, waitMs: MOVED_MS, from, to: this.target.issue_number };
    } catch (fault) {
      return { kind: 'not_sent', error: `${error}; follow-up: ${describe(fault)}`, waitMs: PARKED_MS };
    }
  }

  /** Says something about the telling itself. */
  async notice(key: string, notice: Text): Promise<Sent> {
    const sent = await this.comment(`${noticeMarker(key)}\n${markdownNaming(notice, this.nameOf)}`);
    return sent.kind === 'too_long' ? { kind: 'not_sent', error: sent.error, waitMs: PARKED_MS } : sent;
  }

  async findNotice(key: string, since: Date): Promise<Found> {
    return this.look(since, (body) => body.startsWith(noticeMarker(key)));
  }

  /** When the issue was closed, if it is; undefined when GitHub does not say. */
  async closedAt(): Promise<string | null | undefined> {
    try {
      const { data } = await this.client.rest.issues.get({ ...this.target, ...limits() });
      return data.state === 'closed' ? (data.closed_at ?? 'an unknown time') : null;
    } catch {
      return undefined; // it is asked again with the next line
    }
  }

  /** The hidden marker of a line, and its text: by itself it always fits. */
  private section(line: Line, charsMax = BODY_MAX): string {
    const hidden = marker(line);
    return `${hidden}\n${commentText(line.message, line.operationId, charsMax - hidden.length - 1, this.nameOf)}`;
  }

  /** What is left of a line that GitHub finds too long whatever we counted: what became of the operation. */
  private shortSection(line: Line): string {
    const whole = this.section(line, Number.MAX_SAFE_INTEGER).length;
    return this.section(line, Math.min(SHORT_MAX, whole - 1));
  }

  private async comment(body: string): Promise<Sent | TooLong> {
    try {
      await this.chain?.settle();
    } catch (fault) {
      return { kind: 'not_sent', error: describe(fault), waitMs: UNSETTLED_MS };
    }
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
    return this.look(since, (body) => keysIn(body).includes(key));
  }

  private async look(since: Date, isIt: (body: string) => boolean): Promise<Found> {
    try {
      const found = (await this.own(since)).find(({ body }) => isIt(body));
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
    await this.chain?.settle();
    const login = await this.login();
    const places = [...(this.chain?.earlier ?? []), this.target];
    const query = { per_page: 100, since: since.toISOString() };
    const read = (place: IssuePlace) => this.client.paginate(this.client.rest.issues.listComments, { ...place, ...query, ...limits() });
    const comments = (await Promise.all(places.map(read))).flat();
    return comments.filter(({ user }) => user?.login === login).map(({ id, body }) => ({ id, body: body ?? '' }));
  }
}

function noticeMarker(key: string): string {
  return `<!-- harbor-notice:1 key=${key} -->`;
}

/** Key, operation and head never hold what could end a comment. */
function marker(line: Line): string {
  return `<!-- harbor:1 op=${line.operationId} seq=${line.seq} key=${line.key} head=${line.head.slice(0, 16)} -->`;
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

interface TooLong {
  readonly kind: 'too_long';
  readonly error: string;
}

/** Source: contracts/slack-github-platform.md, section 5. A 403 may be a limit, a lock, a full issue or a missing permission. */
function outcomeOf(fault: unknown): Sent | TooLong {
  const error = describe(fault);
  const status = statusOf(fault);
  if (status === null || status >= 500) return { kind: 'unclear', error };
  const why = blockedWhy(status, error, fault);
  if (why !== null) return { kind: 'blocked', why, error, waitMs: BLOCKED_MS };
  if (status === 422 && /too long/i.test(error)) return { kind: 'too_long', error };
  if (!isLimit(status, error, fault)) return { kind: 'not_sent', error, waitMs: waitOf(fault) };
  return { kind: 'limited', error: `${LIMIT}${error}`, waitMs: waitOf(fault) };
}

const LIMIT = 'limit: ';

/** Whether a line was kept back by a limit, as its row says. */
export function isLimitError(error: string | null): boolean {
  return error?.startsWith(LIMIT) === true;
}

function blockedWhy(status: number, error: string, fault: unknown): BlockedWhy | null {
  if (status === 404 || status === 410) return 'gone';
  if (status !== 403 || isLimit(status, error, fault)) return null;
  if (/locked/i.test(error)) return 'locked';
  return /more than [\d,]+ comments/i.test(error) ? 'full' : 'forbidden';
}

function isLimit(status: number, error: string, fault: unknown): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  const headers = headersOf(fault);
  return headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0' || /rate limit|abuse/i.test(error);
}

function statusOf(fault: unknown): number | null {
  return typeof fault === 'object' && fault !== null && 'status' in fault && typeof fault.status === 'number' && 'response' in fault
    ? fault.status
    : null;
}

/** What GitHub asks us to wait: in seconds, or until an instant; else a minute. */
function waitOf(fault: unknown): number {
  const headers = headersOf(fault);
  const retryAfterMs = Number(headers['retry-after']) * 1000;
  if (retryAfterMs > 0) return retryAfterMs;
  if (headers['x-ratelimit-remaining'] !== '0') return PARKED_MS;
  const untilResetMs = Number(headers['x-ratelimit-reset']) * 1000 - Date.parse(`${headers.date ?? ''}`);
  return untilResetMs > 0 ? Math.max(PARKED_MS, untilResetMs) : PARKED_MS;
}

function headersOf(fault: unknown): Readonly<Record<string, string | undefined>> {
  return (fault as { response?: { headers?: Record<string, string | undefined> } }).response?.headers ?? {};
}

function describe(fault: unknown): string {
  return fault instanceof Error ? `github: ${fault.message.slice(0, ERROR_MAX)}` : 'github: an unknown fault';
}
