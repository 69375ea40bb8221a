import { expect, test } from 'vitest';
import type { Standing } from '../../src/protocol/people.js';
import { expectDocument } from '../support/document.js';
import { startEngine } from '../support/engine.js';
import { REQUESTER, startFerries } from '../support/ferry-engine.js';
import { ferryBody } from '../support/ferry-plan.js';
import { planBody } from '../support/plan.js';
import { FERRY_RIGHTS, HERO_RIGHTS, LANE_RIGHTS, PEOPLE, type Rights } from '../support/rights.js';

const ALL = [HERO_RIGHTS, FERRY_RIGHTS, LANE_RIGHTS];

function named(may: (id: string) => boolean): string {
  const who = Object.entries(PEOPLE).filter(([, id]) => may(id));
  return who.map(([role]) => role).join(', ');
}

/** For an action: in which states whose word is taken. */
function linesFor(rights: Rights, on: string): readonly string[] {
  const byWho = new Map<string, string[]>();
  for (const state of rights.states) {
    const who = named((id) => rights.may(state, on, id) === true);
    if (who !== '') byWho.set(who, [...(byWho.get(who) ?? []), state]);
  }
  return [...byWho].map(([who, where]) => `| \`${on}\` | ${who} | ${where.map((state) => `\`${state}\``).join(' ')} |`);
}

function tableOf(rights: Rights): readonly string[] {
  return [`| \`plan_made\` | ${named(rights.mayBegin)} | – |`, ...rights.events.flatMap((on) => linesFor(rights, on))];
}

const TABLE_HEAD = `| action | whose word counts | in these states |
| ------ | ----------------- | --------------- |
`;

const HEAD = `# Who may do what

Made by \`test/protocol/who-may.test.ts\` from the protocols themselves, and compared with it in every run of the tests. What is not in these tables nobody may do: all other events are the bot's own, of readings, due times and outcomes.

The people of a table are each on one list of the fleet file and on no other; \`requester\` is on every list but \`onCall\`. \`nobody\` is on none, and so is in no line.
A list may name user ids and user groups (\`S…\`); a group that Slack does not list just now is nobody.

Before any of it Slack is asked whether the account is a full member of the workspace. A guest, a deactivated account, a bot, an account of another workspace and one that Slack does not know are refused whatever
list they are on. What Slack says of an account or a group counts for a minute. If it does not answer, nothing is taken, but for what only makes things safer, of somebody whom it called a member in the last 15 minutes: for a hero \`abort_asked\`, \`cancel_asked\`, \`no_go\` and
\`rollback_asked\`, for a ferry \`abort_asked\`, \`cancel_asked\` and \`stop_asked\`, for a schedule \`switched_off\` and \`waiver_revoked\`. Refused attempts are on file (table \`ingress\`), without names.

Whoever approved, and leaves the workspace or the list before the approval is used, takes it along: it is void, also when they come back. A standing waiver goes with its giver.
`;

const HERO_HEAD = `
## Heroes

Lists of \`people.hero\`. \`requester\` made the plan.

`;

const FERRY_HEAD = `
## Ferries

Lists of \`lanes.NAME.people\`; \`agree\`, \`approve\` and \`override\` are none of theirs. Everybody on \`ask\` proposes runs of their own, and so is the \`requester\` of those; of a run that a schedule proposed it is
the schedule's \`owner\`. Theirs is the one word that clears it.

`;

const LANE_HEAD = `
## Schedules of lanes

Lists of \`lanes.NAME.people\`. \`requester\` is the schedule's \`owner\`. A schedule is made and retired by the fleet file alone.

`;

test('who may do what in which state is what docs/who-may.md says, and nothing else is open to anybody', () => {
  const byPeople = (rights: Rights): readonly string[] => tableOf(rights).filter((line) => !/\| bot \|/.test(line));
  const page = (head: string, rights: Rights): string => `${head}${TABLE_HEAD}${byPeople(rights).join('\n')}\n`;

  expectDocument('who-may.md', HEAD + page(HERO_HEAD, HERO_RIGHTS) + page(FERRY_HEAD, FERRY_RIGHTS) + page(LANE_HEAD, LANE_RIGHTS));
  expect(ALL.flatMap(tableOf).filter((line) => line.includes('nobody'))).toEqual([]);
});

