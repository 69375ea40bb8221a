import type { ActReport, Published } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import type { IssueClient } from './github.js';

/** An issue as it is filed: prose of the render folder, already inert and inside GitHub's limits. */
export interface IssueProse {
  readonly title: string;
  readonly body: string;
  /** Hexadecimal digest of the newest row it rests on. */
  readonly head: string;
}

const TIMEOUT_MS = 10_000;
/** Issues of our own account that are looked through, the newest first. */
const PAGES_MAX = 5;
const PER_PAGE = 100;

/** The issue about a deploy that was rolled back: filed once, found again by its marker among our own account's issues. */
export class FailureIssues {
  constructor(
    private readonly client: IssueClient,
    private readonly repository: { readonly owner: string; readonly repo: string },
    /** The login of our own account. */
    private readonly login: () => Promise<string>,
    private readonly prose: (operationId: string) => IssueProse,
    private readonly now: () => Date,
  ) {}

  /** Never throws: what became of it is read. */
  async file(operationId: string): Promise<ActReport> {
    const report = { exitCode: null, jobId: null } as const;
    try {
      const { title, body, head } = this.prose(operationId);
      const { status, data } = await this.client.rest.issues.create({
        ...this.repository,
        title,
        body: `${markerOf(operationId, head)}\n${body}`,
        ...limits(),
      });
      return { ...report, exitCode: 0, problem: null, evidence: `failure issue: status ${status}, number ${data.number}` };
    } catch (fault) {
      return { ...report, problem: 'failed', evidence: `failure issue of ${operationId}: ${wordsOf(fault)}` };
    }
  }

  async find(operationId: string): Promise<Reading<Published>> {
    const frame = { source: 'github issues of our own account', readAt: this.now() };
    try {
      const login = await this.login();
      for (let page = 1; page <= PAGES_MAX; page++) {
        const { data } = await this.client.rest.issues.listForRepo({
          ...this.repository,
          creator: login,
          state: 'all',
          sort: 'created',
          direction: 'desc',
          per_page: PER_PAGE,
          page,
          ...limits(),
        });
        const found = data.find(({ user, body }) => user?.login === login && isAbout(body ?? '', operationId));
        if (found !== undefined) return { ...frame, kind: 'known', value: { url: found.html_url } };
        if (data.length < PER_PAGE) return { ...frame, kind: 'known', value: { url: null } };
      }
      return { ...frame, kind: 'unknown', why: 'truncated', detail: `more than ${PAGES_MAX} pages of our own issues` };
    } catch (fault) {
      return { ...frame, kind: 'unknown', why: 'unreachable', detail: wordsOf(fault) };
    }
  }
}

function markerOf(operationId: string, head: string): string {
  return `<!-- harbor:1 failure-of=${operationId} head=${head.slice(0, 16)} -->`;
}

/** The marker is our first line: what somebody quotes further down is not it. */
function isAbout(body: string, operationId: string): boolean {
  return new RegExp(`^<!-- harbor:1 failure-of=${operationId} head=\\S+ -->`).test(body);
}

function limits(): { readonly request: { readonly signal: AbortSignal } } {
  return { request: { signal: AbortSignal.timeout(TIMEOUT_MS) } };
}

function wordsOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : 'an unknown fault';
}
