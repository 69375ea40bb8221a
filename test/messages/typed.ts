import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTyped } from '../../commands/arguments.js';
import { enterFerry, type LastFerry } from '../../commands/ferry-entry.js';
import { type Ask, enterPlan, faultsOfTyped } from '../../commands/plan-entry.js';
import { faultOf } from '../../commands/plan-faults.js';
import { type Fleet, parseFleet } from '../../src/fleet.js';
import type { LaneTree } from '../../src/protocol/ferry/outside.js';
import type { Reads } from '../../src/protocol/outside.js';
import { readEndOfDay, readTimeOfDay, type TypedTime } from '../../src/protocol/typed-time.js';
import { faultLines, notRead, notUnderstood } from '../../src/render/answers.js';
import { DEPLOY, NEW_RUN, OLD_RUN, ROLLBACK } from '../support/plan.js';
import { AT } from '../support/samples.js';
import { answered, type Page, type Sample } from './outgoing.js';

/** Everything that may be wrong with what somebody typed, as the readers themselves say it. */

const FLEET = parseFleet(readFileSync(join(import.meta.dirname, '../../harbor.example.yaml'), 'utf8'), 'the example');
const BERLIN = { zone: 'Europe/Berlin', own: true };

type Answers = { readonly [V in keyof Reads]?: Reads[V]['value'] };

/** An outside that answers these verbs, and no other. */
function askOf(answers: Answers): Ask {
  return async (verb) => {
    const value = answers[verb];
    const frame = { source: 'a test', readAt: AT };
    return value === undefined ? { ...frame, kind: 'unknown', why: 'timed_out', detail: '30 s' } : { ...frame, kind: 'known', value };
  };
}

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

type Fields = Readonly<Record<string, string>>;

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

const GATES: readonly string[] = [
  '',
  'report only train_loss tracks within 0.002',
  'train_loss tracks within 0.002 please',
  'train_loss is nice',
  'absent 7; absent watchdog, watchdog',
  'happiness tracks within 0.1',
  'happiness (was joy) tracks within 0.1',
  'train_loss (was 7) tracks within 0.1',
  '7 tracks within 0.1',
  'train_loss tracks within 0',
  'train_loss tracks within 0.1 or 0.2',
  'train_loss not better by 1%',
  'train_loss improves within 1%',
  'train_loss improves by 1% proving 200%',
  'train_loss tracks within 0.1 coverage 0%',
  'throughput_mfu tracks within 1% every 7',
  'train_loss tracks within 0.1 every none',
  'grad_norm_total between 2 and 1',
  'grad_norm_total below 1; grad_norm_total above 2',
  'grad_norm_total below x',
  'grad_norm_total below 1 allowing 100%',
  'absent watchdog blind at most 0 s',
  'train_loss tracks within',
  'train_loss tracks within 0.1 skip',
  'train_loss tracks within 0.1 coverage',
  'grad_norm_total below',
  'absent watchdog blind at most',
  'report only',
  'absent',
  'train_loss (was',
];

const COMMANDS: readonly string[] = [
  'agree hero-12 reason="open',
  'agree —now',
  'agree hero-12 \u202eno',
  'аgree',
  'agree hero-12 hero-13',
  'rollback reason="a" reason="b"',
];

function times(): readonly (readonly [string, TypedTime])[] {
  return [
    ['25:00', readTimeOfDay('25:00', BERLIN, AT)],
    ['02:30 as the clocks are put forward', readTimeOfDay('02:30', BERLIN, new Date('2027-03-27T12:00:00Z'))],
    ['02:30 as the clocks are put back', readTimeOfDay('02:30', BERLIN, new Date('2026-10-24T12:00:00Z'))],
    ['17:30 in a zone that is a guess', readTimeOfDay('17:30', { zone: 'America/Los_Angeles', own: false }, AT)],
    ['the 31st of February', readEndOfDay('2027-02-31', BERLIN)],
  ];
}

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

async function planSamples(): Promise<readonly Sample[]> {
  const entered = PLANS.map(async ([name, fields, answers, fleet = FLEET]) => {
    const entry = await enterPlan(fleet, askOf(answers), new Map(Object.entries(fields)), null);
    return answered(name, faultLines('No plan was made:', entry.kind === 'faults' ? entry.faults : ['nothing'], '/hero-deploy'));
  });
  return Promise.all(entered);
}

async function ferrySamples(): Promise<readonly Sample[]> {
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

export async function typedPage(): Promise<Page> {
  const gates = GATES.map((gate) =>
    answered(
      gate === '' ? '(nothing)' : gate,
      faultLines(
        'No plan was made:',
        faultsOfTyped(
          FLEET,
          new Map([
            ['gate', gate],
            ['reason', 'r'],
          ]),
          null,
        ),
        '/hero-deploy',
      ),
    ),
  );
  const commands = COMMANDS.map((text) => {
    const typed = readTyped(text);
    return answered(text.replace(/\u202e/g, '(U+202E)'), notUnderstood(typed.kind === 'fault' ? typed.message : 'nothing'));
  });
  return {
    file: 'typed.md',
    title: 'What is wrong with what was typed',
    parts: [
      { heading: 'A command', samples: commands },
      {
        heading: 'A time',
        samples: times().map(([name, time]) =>
          answered(name, time.kind === 'fault' ? notRead(time.message) : notUnderstood(`Read as ${time.readBack}.`)),
        ),
      },
      { heading: 'A gate', samples: gates },
      {
        heading: 'A plan',
        samples: [
          ...(await planSamples()),
          answered('what no plan may hold', faultLines('No plan was made:', REFUSED.map(faultOf), '/hero-deploy')),
        ],
      },
      { heading: 'A ferry', samples: await ferrySamples() },
    ],
  };
}
