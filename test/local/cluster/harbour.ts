import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Cluster, type ClusterOptions, startCluster } from '../../../src/local/cluster/cluster.js';
import { listen } from '../../../src/local/cluster/endpoint.js';
import type { Prepared } from '../../../src/local/cluster/prepare.js';
import type { RunView } from '../../../src/local/cluster/state.js';
import type { Change } from '../../../src/local/cluster/template.js';

/** Durations of the tests' clusters against those of the page: steps of some 30 ms. */
export const PACE = 0.2;

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A cluster of a test, with a GitHub of its own that keeps what is posted to it. */
export interface Harbour {
  readonly cluster: Cluster;
  readonly comments: readonly string[];
  /** Runs an executable, or any other program, with the cluster's on the search path. */
  run(program: string, args: readonly string[], options?: { cwd?: string; env?: Record<string, string> }): Promise<Ran>;
  launchScript(dir: string, ...args: string[]): Promise<Ran>;
  query(sql: string): Promise<Record<string, unknown>[]>;
  prepare(change: Change): Promise<Prepared>;
  runView(runId: string): RunView;
  /** Waits until a run has a checkpoint that is permanent and complete: some steps after the one that it holds. */
  permanent(runId: string): Promise<void>;
  /** Swaps the live run for a prepared change, as a person would. */
  swap(change: Change): Promise<Prepared>;
  stop(): Promise<void>;
}

/** Polls until the condition holds. Throws when it does not in time. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 120_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not in ${timeoutMs} ms: ${what}`);
    await wait(20);
  }
}

/** Runs a program to its end, whatever its exit code. */
export function execute(program: string, args: readonly string[], options: { cwd?: string; env: NodeJS.ProcessEnv }): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, [...args], { ...options, timeout: 120_000, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : null, stdout, stderr });
    });
  });
}

/** Starts a cluster in a fresh folder. */
export async function startHarbour(options: Partial<ClusterOptions> = {}): Promise<Harbour> {
  const home = await mkdtemp(join(tmpdir(), 'harbour-'));
  const comments: string[] = [];
  const github = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      comments.push((JSON.parse(body) as { body: string }).body);
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ html_url: `https://github.example${request.url}/${comments.length}` }));
    });
  });
  const port = await listen(github);
  const cluster = await startCluster({
    home,
    pace: PACE,
    gangTasks: 2,
    github: { apiUrl: `http://127.0.0.1:${port}`, token: 'gh-token', repository: 'marin-community/marin', issue: 8506 },
    ...options,
  });
  const env = { PATH: `${cluster.bin}:${process.env.PATH}`, HOME: home };

  const harbour: Harbour = {
    cluster,
    comments,
    run: (program, args, more = {}) => execute(program, args, { cwd: more.cwd ?? home, env: { ...env, ...more.env } }),
    launchScript: (dir, ...args) =>
      harbour.run('bash', ['experiments/grug/moe_hero_ep/trigger_hero.sh', ...args], { cwd: dir, env: { WANDB_API_KEY: 'key' } }),
    query: async (sql) => {
      const { stdout } = await harbour.run('finelog', ['query', 'cw-us-east-08a', sql]);
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    prepare: async (change) => (await cluster.control({ kind: 'prepare', change })) as Prepared,
    runView: (runId) => {
      const view = cluster.state().runs.find((run) => run.runId === runId);
      if (view === undefined) throw new Error(`no run ${runId}`);
      return view;
    },
    permanent: (runId) =>
      until(`${runId} has a permanent checkpoint`, () =>
        (cluster.state().checkpoints[runId] ?? []).some(({ complete, permanent }) => complete && permanent),
      ),
    swap: async (change) => {
      const prepared = await harbour.prepare(change);
      await harbour.launchScript(prepared.deployWorktree, 'fork-wandb');
      const control = cluster.state().coordinators.find((row) => row.runId === prepared.controlRunId && row.finishedAtMs === null);
      await harbour.run('iris', ['--cluster', 'marin', 'job', 'stop', '--exact', control?.jobId ?? '']);
      await until('the control is gone', () => !harbour.runView(prepared.controlRunId).live);
      const launched = await harbour.launchScript(prepared.deployWorktree, 'launch');
      if (launched.code !== 0) throw new Error(launched.stderr);
      return prepared;
    },
    stop: async () => {
      await cluster.stop();
      github.closeAllConnections();
      await new Promise((resolve) => github.close(resolve));
      await rm(home, { recursive: true, force: true });
    },
  };
  return harbour;
}
