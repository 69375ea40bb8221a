import { generateKeyPairSync } from 'node:crypto';
import { createEmulator, type Emulator } from 'emulate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGithub } from '../src/github.js';
import { onFreePort } from '../src/local/desk/web.js';
import { GithubIssue, keysIn } from '../src/outbox/github.js';
import { say } from '../src/render/text.js';
import { FaultProxy } from './wire/fault-proxy.js';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

const SEED = {
  tokens: { ghp_of_a_person: { login: 'harbor-user' } },
  github: {
    users: [{ login: 'harbor-user' }],
    orgs: [{ login: 'marin', members: [{ login: 'harbor-user', role: 'admin' }] }],
    repos: [{ owner: 'marin', name: 'runs' }],
    apps: [
      {
        app_id: 77,
        slug: 'harbormaster',
        name: 'Harbormaster',
        private_key: privateKey,
        permissions: { issues: 'write', metadata: 'read' },
        installations: [{ installation_id: 7, account: 'marin', repository_selection: 'all' }],
      },
    ],
  },
};

let emulator: Emulator;
let proxy: FaultProxy;
beforeAll(async () => {
  const port = await onFreePort(async (free) => {
    emulator = await createEmulator({ service: 'github', port: free, seed: SEED });
    return free;
  });
  proxy = await FaultProxy.before(`http://127.0.0.1:${port}`);
  const response = await fetch(`http://127.0.0.1:${port}/repos/marin/runs/issues`, {
    method: 'POST',
    headers: { authorization: 'Bearer ghp_of_a_person', 'content-type': 'application/json' },
    body: '{"title":"Status"}',
  });
  expect(response.status).toBe(201);
});
afterAll(async () => {
  await proxy.close();
  await emulator.close();
});

const TARGET = { owner: 'marin', repo: 'runs', issue_number: 1 };

function asApp() {
  const fleet = { github: { repository: 'marin/runs', issue: 1, apiUrl: proxy.url } };
  return createGithub(fleet, { kind: 'app', appId: '77', privateKey });
}

test('an app comments as itself, knows its own comments again, and asks for a token once an hour', async () => {
  const { octokit, login } = asApp();
  const issue = new GithubIssue(octokit, TARGET, login);
  const line = { operationId: 'hero-1', seq: 1, key: 'hero-1:1:issue', head: 'a'.repeat(64) };
  const message = { mark: '📝', title: say`hero-1 · planned`, lines: [], evidence: [] };

  const sent = await issue.post([{ ...line, message }]);
  const found = await issue.find('hero-1:1:issue', new Date(0));

  expect(sent.kind).toBe('sent');
  expect(found).toEqual({ kind: 'found', id: sent.kind === 'sent' ? sent.id : '' });
  expect(await login()).toBe('harbormaster[bot]');
  const { data } = await octokit.rest.issues.listComments(TARGET);
  expect(data.map(({ user, body }) => [user?.login, keysIn(body ?? '')])).toEqual([['harbormaster[bot]', ['hero-1:1:issue']]]);
  expect(proxy.seen.filter((path) => path.includes('access_tokens'))).toHaveLength(1);
  expect(proxy.seen.filter((path) => path === 'GET /user')).toEqual([]);
});

test('an app whose installation cannot be found out yet has sent nothing, and goes on when GitHub answers', async () => {
  const { octokit, login } = asApp();
  const issue = new GithubIssue(octokit, TARGET, login);
  proxy.plays(/installation/, { kind: 'answers', status: 503, body: { message: 'unavailable' } });
  const before = proxy.seen.filter((path) => path.startsWith('POST') && path.endsWith('/comments')).length;

  const first = await issue.notice('a-notice', say`hello`);
  const posted = proxy.seen.filter((path) => path.startsWith('POST') && path.endsWith('/comments')).length - before;
  const second = await issue.notice('a-notice', say`hello`);

  expect(first.kind).toBe('unclear');
  expect(posted).toBe(0);
  expect(second.kind).toBe('sent');
});
