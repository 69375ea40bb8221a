import { HERO_EFFECTS } from '../../src/protocol/hero/effects.js';
import type { HeroFacts } from '../../src/protocol/hero/facts.js';
import type { HeroMemory } from '../../src/protocol/hero/memory.js';
import type { HeroPlan } from '../../src/protocol/hero/plan.js';
import { HERO_FINALS, HERO_ROWS, type HeroRow } from '../../src/protocol/hero/table.js';
import { type Decision, type JsonObject, type Protocol, type Readings, rowFor } from '../../src/protocol/table.js';
import { type Act, isUnsettled, JOBS, type JobName, jobIdOf, type Node, nameOfJob } from './node.js';
import { type Look, readingsFor } from './readings.js';
import { APPROVER, NOW, PLAN_HASH, REQUESTER, viewOf, type Wait } from './view.js';

export type Hero = Protocol<HeroPlan, HeroFacts, HeroMemory>;

/** A row as the model takes it: the production row, or another in its place; null is a row that is missing. */
export type Amend = (row: HeroRow) => HeroRow | null;

export interface Move {
  readonly label: string;
  readonly who: 'bot' | 'person' | 'world';
  readonly next: Node;
  /** The rows that the bot put on file in it, in order. */
  readonly rows: readonly HeroRow[];
  readonly silent: ReadonlySet<string>;
  /** What the readings prove and no row takes: it would be lost. */
  readonly lost?: string;
}

const NONE: ReadonlySet<string> = new Set();
export const SILENT: ReadonlySet<string> = new Set([
  'coordinators',
  'job_state',
  'pods',
  'last_step',
  'series',
  'stored',
  'markers',
  'checkpoints',
  'worktree',
  'launch_record',
  'tracker_child',
  'credentials',
]);

/** What the bot may do by itself next: for every combination of answers and waiting that may matter. */
export function botMoves(node: Node, hero: Hero, plan: HeroPlan, amend: Amend): readonly Move[] {
  const moves: Move[] = [];
  const verbs = new Set(hero.needs(viewOf(node, plan, 'short'), NOW).map(({ verb }) => verb));
  const lookings = [NONE, SILENT, ...[...verbs].map((verb) => new Set([verb]))];
  for (const wait of ['short', 'long'] as const) {
    for (const silent of verbs.size === 0 ? [] : lookings) {
      if (wait === 'short' && silent === SILENT) continue; // then nothing is concluded, which the long wait covers
      const { proposals, seen } = watchTwice(node, hero, plan, wait, silent);
      let at: Node | null = node;
      const rows: HeroRow[] = [];
      for (const { on, facts } of proposals) {
        const taken: Taken | null = at === null ? null : offer(at, hero, plan, amend, { on, by: 'bot', wait, seen, facts: facts ?? {} });
        if (taken === null && at !== null && !hasRow(at, on, amend)) {
          moves.push({ label: `${on} is proven`, who: 'bot', next: at, rows: [], silent, lost: on });
        }
        if (taken === null) break;
        at = taken.next;
        rows.push(taken.row);
      }
      const label = `${rows.map(({ on }) => on).join(', ')}${silent === SILENT ? ', with nothing readable' : silent.size > 0 ? `, with ${[...silent][0]} unreadable` : ''}`;
      if (rows.length > 0 && at !== null) moves.push({ label, who: 'bot', next: at, rows, silent });
    }
  }
  for (const { on } of hero.dues(viewOf(node, plan, 'long'))) {
    const taken = offer(node, hero, plan, amend, { on, by: 'bot', wait: 'long', seen: NOTHING_SEEN, facts: {} });
    if (taken !== null && on !== 'reminded')
      moves.push({ label: `${on} comes due`, who: 'bot', next: taken.next, rows: [taken.row], silent: NONE });
  }
  return moves;
}

function hasRow(node: Node, on: string, amend: Amend): boolean {
  const row = rowFor(HERO_ROWS, node.state, on);
  return row !== undefined && amend(row as HeroRow) !== null;
}

interface Seen {
  readonly memory: HeroMemory | null;
  readonly readings: Readings;
}

const NOTHING_SEEN: Seen = { memory: null, readings: {} };

/** Two looks in a row that answer alike: what one alone proves is proven by two as well. */
function watchTwice(node: Node, hero: Hero, plan: HeroPlan, wait: Wait, silent: ReadonlySet<string>) {
  const view = viewOf(node, plan, wait);
  const needs = hero.needs(view, NOW);
  const look = (nth: Look['nth']) => readingsFor(node, plan, needs, { silent, nth });
  const first = hero.watch(view, look(1), null, new Date(NOW.getTime() - 10_000));
  const readings = look(2);
  const second = hero.watch(view, readings, first.memory, NOW);
  return { proposals: second.proposals, seen: { memory: second.memory, readings } };
}

