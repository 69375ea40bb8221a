import { WebClient } from '@slack/web-api';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGithub } from '../../src/github.js';
import { type Desk, startDesk } from '../../src/local/desk/desk.js';
import { clientOptions } from '../../src/slack/app.js';
import { BOT_SCOPES } from '../../src/slack/scopes.js';
import { clockFinding, type Finding, findingTable } from '../../src/workspace/finding.js';
import type { NamedGroup } from '../../src/workspace/groups.js';
import type { LabelledLane } from '../../src/workspace/lanes.js';
import { probesOf } from '../../src/workspace/probes.js';
import { readWorkspace, refuseWrong, WorkspaceError } from '../../src/workspace/workspace.js';
import { type Fate, FaultProxy } from '../wire/fault-proxy.js';

let desk: Desk;
let proxy: FaultProxy;
beforeEach(async () => {
  desk = await startDesk({
    signingSecret: 'unused',
    botToken: 'xoxb-bot',
    githubToken: 'ghp_workspace',
    ghToken: 'gho_operator',
    people: [{ id: 'U1', name: 'ada', role: 'requester' }],
    channels: [{ id: 'C1', name: 'hero' }],
    github: { owner: 'o', repository: 'r', issueTitle: 'Hero status' },
  });
  proxy = await FaultProxy.before(new URL(desk.url).origin);
});
afterEach(async () => {
  await proxy.close();
  await desk.stop();
});

async function read(
  changes: {
    token?: string;
    channel?: string;
    secondChannel?: string;
    issue?: number;
    githubToken?: string;
    lanes?: Readonly<Record<string, LabelledLane>>;
    groups?: readonly NamedGroup[];
  } = {},
) {
  const apiUrl = `${proxy.url}${new URL(desk.slackApiUrl).pathname}`;
  const fleet = {
    slack: { channel: changes.channel ?? 'C1', secondChannel: changes.secondChannel, mode: 'socket', port: 0, apiUrl },
    github: { repository: 'o/r', issue: changes.issue ?? desk.issueNumber, apiUrl: `${proxy.url}${new URL(desk.githubApiUrl).pathname}` },
  } as const;
  const probes = probesOf({
    fleet: { ...fleet, lanes: changes.lanes ?? {} },
    groups: changes.groups ?? [],
    client: new WebClient(changes.token ?? 'xoxb-bot', clientOptions({ apiUrl, log: pino({ level: 'silent' }) })),
    github: createGithub(fleet, { kind: 'token', token: changes.githubToken ?? 'ghp_workspace' }),
    now: () => new Date(),
    limitMs: 60_000,
  });
  return readWorkspace(probes, 60_000);
}

/** What is not right, as `side about: kind, detail`. */
function amiss(findings: readonly Finding[]): readonly string[] {
  return findings.filter(({ kind }) => kind !== 'right').map(({ side, about, kind, detail }) => `${side} ${about}: ${kind}, ${detail}`);
}

/** All that the bot needs but for one kind of channel. */
function withoutScopesOf(kind: string): string {
  return BOT_SCOPES.filter((scope) => !scope.startsWith(kind)).join(',');
}

