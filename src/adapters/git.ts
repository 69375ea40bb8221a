import type { Commit, Reads, Worktree } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import { checkedCommit, checkedDir, checkedRef } from './binding.js';
import { quoted } from './frames.js';
import type { Outside } from './outside.js';
import { combined, doubtOf, notUnderstood, type Parsed, type Question, understood } from './question.js';

const DIRTY_MAX = 20;
const COMMITS_MAX = 1_000;
const FILES_BYTES_MAX = 64 * 1024 * 1024;

/** Never a question on a terminal, never a write behind a read, never a program named by the worktree's own settings. */
export const QUIET = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GCM_INTERACTIVE: 'never', LC_ALL: 'C' };
/** Settings that let no program of a repository's own run. */
export const SETTINGS = ['-c', 'core.fsmonitor=false', '-c', 'core.untrackedCache=false', '-c', 'log.showSignature=false'];

/** A worktree: its head, what is changed in it, and, unless it is left out, where its remote branch is this moment. */
export async function readWorktree(
  outside: Outside,
  { family, dir, remote: asked }: Reads['worktree']['args'],
): Promise<Reading<Worktree>> {
  const { remote, branch } = outside.familyOf(family).repository;
  const head = await readHead(outside, dir);
  if (head.kind === 'unknown') return head;
  const dirty = await readDirty(outside, dir);
  if (dirty.kind === 'unknown') return dirty;
  if (asked === false) return combined({ dir, head: head.value, dirty: dirty.value, remoteHead: null }, head, dirty);
  const remoteHead = await readRemoteHead(outside, dir, remote, branch);
  if (remoteHead.kind === 'unknown') return remoteHead;
  return combined({ dir, head: head.value, dirty: dirty.value, remoteHead: remoteHead.value }, head, dirty, remoteHead);
}

/**
 * Paths in which a worktree differs from its head, and those of which git was told not to look whether they do
 * (`update-index --assume-unchanged`, `--skip-worktree`, a sparse checkout): its status has nothing to say of these.
 */
export async function readDirty(outside: Outside, dir: string): Promise<Reading<readonly string[]>> {
  const args = ['status', '--porcelain=v1', '-z', '--branch', '--untracked-files=all', '--ignore-submodules=none'];
  const changed = await outside.ask({ ...gitQuestion(outside, dir, 'status', args), parse: parseStatus });
  if (changed.kind === 'unknown') return changed;
  const hidden = await outside.ask({
    ...gitQuestion(outside, dir, 'ls-files', ['ls-files', '-v', '-z']),
    outputBytesMax: FILES_BYTES_MAX,
    parse: parseHidden,
  });
  if (hidden.kind === 'unknown') return hidden;
  return combined([...changed.value, ...hidden.value].slice(0, DIRTY_MAX), changed, hidden);
}

/** Commits reachable from `to` and not from `from`, oldest first, with a count that must agree. */
export async function readCommits(outside: Outside, { dir, from, to }: Reads['commits']['args']): Promise<Reading<readonly Commit[]>> {
  const range = `${checkedCommit(from)}..${checkedCommit(to)}`;
  const count = await outside.ask({ ...gitQuestion(outside, dir, 'rev-list', ['rev-list', '--count', range]), parse: parseCount });
  if (count.kind === 'unknown') return count;
  if (count.value >= COMMITS_MAX) return doubtOf('truncated', `${count.value} commits are more than anybody can agree to`, count);
  const log = await outside.ask({
    ...gitQuestion(outside, dir, 'log', ['log', '-z', '--reverse', '--topo-order', '--no-color', '--no-decorate', '--format=%H %s', range]),
    emptyIsAnswer: true,
    parse: (stdout) => parseCommits(stdout, outside),
  });
  if (log.kind === 'unknown') return log;
  if (log.value.length !== count.value)
    return doubtOf('inconsistent', `${count.value} commits counted, ${log.value.length} listed`, count, log);
  return combined(log.value, count, log);
}

/** The commit that a worktree has checked out. A folder inside another repository is not a worktree. */
export function readHead(outside: Outside, dir: string): Promise<Reading<string>> {
  return outside.ask({
    ...gitQuestion(outside, dir, 'rev-parse', ['rev-parse', '--show-prefix', 'HEAD^{commit}']),
    parse: parseHead,
  });
}

/** The commit that a ref names now: a branch of the family's remote is asked of the remote, anything else of the worktree. */
export function readRef(outside: Outside, family: string, dir: string, ref: string): Promise<Reading<string>> {
  const { remote } = outside.familyOf(family).repository;
  const checked = checkedRef(ref);
  if (checked.startsWith(`${remote}/`)) return readRemoteHead(outside, dir, remote, checked.slice(remote.length + 1));
  return outside.ask({
    ...gitQuestion(outside, dir, `rev-parse ${checked}`, ['rev-parse', '--verify', '--end-of-options', `${checked}^{commit}`]),
    parse: (stdout) => {
      const [, commit = ''] = /^([0-9a-f]+)\n$/.exec(stdout) ?? [];
      return isCommit(commit) ? understood(commit) : notUnderstood('unparsable', `commit ${quoted(stdout)}`);
    },
  });
}

