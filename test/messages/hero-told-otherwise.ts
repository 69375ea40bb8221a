import type { HeroFacts, HeroView } from '../../src/protocol/hero/facts.js';
import { HeroPlan } from '../../src/protocol/hero/plan.js';
import { HERO_ROWS, type HeroEvent } from '../../src/protocol/hero/table.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { toldMessage } from '../../src/render/hero/told.js';
import type { MayDo } from '../../src/render/message.js';
import { NEW_RUN, planBody } from '../support/plan.js';
import { MAY_DO, toldOf } from '../support/samples.js';
import { JUDGED, judged, REASONS } from './judged.js';
import { type Part, type Sample, told } from './outgoing.js';

/** What is told of a hero deploy where there is more, or less, to say than usually: every other way in which a line can read. */

interface Otherwise {
  readonly on: HeroEvent;
  readonly details?: JsonObject;
  readonly facts?: Partial<HeroFacts>;
  readonly plan?: JsonObject;
  readonly mayDo?: MayDo;
}

function toldSample(name: string, { on, details, facts = {}, plan, mayDo = MAY_DO }: Otherwise): Sample {
  const row = HERO_ROWS.find((each) => each.on === on);
  if (row === undefined) throw new TypeError(`sample ${name}: no row tells of ${on}`);
  const { view, entry } = toldOf(row);
  const drawn: HeroView = {
    ...view,
    facts: { ...view.facts, ...facts },
    ...(plan === undefined ? {} : { plan: HeroPlan.parse(planBody(plan)) }),
  };
  const detailed = { ...entry, details: details ?? entry.details, facts: { ...entry.facts, ...facts } };
  return told(`${on}: ${name}`, toldMessage(drawn, detailed, mayDo));
}

const FULL_PLAN: JsonObject = {
  commits: Array.from({ length: 11 }, (_none, n) => ({ sha: `${n % 10}`.repeat(40), subject: `Change ${n}` })),
  onFailure: { kind: 'ask_then_automatic', afterSeconds: 900 },
  permanentWaiver: { copy: 's3://hero/copies/step-54000' },
  notExercised: ['an evaluation', 'a permanent checkpoint', 'a restart', 'a resize', 'a new shard', 'an export', 'a reboot'],
  coreDump: 'gcore on watchdog',
  downstream: [{ what: 'dashboard', link: 'https://boards.example/1', done: true, undo: 'point it back at the old run' }],
  reviewer: 'U0LIN',
  record: {
    command: ['bash', 'trigger_hero.sh', 'launch'],
    outputRoot: `s3://hero/grug/${NEW_RUN}/v/checkpoints`,
    retention: 'every 1000th is kept',
  },
};

const sanity = (reach: string): JsonObject => ({
  sanity: [{ id: 'train_loss', reach, margin: 0.001, marginNeeded: 0.003, expected: 61, lostMax: 3, gapMax: 2 }],
});

const PHASES = ['queued', 'restoring', 'first_steps'] as const;

const TOLD: readonly (readonly [string, Otherwise])[] = [
  ['all that a plan may hold', { on: 'plan_made', plan: FULL_PLAN }],
  ['nobody else may agree', { on: 'plan_made', plan: { onFailure: { kind: 'automatic' } }, mayDo: { agree: ['U0ASK'] } }],
  [
    'a long revision',
    {
      on: 'plan_revised',
      details: { changes: Array.from({ length: 14 }, (_none, n) => ({ field: `commits ${n}`, was: 'not there', now: 'aaaaaaaaaa' })) },
    },
  ],
  ...['likely', 'never', 'unknown'].map((reach): [string, Otherwise] => [
    `the margin is ${reach} to pass`,
    { on: 'window_known', details: sanity(reach) },
  ]),
  ...PHASES.map((phase): [string, Otherwise] => [
    phase,
    { on: 'phase_reached', details: { phase, attempt: 1, fromSeconds: 30, untilSeconds: 60 }, facts: { phase } },
  ]),
  ['no PASS', { on: 'window_closed', facts: { verdict: JUDGED, report: 'https://wandb.ai/marin/report' }, plan: FULL_PLAN }],
  ['every reason', { on: 'gate_failed', details: {}, facts: { verdict: judged(REASONS) } }],
  ['no report', { on: 'window_closed', facts: { report: null } }],
  ['nothing else moved', { on: 'looked_around', details: { looked: 120, left: 0, more: 0, moved: [] } }],
  ['rolled back by itself later', { on: 'hung', plan: { onFailure: { kind: 'ask_then_automatic', afterSeconds: 900 } } }],
  ['somebody has it', { on: 'reminded', facts: { takenBy: 'U0LIN' } }],
  ['whoever had it has left', { on: 'reminded', facts: { ownerLeft: 'U0ASK' } }],
  ['something is to be undone', { on: 'relaunched_once', plan: FULL_PLAN }],
];

export function heroToldOtherwise(): Part {
  return { heading: 'Told, where there is more or less to say', samples: TOLD.map(([name, each]) => toldSample(name, each)) };
}