test.each(ALL)('nobody but the bot reports what was read, and the bot asks for nothing: $protocol', (rights) => {
  for (const { from, on, who } of rights.rows) {
    if (from === null) continue;
    expect([from, on, rights.may(from, on, PEOPLE.bot)]).toEqual([from, on, who === 'bot']);
    if (who === 'bot')
      for (const id of Object.values(PEOPLE))
        if (id !== 'bot') expect([from, on, id, rights.may(from, on, id)]).toEqual([from, on, id, false]);
  }
});

test('only one person clears a ferry, and only the owner waives for a schedule', () => {
  const cleared = ['approved', 'waived'].flatMap((on) => linesFor(FERRY_RIGHTS, on));
  expect(cleared).toEqual(['| `approved` | requester | `proposed` |', '| `waived` | requester | `proposed` |']);
  expect(linesFor(LANE_RIGHTS, 'waiver_given')).toEqual(['| `waiver_given` | requester | `scheduled` `off` |']);
});

const STANDINGS: readonly (readonly [string, Standing])[] = [
  ['guest', { kind: 'refused', account: 'guest' }],
  ['deactivated', { kind: 'refused', account: 'deactivated' }],
  ['other_team', { kind: 'refused', account: 'other_team' }],
  ['bot', { kind: 'refused', account: 'bot' }],
  ['no_such_account', { kind: 'refused', account: 'no_such_account' }],
  ['unread', { kind: 'unread' }],
];

function swap() {
  const bot = startEngine();
  bot.plan();
  const plan = { protocol: 'hero', body: planBody(), by: 'U0APPROVE' };
  return { ...bot, operationId: 'hero-1', by: 'U0APPROVE', events: HERO_RIGHTS.events, anew: plan };
}

function ferry() {
  const bot = startFerries();
  bot.plan();
  const plan = { protocol: 'ferry', body: ferryBody({ lane: 'canary-tpu' }), by: REQUESTER };
  return { ...bot, operationId: 'ferry-1', by: REQUESTER, events: FERRY_RIGHTS.events, anew: plan };
}

function schedule() {
  const bot = startFerries();
  const body = SCHEDULE;
  bot.engine.plan({ protocol: 'lane', body, inferred: [], by: 'bot', channel: 'C1', requestKey: 'schedule' });
  return { ...bot, operationId: 'lane-1', by: REQUESTER, events: LANE_RIGHTS.events, anew: { protocol: 'lane', body, by: REQUESTER } };
}

const SCHEDULE = {
  lane: 'daily',
  kind: 'daily',
  cron: '0 1 * * *',
  owner: REQUESTER,
  late: 'skip',
  lateSeconds: 60,
  overdueSeconds: 60,
  standingWaiverDays: 0,
};

const STARTED = [
  ['hero', swap],
  ['ferry', ferry],
  ['lane', schedule],
] as const;

test.each(STARTED.flatMap(([protocol, start]) => STANDINGS.map(([kind, standing]) => ({ protocol, start, kind, standing }))))(
  'F51: somebody whose account is $kind may do nothing at all, whatever list they are on: $protocol',
  ({ start, standing }) => {
    const { engine, journal, operationId, by, events, anew } = start();

    for (const on of events) {
      const answer = engine.request({ operationId, on, by, requestKey: `k ${on}`, standing });
      expect([on, answer.kind === 'refused' ? answer.refusal.startsWith('account_') : answer.kind]).toEqual([on, true]);
    }
    const plan = engine.plan({ ...anew, inferred: [], channel: 'C1', requestKey: 'p', standing });
    expect(plan).toMatchObject({ kind: 'refused', refusal: expect.stringMatching(/^account_/) });
    expect(journal.history(operationId)).toHaveLength(1);
  },
);

test.each([
  ['hero', swap, ['abort_asked', 'cancel_asked', 'no_go', 'rollback_asked']],
  ['ferry', ferry, ['abort_asked', 'cancel_asked', 'stop_asked']],
  ['lane', schedule, ['switched_off', 'waiver_revoked']],
] as const)('on an earlier answer of Slack only what makes things safer is taken: %s', (_protocol, start, safe) => {
  const taken = start().events.filter((on) => {
    const { engine, operationId, by } = start();
    const standing = { kind: 'earlier', groups: {} } as const;
    const answer = engine.request({ operationId, on, by, requestKey: `k ${on}`, standing });
    return !(answer.kind === 'refused' && answer.refusal === 'account_unread');
  });

  expect(taken.toSorted()).toEqual(safe);
});
