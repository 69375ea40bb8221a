import { enterFerry, type LastFerry } from '../../commands/ferry-entry.js';
import type { Fleet } from '../../src/fleet.js';
import type { LaneTree } from '../../src/protocol/ferry/outside.js';
import { faultLines } from '../../src/render/answers.js';
import { DEPLOY, ROLLBACK } from '../support/plan.js';
import { AT } from '../support/samples.js';
import { answered, type Sample } from './outgoing.js';

import { askOf, type Fields, FLEET } from './outside.js';

/** What may be wrong with a ferry that is proposed, as its reader says it. */

const LANE: LaneTree = {
  head: DEPLOY,
  dirty: [],
  pushed: true,
  hasFile: true,
  delta: [{ name: 'learning_rate', was: '1', is: '2' }],
  commits: [],
};
const LAST: LastFerry = {
  operationId: 'ferry-30',
  commit: ROLLBACK,
  jobId: null,
  link: null,
  launchedAt: AT.toISOString(),
  failureIssue: null,
};
const OBJECTIVE = { objective: 'does it hold' };
const NOBODY = {
  ...FLEET,
  lanes: Object.fromEntries(Object.entries(FLEET.lanes).map(([name, lane]) => [name, { ...lane, people: { ...lane.people, decide: [] } }])),
};

const FERRIES: readonly (readonly [name: string, lane: string, fields: Fields, tree: LaneTree | null, fleet?: Fleet])[] = [
  ['a lane that is not there', 'weekly', OBJECTIVE, LANE],
  ['nothing is right', 'daily', { speed: 'fast', commit: 'abc', regression: 'maybe', risk: 'some', failure: 'x' }, LANE],
  ['too long', 'daily', { objective: 'x'.repeat(600) }, LANE],
  ['nobody may decide', 'daily', OBJECTIVE, LANE, NOBODY],
  ['nothing could be read', 'daily', OBJECTIVE, null],
  ['the checkout is not fit', 'daily', { ...OBJECTIVE, commit: ROLLBACK }, { ...LANE, pushed: false, hasFile: false, dirty: ['train.py'] }],
  ['nothing differs', 'daily', OBJECTIVE, { ...LANE, delta: [] }],
  ['a canary that was changed', 'canary-tpu', OBJECTIVE, LANE],
];

export async function ferrySamples(): Promise<readonly Sample[]> {
  const entered = FERRIES.map(async ([name, lane, fields, tree, fleet = FLEET]) => {
    const ask = askOf(tree === null ? {} : { lane_tree: tree, tagged: [] });
    const asked = { lane, fields: new Map(Object.entries(fields)), clears: 'U012ABCDEF', scheduledFor: null, now: AT, last: LAST };
    const entry = await enterFerry(fleet, ask, asked);
    return answered(name, faultLines('No ferry was proposed:', entry.kind === 'faults' ? entry.faults : ['nothing'], '/ferry'));
  });
  return [...(await Promise.all(entered)), await unsaid()];
}

/** What a ferry's proposal says where nobody said it. */
async function unsaid(): Promise<Sample> {
  const delta = ['one', 'two', 'three'].map((name) => ({ name, was: '1', is: '2' }));
  const asked = {
    lane: 'daily',
    fields: new Map(Object.entries(OBJECTIVE)),
    clears: 'U012ABCDEF',
    scheduledFor: null,
    now: AT,
    last: LAST,
  };
  const entry = await enterFerry(FLEET, askOf({ lane_tree: { ...LANE, delta }, tagged: [] }), asked);
  const { rationale, fallback } = entry.kind === 'plan' ? entry.body : {};
  return answered('what stands for what was not typed', faultLines('Why, and the fallback:', [`${rationale}`, `${fallback}`], '/ferry'));
}
