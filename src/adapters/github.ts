import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { FerryActs, FerryLog, FerryReads, IssueState, Pull, Tagged } from '../protocol/ferry/outside.js';
import type { Known, Reading } from '../protocol/reading.js';
import type { Deed } from './act.js';
import { checkedRef, checkedWholeNumber } from './binding.js';
import { parseJson } from './frames.js';
import type { Outside } from './outside.js';
import { combined, doubtOf, type Question, understood } from './question.js';

/**
 * GitHub by `gh api`, with its own login: what we wrote is ours only when that login wrote it. An answer holds far more
 * fields than are read here, and new ones come without notice, so that its objects are not strict.
 */

const PAGE = 100;
const PAGES_MAX = 20;

const User = z.looseObject({ login: z.string() });
const Label = z.looseObject({ name: z.string() });
const Issue = z.looseObject({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  state: z.enum(['open', 'closed']),
  updated_at: z.string(),
  body: z.string().nullish(),
  user: User.nullish(),
  pull_request: z.unknown().optional(),
});
const Comment = z.looseObject({ html_url: z.string(), body: z.string().nullish(), user: User.nullish() });
const Ref = z.looseObject({ ref: z.string(), object: z.looseObject({ sha: z.string() }) });
const Content = z.looseObject({ sha: z.string(), encoding: z.literal('base64'), content: z.string() });
const PullRow = z.looseObject({
  number: z.int(),
  html_url: z.string(),
  state: z.enum(['open', 'closed']),
  labels: z.array(Label),
  head: z.looseObject({ ref: z.string() }),
});
const File = z.looseObject({ filename: z.string() });
const Failed = z.looseObject({ message: z.string() });

/** The hidden line by which a text of ours is found again. */
export function markerLine(key: string): string {
  return `<!-- harbor:ferry:1 key=${key} -->`;
}

export async function readTagged(outside: Outside, { lane, since }: FerryReads['tagged']['args']): Promise<Reading<readonly Tagged[]>> {
  const { labels } = outside.laneOf(lane);
  const query = new URLSearchParams({ state: 'all', labels: labels.proposal.slice(0, 1).join(','), ...(since === null ? {} : { since }) });
  const issues = await readAll(outside, 'issues', `issues?${query}`, Issue);
  if (issues.kind === 'unknown') return issues;
  const tagged = issues.value.map(({ number, title, html_url, pull_request, updated_at }) => ({
    number,
    title: outside.scrub(title),
    url: html_url,
    pull: pull_request !== undefined,
    updatedAt: updated_at,
  }));
  return { ...issues, value: tagged };
}

export async function readMarkedIssue(
  outside: Outside,
  { key, labels }: FerryReads['marked_issue']['args'],
): Promise<Reading<IssueState | null>> {
  const login = await readLogin(outside);
  if (login.kind === 'unknown') return login;
  const query = new URLSearchParams({
    state: 'all',
    ...(labels.length === 0 ? { creator: login.value } : { labels: labels.slice(0, 1).join(',') }),
  });
  const issues = await readAll(outside, 'issues', `issues?${query}`, Issue);
  if (issues.kind === 'unknown') return issues;
  const own = issues.value.filter(({ user, body }) => user?.login === login.value && (body ?? '').includes(markerLine(key)));
  const [first, ...more] = own;
  if (more.length > 0)
    return doubtOf('inconsistent', `issues ${own.map(({ number }) => number).join(', ')} carry one marker`, login, issues);
  return combined(first === undefined ? null : stateOf(first), login, issues);
}

export function readIssue(outside: Outside, { number }: FerryReads['issue']['args']): Promise<Reading<IssueState>> {
  return outside.ask({
    ...question(outside, 'issue', `issues/${checkedWholeNumber(number)}`),
    parse: (stdout) => {
      const issue = parseJson(stdout, Issue);
      return issue.kind === 'not_understood' ? issue : understood(stateOf(issue.value));
    },
  });
}

