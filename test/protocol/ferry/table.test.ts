import { expect, test } from 'vitest';
import type { FerryFacts, FerryView } from '../../../src/protocol/ferry/facts.js';
import { createFerry } from '../../../src/protocol/ferry/ferry.js';
import { FerryPlan } from '../../../src/protocol/ferry/plan.js';
import { FERRY_FINALS, FERRY_LOCKED, FERRY_ROWS, type FerryState } from '../../../src/protocol/ferry/table.js';
import { FERRY_EVENT_WORDS, FERRY_STATE_WORDS } from '../../../src/render/ferry/states.js';
import { DOCUMENTS } from '../../support/ferry-engine.js';
import { ferryBody } from '../../support/ferry-plan.js';

const everybody = ['U0ASK', 'U2'];
const lanes = { daily: { people: { ask: everybody, decide: everybody, onCall: everybody } } };
const ferry = createFerry({ lanes, requestSeconds: 300, tickSeconds: 15 }, DOCUMENTS);
const at = new Date('2026-11-30T12:00:00Z');
const states = [...new Set(FERRY_ROWS.flatMap(({ from, to }) => [from, to]))].filter((state) => state !== null && state !== '@origin');
const events = [...new Set(FERRY_ROWS.map(({ on }) => on))];

function viewIn(state: string, facts: Partial<FerryFacts> = {}): FerryView {
  const clearance = {
    kind: 'approval',
    by: 'U0ASK',
    at: at.toISOString(),
    until: '2026-11-30T13:00:00Z',
    planHash: 'f'.repeat(64),
    quote: null,
  } as const;
  return {
    operationId: 'ferry-1',
    state,
    seq: 9,
    enteredAtSeq: 9,
    enteredAt: at,
    lastAt: at,
    plan: FerryPlan.parse(ferryBody()),
    planVersion: 1,
    planHash: 'f'.repeat(64),
    requester: 'U0ASK',
    origin: state === 'held' ? 'stopping' : null,
    facts: { clearance, jobId: '/marin/ferry-1', launchedAt: at.toISOString(), ...facts },
    history: [],
    intent: null,
    acting: [],
    asides: [],
  };
}

function offer(state: string, on: string, by: string, facts: Partial<FerryFacts> = {}) {
  return ferry.decide(
    viewIn(state, facts),
    { operationId: 'ferry-1', on, by, requestKey: 'k', details: { reason: 'because' } },
    { memory: null, readings: {} },
    at,
  );
}

test('what is not in the table cannot happen, from any state, by anybody', () => {
  const advanced: string[] = [];
  for (const state of states) {
    for (const event of events) {
      for (const by of ['bot', 'U0ASK', 'U2', 'U9']) {
        const decision = offer(state, event, by);
        if (decision.kind === 'advance') advanced.push(`${state} ${decision.row.on}`);
      }
    }
  }

  const rows = new Set(FERRY_ROWS.map(({ from, on }) => `${from} ${on}`));
  expect(advanced.length).toBeGreaterThan(100);
  expect([...new Set(advanced)].filter((pair) => !rows.has(pair))).toEqual([]);
});

test('every row can be taken, but for those that ask for more than a right', () => {
  const asksForMore = new Set(['standing_waiver_used', 'adopt']);

  for (const row of FERRY_ROWS.filter(({ from }) => from !== null)) {
    const decision = offer(row.from ?? '', row.on, row.who === 'bot' ? 'bot' : 'U0ASK');
    if (asksForMore.has(row.on)) expect(decision.kind, row.on).toBe('refuse');
    else expect(decision.kind, `${row.from} ${row.on}`).toBe('advance');
  }
});

test('a bystander moves nothing, and no person says what only a reading may', () => {
  for (const row of FERRY_ROWS.filter(({ from }) => from !== null)) {
    expect(offer(row.from ?? '', row.on, 'U9').kind, `${row.from} ${row.on}`).toBe('refuse');
    if (row.who === 'bot') expect(offer(row.from ?? '', row.on, 'U0ASK').kind, row.on).toBe('refuse');
  }
});

test('only the requester clears a run: not another who may ask, not somebody on call, not the bot', () => {
  for (const on of ['approved', 'waived']) {
    for (const by of ['U2', 'bot', 'U9']) expect(offer('proposed', on, by).kind, `${on} ${by}`).toBe('refuse');
    expect(offer('proposed', on, 'U0ASK').kind).toBe('advance');
  }
  expect(offer('proposed', 'approved', 'U2')).toEqual({ kind: 'refuse', refusal: 'not_the_requester', details: { clears: 'U0ASK' } });
});

test('nothing is launched without a clearance that covers this plan and has not expired', () => {
  const gone = { kind: 'approval', by: 'U0ASK', at: '', until: '2026-11-30T11:59:59Z', planHash: 'f'.repeat(64), quote: null } as const;
  const other = { ...gone, until: '2026-11-30T13:00:00Z', planHash: 'e'.repeat(64) };

  for (const clearance of [null, gone, other]) {
    for (const [state, on, by] of [
      ['cleared', 'launch_asked', 'U0ASK'],
      ['cleared', 'launch_due', 'bot'],
      ['arming', 'guards_open', 'bot'],
    ] as const) {
      expect(offer(state, on, by, { clearance }).kind, `${state} ${on}`).toBe('refuse');
    }
  }
});

test('each state that is not final has a way on, each final one has none', () => {
  for (const state of states) {
    const ways = FERRY_ROWS.filter(({ from, to }) => from === state && to !== from);
    if (FERRY_FINALS.has(state)) expect(ways, state).toEqual([]);
    else expect(ways.length, state).toBeGreaterThan(0);
  }
});

test('each state and each event has words, and the lane is held exactly while a job of it may come or live', () => {
  for (const state of states) expect(FERRY_STATE_WORDS[state].words).not.toBe('');
  for (const event of events) expect(FERRY_EVENT_WORDS[event]).not.toBe('');
  const free: readonly FerryState[] = [
    'awaiting_fix',
    'awaiting_seal',
    'sealing',
    'tagging',
    'branching',
    'logging',
    'opening',
    'labelling',
  ];
  expect(states.filter((state) => !FERRY_LOCKED.has(state) && !FERRY_FINALS.has(state)).sort()).toEqual([...free].sort());
});
