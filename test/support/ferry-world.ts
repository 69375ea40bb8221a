import type { Reader } from '../../src/engine/monitor.js';
import type { Actor } from '../../src/engine/worker.js';
import type { FerryJob, LaneTree, Pull, TrackedRun } from '../../src/protocol/ferry/outside.js';
import type { ActReport } from '../../src/protocol/outside.js';
import type { Entitlement } from '../../src/protocol/people.js';
import type { Reading, UnknownReason } from '../../src/protocol/reading.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { LAUNCH_COMMIT, LOG_PATH } from './ferry-plan.js';

interface Text {
  readonly number: number;
  readonly title: string;
  readonly labels: readonly string[];
  readonly body: string;
  readonly comments: string[];
  open: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * What is outside of ferries, in memory and in virtual time: a scheduler, a tracker, a remote, GitHub. It holds state,
 * answers the verbs, and can be told to fail. What an act did is seen here, whatever its report says.
 */
export class FerryWorld implements Reader, Actor {
  nowMs = Date.parse('2026-11-30T12:00:00Z');
  readonly acts: string[] = [];
  readonly unknown = new Map<string, UnknownReason>();
  readonly jobs: Mutable<FerryJob>[] = [];
  readonly runs: Mutable<TrackedRun>[] = [];
  readonly issues: Text[] = [];
  readonly tags = new Map<string, string>();
  readonly branches = new Map<string, { fileSha: string; text: string }>();
  readonly pulls: { branch: string; pull: Mutable<Pull> }[] = [];
  /** How people stand who are not members on their list. */
  readonly standings = new Map<string, Entitlement>();
  logLines: string[] = ['Traceback: it fell over'];
  artefactStep: number | null = 120;
  tree: Mutable<LaneTree> = { head: LAUNCH_COMMIT, dirty: [], pushed: true, hasFile: true, delta: [], commits: [] };
  /** What an act does: all of it, nothing, or all of it under a report that says otherwise; by verb. */
  readonly fails = new Map<string, 'does_nothing' | 'fails_after'>();
  submitTwice = false;
  orphans: 'gone' | 'alive' | 'unknown' = 'gone';
  stopTakes = true;

  now = (): Date => new Date(this.nowMs);

  advance(seconds: number): void {
    this.nowMs += seconds * 1000;
  }

  /** The job's work begins, and the tracker shows its run. */
  grants(metrics: Record<string, number> = {}, lastStep: number | null = 10): void {
    const job = this.jobs.at(-1);
    if (job === undefined) throw new Error('there is no job to grant');
    Object.assign(job, { state: 'running', grantedAtMs: this.nowMs });
    const date = this.submitted.get(job.jobId) ?? '';
    const lane = date.includes('canary') ? 'canary-ferry-moe-' : 'ferry_daily_125m_';
    const name = `${lane}${date}-1a2b3c`;
    this.runs.push({
      name,
      url: `https://tracker/${name}`,
      state: 'running',
      startedAtMs: this.nowMs,
      updatedAtMs: this.nowMs,
      lastStep,
      summary: metrics,
    });
  }

  private readonly submitted = new Map<string, string>();

  /** The run goes on in the tracker. */
  logs(lastStep: number, metrics: Record<string, number>, state: TrackedRun['state'] = 'running'): void {
    const run = this.runs.at(-1);
    if (run !== undefined) Object.assign(run, { lastStep, summary: { ...run.summary, ...metrics }, updatedAtMs: this.nowMs, state });
  }

  ends(state: FerryJob['state'], error: string | null = null): void {
    const job = this.jobs.at(-1);
    if (job !== undefined) Object.assign(job, { state, finishedAtMs: this.nowMs, error });
  }

  async read(verb: string, args: JsonObject): Promise<Reading<unknown>> {
    const base = { source: verb, readAt: this.now(), evidence: `${verb} at ${this.nowMs}` };
    const why = this.unknown.get(verb);
    if (why !== undefined) return { ...base, kind: 'unknown', why, detail: 'told to fail' };
    return { ...base, kind: 'known', value: this.value(verb, args) };
  }

