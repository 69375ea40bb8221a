import { expect, test } from 'vitest';
import type { Criterion } from '../../../src/protocol/gate/criterion.js';
import { type GateInput, judge } from '../../../src/protocol/gate/judge.js';
import { normalQuantile, tQuantile } from '../../../src/protocol/gate/quantile.js';
import { radius } from '../../../src/protocol/gate/radius.js';
import { controlCoverage, sanityOf } from '../../../src/protocol/gate/sanity.js';
import { judgeServing, signTest } from '../../../src/protocol/gate/serving.js';
import { batch, clean, Dice, LOSS, rowsOf, WINDOW } from './runs.js';

const first = (input: GateInput) => judge(input).criteria[0];
const MFU: Criterion = { id: 'mfu', kind: 'not-worse', metric: 'mfu', better: 'higher', margin: { rel: 0.01 }, skipFirst: 1, logEvery: 10 };

test('quantiles are those of the tables', () => {
  const table = [
    [0.05, 1, 6.3138],
    [0.05, 1.7, 6.3138],
    [0.05, 2, 2.92],
    [0.05, 3, 2.3534],
    [0.05, 5, 2.015],
    [0.05, 10, 1.8125],
    [0.05, 199, 1.6525],
    [0.0125, 4, 3.4954],
    [0.0125, 6, 2.9687],
    [0.025, 1e6, 1.96],
  ] as const;
  for (const [upper, degrees, t] of table) expect(tQuantile(upper, degrees)).toBeCloseTo(t, 3);
  expect([0.5, 0.975, 0.001].map((p) => normalQuantile(p).toFixed(5))).toEqual(['0.00000', '1.95996', '-3.09023']);
});

test('a stream cannot decide on two blocks, and on three only at a level above .0164', () => {
  expect(radius(2, 1, 0.025)).toBe(Number.POSITIVE_INFINITY);
  expect(radius(2, 0, 0.025)).toBe(Number.POSITIVE_INFINITY);
  expect(radius(3, 1, 0.0165)).toBeLessThan(Number.POSITIVE_INFINITY);
  expect(radius(3, 1, 0.0163)).toBe(Number.POSITIVE_INFINITY);
  expect(radius(4, 1, 0.00138)).toBeLessThan(Number.POSITIVE_INFINITY);
  expect(radius(4, 1, 0.00136)).toBe(Number.POSITIVE_INFINITY);
  expect(radius(5, 0, 0.025)).toBe(0);
});

test('a gate without a required criterion, with an id twice, or of a kind that nobody knows is unknown', () => {
  expect(judge(clean({ criteria: [] })).overall).toBe('UNKNOWN');
  expect(judge(clean({ criteria: [{ ...LOSS, reportOnly: true }] })).overall).toBe('UNKNOWN');
  expect(judge(clean({ criteria: [LOSS, LOSS] })).overall).toBe('UNKNOWN');
  expect(judge(clean({ criteria: [LOSS, { id: 'x', kind: 'unknown' }] })).overall).toBe('UNKNOWN');
  expect(judge(clean({ criteria: [LOSS, { id: 'x', kind: 'unknown', reportOnly: true }] })).overall).toBe('PASS');
  expect(judge(clean({ window: { start: 1200, end: 1000 } })).overall).toBe('UNKNOWN');
  expect(first(clean({ criteria: [{ ...LOSS, skipFirst: 500 }] }))).toMatchObject({ verdict: 'UNKNOWN', reason: 'empty-window' });
});

test('a criterion for report only is judged and not counted, and takes no share of alpha', () => {
  const shifted = { loss: rowsOf((step) => batch(step) + 0.02) };

  expect(
    judge(
      clean({
        criteria: [
          { ...LOSS, id: 'r', reportOnly: true },
          { ...LOSS, id: 'l' },
        ],
        candidate: shifted,
      }),
    ),
  ).toMatchObject({
    overall: 'FAIL',
  });
  expect(judge(clean({ criteria: [{ ...LOSS, id: 'r', margin: { abs: 1e-9 }, reportOnly: true }, LOSS] }))).toMatchObject({
    overall: 'PASS',
  });
});

test('a live attempt that has logged nothing silences the rows of its predecessor', () => {
  expect(first(clean({ liveAttempt: 0 }))).toMatchObject({ verdict: 'PASS' });
  expect(first(clean({ liveAttempt: 1 }))).toMatchObject({ verdict: 'UNKNOWN', reason: 'attempt-silent' });
  const straddling = clean({ liveAttempt: 1, candidate: { loss: rowsOf((step) => batch(step) + (step % 2 ? 0.02 : -0.011)) } });
  expect(first(straddling)).toMatchObject({ verdict: 'UNKNOWN', reason: 'attempt-silent' });
  const onlyNull = [...(clean().candidate.loss ?? []), ...rowsOf(() => null, { attempt: 1, from: 1001, to: 1002 })];
  expect(first(clean({ liveAttempt: 1, candidate: { loss: onlyNull } }))).toMatchObject({ reason: 'attempt-silent' });
});