const PERSON_EVENTS = [...new Set([...HERO_ROWS.filter(({ who }) => who !== 'bot').map(({ on }) => on), 'adopt'])].filter(
  (on) => on !== 'taken' && on !== 'plan_made' && on !== 'recheck_asked',
);

/** What people may ask for: the one who asked for the swap, and somebody who may do everything else. */
export function peopleMoves(node: Node, hero: Hero, plan: HeroPlan, amend: Amend, silent: ReadonlySet<string> = NONE): readonly Move[] {
  if (HERO_FINALS.has(node.state)) return [];
  const { seen } = watchTwice(node, hero, plan, 'short', silent);
  const moves: Move[] = [];
  for (const on of PERSON_EVENTS) {
    if (on !== 'adopt' && rowFor(HERO_ROWS, node.state, on) === undefined) continue; // that it is refused then, a test of the table holds
    for (const details of detailsFor(on, node)) {
      for (const by of [REQUESTER, APPROVER]) {
        const taken = offer(node, hero, plan, amend, { on, by, wait: 'short', seen, facts: {}, details });
        if (taken !== null) moves.push({ label: `${by} asks for ${on}`, who: 'person', next: taken.next, rows: [taken.row], silent });
      }
    }
  }
  return moves;
}

function detailsFor(on: string, node: Node): readonly JsonObject[] {
  if (on === 'adopt') return JOBS.filter((name) => node[name] === 'live').map((name) => ({ jobId: jobIdOf(name) }));
  if (on === 'declare_gone') return [{ pods: JOBS.map((name) => `pod-${name}`).join(',') }];
  return [{ reason: 'a reason' }];
}

interface Taken {
  readonly row: HeroRow;
  readonly next: Node;
}

interface Offer {
  readonly on: string;
  readonly by: string;
  readonly wait: Wait;
  readonly seen: Seen;
  readonly facts: Partial<HeroFacts>;
  readonly details?: JsonObject;
}

/** Offers an event to the production `decide`, and puts on file what it decides. */
function offer(node: Node, hero: Hero, plan: HeroPlan, amend: Amend, { on, by, wait, seen, facts, details = {} }: Offer): Taken | null {
  const request = { operationId: 'hero-1', on, by, requestKey: 'k', facts, details, drawnForPlan: PLAN_HASH.slice(0, 8) };
  const decision: Decision<HeroFacts> = hero.decide(viewOf(node, plan, wait), request, seen, NOW);
  if (decision.kind === 'refuse') return null;
  const row = amend(decision.row as HeroRow);
  return row === null ? null : { row, next: record(node, row, decision.facts) };
}

function record(node: Node, row: HeroRow, facts: Partial<HeroFacts>): Node {
  const to = row.to === '@origin' ? (node.origin ?? node.state) : row.to;
  const moved = to !== node.state;
  const known = absorb(node, facts);
  const act = row.then === null || HERO_EFFECTS[row.then] === 'reads' ? node.act : newAct(known, row.then);
  const superseded = act !== node.act && node.act !== null && isUnsettled(node.act) ? node.act : node.orphan;
  const entersHold = to === 'held' && node.state !== 'held';
  return {
    ...known,
    window: node.window || row.on.startsWith('window_known'),
    state: to,
    origin: to === 'held' ? (entersHold ? node.state : node.origin) : null,
    heldBy: to === 'held' ? (entersHold ? row.on : node.heldBy) : '',
    enteredBy: moved ? enteredBy(row.on) : node.enteredBy,
    act,
    orphan: superseded,
    calledOff: calledOff(node, row, to),
  };
}

/** Only what the production code asks about: how a state was entered matters where it was out of a hold. */
function enteredBy(on: string): string {
  return on === 'recheck_proved' || on === 'declare_gone' ? on : '';
}

function calledOff(node: Node, row: HeroRow, to: string): boolean {
  if (row.on === 'abort_asked') return to !== 'agreed';
  const atRest = HERO_FINALS.has(to) || ['agreed', 'nothing_running', 'stopping_new', 'planned', 'blocked', 'awaiting_launch'].includes(to);
  return node.calledOff && !atRest;
}

function absorb(node: Node, facts: Partial<HeroFacts>): Node {
  const name = (jobId: string | undefined, before: JobName | null) => (jobId === undefined ? before : nameOfJob(jobId));
  return {
    ...node,
    approval: facts.approval === undefined ? node.approval : facts.approval === null ? 'none' : 'valid',
    abortAsked: facts.abortAsked ?? node.abortAsked,
    knowsOld: node.knowsOld || facts.oldCoordinator !== undefined,
    knowsNew: name(facts.newCoordinator, node.knowsNew),
    knowsBack: name(facts.relaunchedCoordinator, node.knowsBack),
    declared: name(facts.declaredGone?.jobId, node.declared),
    verdict: facts.verdict === undefined ? node.verdict : facts.verdict.overall === 'PASS' ? 'PASS' : 'FAIL',
  };
}

