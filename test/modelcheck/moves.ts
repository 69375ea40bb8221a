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

export const NOBODY_SILENT: ReadonlySet<string> = new Set();
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
  'account',
  'entitled',
  'somebody',
  'run_pods',
  'nodes',
  'free_space',
  'launch_identity',
]);

/** What the bot may do by itself next: for every combination of answers and waiting that may matter. */
export function botMoves(node: Node, hero: Hero, plan: HeroPlan, amend: Amend): readonly Move[] {
  const moves: Move[] = [];
  const verbs = new Set(hero.needs(viewOf(node, plan, 'short'), NOW).map(({ verb }) => verb));
  const lookings = [NOBODY_SILENT, SILENT, ...[...verbs].map((verb) => new Set([verb]))];
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
      moves.push({ label: `${on} comes due`, who: 'bot', next: taken.next, rows: [taken.row], silent: NOBODY_SILENT });
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
export function peopleMoves(
  node: Node,
  hero: Hero,
  plan: HeroPlan,
  amend: Amend,
  silent: ReadonlySet<string> = NOBODY_SILENT,
): readonly Move[] {
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
  const effect = row.then === null ? 'reads' : HERO_EFFECTS[row.then];
  const act = row.then === null || effect === 'reads' || effect.aside === true ? node.act : newAct(known, row.then);
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
