import { expect, test } from 'vitest';
import type { HeroFacts, HeroView } from '../../../src/protocol/hero/facts.js';
import { createHero } from '../../../src/protocol/hero/hero.js';
import { HeroPlan } from '../../../src/protocol/hero/plan.js';
import { HERO_FINALS, HERO_LOCKED, HERO_ROWS } from '../../../src/protocol/hero/table.js';
import { EVENT_WORDS, STATE_WORDS } from '../../../src/render/hero/states.js';
import { planBody } from '../../support/plan.js';

const everybody = ['U1', 'U2'];
const people = { ask: everybody, agree: everybody, approve: everybody, decide: everybody, override: everybody, onCall: everybody };
const hero = createHero({ people, requestSeconds: 300, tickSeconds: 15, workingHours: {}, rehearsal: { hours: 0, fleetDigest: '' } });
const at = new Date('2026-11-30T12:00:00Z');

const states = [...new Set(HERO_ROWS.flatMap(({ from, to }) => [from, to]))].filter((state) => state !== null && state !== '@origin');
const events = [...new Set(HERO_ROWS.map(({ on }) => on))];

function viewIn(state: string): HeroView {
  const facts: Partial<HeroFacts> = { oldCoordinator: '/marin/hero-old-coord-1', newCoordinator: '/marin/hero-new-coord-2' };
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
    requester: 'U1',
    origin: state === 'held' ? 'launching' : null,
    facts,
    history: [],
    intent: null,
    asides: [],
    acting: [],
  };
}

test('what is not in the table cannot happen, from any state, by anybody', () => {
  const advanced: string[] = [];
  for (const state of states) {
    for (const event of events) {
      for (const by of ['bot', 'U1', 'U2', 'U9']) {
        const request = { operationId: 'hero-1', on: event, by, requestKey: 'k' };
        const decision = hero.decide(viewIn(state), request, { memory: null, readings: {} }, at);
        if (decision.kind === 'advance') advanced.push(`${state} ${decision.row.on}`);
      }
    }
  }

  const rows = new Set(HERO_ROWS.map(({ from, on }) => `${from} ${on}`));
  expect(advanced.length).toBeGreaterThan(100);
  expect([...new Set(advanced)].filter((pair) => !rows.has(pair))).toEqual([]);
});

test('every row can be taken, but for those that ask for more than a right', () => {
  const asksForMore = new Set([
    'go_approved',
    'override',
    'adopt_new',
    'adopt_old',
    'retry_cancel_old',
    'retry_cancel_new',
    'declare_gone',
    'called_off',
    'rollback_asked_nothing_live',
    'anchor_confirmed',
  ]);

  for (const row of HERO_ROWS.filter(({ from }) => from !== null)) {
    const request = { operationId: 'hero-1', on: row.on, by: row.who === 'bot' ? 'bot' : 'U2', requestKey: 'k' };
    const decision = hero.decide(viewIn(`${row.from}`), request, { memory: null, readings: {} }, at);
    expect(`${row.from} ${row.on} ${decision.kind}`).toBe(`${row.from} ${row.on} ${asksForMore.has(row.on) ? 'refuse' : 'advance'}`);
  }
});

test('an event has one target from each state, and only a hold leads back to where it came from', () => {
  const pairs = HERO_ROWS.map(({ from, on }) => `${from} ${on}`);

  expect(pairs.length).toBe(new Set(pairs).size);
  expect(HERO_ROWS.filter(({ to }) => to === '@origin').every(({ from }) => from === 'held')).toBe(true);
});

test('a final state has no way out, and every other state has one that a person or a reading can take', () => {
  for (const state of states) {
    expect(
      HERO_ROWS.some(({ from, to }) => from === state && (to !== state || !HERO_FINALS.has(state))),
      state,
    ).toBe(!HERO_FINALS.has(state));
  }
});

test('every state can be reached from a plan', () => {
  const reached = new Set<string>();
  const visit = (state: string): void => {
    if (reached.has(state)) return;
    reached.add(state);
    for (const row of HERO_ROWS) if (row.from === state && row.to !== '@origin') visit(row.to);
  };
  visit('planned');

  expect(states.filter((state) => !reached.has(state))).toEqual([]);
});

test('the family is held from the agreement on, not while a plan is only planned, watched or over', () => {
  expect(states.filter((state) => !HERO_LOCKED.has(state)).sort()).toEqual(['planned', 'watching', ...HERO_FINALS].sort());
});

test('only a person leaves a hold for anything but what its readings prove', () => {
  const byItself = HERO_ROWS.filter(({ from, who, to }) => from === 'held' && who === 'bot' && to !== 'held').map(({ on }) => on);

  expect(byItself).toEqual(['recheck_proved']);
});

test('nothing acts but out of a row that proves it may', () => {
  const acting = HERO_ROWS.filter(({ then }) => then !== null && !then.startsWith('read_')).map(
    ({ from, on, then }) => `${from} ${on} ${then}`,
  );

  expect(acting).toMatchInlineSnapshot(`
    [
      "arming guards_open cancel_old",
      "arming guards_open_fork_wanted fork",
      "arming guards_open_recover launch_new",
      "forking fork_proven cancel_old",
      "stopping_old old_gone launch_new",
      "rearming guards_open launch_new",
      "launching launched_once publish_report",
      "launching launched_once_after_abort cancel_new",
      "starting gate_failed post_chart",
      "trial gate_failed post_chart",
      "starting retried post_chart",
      "trial retried post_chart",
      "starting hung post_chart",
      "trial hung post_chart",
      "starting ended post_chart",
      "trial ended post_chart",
      "starting gate_failed_automatic cancel_new",
      "trial gate_failed_automatic cancel_new",
      "starting retried_automatic cancel_new",
      "trial retried_automatic cancel_new",
      "starting hung_automatic cancel_new",
      "trial hung_automatic cancel_new",
      "starting ended_automatic cancel_new",
      "trial ended_automatic cancel_new",
      "starting startup_overdue_automatic cancel_new",
      "trial startup_overdue_automatic cancel_new",
      "trial window_closed post_chart",
      "starting rollback_asked cancel_new",
      "trial rollback_asked cancel_new",
      "awaiting_rollback rollback_asked cancel_new",
      "awaiting_decision rollback_asked cancel_new",
      "watching rollback_asked cancel_new",
      "starting no_go cancel_new",
      "trial no_go cancel_new",
      "awaiting_rollback no_go cancel_new",
      "awaiting_decision no_go cancel_new",
      "watching no_go cancel_new",
      "awaiting_rollback decision_overdue cancel_new",
      "anchoring anchor_in_range launch_old",
      "awaiting_anchor anchor_confirmed launch_old",
      "relaunching_old relaunched_once post_chart",
      "replaying replay_matches file_failure_issue",
      "replaying replay_not_comparable file_failure_issue",
      "replaying close_unverified file_failure_issue",
      "held retry_cancel_old cancel_old",
      "held retry_cancel_new cancel_new",
      "held rollback_asked cancel_new",
    ]
  `);
});

test('every state and every event has its words', () => {
  expect(states.filter((state) => STATE_WORDS[state] === undefined)).toEqual([]);
  expect(events.filter((event) => (EVENT_WORDS[event] ?? '') === '')).toEqual([]);
});