function newAct(node: Node, effect: string): Act {
  const target = effect === 'cancel_old' ? 'old' : effect === 'cancel_new' ? node.knowsNew : null;
  return { effect, target, stage: 'waiting', landed: false, named: false };
}

/** What the world does: processes go on or end, jobs step, end, come up; as many mishaps as are still allowed. */
export function worldMoves(node: Node, mishapsMax: number): readonly Move[] {
  const moves: Move[] = [];
  const add = (label: string, next: Node): void => void moves.push({ label, who: 'world', next, rows: [], silent: NONE });
  const mishap = (label: string, next: Node): void => {
    if (node.mishaps < mishapsMax) add(label, { ...next, mishaps: node.mishaps + 1 });
  };
  for (const slot of ['act', 'orphan'] as const) actMoves(node, slot, add, mishap);
  for (const name of JOBS) {
    if (node[name] === 'dying') add(`the pods of ${name} go`, { ...node, [name]: 'gone' });
    if (node[name] === 'live') mishap(`${name} dies by itself`, { ...node, [name]: 'gone' });
    if (node[name] === 'gone') mishap(`${name} is forgotten by the scheduler`, { ...node, [name]: 'aged' });
    if (node[name] === 'gone' || node[name] === 'dying') mishap(`${name} comes up again`, { ...node, [name]: 'live' });
  }
  for (const extraRun of ['old', 'new', 'other'] as const) {
    if (node.extra === 'none') mishap(`somebody launches a coordinator of the ${extraRun} run`, { ...node, extra: 'live', extraRun });
  }
  if (node.extra === 'live') add('the one launched by somebody ends', { ...node, extra: 'gone' });
  if (node.fresh === 'live' && node.trained === 'none') add('the candidate steps', { ...node, trained: 'steps' });
  if (node.fresh === 'live' && node.trained === 'steps') {
    add('the candidate trains its window', { ...node, trained: 'good' });
    add('the candidate loses its way', { ...node, trained: 'bad' });
  }
  if (node.back === 'live' && node.replayed === 'none') {
    add('the old run replays as before', { ...node, replayed: 'same' });
    mishap('the old run replays otherwise', { ...node, replayed: 'other' });
  }
  if (node.approval === 'valid') add('the approval expires', { ...node, approval: 'expired' });
  return moves;
}

type Add = (label: string, next: Node) => void;

function actMoves(node: Node, slot: 'act' | 'orphan', add: Add, mishap: Add): void {
  const act = node[slot];
  if (act === null || !isUnsettled(act)) return;
  const settle = (changes: Partial<Act>): Node =>
    slot === 'orphan' && changes.stage !== undefined && changes.stage !== 'acting'
      ? { ...node, orphan: null }
      : { ...node, [slot]: { ...act, ...changes } };
  if (act.stage === 'waiting') {
    add(`${act.effect} starts`, settle({ stage: 'acting' }));
    mishap(`the bot dies, and ${act.effect} is found too late`, settle({ stage: 'expired' }));
    return;
  }
  if (!act.landed) {
    for (const [label, changes] of landings(node, act)) add(label, { ...settle({ landed: true }), ...changes });
    if (act.effect.startsWith('launch') && node.extra === 'none') {
      const [first] = landings(node, act);
      const extraRun = act.effect === 'launch_old' ? 'old' : 'new';
      if (first !== undefined) mishap(`${first[0]}, twice`, { ...settle({ landed: true }), ...first[1], extra: 'live', extraRun });
    }
    mishap(`${act.effect} ends and has done nothing`, settle({ stage: 'over' }));
    return;
  }
  add(`${act.effect} ends`, settle({ stage: 'over', named: true }));
  mishap(`the bot dies, and ${act.effect} ends unheard`, settle({ stage: 'over' }));
}

function landings(node: Node, { effect, target }: Act): readonly (readonly [string, Partial<Node>])[] {
  switch (effect) {
    case 'fork':
      return [['the tracker has the child', { child: true }]];
    case 'launch_new':
      return [['the candidate is launched', { fresh: 'live', trained: 'none' }]];
    case 'launch_old':
      return [['the old run is launched again', { back: 'live', replayed: 'none' }]];
    default: {
      if (target === null || node[target] !== 'live') return [['there is nothing to cancel', {}]];
      return [
        [`${target} is cancelled`, { [target]: 'gone' }],
        [`${target} is cancelled and leaves pods`, { [target]: 'dying' }],
      ];
    }
  }
}
