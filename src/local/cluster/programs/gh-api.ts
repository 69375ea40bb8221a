import { readFileSync } from 'node:fs';
import { type Answer, failed } from './call.js';
import type { GitHubApi } from './gh.js';
import { parseOptions } from './options.js';

const TIMEOUT_MS = 10_000;

/** `gh api --method M PATH [--input FILE]`: prints GitHub's answer, and exits 1 with it for everything that is not 2xx. */
export async function ghApi(api: GitHubApi, argv: readonly string[]): Promise<Answer> {
  const parsed = parseOptions(argv, { '--method': 'value', '-X': 'value', '--input': 'value' });
  if (typeof parsed === 'string') return failed(`unknown flag: ${parsed.replace('No such option: ', '')}`);
  const [path, ...more] = parsed.rest;
  if (path === undefined || more.length > 0) return failed('accepts 1 arg(s)');
  const input = parsed.values.get('--input');
  let response: Response;
  try {
    response = await fetch(`${api.apiUrl.replace(/\/$/, '')}/${path.replace(/^\//, '')}`, {
      method: parsed.values.get('--method') ?? parsed.values.get('-X') ?? 'GET',
      headers: { authorization: `token ${api.token}`, accept: 'application/vnd.github+json', 'content-type': 'application/json' },
      ...(input === undefined ? {} : { body: readFileSync(input, 'utf8') }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    return failed('error connecting to api.github.com\ncheck your internet connection or https://githubstatus.com');
  }
  const text = await response.text();
  if (response.ok) return { exitCode: 0, stdout: text, stderr: '' };
  return { exitCode: 1, stdout: text, stderr: `gh: HTTP ${response.status}\n` };
}
