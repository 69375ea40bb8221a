import type { FerryActs, FerryReads, Knob, LaneTree } from '../protocol/ferry/outside.js';
import type { Reading } from '../protocol/reading.js';
import type { Deed } from './act.js';
import { checkedCommit, checkedDir, checkedRef } from './binding.js';
import { quoted } from './frames.js';
import { gitQuestion, parseCommits, QUIET, readDirty, readHead, SETTINGS } from './git.js';
import type { Outside } from './outside.js';
import { combined, notUnderstood, type Parsed, understood } from './question.js';

type Answer = Reading<LaneTree>;

/** A lane's checkout against a commit: where it stands, whether the remote has it, and what changed since the last ferry. */
export async function readLaneTree(outside: Outside, { lane, dir, commit, since }: FerryReads['lane_tree']['args']): Promise<Answer> {
  const { file, paths, repository } = outside.laneOf(lane);
  const head = await readHead(outside, dir);
  if (head.kind === 'unknown') return head;
  const at = checkedCommit(commit ?? head.value);
  const dirty = await readDirty(outside, dir);
  if (dirty.kind === 'unknown') return dirty;
  const remote = `refs/remotes/${checkedRef(repository.remote)}`;
  // By what was fetched last: a commit that the remote has had is one that everybody can find.
  const branches = await lines(outside, dir, 'for-each-ref', ['for-each-ref', '--format=%(refname)', `--contains=${at}`, remote]);
  if (branches.kind === 'unknown') return branches;
  const files = await lines(outside, dir, 'ls-tree', ['ls-tree', '--name-only', '--full-tree', at, '--', checkedRef(file)]);
  if (files.kind === 'unknown') return files;
  const tree = { head: head.value, dirty: dirty.value, pushed: branches.value.length > 0, hasFile: files.value.includes(file) };
  if (since === null) return combined({ ...tree, delta: [], commits: [] }, head, dirty, branches, files);
  const changes = await readChanges(outside, { dir, from: checkedCommit(since), to: at, file, paths });
  if (changes.kind === 'unknown') return changes;
  return combined({ ...tree, ...changes.value }, head, dirty, branches, files, changes);
}

type Changes = Pick<LaneTree, 'delta' | 'commits'>;

async function readChanges(
  outside: Outside,
  range: { dir: string; from: string; to: string; file: string; paths: readonly string[] },
): Promise<Reading<Changes>> {
  const { dir, from, to, file, paths } = range;
  const diff = await outside.ask({
    ...gitQuestion(outside, dir, 'diff', ['diff', '--unified=0', '--no-color', '--no-ext-diff', '--no-textconv', from, to, '--', file]),
    emptyIsAnswer: true,
    parse: (stdout): Parsed<readonly Knob[]> => understood(knobsOf(stdout, outside)),
  });
  if (diff.kind === 'unknown') return diff;
  const format = ['--reverse', '--topo-order', '--no-color', '--no-decorate', '--max-count=200', '--format=%H %s'];
  const log = await outside.ask({
    ...gitQuestion(outside, dir, 'log', ['log', '-z', ...format, `${from}..${to}`, '--', ...paths.map(checkedRef)]),
    emptyIsAnswer: true,
    parse: (stdout) => parseCommits(stdout, outside),
  });
  return log.kind === 'unknown' ? log : combined({ delta: diff.value, commits: log.value }, diff, log);
}

function lines(outside: Outside, dir: string, name: string, args: readonly string[]): Promise<Reading<readonly string[]>> {
  return outside.ask({
    ...gitQuestion(outside, dir, name, args),
    emptyIsAnswer: true,
    parse: (stdout) => understood(stdout.split('\n').filter((line) => line !== '')),
  });
}

/** Changed lines of a unified diff, each setting once, by its name; blank lines and comments are no settings. */
export function knobsOf(diff: string, { scrub }: Pick<Outside, 'scrub'>): readonly Knob[] {
  const knobs = new Map<string, { was: string | null; is: string | null }>();
  for (const line of diff.split('\n')) {
    const [, sign = '', text = ''] = /^([-+])(?![-+]{2} )\s*(.*?)\s*$/.exec(line) ?? [];
    if (sign === '' || text === '' || text.startsWith('#')) continue;
    const [, named = '', value = ''] = /^["']?([A-Za-z_][\w.]*)["']?\s*[:=](?!=)\s*(.+?),?$/.exec(text) ?? [];
    const name = named === '' ? text.slice(0, 80) : named;
    const knob = knobs.get(name) ?? { was: null, is: null };
    knobs.set(name, sign === '-' ? { ...knob, was: scrub(value || text) } : { ...knob, is: scrub(value || text) });
  }
  return [...knobs].map(([name, { was, is }]) => ({ name: scrub(name), was, is }));
}

/** The commit of a tag, as the remote says it now. Source: contracts/iris-and-ferries.md 6.3. */
export async function readRemoteTag(
  outside: Outside,
  { lane, dir, tag }: FerryReads['remote_tag']['args'],
): Promise<Reading<{ readonly commit: string | null }>> {
  const { remote } = outside.laneOf(lane).repository;
  const ref = `refs/tags/${checkedRef(tag)}`;
  return outside.ask({
    ...gitQuestion(outside, dir, 'ls-remote', ['ls-remote', '--tags', '--', checkedRef(remote), ref, `${ref}^{}`]),
    emptyIsAnswer: true,
    parse: (stdout) => parseTag(stdout, ref),
  });
}

function parseTag(stdout: string, ref: string): Parsed<{ readonly commit: string | null }> {
  let commit: string | null = null;
  for (const line of stdout.split('\n').filter((each) => each !== '')) {
    const [, sha = '', name = ''] = /^([0-9a-f]{40})\t(\S+)$/.exec(line) ?? [];
    if (sha === '') return notUnderstood('unparsable', `remote tag ${quoted(line)}`);
    // An annotated tag is listed twice; where it leads comes last and counts.
    if (name === ref || name === `${ref}^{}`) commit = sha;
  }
  return understood({ commit });
}

/** Pushes one commit as one tag. Without force: a remote that has the tag elsewhere refuses. */
export function pushTag(outside: Outside, { lane, dir, commit, tag }: FerryActs['push_tag']): Deed {
  const { remote } = outside.laneOf(lane).repository;
  const refspec = `${checkedCommit(commit)}:refs/tags/${checkedRef(tag)}`;
  const args = [...SETTINGS, 'push', '--no-verify', '--porcelain', '--', checkedRef(remote), refspec];
  return { command: outside.commands.git, args, cwd: checkedDir(dir), env: { ...QUIET, GIT_OPTIONAL_LOCKS: '1' } };
}