function stateOf({ number, html_url, state }: z.infer<typeof Issue>): IssueState {
  return { number, url: html_url, open: state === 'open' };
}

export async function readMarkedComment(
  outside: Outside,
  { number, key }: FerryReads['marked_comment']['args'],
): Promise<Reading<{ readonly url: string } | null>> {
  const login = await readLogin(outside);
  if (login.kind === 'unknown') return login;
  const comments = await readAll(outside, 'comments', `issues/${checkedWholeNumber(number)}/comments?`, Comment);
  if (comments.kind === 'unknown') return comments;
  const own = comments.value.find(({ user, body }) => user?.login === login.value && (body ?? '').includes(markerLine(key)));
  return combined(own === undefined ? null : { url: own.html_url }, login, comments);
}

/** The log as the base and as our branch have it. That there is no branch yet is an answer; that there is no base is none. */
export async function readFerryLog(outside: Outside, { lane, branch, path }: FerryReads['ferry_log']['args']): Promise<Reading<FerryLog>> {
  const base = await readRef(outside, outside.laneOf(lane).repository.branch);
  if (base.kind === 'unknown') return base;
  if (base.value === null) return doubtOf('inconsistent', 'GitHub has no base branch', base);
  const own = await readRef(outside, branch);
  if (own.kind === 'unknown') return own;
  if (own.value === null) return combined({ baseHead: base.value, branch: null }, base, own);
  const file = await outside.ask({
    ...question(outside, 'contents', `contents/${checkedRef(path)}?${new URLSearchParams({ ref: branch })}`),
    exitCodes: [0, 1],
    parse: (stdout, exitCode) => foundOr(stdout, exitCode, Content),
  });
  if (file.kind === 'unknown') return file;
  const { value } = file;
  const text = value === null ? '' : Buffer.from(value.content, 'base64').toString('utf8');
  return combined({ baseHead: base.value, branch: { fileSha: value?.sha ?? '', text } }, base, own, file);
}

function readRef(outside: Outside, branch: string): Promise<Reading<string | null>> {
  return outside.ask({
    ...question(outside, 'ref', `git/ref/heads/${checkedRef(branch)}`),
    exitCodes: [0, 1],
    parse: (stdout, exitCode) => {
      const ref = foundOr(stdout, exitCode, Ref);
      return ref.kind === 'not_understood' ? ref : understood(ref.value?.object.sha ?? null);
    },
  });
}

export async function readFerryPull(outside: Outside, { branch }: FerryReads['ferry_pull']['args']): Promise<Reading<Pull | null>> {
  const [owner = ''] = outside.repository.split('/');
  const query = new URLSearchParams({ head: `${owner}:${checkedRef(branch)}`, state: 'all' });
  const pulls = await readAll(outside, 'pulls', `pulls?${query}`, PullRow);
  if (pulls.kind === 'unknown') return pulls;
  const [pull, ...more] = pulls.value.filter(({ head }) => head.ref === branch);
  if (pull === undefined) return { ...pulls, value: null };
  if (more.length > 0) return doubtOf('inconsistent', `${more.length + 1} pull requests of ${branch}`, pulls);
  const files = await readAll(outside, 'pull files', `pulls/${pull.number}/files?`, File);
  if (files.kind === 'unknown') return files;
  const { number, html_url, state, labels } = pull;
  const value = {
    number,
    url: html_url,
    open: state === 'open',
    labels: labels.map(({ name }) => name),
    files: files.value.map(({ filename }) => filename),
  };
  return combined(value, pulls, files);
}

function readLogin(outside: Outside): Promise<Reading<string>> {
  return outside.ask({
    name: 'gh api user',
    command: outside.commands.gh,
    args: ['api', '--method', 'GET', 'user'],
    parse: (stdout) => {
      const user = parseJson(stdout, User);
      return user.kind === 'not_understood' ? user : understood(user.value.login);
    },
  });
}

