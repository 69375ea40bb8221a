import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from '../../src/adapters/json.js';
import { gist, registryOf } from './asking.js';
import { fakeFleet, fakeReply } from './fake-command.js';

const POD = '{"metadata":{"name":"p","labels":{"iris.job_id":"marin.hero-x-coord-1"}},"status":{"phase":"Running"}}';

describe('a name that stands twice in one object', () => {
  test.each([
    '{"items":[1],"items":[]}',
    '{"a":{"b":1,"c":[{"d":1},{"d":1,"d":2}]}}',
    '{"exists":true,"\\u0065xists":false}',
    '[{"a\\"":1, "a\\"" : 2}]',
    '{"":1,"":1}',
    '{"a":{"x":1},"a":{"x":1}}',
    '{"__proto__":1,"__proto__":2}',
  ])('is two answers: %s', (text) => {
    expect(() => readJson(text)).toThrow('stands twice in one object');
  });

  test('makes an answer of every provider unknown, whichever of the two comes last', async () => {
    const twoLists = `{"apiVersion":"v1","kind":"List","items":[${POD}],"items":[]}`;
    const twoPhases = `{"apiVersion":"v1","kind":"List","items":[${POD.replace('"phase"', '"phase":"Succeeded","phase"')}]}`;
    for (const text of [twoLists, twoPhases]) {
      const reading = await registryOf(fakeFleet({ kubectl: fakeReply(text) })).read('pods', {
        family: 'hero',
        jobId: '/marin/hero-x-coord-1',
      });
      expect(gist(reading), text).toMatchObject({ unknown: 'unparsable', detail: expect.stringContaining('stands twice in one object') });
    }

    const child = fakeReply('{"exists":true,"config":{},"exists":false}\n');
    const reading = await registryOf(fakeFleet({ tracker: child })).read('tracker_child', { family: 'hero', runId: 'hero-x' });
    expect(gist(reading)).toMatchObject({ unknown: 'unparsable' });

    const step = fakeReply('{"last_step":9,"last_step":5,"last_ms":5,"n":3}\n');
    const last = await registryOf(fakeFleet({ finelog: step })).read('last_step', { family: 'hero', runId: 'hero-x', sinceMs: 0 });
    expect(gist(last)).toMatchObject({ unknown: 'unparsable' });
  });
});

test('an answer nested beyond reason is unknown, and nothing falls over', async () => {
  const deep = `{"apiVersion":"v1","kind":"List","items":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const reading = await registryOf(fakeFleet({ kubectl: fakeReply(deep) })).read('pods', {
    family: 'hero',
    jobId: '/marin/hero-x-coord-1',
  });

  expect(gist(reading)).toMatchObject({ unknown: 'unparsable', detail: expect.stringContaining('nested more than 100 deep') });
});

test('everything else is read as JSON is', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 2), (text, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), null, indent);
      expect(readJson(spaced)).toEqual(JSON.parse(text));
    }),
  );
});
