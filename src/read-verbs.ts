import { resolve } from 'node:path';
import { readCredentials } from './adapters/credentials.js';
import { readMarkers, readMarkersOfRun, readSeries } from './adapters/finelog.js';
import { readRef, readWorktree } from './adapters/git.js';
import { readCoordinators, readJobState } from './adapters/iris.js';
import { readPods } from './adapters/kubernetes.js';
import { readLastStep } from './adapters/last-step.js';
import { readLaunchRecord } from './adapters/launcher.js';
import { readCheckpoints, readTrees } from './adapters/objectstore.js';
import type { Outside } from './adapters/outside.js';
import { combined } from './adapters/question.js';
import { readRunPods } from './adapters/run-pods.js';
import { readTrackerChild } from './adapters/tracker.js';
import { OpsError } from './errors.js';
import type { Reading } from './protocol/reading.js';

/** An argument of `harbor read` is missing or is not of its kind. Nothing was spawned. */
export class WrongArgumentError extends OpsError {
  readonly code = 'wrong_argument';
  override readonly exitCode = 2;
}

/** What may be typed beside a verb's own words. */
export interface VerbOptions {
  readonly metrics?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Milliseconds since 1970 UTC, or an instant with its zone. */
  readonly since?: string | undefined;
  readonly at?: string | undefined;
}

/** One verb of `harbor read`. Throws WrongArgumentError, or UnsafeArgumentError, before anything is spawned. */
export interface ReadVerb {
  readonly usage: string;
  readonly provider: string;
  /** Whether it asks more than its provider's executable. */
  readonly asksMany?: true;
  readonly read: (outside: Outside, family: string, words: readonly string[], options: VerbOptions) => Promise<Reading<unknown>>;
}

export const READ_VERBS: Readonly<Record<string, ReadVerb>> = {
  coordinators: {
    usage: 'coordinators [--family F]',
    provider: 'iris',
    read: (outside, family, words) => {
      noWords(words);
      return readCoordinators(outside, { family });
    },
  },
  'job-state': {
    usage: 'job-state ID',
    provider: 'iris',
    read: (outside, family, words) => readJobState(outside, { family, jobId: oneWord(words, 'a job id') }),
  },
  pods: {
    usage: 'pods RUN|ID',
    provider: 'kubernetes',
    read: (outside, family, words) => {
      const word = oneWord(words, 'a run id or a job id');
      return word.startsWith('/') ? readPods(outside, { family, jobId: word }) : readRunPods(outside, { family, runId: word });
    },
  },
  'last-step': {
    usage: 'last-step RUN [--since T]',
    provider: 'finelog',
    read: (outside, family, words, { since }) =>
      readLastStep(outside, { family, runId: oneWord(words, 'a run id'), sinceMs: instantOf(since) }),
  },
  series: {
    usage: 'series RUN --metrics a,b --from N --to M',
    provider: 'finelog',
    read: (outside, family, words, { metrics, from, to }) => {
      const runId = oneWord(words, 'a run id');
      const range = { from: stepOf(from, '--from'), to: stepOf(to, '--to') };
      if (range.from > range.to) throw new WrongArgumentError(`--from ${range.from} is after --to ${range.to}`);
      return readSeries(outside, { family, runId, metrics: namesOf(metrics), ...range });
    },
  },
  markers: {
    usage: 'markers RUN|ID [--since T]',
    provider: 'finelog',
    read: (outside, family, words, { since }) => {
      const word = oneWord(words, 'a run id or a job id');
      const sinceMs = instantOf(since);
      return word.startsWith('/')
        ? readMarkers(outside, { family, jobId: word, sinceMs })
        : readMarkersOfRun(outside, family, word, sinceMs);
    },
  },
  checkpoints: {
    usage: 'checkpoints TREE|RUN',
    provider: 'objectstore',
    read: (outside, family, words) => {
      const word = oneWord(words, 'the URL of a tree, or a run id');
      return word.includes('/') ? readTrees(outside, [word]) : readCheckpoints(outside, { family, runId: word });
    },
  },
  worktree: {
    usage: 'worktree DIR [--at REF]',
    provider: 'git',
    read: (outside, family, words, { at }) => readWorktreeAt(outside, family, resolve(oneWord(words, 'a folder')), at),
  },
  'launch-record': {
    usage: 'launch-record DIR',
    provider: 'git',
    read: (outside, family, words) => readLaunchRecord(outside, { family, dir: resolve(oneWord(words, 'a folder')) }),
  },
  'tracker-child': {
    usage: 'tracker-child RUN',
    provider: 'wandb',
    read: (outside, family, words) => readTrackerChild(outside, { family, runId: oneWord(words, 'a run id') }),
  },
  credentials: {
    usage: 'credentials',
    provider: 'iris',
    asksMany: true,
    read: (outside, family, words) => {
      noWords(words);
      return readCredentials(outside, { family });
    },
  },
};

/** A worktree, and whether its head is the commit that a ref names now. */
async function readWorktreeAt(outside: Outside, family: string, dir: string, ref: string | undefined): Promise<Reading<unknown>> {
  const worktree = await readWorktree(outside, { family, dir, remote: false });
  if (worktree.kind === 'unknown') return worktree;
  const { head, dirty } = worktree.value;
  if (ref === undefined) return { ...worktree, value: { dir, head, dirty } };
  const commit = await readRef(outside, family, dir, ref);
  if (commit.kind === 'unknown') return commit;
  return combined({ dir, head, dirty, at: { ref, commit: commit.value }, isAt: head === commit.value }, worktree, commit);
}

function noWords(words: readonly string[]): void {
  if (words.length > 0) throw new WrongArgumentError(`"${words[0]}" is one word too many`);
}

function oneWord(words: readonly string[], what: string): string {
  const [word, ...more] = words;
  if (word === undefined) throw new WrongArgumentError(`${what} is missing`);
  noWords(more);
  return word;
}

function stepOf(text: string | undefined, option: string): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw new WrongArgumentError(`${option} is a step, a whole number`);
  return Number(text);
}

function namesOf(text: string | undefined): readonly string[] {
  if (text === undefined || text === '') throw new WrongArgumentError('--metrics is a list of names with commas between');
  return text.split(',');
}

function instantOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const ms = /^\d{1,15}$/.test(text) ? Number(text) : /(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!(ms >= 0)) throw new WrongArgumentError(`--since ${text}: milliseconds since 1970 UTC, or an instant with its zone`);
  return ms;
}