/** All pages of a list, or unknown: a full last page is never taken for the end. */
async function readAll<T>(outside: Outside, name: string, path: string, shape: z.ZodType<T>): Promise<Reading<readonly T[]>> {
  const pages: Known<readonly T[]>[] = [];
  const glue = path.endsWith('?') ? '' : '&';
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const reading = await outside.ask({
      ...question(outside, name, `${path}${glue}per_page=${PAGE}&page=${page}`),
      parse: (stdout) => parseJson<readonly T[]>(stdout, z.array(shape)),
    });
    if (reading.kind === 'unknown') return reading;
    pages.push(reading);
    if (reading.value.length < PAGE) {
      const [first = reading, ...more] = pages;
      return combined(
        pages.flatMap(({ value }) => value),
        first,
        ...more,
      );
    }
  }
  const [first, ...more] = pages;
  if (first === undefined) throw new TypeError('no page was read');
  return doubtOf('truncated', `more than ${PAGES_MAX * PAGE} ${name}`, first, ...more);
}

/** `gh` exits 1 for everything that is not 2xx, and prints GitHub's own words: only "Not Found" means that it is not there. */
function foundOr<T>(stdout: string, exitCode: number, shape: z.ZodType<T>) {
  if (exitCode === 0) return parseJson<T>(stdout, shape);
  const failed = parseJson(stdout, Failed);
  if (failed.kind === 'not_understood') return failed;
  if (failed.value.message === 'Not Found') return understood(null);
  return { kind: 'not_understood', why: 'failed', detail: failed.value.message } as const;
}

function question(outside: Outside, name: string, path: string): Omit<Question<never>, 'parse'> {
  return {
    name: `gh api ${name}`,
    command: outside.commands.gh,
    args: ['api', '--method', 'GET', `repos/${outside.repository}/${path}`],
  };
}

export function fileIssue(outside: Outside, { title, body, labels }: FerryActs['file_issue']): Deed {
  return write(outside, 'POST', 'issues', { title, body, labels });
}

export function commentIssue(outside: Outside, { number, body }: FerryActs['comment_issue']): Deed {
  return write(outside, 'POST', `issues/${checkedWholeNumber(number)}/comments`, { body });
}

export function makeBranch(outside: Outside, { branch, head }: FerryActs['make_branch']): Deed {
  return write(outside, 'POST', 'git/refs', { ref: `refs/heads/${checkedRef(branch)}`, sha: head });
}

/** GitHub refuses it with 409 when the file is not the one that was read. */
export function writeLog(outside: Outside, { branch, path, fileSha, text, message }: FerryActs['write_log']): Deed {
  const content = Buffer.from(text, 'utf8').toString('base64');
  const sha = fileSha === '' ? {} : { sha: fileSha };
  return write(outside, 'PUT', `contents/${checkedRef(path)}`, { message, branch: checkedRef(branch), content, ...sha });
}

export function openPull(outside: Outside, { lane, branch, title, body }: FerryActs['open_pull']): Deed {
  return write(outside, 'POST', 'pulls', { title, body, head: checkedRef(branch), base: outside.laneOf(lane).repository.branch });
}

export function labelPull(outside: Outside, { number, labels }: FerryActs['label_pull']): Deed {
  return write(outside, 'POST', `issues/${checkedWholeNumber(number)}/labels`, { labels });
}

/** The body goes by a file: a log is longer than an argument may be. */
function write(outside: Outside, method: 'POST' | 'PUT', path: string, body: unknown): Deed {
  const file = join(tmpdir(), `harbor-${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(body), { mode: 0o600, flag: 'wx' });
  return {
    command: outside.commands.gh,
    args: ['api', '--method', method, `repos/${outside.repository}/${path}`, '--input', file],
    after: () => rmSync(file, { force: true }),
  };
}
