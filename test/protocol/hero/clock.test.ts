import { expect, test } from 'vitest';
import { paceOf } from '../../../src/protocol/hero/budget.js';
import { clock } from '../../../src/protocol/hero/clock.js';
import type { HeroView } from '../../../src/protocol/hero/facts.js';
import { HeroPlan } from '../../../src/protocol/hero/plan.js';
import type { Sample } from '../../../src/protocol/outside.js';
import type { JsonObject, Readings } from '../../../src/protocol/table.js';
import { HANDOFF, planBody } from '../../support/plan.js';

const HOURS = { zone: 'America/Los_Angeles', from: '08:00', until: '20:00', days: ['mon', 'tue', 'wed', 'thu'] };
/** The limits of a real hero: 2 × (600 + 4800) + 200 × pace + 900. */
const LIMITS = { startUpSeconds: 4_800, cancelSeconds: 600, hangSeconds: 900 };

function rows(secondsPerStep: number, attempt = 0): readonly Sample[] {
  const at = Date.parse('2026-12-01T10:00:00Z');
  return Array.from({ length: 50 }, (_none, n) => ({
    step: HANDOFF + n,
    metric: 'train_loss',
    value: 2,
    attempt,
    atMs: at + n * secondsPerStep * 1000,
    seq: n,
  }));
}

function guardAt(now: string, series: readonly Sample[], changes: JsonObject = {}, today = HOURS) {
  const body = planBody({ workingHours: HOURS, windowSteps: 200, paceSecondsPerStep: 0, roundTripSeconds: 1, ...changes });
  const limits = { ...HeroPlan.parse(body).limits, ...LIMITS };
  const at = new Date(now);
  const view: HeroView = {
    operationId: 'hero-1',
    state: 'preflighting',
    seq: 3,
    enteredAtSeq: 3,
    enteredAt: new Date(0),
    lastAt: new Date(0),
    plan: { ...HeroPlan.parse(body), limits },
    planVersion: 1,
    planHash: '',
    requester: 'U1',
    origin: null,
    facts: {},
    history: [],
    intent: null,
    asides: [],
    acting: [],
  };
  const readings: Readings = {
    hours: { kind: 'known', value: today, source: 'fleet file', readAt: at },
    pace: { kind: 'known', value: series, source: 'finelog query series', readAt: at },
  };
  return clock(view, readings, at);
}

test('the last safe moment follows from pace, cold start, window and the way back', () => {
  // 10,800 + 200 × 16.8 + 900 = 15,060 s before 20:00 in Los Angeles is 15:49.
  expect(guardAt('2026-12-01T23:48:00Z', rows(16.8))).toMatchObject({
    answer: 'open',
    sentence: expect.stringMatching(
      /^the last safe moment is 15:49 America\/Los_Angeles \(2026-12-01T23:49Z\): .* 4 h 11 min: 80 min for each of two cold starts, 200 steps at 16\.8 s, 15 min until a hang is told$/,
    ),
  });
  expect(guardAt('2026-12-01T23:50:00Z', rows(16.8))).toMatchObject({
    answer: 'shut',
    sentence: expect.stringMatching(
      /^a rollback would not end before 20:00 America\/Los_Angeles; the last safe moment was 15:49 .* Begin earlier on a day of 08:00 to 20:00/,
    ),
  });
});

test('a run that has become slower since the plan was made makes the last safe moment earlier', () => {
  const agreed = { paceSecondsPerStep: 16.8, roundTripSeconds: 15_060 };

  expect(guardAt('2026-12-01T23:48:00Z', rows(16.8), agreed)).toMatchObject({ answer: 'open' });
  expect(guardAt('2026-12-01T23:48:00Z', rows(30), agreed)).toMatchObject({ answer: 'shut' });
  expect(guardAt('2026-12-01T23:48:00Z', rows(5), agreed)).toMatchObject({ answer: 'open', sentence: expect.stringContaining('15:49') });
});

test('F98: in summer the same clock time is another instant, and the last safe moment moves with it', () => {
  expect(guardAt('2026-07-01T22:48:00Z', rows(16.8))).toMatchObject({
    answer: 'open',
    sentence: expect.stringContaining('2026-07-01T22:49Z'),
  });
  expect(guardAt('2026-07-01T22:50:00Z', rows(16.8))).toMatchObject({ answer: 'shut' });
});

test('a pace that nobody knows is no pace of nothing', () => {
  expect(guardAt('2026-12-01T18:00:00Z', [])).toMatchObject({
    answer: 'unknown',
    sentence: expect.stringContaining('how long a step takes'),
  });
  expect(guardAt('2026-12-01T18:00:00Z', rows(16.8).slice(0, 1))).toMatchObject({ answer: 'unknown' });
});

test('the hours of the plan and those of the fleet file count both, whichever end first', () => {
  const sooner = { ...HOURS, until: '18:00' };

  expect(guardAt('2026-12-01T22:00:00Z', rows(16.8), {}, sooner)).toMatchObject({
    answer: 'shut',
    sentence: expect.stringContaining('13:49'),
  });
  expect(guardAt('2026-12-04T18:00:00Z', rows(16.8))).toMatchObject({
    answer: 'shut',
    sentence:
      'it is 10:00 America/Los_Angeles, outside the agreed hours (08:00 to 20:00 America/Los_Angeles on mon, tue, wed, thu): come back within them',
  });
});

test('F16: a pace is that of the newest execution: replayed steps are not counted twice', () => {
  const replayed = rows(30, 1).map((row) => ({ ...row, seq: row.seq + 100 }));

  expect(paceOf([...rows(10), ...replayed])).toBeCloseTo(30);
});
