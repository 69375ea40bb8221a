import type { Octokit } from '@octokit/rest';
import { LABEL_PREFIX, withBlock } from '../render/status-block.js';

/** What the status issue is to say of how things stand. */
export interface Standing {
  /** The block, for an issue with so many comments. */
  readonly block: (comments: number) => string;
  readonly label: string;
}

/** Edits of a body notify nobody, but are counted: not more often than this. */
const PACE_MS = 5_000;
const FAILED_MS = 60_000;
const TIMEOUT_MS = 10_000;

interface Target {
  owner: string;
  repo: string;
  issue_number: number;
}

/**
 * Keeps the block in the status issue's body, and one label. It says nothing that is not in the comments too: when it
 * cannot be written, it is written later, and nothing waits for it.
 */
export class IssueBody {
  private written: string | null = null;
  private notBeforeMs = 0;

  constructor(
    private readonly client: { readonly rest: Pick<Octokit['rest'], 'issues'> },
    /** Changed in place when the issue was transferred: whoever comments there follows. */
    private readonly target: Target,
    private readonly standing: () => Standing,
    private readonly now: () => Date,
  ) {}

  async flush(): Promise<void> {
    const nowMs = this.now().getTime();
    const { block, label } = this.standing();
    const wanted = `${this.target.issue_number}\n${block(0)}\n${label}`;
    if (wanted === this.written || nowMs < this.notBeforeMs) return;
    try {
      await this.write(block, label);
      this.written = wanted;
      this.notBeforeMs = nowMs + PACE_MS;
    } catch {
      // Locked, gone, limited or unreachable: what matters of it is met, and said, by the comments.
      this.notBeforeMs = nowMs + FAILED_MS;
    }
  }

  private async write(block: Standing['block'], label: string): Promise<void> {
    const { data } = await this.client.rest.issues.get({ ...this.target, ...limits() });
    this.follow(data.repository_url, data.number);
    const before = data.body ?? '';
    const body = withBlock(before, block(data.comments));
    if (body !== null && body !== before) await this.client.rest.issues.update({ ...this.target, body, ...limits() });
    const names = data.labels.map((each) => (typeof each === 'string' ? each : (each.name ?? '')));
    if (!names.includes(label)) await this.client.rest.issues.addLabels({ ...this.target, labels: [label], ...limits() });
    for (const name of names.filter((each) => each.startsWith(LABEL_PREFIX) && each !== label)) {
      await this.client.rest.issues.removeLabel({ ...this.target, name, ...limits() });
    }
  }

  /** A transferred issue answers under its old number by a redirect; its comments do not. */
  private follow(repositoryUrl: string | undefined, number: number): void {
    const [, owner, repo] = /\/repos\/([^/]+)\/([^/]+)$/.exec(repositoryUrl ?? '') ?? [];
    if (owner === undefined || repo === undefined) return;
    Object.assign(this.target, { owner, repo, issue_number: number });
  }
}

function limits(): { readonly request: { readonly signal: AbortSignal } } {
  return { request: { signal: AbortSignal.timeout(TIMEOUT_MS) } };
}