test('three steps far outside in a row fail at once, others are clipped, counted, and refuse to pass', () => {
  const far = (steps: readonly number[]) => clean({ candidate: { loss: rowsOf((step) => batch(step) + (steps.includes(step) ? 8 : 0)) } });

  expect(first(far([1050, 1051, 1052]))).toMatchObject({ verdict: 'FAIL', reason: 'catastrophe', decidedAt: 1052 });
  expect(first(far([1050, 1051, 1053]))).toMatchObject({
    verdict: 'INCONCLUSIVE',
    reason: 'straddles-margin',
    lean: 'pass',
    spikes: 3,
    largest: { difference: expect.closeTo(8, 5) },
  });
  expect(first(far([1010, 1050, 1090, 1130, 1170]))).toMatchObject({ verdict: 'INCONCLUSIVE', reason: 'spikes', spikes: 5 });
});

test('far on the good side is no catastrophe where that side is open', () => {
  const better = { loss: rowsOf((step) => batch(step) - 8) };

  expect(first(clean({ criteria: [{ ...LOSS, kind: 'not-worse' }], candidate: better }))?.verdict).not.toBe('FAIL');
  expect(first(clean({ criteria: [LOSS], candidate: better }))).toMatchObject({ verdict: 'FAIL', reason: 'catastrophe', decidedAt: 1002 });
});

test('a window whose end drifts out of the agreed interval does not pass on its mean', () => {
  const late = { loss: rowsOf((step) => batch(step) + (step > 1165 ? 0.008 : -0.0005)) };

  expect(first(clean({ candidate: late }))).toMatchObject({ verdict: 'INCONCLUSIVE', reason: 'tail-outside', lean: 'pass' });
});

test('losses of other batches are not compared, and an offset of one step is found', () => {
  const other = new Dice(9);
  expect(first(clean({ candidate: { loss: rowsOf(() => 2.5 + 0.04 * other.normal()) } }))).toMatchObject({ reason: 'unpaired' });
  expect(first(clean({ candidate: { loss: rowsOf((step) => batch(step + 1)) } }))).toMatchObject({ reason: 'misaligned' });
  expect(first(clean({ state: 'running', candidate: { loss: rowsOf((step) => batch(step + 1), { to: 1040 }) } }))).toMatchObject({
    verdict: 'UNKNOWN',
    reason: 'misaligned',
  });
});

test('a sparse metric stands on the absolute grid, loses at most four of twenty rows, and never two windows in one', () => {
  const dice = new Dice(4);
  const noise = new Map(Array.from({ length: 30 }, (_, i) => [1000 + 10 * i, 0.4 * (1 + 0.001 * dice.normal())]));
  const mfu = (lost: readonly number[]) =>
    judge({
      ...clean(),
      criteria: [MFU],
      candidate: { mfu: rowsOf((step) => (lost.includes(step) ? undefined : noise.get(step)), { metric: 'mfu', from: 1000, every: 10 }) },
      control: { mfu: rowsOf((step) => noise.get(step), { metric: 'mfu', from: 1000, every: 10 }) },
    }).criteria[0];

  expect(mfu([])).toMatchObject({ verdict: 'PASS', pairs: 20, expected: 20 });
  expect(mfu([1020, 1040, 1080, 1120])).toMatchObject({ verdict: 'PASS', pairs: 16 });
  expect(mfu([1020, 1040, 1080, 1120, 1160])).toMatchObject({ verdict: 'UNKNOWN', reason: 'missing-data', pairs: 15 });
  expect(mfu([1050, 1060])).toMatchObject({ verdict: 'PASS' });
  expect(mfu([1050, 1060, 1070])).toMatchObject({ verdict: 'UNKNOWN', reason: 'missing-data' });
});

test('without its last row a window stays open until the run has ended', () => {
  const short = { loss: rowsOf(batch, { to: 1199 }) };

  expect(judge(clean({ state: 'running', candidate: short }))).toMatchObject({ overall: 'CONTINUE', complete: false });
  expect(judge(clean({ state: 'ended', candidate: short }))).toMatchObject({ overall: 'PASS', complete: true });
  expect(judge(clean({ state: 'running' }))).toMatchObject({ overall: 'PASS', complete: true });
});

