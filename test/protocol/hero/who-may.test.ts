import { expect, test } from 'vitest';
import type { HeroView } from '../../../src/protocol/hero/facts.js';
import { createHero } from '../../../src/protocol/hero/hero.js';
import { HeroPlan } from '../../../src/protocol/hero/plan.js';
import { HERO_ROWS } from '../../../src/protocol/hero/table.js';
import type { Standing } from '../../../src/protocol/people.js';
import { expectDocument } from '../../support/document.js';
import { startEngine } from '../../support/engine.js';
import { planBody } from '../../support/plan.js';

/** One person a role, who has no other; the requester has them all. */
const PEOPLE = {
  requester: 'U0REQUESTER',
  ask: 'U0ASKER',
  agree: 'U0AGREER',
  approve: 'U0APPROVER',
  decide: 'U0DECIDER',
  override: 'U0OVERRIDER',
  onCall: 'U0ONCALL',
  nobody: 'U0BYSTANDER',
  bot: 'bot',
} as const;
const people = {
  ask: [PEOPLE.requester, PEOPLE.ask],
  agree: [PEOPLE.requester, PEOPLE.agree],
  approve: [PEOPLE.requester, PEOPLE.approve],
  decide: [PEOPLE.requester, PEOPLE.decide],
  override: [PEOPLE.requester, PEOPLE.override],
  onCall: [PEOPLE.onCall],
};
const hero = createHero({ people, requestSeconds: 300, tickSeconds: 15, workingHours: {}, rehearsal: { hours: 0, fleetDigest: '' } });
const at = new Date('2026-11-30T12:00:00Z');
const states = [...new Set(HERO_ROWS.flatMap(({ from, to }) => [from, to]))].filter((state) => state !== null && state !== '@origin');
// Out of a hold a click says `adopt`; the protocol finds out whose run it is.
const events = [...new Set([...HERO_ROWS.map(({ on }) => on), 'adopt'])].filter((on) => on !== 'plan_made');
/** Refusals that say: you may not. Any other is about the state of things, and was reached by somebody who may. */
const NO_RIGHT: ReadonlySet<string> = new Set(['not_allowed', 'own_request', 'nobody_may']);

function viewIn(state: string): HeroView {
  return {
    operationId: 'hero-1',
    state,
    seq: 9,
    enteredAtSeq: 9,
    enteredAt: at,
    lastAt: at,
    plan: HeroPlan.parse(planBody()),
    planVersion: 1,
    planHash: 'f'.repeat(64),
    requester: PEOPLE.requester,
    origin: state === 'held' ? 'launching' : null,
    facts: { oldCoordinator: '/marin/hero-old-coord-1', newCoordinator: '/marin/hero-new-coord-2' },
    history: [],
    intent: null,
    acting: [],
    asides: [],
  };
}

/** Whether this person may, in this state; null where the action is not to be had at all. */
function may(state: string, on: string, by: string): boolean | null {
  const request = { operationId: 'hero-1', on, by, requestKey: 'k' };
  const decision = hero.decide(viewIn(state), request, { memory: null, readings: {} }, at);
  if (decision.kind === 'advance') return true;
  if (decision.refusal === 'no_such_transition') return null;
  return !NO_RIGHT.has(decision.refusal);
}

/** For an action: in which states whose word is taken. */
function rights(on: string): readonly string[] {
  const byWho = new Map<string, string[]>();
  for (const state of states) {
    const who = Object.entries(PEOPLE).filter(([, id]) => may(state, on, id) === true);
    if (who.length === 0) continue;
    const named = who.map(([role]) => role).join(', ');
    byWho.set(named, [...(byWho.get(named) ?? []), state]);
  }
  return [...byWho].map(([who, where]) => `| \`${on}\` | ${who} | ${where.map((state) => `\`${state}\``).join(' ')} |`);
}

const HEAD = `# Who may do what

Made by \`test/protocol/hero/who-may.test.ts\` from the protocol itself, and compared with it in every run of the tests. What is not in this table nobody may do: all other events are the bot's own, of readings, due times and outcomes.

\`requester\` made the plan, and is on every list; the others are each on one list of the fleet file's \`people.hero\`, and on no other. \`nobody\` is on none, and so is in no line.
A list may name user ids and user groups (\`S…\`); a group that Slack does not list just now is nobody.

Before any of it Slack is asked whether the account is a full member of the workspace. A guest, a deactivated account, a bot, an account of another workspace and one that Slack does not know are refused whatever
list they are on. If Slack does not answer, nothing is taken, but for \`abort_asked\`, \`cancel_asked\`, \`no_go\` and \`rollback_asked\` of somebody whom it called a member in the last 15 minutes. Refused attempts are on file (table \`ingress\`), without names.

| action | whose word counts | in these states |
| ------ | ----------------- | --------------- |
`;

test('who may do what in which state is what docs/who-may.md says, and nothing else is open to anybody', () => {
  const lines = events.flatMap(rights);

  const people = lines.filter((line) => !line.includes('| bot |'));
  expectDocument('who-may.md', `${HEAD}${people.join('\n')}\n`);
  expect(lines.filter((line) => line.includes('nobody'))).toEqual([]);
});

test('nobody but the bot reports what was read, and the bot asks for nothing', () => {
  for (const { from, on, who } of HERO_ROWS) {
    if (from === null) continue;
    expect([from, on, may(from, on, PEOPLE.bot)]).toEqual([from, on, who === 'bot']);
    if (who === 'bot')
      for (const id of Object.values(PEOPLE)) if (id !== 'bot') expect([from, on, id, may(from, on, id)]).toEqual([from, on, id, false]);
  }
});

const STANDINGS: readonly (readonly [string, Standing])[] = [
  ['guest', { kind: 'refused', account: 'guest' }],
  ['deactivated', { kind: 'refused', account: 'deactivated' }],
  ['other_team', { kind: 'refused', account: 'other_team' }],
  ['bot', { kind: 'refused', account: 'bot' }],
  ['no_such_account', { kind: 'refused', account: 'no_such_account' }],
  ['unread', { kind: 'unread' }],
];

test.each(STANDINGS)('F51: somebody whose account is %s may do nothing at all, whatever list they are on', (_kind, standing) => {
  const bot = startEngine();
  bot.plan();

  for (const on of events) {
    const answer = bot.engine.request({ operationId: 'hero-1', on, by: 'U0APPROVE', requestKey: `k ${on}`, standing });
    expect([on, answer.kind === 'refused' ? answer.refusal.startsWith('account_') : answer.kind]).toEqual([on, true]);
  }
  const plan = bot.engine.plan({
    protocol: 'hero',
    body: planBody(),
    inferred: [],
    by: 'U0APPROVE',
    channel: 'C1',
    requestKey: 'p',
    standing,
  });
  expect(plan).toMatchObject({ kind: 'refused' });
  expect(bot.journal.history('hero-1')).toHaveLength(1);
});

test('on an earlier answer of Slack only what makes things safer is taken', () => {
  const taken = events.filter((on) => {
    const bot = startEngine();
    bot.plan();
    const standing = { kind: 'earlier', groups: {} } as const;
    const answer = bot.engine.request({ operationId: 'hero-1', on, by: 'U0APPROVE', requestKey: `k ${on}`, standing });
    return !(answer.kind === 'refused' && answer.refusal === 'account_unread');
  });

  expect(taken.sort()).toEqual(['abort_asked', 'cancel_asked', 'no_go', 'rollback_asked']);
});
