import { createEmulator, type Emulator } from 'emulate';
import { isRecord, type Json, parseJson, recordsOf } from './record.js';
import { onFreePort } from './web.js';

/** Which repository the local GitHub has, and the title of its status issue. */
export interface Repository {
  readonly owner: string;
  readonly repository: string;
  readonly issueTitle: string;
}

/** Who is behind which token. */
export interface Logins {
  /** The bot's own token; it comments as `harbormaster[bot]`. */
  readonly githubToken: string;
  /** The launch script's `gh`; it comments as `marin-ops`. */
  readonly ghToken: string;
}

/** Where the dailies are logged. */
export const FERRY_LOG = 'docs/experiments/daily-ferry-log.md';

/** The login the bot comments under, and that of the launch script. */
export const BOT_LOGIN = 'harbormaster[bot]';
export const OPERATOR_LOGIN = 'marin-ops';

/** The emulator counts 5,000 requests an hour and token; the desk's own reads are spread so that they never meet it. */
const TOKEN_REQUESTS_MAX = 4_500;
const TOKENS = 50;

/** GitHub's state, held by the emulator. */
export class GithubState {
  readonly url: string;
  readonly #emulator: Emulator;
  readonly #repository: Repository;
  #issueNumber = 0;
  #requests = 0;

  private constructor(emulator: Emulator, url: string, repository: Repository) {
    this.#emulator = emulator;
    this.url = url;
    this.#repository = repository;
  }

  /** Starts the emulator; `baseUrl` is what links in its answers begin with. */
  static async start(repository: Repository, logins: Logins, baseUrl: string): Promise<GithubState> {
    const own = Object.fromEntries(Array.from({ length: TOKENS }, (_, index) => [`desk-${index}`, { login: OPERATOR_LOGIN }]));
    const seed = {
      tokens: { [logins.githubToken]: { login: BOT_LOGIN }, [logins.ghToken]: { login: OPERATOR_LOGIN }, ...own },
      github: {
        users: [
          { login: BOT_LOGIN, name: 'Harbormaster' },
          { login: OPERATOR_LOGIN, name: 'Marin operations' },
        ],
        orgs: [{ login: repository.owner, members: [BOT_LOGIN, OPERATOR_LOGIN].map((login) => ({ login, role: 'admin' })) }],
        repos: [{ owner: repository.owner, name: repository.repository }],
      },
    };
    const state = await onFreePort(async (port) => {
      const emulator = await createEmulator({ service: 'github', port, baseUrl, seed });
      return new GithubState(emulator, `http://127.0.0.1:${port}`, repository);
    });
    await state.#openIssue();
    await state.#putLog();
    return state;
  }

  get issueNumber(): number {
    return this.#issueNumber;
  }

  /** A read of the desk's own, never counted against a token from outside. */
  async read(path: string): Promise<unknown> {
    return this.#own('GET', path);
  }

  /** Every comment of an issue, oldest first. */
  async comments(issue: string): Promise<readonly Json[]> {
    const all: Json[] = [];
    for (let page = 1; ; page += 1) {
      const rows = recordsOf(await this.read(`${issue}/comments?per_page=100&page=${page}`));
      all.push(...rows);
      if (rows.length < 100) return all;
    }
  }

  /** The status issue's path. */
  get issuePath(): string {
    return `/repos/${this.#repository.owner}/${this.#repository.repository}/issues/${this.#issueNumber}`;
  }

  async stop(): Promise<void> {
    await this.#emulator.close();
  }

  async #openIssue(): Promise<void> {
    const { owner, repository, issueTitle } = this.#repository;
    const issue = await this.#own('POST', `/repos/${owner}/${repository}/issues`, { title: issueTitle, body: '' });
    if (!isRecord(issue) || typeof issue.number !== 'number') throw new Error('seed GitHub state: the status issue was not opened');
    this.#issueNumber = issue.number;
  }

  /** The log of the dailies, before any of them. */
  async #putLog(): Promise<void> {
    const { owner, repository } = this.#repository;
    const content = Buffer.from('# Daily ferries\n\n## Runs\n').toString('base64');
    await this.#own('PUT', `/repos/${owner}/${repository}/contents/${FERRY_LOG}`, { message: 'Begin the log of the dailies', content });
  }

  async #own(method: string, path: string, body?: Json): Promise<unknown> {
    const token = `desk-${Math.floor(this.#requests++ / TOKEN_REQUESTS_MAX) % TOKENS}`;
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return parseJson(await response.text());
  }
}