test('a renamed metric is compared with the name that the control logged', () => {
  const criteria = [{ ...LOSS, id: 'new', metric: 'new', was: 'loss' }];
  expect(judge(clean({ criteria, candidate: { new: rowsOf(batch, { metric: 'new' }) } })).overall).toBe('PASS');
});

test('exceptions are a count or a fraction rounded down; anything else is no tolerance', () => {
  const odd = { loss: rowsOf((step) => (step === 1007 || step === 1009 ? 99 : 1)) };
  const bounded = (allow: number) =>
    first(clean({ criteria: [{ id: 'b', kind: 'bounded', metric: 'loss', max: 9, logEvery: 1, allow }], candidate: odd }));

  expect(bounded(0)).toMatchObject({ verdict: 'FAIL', decidedAt: 1007 });
  expect(bounded(1)).toMatchObject({ verdict: 'FAIL', decidedAt: 1009 });
  expect(bounded(2)).toMatchObject({
    verdict: 'PASS',
    reason: 'within-allowed',
    exceptions: [
      [1007, 99],
      [1009, 99],
    ],
  });
  expect(bounded(0.00996)).toMatchObject({ verdict: 'PASS' });
  expect(bounded(0.0099)).toMatchObject({ verdict: 'FAIL', decidedAt: 1009 });
  for (const allow of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
    expect(bounded(allow)).toMatchObject({ verdict: 'UNKNOWN', reason: 'no-tolerance' });
});

test('silence is absence only where reading was proven, and a hit fails whatever was read', () => {
  const probes = (beats: number) => [0, 300, 600].map((from) => ({ from, to: from + 300, ok: true, heartbeats: beats }));
  const absent = (log: NonNullable<GateInput['logs']>[string], state: 'running' | 'ended' = 'ended') =>
    first(clean({ state, criteria: [{ id: 'w', kind: 'absent' }], logs: { w: log }, span: { from: 0, to: 900 } }));

  expect(absent({ probes: probes(1), hits: [] })).toMatchObject({ verdict: 'PASS', reason: 'absent' });
  expect(absent({ probes: probes(1), hits: [-1] })).toMatchObject({ verdict: 'PASS' });
  expect(absent({ probes: probes(1), hits: [] }, 'running')).toMatchObject({ verdict: 'CONTINUE' });
  expect(absent({ probes: probes(0), hits: [5] })).toMatchObject({ verdict: 'FAIL' });
  expect(absent({ probes: probes(0), hits: [] })).toMatchObject({ verdict: 'UNKNOWN', reason: 'not-proven-readable' });
  expect(absent({ probes: null, hits: [] })).toMatchObject({ verdict: 'UNKNOWN', reason: 'not-proven-readable' });
  expect(absent({ probes: probes(1), hits: null })).toMatchObject({ verdict: 'UNKNOWN', reason: 'unreadable' });
  expect(absent({ probes: probes(1), hits: [Number.NaN] })).toMatchObject({ verdict: 'UNKNOWN', reason: 'unreadable' });
  expect(absent(null)).toMatchObject({ verdict: 'UNKNOWN', reason: 'unreadable' });
});

test('before launch one is told whether a margin can pass, and how many lost rows make it unknown', () => {
  const control = rowsOf(batch, { to: 1060 });
  const sanity = (changes: object) => sanityOf({ ...LOSS, ...changes }, control, WINDOW);

  expect(sanity({ margin: { abs: 0.02 } })).toMatchObject({ reach: 'likely', expected: 201, lostMax: 10, gapMax: 10 });
  expect(sanity({ margin: { abs: 0.0001 } })).toMatchObject({ reach: 'rarely' });
  expect(sanity({ margin: { abs: 0.02 }, logEvery: 20 })).toMatchObject({ reach: 'never', expected: 11 });
  expect(sanity({ margin: undefined })).toMatchObject({ reach: 'never' });
  expect(sanityOf(LOSS, [], WINDOW)).toMatchObject({ reach: 'unknown' });
});

test('a control with a hole, too few rows or no tolerance cannot be judged against', () => {
  const whole = rowsOf(batch);
  expect(controlCoverage(LOSS, whole, WINDOW)).toEqual({ present: 201, expected: 201, usable: true });
  expect(controlCoverage(LOSS, whole.slice(0, 180), WINDOW)).toMatchObject({ present: 180, usable: false });
  const holed = whole.filter(({ step }) => step < 1100 || step > 1110);
  expect(controlCoverage({ ...LOSS, minCoverage: 0.5 }, holed, WINDOW)).toMatchObject({ usable: false });
  expect(controlCoverage({ ...LOSS, margin: undefined }, whole, WINDOW)).toMatchObject({ usable: false });
});

const run = (score: number, scenarios?: Record<string, number>) => ({
  score,
  completed: 88,
  errors: 0,
  ...(scenarios === undefined ? {} : { scenarios }),
});
const arms = (a: readonly number[], b: readonly number[]) => ({
  A: { runs: a.map((score) => run(score)) },
  B: { runs: b.map((score) => run(score)) },
});

test('the score interval is as wide as the contract says, and 158 against 162 is never a finding', () => {
  const widths = [1, 2, 3, 5].map((n) => {
    const spread = Array.from({ length: n }, () => 0); // identical scores leave only the prior, whose weight falls
    return judgeServing({ scenarioCount: 88, arms: arms(spread, spread), cells: {} }).score?.halfWidth ?? 0;
  });
  expect(widths[0]).toBeCloseTo(14.8, 1);
  expect(widths[3]).toBeLessThan(4.9);
  expect(judgeServing({ scenarioCount: 88, arms: arms([158], [162]), cells: {} })).toMatchObject({
    overall: 'within-noise',
    score: { notWorseProven: false },
  });
});

test('a run that is unfinished, has errors, no score or other scenarios makes the quality unknown', () => {
  const b = { runs: [run(160)] };
  const quality = (bad: object) => judgeServing({ scenarioCount: 88, arms: { A: { runs: [{ ...run(160), ...bad }] }, B: b }, cells: {} });

  expect(quality({ completed: 87 })).toMatchObject({ overall: 'UNKNOWN', quality: 'UNKNOWN', reason: 'unfinished' });
  expect(quality({ errors: 1 })).toMatchObject({ reason: 'errors' });
  expect(quality({ score: Number.NaN })).toMatchObject({ reason: 'non-finite' });
  expect(quality({ scenarios: { x: 1 } })).toMatchObject({ reason: 'scenario-set' });
});

test('flips are tested exactly, and lost scenarios are named only when repeats agree', () => {
  expect(signTest(7, 3)).toBeCloseTo(0.34375, 5);
  expect(signTest(0, 8)).toBeCloseTo(0.0078125, 7);
  const points = (lost: number) => Object.fromEntries(Array.from({ length: 88 }, (_, i) => [`TC-${i}`, i < lost ? 0 : 2]));
  const both = (lost: number, repeats: number) =>
    judgeServing({
      scenarioCount: 88,
      arms: {
        A: { runs: Array.from({ length: repeats }, () => run(160, points(0))) },
        B: { runs: Array.from({ length: repeats }, () => run(160, points(lost))) },
      },
      cells: {},
    });

  expect(both(8, 2)).toMatchObject({ quality: 'worse', flips: { up: 0, down: 8, lostUnconfirmed: [] } });
  expect(both(8, 2).flips?.lost).toHaveLength(8);
  expect(both(1, 1)).toMatchObject({ quality: 'within-noise', flips: { lost: [], lostUnconfirmed: ['TC-0'] } });
});

test('a cell that was not measured makes the speed unknown, and faster and slower cells are mixed', () => {
  const speed = (cells: Record<string, { A?: number[]; B?: number[] }>) =>
    judgeServing({ scenarioCount: 88, arms: arms([160], [160]), cells });

  expect(speed({ a: { A: [10, 10], B: [20, 20] }, b: { A: [20, 20], B: [10, 10] } })).toMatchObject({
    speed: 'mixed',
    quality: 'within-noise',
  });
  expect(speed({ a: { A: [10, 10], B: [20, 20] } })).toMatchObject({ speed: 'better', overall: 'better' });
  for (const cell of [{ A: [10] }, { A: [10], B: [] }, { A: [10], B: [0] }, { A: [10], B: [Number.NaN] }]) {
    expect(speed({ a: cell })).toMatchObject({ speed: 'UNKNOWN', overall: 'UNKNOWN', quality: 'within-noise' });
  }
});

test('a bound of which no row was read never passes, whatever coverage was agreed', () => {
  const nothing = [[], rowsOf(() => 'NaN'), rowsOf(() => null), rowsOf(() => 1, { from: 2_000, to: 2_001 })];
  for (const rows of nothing) {
    const bound = {
      id: 'b',
      kind: 'bounded',
      metric: 'loss',
      max: 9,
      logEvery: 1,
      minCoverage: 0,
      maxGap: 1_000,
      nonFinite: 'gap',
    } as const;
    expect(first(clean({ criteria: [bound], candidate: { loss: rows } }))).toMatchObject({ verdict: 'UNKNOWN', reason: 'missing-data' });
  }
});
