import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import type { GithubAccess } from './environment.js';
import type { Fleet } from './fleet.js';

/** GitHub as the bot knows it: whom it asks, and who it is there. */
export interface Github {
  readonly octokit: Octokit;
  /** The login of our own comments. Rejects while GitHub does not answer; asked once when it does. */
  login(): Promise<string>;
}

/** Nothing is asked before the first request. `wire` carries the requests; left out, it is the machine's own. */
export function createGithub({ github: { apiUrl, repository } }: Pick<Fleet, 'github'>, access: GithubAccess, wire = fetch): Github {
  const options = { log: QUIET, request: { fetch: wire }, ...(apiUrl === undefined ? {} : { baseUrl: apiUrl }) };
  if (access.kind === 'app') return asApp(options, repository, access);
  const octokit = new Octokit({ ...options, auth: access.token });
  return { octokit, login: once(async () => (await octokit.rest.users.getAuthenticated(limits())).data.login) };
}

/**
 * An app acts by its installation on the repository of the status issue, with tokens of an hour. Who it is, is asked with
 * its key: an installation's token may not ask `GET /user`.
 */
function asApp(options: object, repository: string, access: Extract<GithubAccess, { kind: 'app' }>): Github {
  const [owner = '', repo = ''] = repository.split('/');
  const plain = new Octokit(options);
  const auth = createAppAuth({ appId: access.appId, privateKey: access.privateKey, request: plain.request });
  const asItself = async () => ({ ...limits(), headers: { authorization: `bearer ${(await auth({ type: 'app' })).token}` } });
  const installation = once(async () => (await plain.rest.apps.getRepoInstallation({ owner, repo, ...(await asItself()) })).data.id);
  const octokit = new Octokit(options);
  octokit.hook.before('request', async (request) => {
    const { token } = await auth({ type: 'installation', installationId: await installation() });
    request.headers.authorization = `token ${token}`;
  });
  const login = once(async () => {
    const { data } = await plain.rest.apps.getAuthenticated(await asItself());
    return `${data?.slug ?? 'an app without a slug'}[bot]`;
  });
  return { octokit, login };
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const TIMEOUT_MS = 10_000;

function limits(): { readonly request: { readonly signal: AbortSignal } } {
  return { request: { signal: AbortSignal.timeout(TIMEOUT_MS) } };
}

/** Keeps an answer; a failure is asked again. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null;
  return () => {
    asked ??= ask().catch((fault) => {
      asked = null;
      throw fault;
    });
    return asked;
  };
}
