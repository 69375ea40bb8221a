import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Desk } from '../../../src/local/desk/desk.js';
import { GITHUB, openDesk, TOKENS } from './support/small-bot.js';

let desk: Desk;
let bot: Octokit;
let issue: { owner: string; repo: string; issue_number: number };

beforeAll(async () => {
  desk = await openDesk();
  bot = new Octokit({ auth: TOKENS.githubToken, baseUrl: desk.githubApiUrl, log: silent });
  issue = { owner: GITHUB.owner, repo: GITHUB.repository, issue_number: desk.issueNumber };
});
afterAll(() => desk.stop());

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

test('the bot and the launch script comment under their own names', async () => {
  const operator = new Octokit({ auth: TOKENS.ghToken, baseUrl: desk.githubApiUrl });
  const created = await bot.issues.createComment({ ...issue, body: '<!-- harbor:1 key=a -->planned' });
  await operator.issues.createComment({ ...issue, body: 'launched' });

  expect(created.status).toBe(201);
  expect((await bot.users.getAuthenticated()).data.login).toBe('harbormaster[bot]');
  expect((await desk.issue()).comments.map(({ author, body }) => [author, body])).toEqual([
    ['harbormaster[bot]', '<!-- harbor:1 key=a -->planned'],
    ['marin-ops', 'launched'],
  ]);
});

test('the body and the labels of the status issue can be set', async () => {
  await bot.issues.update({ ...issue, body: 'all quiet', labels: ['hero'] });

  expect(await desk.issue()).toMatchObject({ title: 'Hero status', body: 'all quiet', labels: ['hero'] });
});

test('comments are paged through links that lead back to the desk, and from a time on', async () => {
  for (let index = 0; index < 7; index += 1) await bot.issues.createComment({ ...issue, body: `line ${index}` });
  const all = await bot.paginate(bot.issues.listComments, { ...issue, per_page: 3 });
  const first = await bot.issues.listComments({ ...issue, per_page: 3 });
  const since = String(all.at(-2)?.updated_at);

  expect(all.filter(({ body }) => body?.startsWith('line ')).map(({ body }) => body)).toEqual(
    [0, 1, 2, 3, 4, 5, 6].map((n) => `line ${n}`),
  );
  expect(first.headers.link).toContain(`<${desk.githubApiUrl}/repos/`);
  const later = await bot.issues.listComments({ ...issue, since });
  expect(later.data.every(({ updated_at }) => updated_at >= since)).toBe(true);
  expect(later.data.length).toBeLessThan(all.length);
});

test('what GitHub refuses is refused: an unknown token, a comment too long, an empty one', async () => {
  const stranger = new Octokit({ auth: 'ghp_stranger', baseUrl: desk.githubApiUrl, log: silent });

  await expect(stranger.issues.createComment({ ...issue, body: 'x' })).rejects.toMatchObject({ status: 401 });
  await expect(bot.issues.createComment({ ...issue, body: 'x'.repeat(65_537) })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('body is too long (maximum is 65536 characters)'),
  });
  await expect(bot.issues.createComment({ ...issue, body: '' })).rejects.toMatchObject({ status: 422 });
});

test('an issue can be locked without a body', async () => {
  await expect(bot.issues.lock(issue)).resolves.toMatchObject({ status: 204 });
  await expect(bot.issues.unlock(issue)).resolves.toMatchObject({ status: 204 });
});

test('a reply that is lost after the write leaves exactly one comment', async () => {
  desk.fault({ sink: 'github', method: 'POST /comments', kind: 'drop_after_write', times: 1 });

  await expect(bot.issues.createComment({ ...issue, body: 'written, not heard of' })).rejects.toThrow();

  expect((await desk.issue()).comments.filter(({ body }) => body === 'written, not heard of')).toHaveLength(1);
});

test('a secondary limit says how long to wait', async () => {
  desk.fault({
    sink: 'github',
    method: 'POST',
    kind: 'status',
    status: 403,
    headers: { 'retry-after': '60' },
    error: 'You have exceeded a secondary rate limit',
    times: 1,
  });

  await expect(bot.issues.createComment({ ...issue, body: 'x' })).rejects.toMatchObject({
    status: 403,
    response: { headers: { 'retry-after': '60' } },
  });
});
