import { FleetError } from './errors.js';
import type { Fleet } from './fleet.js';

/** How Slack reaches us: over a socket that we open with an app-level token, or signed, over HTTP. */
export type SlackAccess =
  | { readonly mode: 'socket'; readonly appToken: string }
  | { readonly mode: 'http'; readonly signingSecret: string };

/** As whom we are on GitHub: an app with its own `[bot]` identity, or the owner of a token. */
export type GithubAccess =
  | { readonly kind: 'app'; readonly appId: string; readonly privateKey: string }
  | { readonly kind: 'token'; readonly token: string };

/** Secrets come by environment only, so that the fleet file can be reviewed by everybody. */
export interface Environment {
  readonly botToken: string;
  readonly slack: SlackAccess;
  readonly github: GithubAccess;
}

/** The secrets that a fleet needs. Throws FleetError naming those that are not set, or that contradict each other. */
export function loadEnvironment(env: NodeJS.ProcessEnv, { slack: { mode } }: Pick<Fleet, 'slack'>): Environment {
  const missing: string[] = [];
  const named = namedIn(env, missing);
  const botToken = named('SLACK_BOT_TOKEN');
  const slack: SlackAccess =
    mode === 'socket' ? { mode, appToken: named('SLACK_APP_TOKEN') } : { mode, signingSecret: named('SLACK_SIGNING_SECRET') };
  const github = githubAccess(env, named);
  if (missing.length > 0) throw new FleetError(`read environment: not set: ${missing.join(', ')}`);
  return { botToken, slack, github };
}

/** The GitHub secrets alone, for a command that needs no others. Throws FleetError naming those that are not set. */
export function loadGithubAccess(env: NodeJS.ProcessEnv): GithubAccess {
  const missing: string[] = [];
  const access = githubAccess(env, namedIn(env, missing));
  if (missing.length > 0) throw new FleetError(`${missing.join(', ')} is not set`);
  return access;
}

/** Takes a variable, and notes the name of one that is not set. */
function namedIn(env: NodeJS.ProcessEnv, missing: string[]): (name: string) => string {
  return (name) => {
    const value = env[name]?.trim() ?? '';
    if (value === '') missing.push(name);
    return value;
  };
}

function githubAccess(env: NodeJS.ProcessEnv, named: (name: string) => string): GithubAccess {
  const asApp = (env.GITHUB_APP_ID ?? '') !== '' || (env.GITHUB_APP_PRIVATE_KEY ?? '') !== '';
  if (!asApp) return { kind: 'token', token: named('GITHUB_TOKEN') };
  // Whose comments are our own must not depend on which of the two happens to be looked at first.
  if ((env.GITHUB_TOKEN ?? '') !== '') throw new FleetError('read environment: GITHUB_TOKEN and GITHUB_APP_ID are both set; keep one');
  // A key that came through a file of environment lines has its line ends written out.
  return { kind: 'app', appId: named('GITHUB_APP_ID'), privateKey: named('GITHUB_APP_PRIVATE_KEY').replaceAll('\\n', '\n') };
}
