import type { GithubState, Logins } from './github-state.js';
import { isRecord, parseJson, textOf } from './record.js';
import { json, type Reply } from './web.js';

/** One request to GitHub, `path` with its query. */
export interface GithubRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly body: string;
}

/** Source: danger/danger#424 and others: 422 past 65,536 characters, in these words. */
const BODY_CHARACTERS_MAX = 65_536;

/** GitHub's REST API as the bot and the launch script meet it: the emulator, with what it gets wrong put right. */
export class GithubApi {
  readonly #state: GithubState;
  readonly #tokens: ReadonlySet<string>;
  readonly #base: string;
  readonly #onWrite: () => void;

  constructor(parts: { readonly state: GithubState; readonly logins: Logins; readonly base: string; readonly onWrite: () => void }) {
    this.#state = parts.state;
    this.#tokens = new Set([parts.logins.githubToken, parts.logins.ghToken]);
    this.#base = parts.base;
    this.#onWrite = parts.onWrite;
  }

  async answer(request: GithubRequest): Promise<Reply> {
    const token = request.authorization.replace(/^(Bearer|token)\s+/i, '').trim();
    if (token === '') return refuse(401, 'Requires authentication');
    if (!this.#tokens.has(token)) return refuse(401, 'Bad credentials');
    const said = parseJson(request.body);
    if (isRecord(said) && [...textOf(said.body)].length > BODY_CHARACTERS_MAX) return tooLong(request.path);
    const listed = /^(\/repos\/[^/]+\/[^/]+\/issues\/\d+)\/comments(?:\?(.*))?$/.exec(request.path);
    if (request.method === 'GET' && listed?.[1] !== undefined)
      return this.#comments(request, token, listed[1], new URLSearchParams(listed[2]));
    const files = /^(\/repos\/[^/]+\/[^/]+)\/pulls\/(\d+)\/files(?:\?.*)?$/.exec(request.path);
    if (request.method === 'GET' && files?.[1] !== undefined) return this.#pullFiles(request, token, files[1], files[2] ?? '');
    const reply = await this.#forward(request, token);
    if (request.method !== 'GET') this.#onWrite();
    return reply;
  }

  /** A list of comments with `since`, which the emulator leaves out, and links that lead back here. */
  async #comments(request: GithubRequest, token: string, issue: string, query: URLSearchParams): Promise<Reply> {
    const probe = await this.#forward({ ...request, path: `${issue}/comments?per_page=1` }, token);
    if (probe.status !== 200) return probe;
    const since = query.get('since');
    const all = (await this.#state.comments(issue)).filter(
      ({ updated_at }) => since === null || Date.parse(textOf(updated_at)) >= Date.parse(since),
    );
    const size = Math.min(Math.max(Number(query.get('per_page')) || 30, 1), 100);
    const page = Math.max(Number(query.get('page')) || 1, 1);
    const { link: _, ...headers } = probe.headers ?? {};
    const link = linkHeader({ url: `${this.#base}${issue}/comments`, query, page, last: Math.max(1, Math.ceil(all.length / size)) });
    return {
      status: 200,
      headers: { ...headers, ...(link === '' ? {} : { link }) },
      body: JSON.stringify(all.slice((page - 1) * size, page * size)),
    };
  }

  /** The files of a pull request, which the emulator leaves out: what its two branches differ in. */
  async #pullFiles(request: GithubRequest, token: string, repository: string, number: string): Promise<Reply> {
    const pull = await this.#forward({ ...request, path: `${repository}/pulls/${number}` }, token);
    const said = parseJson(`${pull.body}`);
    if (pull.status !== 200 || !isRecord(said)) return pull;
    const [base, head] = [said.base, said.head].map((side) => (isRecord(side) ? encodeURIComponent(textOf(side.ref)) : ''));
    const compared = await this.#forward({ ...request, path: `${repository}/compare/${base}...${head}` }, token);
    const files = parseJson(`${compared.body}`);
    return compared.status === 200 && isRecord(files) ? { ...compared, body: JSON.stringify(files.files ?? []) } : compared;
  }

  async #forward(request: GithubRequest, token: string): Promise<Reply> {
    // A PUT without a body is "Problems parsing JSON" to the emulator, though GitHub takes it (issues.lock, pulls.merge).
    const body = request.method === 'PUT' && request.body === '' ? '{}' : request.body;
    const response = await fetch(`${this.#state.url}${request.path}`, {
      method: request.method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/vnd.github+json' },
      ...(request.method === 'GET' || request.method === 'HEAD' || body === '' ? {} : { body }),
      redirect: 'manual',
    });
    const headers: Record<string, string> = {};
    response.headers.forEach((value, name) => {
      if (FORWARDED.test(name)) headers[name] = value.replaceAll(this.#state.url, this.#base);
    });
    return { status: response.status, headers, body: await response.text() };
  }
}

const FORWARDED = /^(content-type|link|location|etag|retry-after|x-ratelimit-.*|x-github-.*)$/;

function linkHeader({ url, query, page, last }: { url: string; query: URLSearchParams; page: number; last: number }): string {
  const to = (number: number, rel: string): string => {
    const params = new URLSearchParams(query);
    params.set('page', String(number));
    return `<${url}?${params}>; rel="${rel}"`;
  };
  const links = page < last ? [to(page + 1, 'next'), to(last, 'last')] : [];
  return [...links, ...(page > 1 ? [to(1, 'first'), to(page - 1, 'prev')] : [])].join(', ');
}

function refuse(status: number, message: string): Reply {
  return json({ message, documentation_url: 'https://docs.github.com/rest', status: String(status) }, status);
}

function tooLong(path: string): Reply {
  const resource = path.includes('/comments') ? 'IssueComment' : 'Issue';
  const message = `body is too long (maximum is ${BODY_CHARACTERS_MAX} characters)`;
  return json({ message: 'Validation Failed', errors: [{ resource, code: 'unprocessable', field: 'data', message }], status: '422' }, 422);
}
