import { FERRY_FIELDS } from '../../commands/ferry-entry.js';
import { PLAN_FIELDS } from '../../commands/plan-entry.js';
import type { GuardAnswer } from '../../src/protocol/hero/guard.js';
import { HeroPlan } from '../../src/protocol/hero/plan.js';
import { HERO_ROWS, type HeroState } from '../../src/protocol/hero/table.js';
import * as both from '../../src/render/answers.js';
import * as ferry from '../../src/render/ferry/answers.js';
import { ferryCard } from '../../src/render/ferry/card.js';
import * as heroAnswers from '../../src/render/hero/answers.js';
import { brief } from '../../src/render/hero/brief.js';
import { heroCard } from '../../src/render/hero/card.js';
import { changeLines } from '../../src/render/hero/change.js';
import { handKit } from '../../src/render/hero/hand.js';
import * as inForm from '../../src/render/hero/plan-form.js';
import * as rehearsal from '../../src/render/hero/rehearsal.js';
import { refusalText } from '../../src/render/refusal.js';
import { FERRY_READINGS, ferryViewIn, LANE_MAY_DO } from '../support/ferry-samples.js';
import { planBody } from '../support/plan.js';
import { AT, MAY_DO, READINGS, toldOf, viewIn } from '../support/samples.js';
import type { Scale } from './extreme.js';
import { scaled } from './hero.js';
import { answered, type Page, type Part } from './outgoing.js';
import { type SamplesOf, spoken } from './samples-of.js';

const STARTED = AT.toISOString();
const LISTED = { requester: 'U0ASK', createdAt: STARTED };

const BOTH: SamplesOf<typeof both> = {
  otherChannel: { '': ['Heroes are swapped', 'C0HERO0001'] },
  notUnderstood: { '': ['"nwo" is not understood here. Nothing was done.'] },
  notRead: { '': ['"25:00" is not a time of day; write HH:MM in your own zone, or HH:MMZ in UTC.'] },
  takesNothing: { '': ['list'] },
  takesNoField: { '': ['agree', 'reason'] },
  noSuchVerb: { '': ['/hero-deploy', 'lunch'] },
  whichOne: { '': [['hero-12', 'hero-13']] },
  faultLines: { '': ['No plan was made:', ['reason: say in a few words why, for example reason="faster all-to-all"'], '/hero-deploy'] },
  taken: { '': ['hero-12', 'preflighting'], 'of a ferry': ['ferry-31', 'arming'] },
  takenAlready: { '': ['hero-12', 'launch_approved', 'U0APPROVE', AT] },
  readAs: { '': ['2026-11-30 17:30 America/Los_Angeles, which is 2026-12-01 01:30Z'] },
  readNotTyped: { '': [['old', 'new', 'handoff']] },
  notMyButton: { '': [] },
  buttonOfAnotherChannel: { '': [] },
  notMyCommand: { '': ['/hero-launch'] },
  receivedAlready: { '': [] },
  faultOfMine: { '': [] },
  notStored: { '': [] },
  onlyLooked: { '': [] },
  formFault: { '': ['expired_trigger_id'] },
  notOnFileHere: { '': [] },
};

const hero = { ...heroAnswers, changeLines };

const HERO: SamplesOf<typeof hero> = {
  noOperationHere: { '': ['hero-99'] },
  noneIsOpen: { '': [] },
  nothingPlannedYet: { '': [] },
  listedHero: {
    'it holds the family': [{ ...LISTED, operationId: 'hero-12', state: 'trial', locked: true }],
    'it ended': [{ ...LISTED, operationId: 'hero-11', state: 'rolled_back', locked: false }],
  },
  planMakesNew: { '': ['hero-12'] },
  planned: { '': ['hero-12'] },
  revised: { '': ['hero-12'] },
  changeLines: {
    '': [[{ field: 'windowSteps', was: '60', now: '50' }]],
    many: [Array.from({ length: 42 }, (_none, n) => ({ field: `commits ${n}`, was: 'not there', now: 'aaaaaaaaaa' }))],
  },
  noSuchFamily: { '': ['hero'] },
  heroHelp: { '': [PLAN_FIELDS] },
};

const FERRY: SamplesOf<typeof ferry> = {
  noLanes: { '': [] },
  noFerryHere: { '': ['ferry-99'] },
  noFerryIsOpen: { '': [] },
  noFerryYet: { '': [['canary-tpu', 'daily']] },
  listedFerry: {
    'a ferry': [{ ...LISTED, operationId: 'ferry-31', lane: 'daily', state: 'awaiting_seal' }],
    'a schedule': [{ ...LISTED, requester: 'bot', operationId: 'lane-1', lane: 'canary-tpu', state: 'scheduled' }],
  },
  noSchedule: { '': ['daily', ['canary-tpu']] },
  aboutTheSchedule: { '': ['waive', 'ferry-31'] },
  proposeMakesNew: { '': [] },
  beingProposed: { '': ['ferry-31', ['commit', 'risk']] },
  fixNeeds: { '': ['ferry-31'] },
  launchedAlready: { '': ['/marin/ferry-20261130-120000-daily-ferry', STARTED] },
  ferryHelp: { '': [FERRY_FIELDS] },
};