  private value(verb: string, args: JsonObject): unknown {
    switch (verb) {
      case 'entitled':
        return this.standings.get(`${args.userId}`) ?? 'member';
      case 'lane_tree':
        return this.tree;
      case 'ferry_jobs':
        return this.jobs.filter(({ jobId }) => new RegExp(`/${args.name}(?:-[0-9a-f]{8})?$`).test(jobId)).map((job) => ({ ...job }));
      case 'ferry_runs':
        return this.runs.filter(({ name }) => name.startsWith(`${args.beginning}`)).map((run) => ({ ...run }));
      case 'ferry_artefacts':
        return { step: this.artefactStep };
      case 'ferry_analysis':
        return { metrics: { 'eval/bpb': 1.12509, 'eval/paloma/c4_en/bpb': null }, observations: ['no spike'] };
      case 'job_logs':
        return this.logLines;
      case 'tagged':
        return [];
      case 'marked_issue':
        return this.issueOf((issue) => issue.body.includes(`key=${args.key} `));
      case 'issue':
        return this.issueOf(({ number }) => number === args.number);
      case 'marked_comment': {
        const issue = this.issues.find(({ number }) => number === args.number);
        return issue?.comments.some((body) => body.includes(`key=${args.key} `)) === true
          ? { url: `https://github/${args.number}#c` }
          : null;
      }
      case 'remote_tag':
        return { commit: this.tags.get(`${args.tag}`) ?? null };
      case 'ferry_log':
        return { baseHead: 'a'.repeat(40), branch: this.branches.get(`${args.branch}`) ?? null };
      case 'ferry_pull':
        return this.pulls.find(({ branch }) => branch === args.branch)?.pull ?? null;
      default:
        throw new Error(`the world does not answer ${verb}`);
    }
  }

  private issueOf(fits: (issue: Text) => boolean) {
    const issue = this.issues.find(fits);
    return issue === undefined ? null : { number: issue.number, url: `https://github/${issue.number}`, open: issue.open };
  }

  async act(verb: string, args: JsonObject): Promise<ActReport> {
    this.acts.push(actWords(verb, args));
    const mode = this.fails.get(verb);
    const jobId = mode === 'does_nothing' ? null : this.perform(verb, args);
    const failed = mode === undefined ? { exitCode: 0, problem: null } : ({ exitCode: 1, problem: 'failed' } as const);
    return { ...failed, jobId: mode === undefined ? jobId : null, evidence: `${verb} done` };
  }

  private perform(verb: string, args: JsonObject): string | null {
    switch (verb) {
      case 'ferry_launch':
        return this.launch(`${args.name}`, `${args.run}`);
      case 'ferry_cancel': {
        const job = this.jobs.find(({ jobId }) => jobId === args.jobId);
        if (job !== undefined && this.stopTakes)
          Object.assign(job, { state: 'killed', finishedAtMs: this.nowMs, error: 'Terminated by user' });
        return null;
      }
      case 'file_issue':
        this.issues.push({
          number: 100 + this.issues.length,
          title: `${args.title}`,
          body: `${args.body}`,
          labels: args.labels as string[],
          comments: [],
          open: true,
        });
        return null;
      case 'comment_issue':
        this.issues.find(({ number }) => number === args.number)?.comments.push(`${args.body}`);
        return null;
      case 'push_tag':
        // As a remote does without force.
        if (!this.tags.has(`${args.tag}`)) this.tags.set(`${args.tag}`, `${args.commit}`);
        return null;
      case 'make_branch':
        this.branches.set(`${args.branch}`, { fileSha: 'f0', text: '# Log\n\n## Runs\n\n## 2026-11-29 (completed 2026-11-29)\n' });
        return null;
      case 'write_log': {
        const file = this.branches.get(`${args.branch}`);
        if (file?.fileSha === args.fileSha) this.branches.set(`${args.branch}`, { fileSha: 'f1', text: `${args.text}` });
        return null;
      }
      case 'open_pull':
        this.pulls.push({
          branch: `${args.branch}`,
          pull: { number: 900 + this.pulls.length, url: 'https://github/pull', open: true, labels: [], files: [LOG_PATH] },
        });
        return null;
      case 'label_pull': {
        const pull = this.pulls.find((each) => each.pull.number === args.number)?.pull;
        if (pull !== undefined) pull.labels = [...new Set([...pull.labels, ...(args.labels as string[])])];
        return null;
      }
      default:
        throw new Error(`the world does not do ${verb}`);
    }
  }

  private launch(name: string, run: string): string {
    const names = this.submitTwice ? [name, `${name}-0a1b2c3d`] : [name];
    for (const each of names) {
      const jobId = `/marin/${each}`;
      this.submitted.set(jobId, run);
      this.jobs.push({ jobId, state: 'pending', submittedAtMs: this.nowMs, grantedAtMs: null, finishedAtMs: null, error: null });
    }
    return `/marin/${name}`;
  }

  async isGone(): Promise<Reading<boolean>> {
    const base = { source: 'processes', readAt: this.now() };
    if (this.orphans === 'unknown') return { ...base, kind: 'unknown', why: 'failed', detail: 'told to fail' };
    return { ...base, kind: 'known', value: this.orphans === 'gone' };
  }
}

function actWords(verb: string, args: JsonObject): string {
  return `${verb} ${args.jobId ?? args.name ?? args.tag ?? args.branch ?? args.number ?? args.title ?? ''}`.trim();
}