function answers(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Fate {
  return { kind: 'answers', status, body, headers };
}

test('a workspace as it must be is right in every line, and nothing in it is changed', async () => {
  const findings = await read();

  expect(amiss(findings)).toEqual([]);
  expect(findings).toHaveLength(9);
  expect(await desk.issue()).toMatchObject({ title: 'Hero status', comments: [] });
  expect(await desk.messages('C1')).toEqual([]);
});

test('a token that Slack does not take is wrong, by its own code', async () => {
  expect(amiss(await read({ token: 'xoxb-other' }))).toContain('slack bot token: wrong, SLACK_BOT_TOKEN: invalid_auth');
});

test('scopes that the token lacks are named', async () => {
  proxy.plays(/auth\.test/, answers({ ok: true, user: 'harbor', team: 'T' }, 200, { 'x-oauth-scopes': withoutScopesOf('channels:') }));

  expect(amiss(await read())).toEqual([
    'slack scopes: wrong, missing: channels:history, channels:read. Update the app from manifest.yml and install it again',
  ]);
});

test('a private channel needs the scopes of its kind, and not those of the other', async () => {
  const scopes = { 'x-oauth-scopes': withoutScopesOf('channels:') };
  proxy.plays(/auth\.test/, answers({ ok: true, user: 'harbor', team: 'T' }, 200, scopes));
  proxy.plays(/conversations\.info/, answers({ ok: true, channel: { id: 'C1', name: 'hero', is_private: true, is_member: true } }));

  expect(amiss(await read())).toEqual([]);
});

test.each([
  [{ is_member: false }, 'slack channel: wrong, the bot is not in #hero: /invite it there'],
  [{ is_member: true, is_archived: true }, 'slack channel: wrong, #hero is archived'],
])('a channel into which the bot cannot post is wrong: %j', async (channel, line) => {
  proxy.plays(/conversations\.info/, answers({ ok: true, channel: { id: 'C1', name: 'hero', ...channel } }));

  expect(amiss(await read())).toEqual([line]);
});

test('a thread that may not be read is wrong: a lost answer could not be told from a lost post', async () => {
  proxy.plays(/conversations\.history/, answers({ ok: false, error: 'missing_scope', needed: 'channels:history' }));

  expect(amiss(await read())).toEqual(['slack thread readable: wrong, reading the channel: missing_scope, needs channels:history']);
});

test('a second channel is looked at as the first is', async () => {
  expect(amiss(await read({ secondChannel: 'C9' }))).toEqual(['slack second channel: wrong, the channel C9: channel_not_found']);
});

test.each([
  [answers({ number: 1, title: 'Hero status', state: 'open', locked: true }), 'o/r#1 is locked: unlock the conversation'],
  [answers({ number: 1, title: 'Hero status', state: 'closed', locked: false }), 'o/r#1 is closed: reopen it, or name another'],
])('an issue that takes no comment, or where nobody looks, is wrong', async (issue, words) => {
  proxy.plays(/^GET .*\/issues\/1$/, issue);

  expect(amiss(await read()).filter((line) => line.includes('writable'))).toEqual([`github issue writable: wrong, ${words}`]);
});

test('an issue that was moved is wrong, and the table says where it is', async () => {
  proxy.plays(/^GET .*\/issues\/1$/, answers({ number: 7, title: 'Hero status', html_url: 'https://github.com/o/new/issues/7' }));

  expect(amiss(await read())[0]).toBe(
    'github issue readable: wrong, o/r#1 was moved to https://github.com/o/new/issues/7: name that one in the fleet file',
  );
});

test('a permission that is missing is wrong, a limit is no answer', async () => {
  proxy.plays(/^PATCH/, answers({ message: 'Resource not accessible by integration' }, 403));
  const missing = amiss(await read());
  proxy.plays(/^PATCH/, answers({ message: 'You have exceeded a secondary rate limit' }, 403));
  const limited = amiss(await read());

  expect(missing).toEqual([expect.stringMatching(/^github issue writable: wrong, o\/r#1, which needs .* 403 Resource not accessible/)]);
  expect(limited).toEqual([expect.stringMatching(/^github issue writable: unknown, You have exceeded/)]);
});

test('a GitHub token that is not one, and an issue that is not there, are wrong', async () => {
  expect(amiss(await read({ githubToken: 'ghp_of_nobody' }))[0]).toContain('401 Bad credentials');
  expect(amiss(await read({ issue: 99 }))).toEqual([expect.stringMatching(/^github issue readable: wrong, o\/r#99.* 404/)]);
});

test('what does not answer is unknown, never right and never wrong; a start goes on', async () => {
  proxy.goesDown();
  const findings = await read();

  expect(new Set(findings.filter(({ about }) => about !== 'clock').map(({ kind }) => kind))).toEqual(new Set(['unknown']));
  expect(() => refuseWrong(findings)).not.toThrow();
});

test('a part that hangs is unknown after its time, and does not hold up the others', async () => {
  const right: Finding = { side: 'github', about: 'status issue', kind: 'right', detail: 'o/r#1' };
  const findings = await readWorkspace(
    [
      { side: 'slack', about: 'workspace', read: () => new Promise(() => {}) },
      { side: 'github', about: 'status issue', read: async () => [right] },
    ],
    20,
  );

  expect(findings).toEqual([{ side: 'slack', about: 'workspace', kind: 'unknown', detail: 'no answer in 0.02 s' }, right]);
});

test('our clock may differ from theirs by a minute, and a table names what is wrong', () => {
  const theirs = 'Mon, 30 Nov 2026 01:00:00 GMT';
  const at = (seconds: number) => clockFinding('github', theirs, new Date(Date.parse(theirs) + seconds * 1000));

  expect([at(0).kind, at(60).kind, at(-60).kind, at(61).kind, at(-3600).kind]).toEqual(['right', 'right', 'right', 'wrong', 'wrong']);
  expect(at(-3600).detail).toBe('ours is 3600 s behind theirs: set it by NTP');
  expect(clockFinding('github', null, new Date()).kind).toBe('unknown');
  expect(findingTable([at(90)])).toBe('WRONG    github  clock  ours is 90 s ahead of theirs: set it by NTP\n');
  expect(() => refuseWrong([at(90)])).toThrow(WorkspaceError);
});

const LANES = {
  daily: { labels: { proposal: ['ferry', 'ferry-daily'], failure: [] } },
  'canary-tpu': { labels: { proposal: [], failure: ['canary-failed'] } },
  'canary-gpu': { labels: { proposal: [], failure: [] } },
};

test('the issues of each ferry lane are looked at: a lane without one is right, a locked one is wrong', async () => {
  const before = await read({ lanes: LANES });
  expect(amiss(before)).toEqual([]);
  expect(before.filter(({ about }) => about.startsWith('lane ')).map(({ about, detail }) => [about, detail])).toEqual([
    ['lane daily', 'no open issue carries ferry, ferry-daily yet'],
    ['lane canary-tpu', 'no open issue carries canary-failed yet'],
    ['lane canary-gpu', 'names no labels; its failures get issues of their own'],
  ]);

  proxy.plays(/\/issues\?.*ferry-daily/, answers([{ number: 7, title: 'Daily ferry', locked: true }]));
  proxy.plays(/\/issues\?.*canary-failed/, answers([{ number: 9, title: 'Canary', locked: false }]));
  expect(amiss(await read({ lanes: LANES }))).toEqual([
    'github lane daily: wrong, #7: Daily ferry carries ferry, ferry-daily and is locked: unlock the conversation, or close it',
  ]);
});

test('lanes whose issues are switched off are wrong, and those that cannot be read are unknown', async () => {
  proxy.plays(/\/repos\/o\/r$/, answers({ has_issues: false }));
  expect(amiss(await read({ lanes: { daily: LANES.daily } }))).toEqual([
    'github lane daily: wrong, issues are switched off in o/r: a ferry is proposed, and fails, in one',
  ]);

  proxy.plays(/\/issues\?.*ferry-daily/, answers({ message: 'You have exceeded a secondary rate limit' }, 403));
  expect(amiss(await read({ lanes: LANES }))).toEqual(['github lane daily: unknown, You have exceeded a secondary rate limit']);
});

test('each user group that the fleet file names, for heroes or for a lane, is looked at: one that is not there is wrong, whoever it was to be', async () => {
  desk.setGroup({ id: 'S0LEADS001', users: ['U1'] });
  desk.setGroup({ id: 'S0ROTA0001', users: [] });
  const group = (id: string, ...lists: string[]): NamedGroup => ({ id, lists });
  const findings = await read({
    groups: [
      group('S0LEADS001', 'people.hero.approve', 'lanes.daily.people.ask'),
      group('S0ROTA0001', 'lanes.daily.people.onCall'),
      group('S0GONE0001', 'lanes.canary-tpu.people.ask'),
    ],
  });

  expect(
    findings.filter(({ about }) => about.startsWith('group ')).map(({ about, kind, detail }) => `${about} ${kind}: ${detail}`),
  ).toEqual([
    'group S0LEADS001 right: named by people.hero.approve, lanes.daily.people.ask: 1 member',
    'group S0ROTA0001 right: named by lanes.daily.people.onCall: no members just now, so it is nobody',
    'group S0GONE0001 wrong: named by lanes.canary-tpu.people.ask: no_such_subteam',
  ]);
});

test('without the scope that groups need, they are wrong by its name; while Slack does not answer they are unknown', async () => {
  proxy.plays(/usergroups\.users\.list/, answers({ ok: false, error: 'missing_scope', needed: 'usergroups:read' }));
  const groups = [{ id: 'S0LEADS001', lists: ['lanes.daily.people.decide'] }];
  expect(amiss(await read({ groups }))).toEqual([
    'slack group S0LEADS001: wrong, named by lanes.daily.people.decide: missing_scope, needs usergroups:read',
  ]);

  proxy.goesDown();
  expect((await read({ groups })).find(({ about }) => about.startsWith('group '))?.kind).toBe('unknown');
});