function readRemoteHead(outside: Outside, dir: string, remote: string, branch: string): Promise<Reading<string>> {
  const ref = `refs/heads/${branch}`;
  return outside.ask({
    ...gitQuestion(outside, dir, 'ls-remote', ['ls-remote', '--exit-code', '--', remote, ref]),
    parse: (stdout) => parseRemote(stdout, ref),
  });
}

/** The bytes of a file as a commit has them, whatever the worktree holds. */
export function readFileAt(outside: Outside, dir: string, commit: string, path: string): Promise<Reading<string>> {
  return outside.ask({
    ...gitQuestion(outside, dir, `show ${path}`, ['cat-file', 'blob', `${checkedCommit(commit)}:${path}`]),
    parse: understood,
  });
}

function parseHead(stdout: string): Parsed<string> {
  // First the place inside the worktree, which is empty at its top; then the commit.
  const [prefix, head = '', ...rest] = stdout.split('\n');
  if (!isCommit(head) || rest.join('') !== '') return notUnderstood('unparsable', `head ${quoted(stdout)}`);
  return prefix === ''
    ? understood(head)
    : notUnderstood('inconsistent', `not the top of a worktree, but ${quoted(prefix ?? '')} inside one`);
}

/** Changed paths. The branch line is always printed, so that a clean worktree is not silence. */
function parseStatus(stdout: string): Parsed<readonly string[]> {
  const [branch = '', ...entries] = stdout.split('\0');
  if (!branch.startsWith('## ') || entries.pop() !== '') return notUnderstood('unparsable', `status ${quoted(stdout)}`);
  const dirty: string[] = [];
  for (let index = 0; index < entries.length; index += 1) {
    const [, kind = '', path = ''] = /^([ MTADRCU?!]{2}) ([\s\S]+)$/.exec(entries[index] ?? '') ?? [];
    if (path === '') return notUnderstood('unparsable', `status entry ${quoted(entries[index] ?? '')}`);
    dirty.push(path);
    if (/[RC]/.test(kind)) index += 1; // followed by where it came from
  }
  return understood(dirty);
}

/** Tracked files with a letter each: small where a file is assumed unchanged, `S` where it is skipped. */
function parseHidden(stdout: string): Parsed<readonly string[]> {
  const entries = stdout.split('\0');
  if (entries.pop() !== '') return notUnderstood('unparsable', `files ${quoted(stdout)}`);
  const strange = entries.find((entry) => !/^[A-Za-z?] [\s\S]/.test(entry));
  if (strange !== undefined) return notUnderstood('unparsable', `file ${quoted(strange)}`);
  const hidden = entries.filter((entry) => /^[a-zS]/.test(entry));
  return understood(hidden.map((entry) => `${entry.slice(2)} (git was told not to look at it)`));
}

function parseRemote(stdout: string, ref: string): Parsed<string> {
  const [, head = '', name] = /^([0-9a-f]{40,64})\t(\S+)\n$/.exec(stdout) ?? [];
  return isCommit(head) && name === ref ? understood(head) : notUnderstood('unparsable', `remote head ${quoted(stdout)}`);
}

function parseCount(stdout: string): Parsed<number> {
  return /^\d{1,9}\n$/.test(stdout) ? understood(Number(stdout)) : notUnderstood('unparsable', `count ${quoted(stdout)}`);
}

/** Records of `%H %s`, ended by NUL. */
export function parseCommits(stdout: string, outside: Outside): Parsed<readonly Commit[]> {
  const commits: Commit[] = [];
  for (const record of stdout.split('\0').filter((line) => line !== '')) {
    const [, sha = '', subject = ''] = /^([0-9a-f]{40,64}) ([\s\S]*)$/.exec(record) ?? [];
    if (!isCommit(sha)) return notUnderstood('unparsable', `commit ${quoted(record)}`);
    commits.push({ sha, subject: outside.scrub(subject) });
  }
  return understood(commits);
}

function isCommit(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

/** A question to git in a folder: quiet, read-only, and with no program of the folder's own settings. */
export function gitQuestion(outside: Outside, dir: string, name: string, args: readonly string[]): Omit<Question<never>, 'parse'> {
  return { name: `git ${name}`, command: outside.commands.git, args: [...SETTINGS, ...args], cwd: checkedDir(dir), env: QUIET };
}
