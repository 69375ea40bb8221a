import { expect, test } from 'vitest';
import { judge } from '../../../src/protocol/gate/judge.js';
import type { Sample } from '../../../src/protocol/outside.js';
import { batch, clean, Dice, LOSS, rowsOf } from './runs.js';

const dice = new Dice(2);

test('F27: twelve common steps of two hundred are no comparison, however good their mean is', () => {
  const input = clean({
    candidate: { loss: rowsOf((step) => batch(step) - 0.004) },
    control: { loss: rowsOf((step) => (step <= 1011 ? batch(step) : undefined)) },
  });

  const { overall, criteria } = judge(input);

  expect(overall).toBe('UNKNOWN');
  expect(criteria[0]).toMatchObject({ verdict: 'UNKNOWN', reason: 'control-incomplete', expected: 201 });
});

test('F28: the window is judged, not its last sample: one odd value of 200 passes with its name, 199 of 200 do not', () => {
  const mostlyGood = rowsOf((step) => (step === 1200 ? 12.36 : 29.1 + 0.1 * dice.normal()), { metric: 'util' });
  const mostlyBad = rowsOf((step) => (step === 1200 ? 26 : 18), { metric: 'util', from: 1001 });
  const run = (util: readonly Sample[], allow: number) => judge({ ...clean(), criteria: [utilOf(allow)], candidate: { util } }).criteria[0];

  expect(run(mostlyGood, 1)).toMatchObject({ verdict: 'PASS', reason: 'within-allowed', exceptions: [[1200, 12.36]], pairs: 201 });
  expect(run(mostlyBad, 1)).toMatchObject({ verdict: 'FAIL', reason: 'out-of-bounds', decidedAt: 1002 });
  expect(run(mostlyBad, 0.02)).toMatchObject({ verdict: 'FAIL', reason: 'out-of-bounds', decidedAt: 1005 });
});

test('F29: three unreadable metrics and two over their limit are a failure, and nothing of five passed', () => {
  const criteria = ['a', 'b', 'c', 'd', 'e'].map((metric) => ({ id: metric, kind: 'bounded', metric, max: 1, logEvery: 1 }) as const);
  const over = (metric: string) => rowsOf(() => 2, { metric });

  const result = judge({ ...clean(), criteria, candidate: { a: null, b: null, c: null, d: over('d'), e: over('e') } });

  expect(result.overall).toBe('FAIL');
  expect(result.criteria.map(({ verdict }) => verdict)).toEqual(['UNKNOWN', 'UNKNOWN', 'UNKNOWN', 'FAIL', 'FAIL']);
});

test('F31: NaN, an empty list, nothing, a text and Infinity are no numbers, and none of them passes', () => {
  const kinds = {
    logged: rowsOf(() => 'NaN', { metric: 'm' }),
    infinite: rowsOf((step) => (step === 1100 ? 'Infinity' : 1), { metric: 'm' }),
    nothing: rowsOf(() => null, { metric: 'm' }),
    empty: [],
    unread: null,
  };
  for (const [name, rows] of Object.entries(kinds)) {
    for (const nonFinite of ['fail', 'gap'] as const) {
      const bounded = { id: 'm', kind: 'bounded', metric: 'm', max: 10, logEvery: 1, maxGap: 0, minCoverage: 1, nonFinite } as const;
      const tracks = { ...LOSS, id: 'm2', metric: 'm', sameBatches: false, maxGap: 0, minCoverage: 1, nonFinite };
      const control = { m: rowsOf((step) => 1 + step / 1e6, { metric: 'm' }) };
      for (const criterion of [bounded, tracks]) {
        const { overall } = judge({ ...clean(), criteria: [criterion], candidate: { m: rows }, control });
        expect({ name, kind: criterion.kind, nonFinite, passed: overall === 'PASS' }).toEqual({
          name,
          kind: criterion.kind,
          nonFinite,
          passed: false,
        });
      }
    }
  }
  expect(judge(clean({ candidate: { loss: rowsOf((step) => (step === 1003 ? 'NaN' : batch(step))) } }))).toMatchObject({
    overall: 'FAIL',
    criteria: [{ reason: 'non-finite', decidedAt: 1003 }],
  });
});

test('F33: a group without any data is not left out of the score: six good losses beside it do not make a go', () => {
  const losses = ['a', 'b', 'c', 'd', 'e', 'f'].map((metric) => ({ ...LOSS, id: metric, metric }));
  const memory = ['peak', 'mean'].map((metric) => ({ id: metric, kind: 'bounded', metric, max: 170, logEvery: 1 }) as const);
  const both = Object.fromEntries(losses.map(({ metric }) => [metric, rowsOf(batch, { metric })]));

  const { overall, criteria } = judge({
    ...clean(),
    criteria: [...losses, ...memory],
    candidate: { ...both, peak: [], mean: [] },
    control: both,
  });

  expect(overall).toBe('UNKNOWN');
  expect(criteria.filter(({ verdict }) => verdict === 'PASS')).toHaveLength(6);
  expect(criteria.filter(({ reason }) => reason === 'missing-data')).toHaveLength(2);
});

function utilOf(allow: number) {
  return { id: 'util', kind: 'bounded', metric: 'util', min: 25, allow, logEvery: 1 } as const;
}
