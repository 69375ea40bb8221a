import type { HeroFacts, HeroView } from '../../src/protocol/hero/facts.js';
import type { HeroMemory } from '../../src/protocol/hero/memory.js';
import { HeroPlan } from '../../src/protocol/hero/plan.js';
import type { HeroEvent, HeroState } from '../../src/protocol/hero/table.js';
import type { Sample as Row } from '../../src/protocol/outside.js';
import type { Entry, JsonObject, Readings } from '../../src/protocol/table.js';
import { heroCard } from '../../src/render/hero/card.js';
import { figureOf } from '../../src/render/hero/figure.js';
import { waysOutOf } from '../../src/render/hero/ways-out.js';
import { words } from '../../src/render/text.js';
import { NEW_RUN, planBody } from '../support/plan.js';
import { AT, MAY_DO, READINGS, viewIn } from '../support/samples.js';
import { JUDGED } from './judged.js';
import { answered, card, type Part, type Sample } from './outgoing.js';

/** The card of a hero deploy where more, or less, is known than usually: every other way in which a line of it can read. */

const LATER = new Date(AT.getTime() + 60_000);

/** Rows of the history from which a card counts. */
function happened(...events: readonly HeroEvent[]): readonly Entry<HeroFacts>[] {
  return events.map((event, n) => ({
    seq: n + 1,
    from: 'planned',
    event,
    to: 'planned',
    actor: 'bot',
    at: n === 0 ? AT : LATER,
    facts: {},
    details: { phase: 'compiling', attempt: 0, sentence: 'a coordinator that was not expected' },
  }));
}

function rows(metric: string, value: number): readonly Row[] {
  return Array.from({ length: 72 }, (_none, n) => ({
    step: 54_000 + n,
    metric,
    value: value + (n % 7) / 1_000,
    attempt: 0,
    atMs: AT.getTime(),
    seq: n,
  }));
}

const known = (value: unknown): Readings[string] => ({ kind: 'known', value, source: 'finelog (exit 0, 90 ms)', readAt: AT });
const unknown: Readings[string] = { kind: 'unknown', why: 'timed_out', detail: '', source: 'finelog', readAt: AT };
const marker = (kind: string): JsonObject => ({ kind, task: '0', atMs: AT.getTime(), text: kind });

const ALERTS: JsonObject = {
  alerts: [
    { metric: 'grad_norm_total', above: 2, rows: 1 },
    { metric: 'train_loss', above: 1, rows: 1 },
    { metric: 'moe_drop_fraction', above: 1, rows: 1 },
  ],
};
const WATCHED: Readings = {
  ...READINGS,
  series: known([...rows('train_loss', 2.1), ...rows('grad_norm_total', 1)]),
  control_window: known(rows('train_loss', 2.1)),
  markers: known([marker('restore_began'), marker('watchdog')]),
};

function memoryOf(moved: boolean): HeroMemory {
  const seen = { step: 54_071, attempt: '0', movedAt: AT, readAt: LATER, moved };
  return { enteredAtSeq: 9, streaks: {}, steps: { [NEW_RUN]: seen }, attempts: {}, blind: {} };
}

interface Drawn {
  readonly state: HeroState;
  readonly more?: Partial<HeroView>;
  readonly facts?: Partial<HeroFacts>;
  readonly readings?: Readings;
  readonly memory?: HeroMemory;
}

function cardSample(name: string, { state, more = {}, facts = {}, readings = READINGS, memory }: Drawn): Sample {
  const base = viewIn(state, more);
  const view = { ...base, facts: { ...base.facts, ...facts } };
  const ways = state === 'held' ? waysOutOf(view, readings).map(({ button }) => button) : [];
  return card(`${state}: ${name}`, heroCard(view, readings, MAY_DO, ways, memory ?? null), view);
}

const OFFICE = { zone: 'UTC', from: '08:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'] };
const inHours = (until: string): HeroPlan => HeroPlan.parse(planBody({ workingHours: { ...OFFICE, until } }));
const SWAPPED = happened('old_gone', 'trial_began');
const rehearsal = (isGood: boolean, planHash: string): Partial<HeroFacts> => ({
  rehearsal: { at: AT.toISOString(), by: 'U0ASK', isGood, planHash, fleetDigest: 'f'.repeat(64) },
});

const CARDS: readonly (readonly [string, Drawn])[] = [
  [
    'the window fills',
    { state: 'agreed', readings: { control_series: known(rows('train_loss', 2.1)) }, facts: rehearsal(true, '5824015b'.padEnd(64, '0')) },
  ],
  ['rehearsed for an earlier plan', { state: 'planned', facts: rehearsal(false, 'f'.repeat(64)) }],
  [
    'approved ahead',
    {
      state: 'ready',
      facts: { approval: { by: 'U0APPROVE', at: AT.toISOString(), until: LATER.toISOString(), planHash: 'f'.repeat(64), gateSeq: 9 } },
    },
  ],
  ['since the old run ended', { state: 'nothing_running', more: { history: happened('old_gone') }, facts: { takenBy: 'U0LIN' } }],
  [
    'it compiles, and is watched',
    {
      state: 'starting',
      more: { history: happened('phase_reached') },
      facts: { phase: 'compiling', blindSince: AT.toISOString() },
      readings: { ...WATCHED, markers: unknown },
    },
  ],
  ['its first steps', { state: 'starting', facts: { phase: 'first_steps' }, readings: { ...WATCHED, markers: known([]) } }],
  [
    'watched',
    {
      state: 'trial',
      more: { history: SWAPPED, plan: HeroPlan.parse(planBody(ALERTS)) },
      facts: { controlWindow: 'f'.repeat(64) },
      readings: WATCHED,
      memory: memoryOf(true),
    },
  ],
  [
    'it stands still',
    {
      state: 'trial',
      more: { history: SWAPPED, plan: inHours('18:00') },
      facts: { stall: { step: 54_071, since: AT.toISOString() } },
      readings: { ...WATCHED, markers: known([marker('restore_began')]) },
      memory: memoryOf(false),
    },
  ],
  ['after hours', { state: 'trial', more: { history: SWAPPED, plan: inHours('11:00') }, readings: WATCHED }],
  [
    'no PASS',
    {
      state: 'awaiting_decision',
      facts: { verdict: JUDGED, report: 'https://wandb.ai/marin/report', chart: 'https://example.slack.com/files/F0CHART' },
    },
  ],
  [
    'a way out is proven',
    {
      state: 'held',
      more: { history: [...happened('foreign_coordinator')].map((entry) => ({ ...entry, to: 'held' })) },
      readings: { ...READINGS, pods: known([{ name: 'hero-0', phase: 'Running', terminating: false }]) },
    },
  ],
  ['it has no pods', { state: 'held', more: { origin: 'stopping_new' }, readings: { ...READINGS, pods: known([]) } }],
];

function chart(): Sample {
  const failure = 'no step for 15 min at step 54071';
  const { title, lines, panels } = figureOf({
    operationId: 'hero-12',
    plan: HeroPlan.parse(planBody()),
    verdict: JUDGED,
    failure,
    control: rows('train_loss', 2.1),
    candidate: rows('train_loss', 2.1),
  });
  return answered(
    'the words in the chart',
    [title, ...lines.slice(0, 3), ...panels.map(({ label }) => label)].map((line) => [words(line)]),
  );
}

export function heroCardOtherwise(): Part {
  return {
    heading: 'The card, where there is more or less to say',
    samples: [...CARDS.map(([name, each]) => cardSample(name, each)), chart()],
  };
}
