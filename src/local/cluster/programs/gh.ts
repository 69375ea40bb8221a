import type { Switches } from '../switches.js';
import { type Answer, type Call, failed, ok } from './call.js';
import { ghApi } from './gh-api.js';
import { parseOptions } from './options.js';

/** The GitHub REST API to which `gh` posts. */
export interface GitHubApi {
  /** Base URL, without a slash at its end. */
  readonly apiUrl: string;
  readonly token: string;
  /** `owner/name` and number of the status issue that launches are recorded on. */
  readonly repository: string;
  readonly issue: number;
}

const TIMEOUT_MS = 10_000;

/** `gh --version`, `gh auth status`, `gh issue comment` and `gh api`. `api` null: logged out. */
export async function gh(context: { readonly api: GitHubApi | null; readonly switches: Switches }, call: Call): Promise<Answer> {
  if (call.argv.length === 1 && call.argv[0] === '--version') return ok('gh version 2.62.0 (2024-11-14)\n');
  if (call.argv[0] === 'api') {
    if (context.api === null || context.switches.isOn('gh_logged_out'))
      return failed('To get started with GitHub CLI, please run:  gh auth login', 4);
    return ghApi(context.api, call.argv.slice(1));
  }
  const parsed = parseOptions(call.argv, { '--repo': 'value', '-R': 'value', '--body': 'value', '-b': 'value', '--hostname': 'value' });
  if (typeof parsed === 'string') return failed(`unknown flag: ${parsed.replace('No such option: ', '')}`);
  const [group, command, number] = parsed.rest;
  const loggedIn = context.api !== null && !context.switches.isOn('gh_logged_out');
  if (group === 'auth' && command === 'status') {
    if (!loggedIn) return failed('You are not logged into any GitHub hosts. To log in, run: gh auth login');
    return ok('github.com\n  ✓ Logged in to github.com account marin-ops (GH_TOKEN)\n  - Active account: true\n');
  }
  if (group !== 'issue' || command !== 'comment') return failed(`unknown command "${group ?? ''}" for "gh"`);
  const repository = parsed.values.get('--repo') ?? parsed.values.get('-R');
  const body = parsed.values.get('--body') ?? parsed.values.get('-b');
  if (context.api === null || !loggedIn) return failed('To get started with GitHub CLI, please run:  gh auth login', 4);
  if (repository === undefined || body === undefined || !/^\d+$/.test(number ?? ''))
    return failed('argument and --repo and --body are required');
  return comment(context.api, repository, number ?? '', body);
}

async function comment(api: GitHubApi, repository: string, number: string, body: string): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(`${api.apiUrl.replace(/\/$/, '')}/repos/${repository}/issues/${number}/comments`, {
      method: 'POST',
      headers: { authorization: `token ${api.token}`, accept: 'application/vnd.github+json', 'content-type': 'application/json' },
      body: JSON.stringify({ body }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    return failed('error connecting to api.github.com\ncheck your internet connection or https://githubstatus.com');
  }
  const text = await response.text();
  if (!response.ok) return failed(`failed to create comment: HTTP ${response.status}`);
  const created = JSON.parse(text) as { readonly html_url?: unknown };
  return ok(`${typeof created.html_url === 'string' ? created.html_url : `https://github.com/${repository}/issues/${number}`}\n`);
}
