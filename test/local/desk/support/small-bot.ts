import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import { type Desk, type DeskOptions, startDesk } from '../../../../src/local/desk/desk.js';

export const TOKENS = { signingSecret: 'a signing secret', botToken: 'xoxb-bot', githubToken: 'ghp_bot', ghToken: 'gho_operator' };
export const ANA = { id: 'U0ANA', name: 'ana', realName: 'Ana Ng', role: 'requester' } as const;
export const BO = { id: 'U0BO', name: 'bo', realName: 'Bo Lund', role: 'approver' } as const;
export const HERO = { id: 'C0HERO', name: 'hero' };
export const GITHUB = { owner: 'marin-community', repository: 'marin', issueTitle: 'Hero status' };

/** A desk with two people and one channel, that waits for an acknowledgement for as long as a busy machine may take. */
export function openDesk(more: Partial<DeskOptions> = {}): Promise<Desk> {
  return startDesk({
    ...TOKENS,
    ackMs: 60_000,
    people: [ANA, BO],
    channels: [HERO, { id: 'C0ASIDE', name: 'aside' }],
    github: GITHUB,
    ...more,
  });
}

/** A real Bolt app behind a real HTTP receiver, in front of the desk. */
export interface SmallBot {
  readonly app: App;
  stop(): Promise<void>;
}

/** Starts a Bolt app on a free loopback port and connects the desk to it. `listen` registers what it does. */
export async function startSmallBot(desk: Desk, listen: (app: App) => void): Promise<SmallBot> {
  const receiver = new HTTPReceiver({ signingSecret: TOKENS.signingSecret, logLevel: LogLevel.ERROR });
  const app = new App({
    token: TOKENS.botToken,
    receiver,
    // Asked about behind our back, an answer could come when the desk has gone.
    tokenVerificationEnabled: false,
    botId: 'unused',
    botUserId: 'unused',
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: desk.slackApiUrl, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true },
  });
  listen(app);
  const server = await receiver.start({ port: 0, host: '127.0.0.1' });
  const address = server.address();
  desk.connectBot(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`);
  return { app, stop: () => receiver.stop() };
}

/** Waits until `read` gives something other than undefined or false. Throws after two minutes: only what never comes takes so long. */
export async function until<T>(what: string, read: () => T | Promise<T>): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<Exclude<T, false>>;
    if (Date.now() > deadline) throw new Error(`still not so: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
