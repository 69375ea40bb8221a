import { expect, test } from 'vitest';
import { type Asked, enterFerry } from '../../commands/ferry-entry.js';
import type { Ask } from '../../commands/plan-entry.js';
import type { Fleet } from '../../src/fleet.js';
import type { LaneTree } from '../../src/protocol/ferry/outside.js';
import type { Reading } from '../../src/protocol/reading.js';
import { localFleetWith } from '../support/local-fleet.js';

const HEAD = 'c'.repeat(40);
const fleet = localFleetWith();
const TREE: LaneTree = { head: HEAD, dirty: [], pushed: true, hasFile: true, delta: [{ name: 'STEPS', was: '60', is: '80' }], commits: [] };
const LAST = {
  operationId: 'ferry-1',
  commit: 'b'.repeat(40),
  jobId: '/marin/ferry-x',
  link: 'https://t',
  launchedAt: '2026-11-29T06:00:00Z',
  failureIssue: null,
};

/** Asks an outside that stands as told; what is not told cannot be read. */
function outside(tree: Partial<LaneTree> | null, asked: string[] = []): Ask {
  const answer = async (verb: string): Promise<Reading<unknown>> => {
    asked.push(verb);
    const base = { source: verb, readAt: new Date(0) };
    if (tree === null) return { ...base, kind: 'unknown', why: 'timed_out', detail: 'no answer' };
    return {
      ...base,
      kind: 'known',
      value:
        verb === 'tagged' ? [{ number: 7, title: 'Loader is slow', url: 'https://g/7', pull: false, updatedAt: '' }] : { ...TREE, ...tree },
    };
  };
  return answer as Ask;
}

async function enter(
  lane: string,
  fields: Record<string, string>,
  tree: Partial<LaneTree> | null = {},
  changes: Partial<Asked> = {},
  on: Fleet = fleet,
) {
  const now = new Date('2026-02-21T04:29:42Z');
  const asked: Asked = { lane, fields: new Map(Object.entries(fields)), clears: 'U0ASK', scheduledFor: null, now, last: LAST, ...changes };
  return enterFerry(on, outside(tree), asked);
}

test.each([
  ['an unknown lane', 'nope', { objective: 'x' }, {}, 'lane: "nope" is not in the fleet file; known are daily, canary-tpu, canary-gpu'],
  [
    'a lane that only a prototype has',
    'constructor',
    { objective: 'x' },
    {},
    'lane: "constructor" is not in the fleet file; known are daily, canary-tpu, canary-gpu',
  ],
  ['no objective', 'daily', {}, {}, 'objective: what is this ferry to show? Write objective="…"'],
  ['an objective of blanks', 'daily', { objective: '  ' }, {}, 'objective: what is this ferry to show? Write objective="…"'],
  [
    'a field that nobody knows',
    'daily',
    { objective: 'x', foo: '1' },
    {},
    'foo: there is no such field; known are lane, objective, regression, rationale, risk, fallback, commit, failure, pull',
  ],
  [
    'nothing changed',
    'daily',
    { objective: 'x' },
    { delta: [] },
    'objective: nothing in experiments/ferries/daily.py differs from ferry-1; a daily changes something, or says regression=yes',
  ],
  [
    'an unpushed commit',
    'daily',
    { objective: 'x' },
    { pushed: false },
    'commit: cccccccccc is on no branch of the remote; push it first, so that everybody can find what ran',
  ],
  [
    'a commit without the file',
    'daily',
    { objective: 'x' },
    { hasFile: false },
    "commit: cccccccccc does not have the lane's file experiments/ferries/daily.py",
  ],
  ['a short commit', 'daily', { objective: 'x', commit: 'abc123' }, {}, 'commit: "abc123" is not a full commit id of 40 hex digits'],
  [
    'a commit that is not checked out',
    'daily',
    { objective: 'x', commit: 'd'.repeat(40) },
    {},
    "commit: the lane's checkout is at cccccccccc, not dddddddddd; check that commit out first",
  ],
  ['a dirty checkout', 'daily', { objective: 'x' }, { dirty: ['a.txt'] }, "commit: the lane's checkout is not clean (a.txt)"],
  ['a risk that is none', 'daily', { objective: 'x', risk: 'tiny' }, {}, 'risk: "tiny" is none of low, medium, high'],
  [
    'a canary whose file changed',
    'canary-tpu',
    { objective: 'x' },
    {},
    "commit: the canary's own file changed (STEPS); name what failed and the pull request: failure=<issue> pull=<number>",
  ],
  [
    'a canary with half a reason',
    'canary-tpu',
    { objective: 'x', failure: '12' },
    {},
    "commit: the canary's own file changed (STEPS); name what failed and the pull request: failure=<issue> pull=<number>",
  ],
] as const)('%s is said, and nothing is made', async (_name, lane, fields, tree, fault) => {
  const entry = await enter(lane, fields, tree);

  expect(entry).toMatchObject({ kind: 'faults', unread: false });
  expect(entry.kind === 'faults' ? entry.faults : []).toContain(fault);
});

test('what could not be read is told from what is wrong, and makes nothing', async () => {
  expect(await enter('daily', { objective: 'x' }, null)).toEqual({
    kind: 'faults',
    unread: true,
    faults: [
      'commit: could not be read, it did not answer in time (no answer); an answer that is not there is not an answer',
      'context: could not be read, it did not answer in time (no answer); an answer that is not there is not an answer',
    ],
  });
});

test('a lane without people makes nothing, and nothing outside is asked', async () => {
  const daily = fleet.lanes.daily;
  if (daily === undefined) throw new Error('the local fleet has no daily');
  const alone = { ...fleet, lanes: { daily: { ...daily, people: { ...daily.people, ask: [] } } } };

  const entry = await enter('daily', { objective: 'x' }, {}, {}, alone);

  expect(entry).toEqual({ kind: 'faults', unread: false, faults: ['lane: the fleet file names nobody who may ask for daily'] });
});

test('F41: a launch by a person at UTC−8 is named by its instant in UTC', async () => {
  const entry = await enter('daily', { objective: 'x' });

  expect(entry.kind === 'plan' ? entry.body : {}).toMatchObject({
    run: '20260221-042942-daily-ferry',
    jobName: 'ferry-20260221-042942-daily-ferry',
    trackerName: 'ferry_daily_125m_20260221-042942-daily-ferry',
  });
});

test('a proposal holds what was read: the delta by git, the context since the last ferry, the failure issue by number', async () => {
  const entry = await enter('daily', { objective: 'does it hold' }, {}, { last: { ...LAST, failureIssue: 41 } });

  expect(entry.kind === 'plan' ? entry.body : {}).toMatchObject({
    commit: HEAD,
    clears: 'U0ASK',
    delta: [{ name: 'STEPS', was: '60', is: '80' }],
    context: { lastFerry: 'ferry-1', lastJob: '/marin/ferry-x', issues: [{ number: 7, title: 'Loader is slow', url: 'https://g/7' }] },
    failureIssue: 41,
  });
});

test('the first daily of a lane is compared with nothing, and is not called an investigation that nobody asked for', async () => {
  const entry = await enter('daily', { objective: 'does it hold' }, { delta: [] }, { last: null });

  expect(entry).toMatchObject({ kind: 'plan', body: { regression: false, delta: [], context: { lastFerry: null } } });
});

test('a field that is too long is refused in words, with its limit', async () => {
  const entry = await enter('daily', { objective: 'x', rationale: 'r'.repeat(2_001) });

  expect(entry).toMatchObject({ kind: 'faults', faults: ['rationale: must be at most 2000 characters'] });
});
