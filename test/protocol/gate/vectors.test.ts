import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeCommand } from '../../../src/cli-judge.js';

const FOLDER = new URL('../../vectors/gate/', import.meta.url);
const EXIT: Record<string, number> = { PASS: 0, FAIL: 1, worse: 0, better: 0, mixed: 0, 'within-noise': 0 };

for (const file of readdirSync(FOLDER).sort()) {
  const vector = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));

  test(`${file}: ${vector.why}`, async () => {
    let printed = '';

    const exit = await judgeCommand([new URL(file, FOLDER).pathname, '--json'], { out: (text) => (printed += text), err: () => {} });

    expect(JSON.parse(printed)).toEqual(withoutTolerance(vector.expected));
    expect(exit).toBe(EXIT[vector.expected.overall] ?? 3);
  });
}

/** `decidedTol` says how far the step moved in other implementations; this one is exact. */
function withoutTolerance(expected: { criteria?: Record<string, { decidedTol: number }> }) {
  const criteria = Object.entries(expected.criteria ?? {}).map(([id, { decidedTol: _, ...rest }]) => [id, rest]);
  return expected.criteria === undefined ? expected : { ...expected, criteria: Object.fromEntries(criteria) };
}

test('bad input names the field that is wrong, and no verdict is printed', async () => {
  const good = JSON.parse(readFileSync(new URL('01-tracks-clean.json', FOLDER), 'utf8'));
  const spoiled = {
    'input.window.end': { ...good, input: { ...good.input, window: { start: 1000, end: 'x' } } },
    'input.state': { ...good, input: { ...good.input, state: 'open' } },
    'input.criteria.0.margn': { ...good, input: { ...good.input, criteria: [{ ...good.input.criteria[0], margn: 1 }] } },
    'input.criteria.0.better': { ...good, input: { ...good.input, criteria: [{ id: 'a', kind: 'not-worse', metric: 'loss' }] } },
    'input.candidate.loss.0': { ...good, input: { ...good.input, candidate: { loss: [[1001, 2.5]] } } },
    'input.candidate.loss.0.2': { ...good, input: { ...good.input, candidate: { loss: [[1001, 2.5, 'one', 0]] } } },
    type: { ...good, type: 'other' },
  };
  const folder = mkdtempSync(join(tmpdir(), 'judge-'));

  for (const [path, question] of Object.entries(spoiled)) {
    const file = join(folder, 'question.json');
    writeFileSync(file, JSON.stringify(question));
    let printed = '';
    let complained = '';
    const exit = await judgeCommand([file, '--json'], { out: (text) => (printed += text), err: (text) => (complained += text) });

    expect({ path, exit, printed }).toEqual({ path, exit: 2, printed: '' });
    expect(complained).toContain(path);
  }
});

test('a field of the contract that does not concern a kind decides nothing there, and one of the wrong type is named', async () => {
  const good = JSON.parse(readFileSync(new URL('24-bounded-allow.json', FOLDER), 'utf8'));
  const [bound] = good.input.criteria;
  const judged = async (more: object, bytes?: Buffer) => {
    const file = join(mkdtempSync(join(tmpdir(), 'harbor-judge-')), 'question.json');
    const question = { type: 'training', input: { ...good.input, criteria: [{ ...bound, ...more }] } };
    writeFileSync(file, bytes ?? JSON.stringify(question));
    let said = '';
    const exit = await judgeCommand([file, '--json'], { out: (text) => (said += text), err: (text) => (said += text) });
    return { exit, said };
  };
  const plain = await judged({});
  const beside = { better: 'higher', margin: { abs: 1 }, expect: { rel: 1 }, atLeastFrac: 0.5, sameBatches: true, minN: 500 };

  expect(plain.exit).toBe(0);
  expect(await judged(beside)).toEqual(plain);
  expect(await judged({ minN: '500' })).toMatchObject({ exit: 2, said: expect.stringContaining('input.criteria.0.minN') });
  expect(await judged({ marginn: 1 })).toMatchObject({ exit: 2, said: expect.stringContaining('input.criteria.0.marginn: no such field') });
  // Bytes that are no text are bad input: read as a stand-in, two names would become one.
  expect(await judged({}, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toMatchObject({ exit: 2 });
});
