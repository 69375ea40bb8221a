import { enterPlan } from '../../commands/plan-entry.js';
import { faultOf } from '../../commands/plan-faults.js';
import type { Fleet } from '../../src/fleet.js';
import { faultLines } from '../../src/render/answers.js';
import { DEPLOY, NEW_RUN, OLD_RUN, ROLLBACK } from '../support/plan.js';
import { answered, type Sample } from './outgoing.js';

import { type Answers, askOf, type Fields, FLEET } from './outside.js';

/** What may be wrong with a plan, as its reader says it. */

const RUNNING = { jobId: `/marin/${OLD_RUN}-coord-1`, user: 'marin', runId: OLD_RUN, state: 'running' } as const;
const TREE = { head: DEPLOY, dirty: [], remoteHead: DEPLOY } as never;
const RECORD = { runId: NEW_RUN, handoffCheckpoint: 's3://hero/step-54000', trackerForkFrom: null, placeholders: [] } as never;
const CHECKPOINT = { step: 52_000, path: 's3://hero/step-52000', complete: true, permanent: true } as never;
const OUTSIDE: Answers = {
  coordinators: [RUNNING],
  worktree: TREE,
  launch_record: RECORD,
  checkpoints: [CHECKPOINT],
  commits: [],
  series: [],
};
const TYPED = { reason: 'faster', gate: 'train_loss tracks within 0.002', rollback: ROLLBACK };

/** What is typed into a plan, and what the outside answers where it is not as usual. */
const PLANS: readonly (readonly [name: string, fields: Fields, answers: Answers, fleet?: Fleet])[] = [
  ['nothing is right', { new: 'х', old: '-', deploy: 'abc', windows: '60' }, OUTSIDE],
  ['a family that is not there', { family: 'heroes' }, OUTSIDE],
  ['nothing could be read', TYPED, {}],
  [
    'numbers, kinds and people',
    { ...TYPED, window: 'many', kind: 'swop', fail: 'never', final: 'soon', dri: 'ada', handoff: 'newest' },
    OUTSIDE,
  ],
  ['no reason', { gate: TYPED.gate }, OUTSIDE],
  ['no run is live', TYPED, { ...OUTSIDE, coordinators: [] }],
  ['two runs are live', TYPED, { ...OUTSIDE, coordinators: [RUNNING, { ...RUNNING, jobId: '/eve/hero-x-coord-2' }] }],
  ['a placeholder is left', TYPED, { ...OUTSIDE, launch_record: { ...(RECORD as object), placeholders: ['handoff_checkpoint'] } as never }],
  ['no such checkpoint', { ...TYPED, handoff: '54000' }, OUTSIDE],
  ['no checkpoint at all', { ...TYPED, handoff: '54000' }, { ...OUTSIDE, checkpoints: [] }],
  ['another checkpoint would be resumed', { ...TYPED, kind: 'recover', handoff: '54000' }, OUTSIDE],
  ['nothing to resume from', { ...TYPED, kind: 'recover' }, { ...OUTSIDE, checkpoints: [] }],
  ['what cannot be read cannot be absent', { ...TYPED, gate: 'absent sharks' }, OUTSIDE],
  [
    'more than a plan holds',
    {
      ...TYPED,
      handoff: '52000',
      window: '5',
      discard: '99999999',
      reason: 'x'.repeat(600),
      dump: 'x'.repeat(400),
      copy: 'somewhere',
      downstream: 'dashboard | a b | half | ',
    },
    OUTSIDE,
  ],
  ['too much for a form', { ...TYPED, unseen: 'an evaluation; '.repeat(400) }, OUTSIDE],
  ['the fleet file does not say where a run ends', { ...TYPED, handoff: '52000' }, OUTSIDE, withoutEnd()],
];

function withoutEnd(): Fleet {
  const { hero } = FLEET.families;
  if (hero === undefined) return FLEET;
  const { finalStep: _end, ...family } = hero;
  return { ...FLEET, families: { hero: family } };
}

/** What the plan itself refuses, whoever made it: the field that was typed, and the limit that was meant. */
const REFUSED: readonly Parameters<typeof faultOf>[0][] = [
  { code: 'too_small', path: ['reason'], message: 'Too small: …', minimum: 1, origin: 'string' },
  { code: 'too_big', path: ['reason'], message: 'Too big: …', maximum: 500, origin: 'string' },
  { code: 'too_small', path: ['gate', 0, 'logEvery'], message: 'Too small: …', minimum: 1, origin: 'number' },
  { code: 'too_small', path: ['commits'], message: 'Too small: …', minimum: 1, origin: 'array' },
  { code: 'unrecognized_keys', path: ['downstream', 0], message: 'Unrecognized key: …' },
  { code: 'invalid_type', path: ['downstream', 1, 'undo'], message: 'Invalid input: …' },
  { code: 'custom', path: ['finalStep'], message: 'a step after the window' },
];

export async function planSamples(): Promise<readonly Sample[]> {
  const entered = PLANS.map(async ([name, fields, answers, fleet = FLEET]) => {
    const entry = await enterPlan(fleet, askOf(answers), new Map(Object.entries(fields)), null);
    return answered(name, faultLines('No plan was made:', entry.kind === 'faults' ? entry.faults : ['nothing'], '/hero-deploy'));
  });
  const refused = answered('what no plan may hold', faultLines('No plan was made:', REFUSED.map(faultOf), '/hero-deploy'));
  return [...(await Promise.all(entered)), refused];
}