const GUARDS: readonly GuardAnswer[] = [
  { guard: 'disk', answer: 'shut', sentence: 'only 12 MB free', source: 'free space', readAt: STARTED },
  { guard: 'pods', answer: 'unknown', sentence: 'could not be read: it did not answer in time', source: 'kubectl', readAt: STARTED },
  { guard: 'clock', answer: 'open', sentence: 'a swap and its rollback end in hours', source: 'fleet file', readAt: STARTED },
];

const REHEARSAL: SamplesOf<typeof rehearsal> = {
  whichToRehearse: { '': [] },
  rehearseTakesNoFields: { '': [] },
  rehearsedForNext: { '': [GUARDS] },
  rehearsedFor: { '': ['hero-12', 'not a good rehearsal, 1 shut, 1 could not be read of 3 guards', GUARDS] },
  notFiledAsRehearsal: { '': [refusalText('hero-12', 'not_allowed', { role: 'ask', may: ['U0ASK'] })] },
};

const PLAN = HeroPlan.parse(planBody());

const IN_FORM: SamplesOf<typeof inForm> = {
  readingPlan: { '': [] },
  lookingUp: { '': [] },
  puttingOnFile: { '': [] },
  cannotBeRevised: { '': ['hero-12', 'trial'] },
  generalFault: { '': ['coordinators could not be read'] },
  notAllRead: { '': [] },
  nothingOnFile: { '': [['reason: say in a few words why']] },
  readLines: { '': [PLAN], 'too few rows': [{ ...PLAN, paceSecondsPerStep: 0, forkFrom: null }] },
  commitLines: { '': [PLAN], none: [{ ...PLAN, commits: [] }] },
};

export function answersPage(scale: Scale): Page {
  const part = <M extends object>(heading: string, module: M, samples: SamplesOf<M>): Part => ({
    heading,
    samples: spoken(module, scaled(samples, scale)).map(({ name, text }) => answered(name, text)),
  });
  const offer = inForm.formOffer('form plan', scaled({ error: 'expired_trigger_id' }, scale).error);
  const forms = part('About a form', inForm, IN_FORM);
  return {
    file: 'answers.md',
    title: 'Answers, to whoever asked and nobody else',
    parts: [
      part('To any command, button or form', both, BOTH),
      part('About hero deploys', hero, HERO),
      part('A rehearsal', rehearsal, REHEARSAL),
      { ...forms, samples: [...forms.samples, { name: 'formOffer', outgoing: { kind: 'answer', ...offer } }] },
      part('About ferries', ferry, FERRY),
      looks(scale),
    ],
  };
}

/** States in which something can be done by hand, and one in which nothing can. */
const BY_HAND = [
  'planned',
  'forking',
  'stopping_old',
  'nothing_running',
  'launching',
  'trial',
  'awaiting_rollback',
  'stopping_new',
  'anchoring',
  'held',
] as const satisfies readonly HeroState[];

function looks(scale: Scale): Part {
  const tools = { iris: ['uv', 'run', 'iris'], cluster: 'marin', launcher: ['bash'], launchScript: 'trigger_hero.sh', user: 'marin' };
  const agreed = HERO_ROWS.find(({ on }) => on === 'plan_agreed');
  const history = agreed === undefined ? [] : [toldOf(agreed).entry];
  const hero = scaled({ view: viewIn('trial', { history }), readings: READINGS }, scale);
  const boat = scaled({ view: ferryViewIn('running'), readings: FERRY_READINGS }, scale);
  const asText = ({ title, lines, evidence }: ReturnType<typeof heroCard>) => [title, ...lines, ...evidence, both.onlyLooked()];
  return {
    heading: 'For who looks or takes over',
    samples: [
      answered('status of a hero deploy', asText(heroCard(hero.view, hero.readings, MAY_DO, []))),
      answered('status of a ferry', asText(ferryCard(boat.view, boat.readings, LANE_MAY_DO))),
      answered('brief', brief(hero.view)),
      answered('brief, before anything happened', brief({ ...hero.view, facts: {}, history: [] })),
      answered('hand, where no id is known', handKit({ ...viewIn('held'), facts: {} }, tools)),
      ...BY_HAND.map((state) => answered(`hand, in ${state}`, handKit(scaled(viewIn(state), scale), tools))),
    ],
  };
}
