import type { FerryFacts } from '../../src/protocol/ferry/facts.js';
import { createFerry } from '../../src/protocol/ferry/ferry.js';
import type { FerryMemory } from '../../src/protocol/ferry/memory.js';
import type { FerryPlan } from '../../src/protocol/ferry/plan.js';
import { FERRY_FINALS, FERRY_ROWS, type FerryRow } from '../../src/protocol/ferry/table.js';
import { type JsonObject, type Protocol, type Readings, rowFor } from '../../src/protocol/table.js';
import { DOCUMENTS, FERRY_POLICY } from '../support/ferry-engine.js';
import {
  DECIDER,
  type FerryAct,
  type FerryNode,
  FIRST_FERRY,
  ferryViewOf,
  JOB,
  NOW,
  OTHER_JOB,
  REQUESTER,
  unsettled,
  type Wait,
} from './ferry-node.js';
import { ferryReadings } from './ferry-readings.js';

type Ferry = Protocol<FerryPlan, FerryFacts, FerryMemory>;
/** A row as the model takes it: the production row, or another in its place; null is a row that is missing. */
export type AmendFerry = (row: FerryRow) => FerryRow | null;

interface Move {
  readonly label: string;
  readonly who: 'bot' | 'person' | 'world';
  readonly next: FerryNode;
  /** The rows that were put on file in it, in order, each with what stood before it. */
  readonly rows: readonly { readonly before: FerryNode; readonly row: FerryRow }[];
  readonly silent: ReadonlySet<string>;
  readonly lost?: string;
}

export interface FerryWalked {
  readonly states: number;
  readonly rows: ReadonlySet<string>;
  /** The shortest story to something that must not be; null when there is none. */
  readonly counterExample: readonly string[] | null;
}

const NOBODY_SILENT: ReadonlySet<string> = new Set();
const ALL = [
  'entitled',
  'lane_tree',
  'ferry_jobs',
  'ferry_runs',
  'ferry_artefacts',
  'ferry_analysis',
  'job_logs',
  'marked_issue',
  'issue',
  'marked_comment',
  'remote_tag',
  'ferry_log',
  'ferry_pull',
];
const SILENT: ReadonlySet<string> = new Set(ALL);

interface Visited {
  readonly node: FerryNode;
  readonly from: Visited | null;
  readonly label: string;
  readonly blindlyFrom: Visited[];
}

/** Walks every interleaving of the bot, people and the world, breadth first, with the production table, `decide` and `watch`. */
export function walkFerry(plan: FerryPlan, amend: AmendFerry = (row) => row, first: FerryNode = FIRST_FERRY): FerryWalked {
  const ferry: Ferry = createFerry(FERRY_POLICY, DOCUMENTS);
  const visited = new Map<string, Visited>([[keyOf(first), { node: first, from: null, label: 'a run is asked for', blindlyFrom: [] }]]);
  const rows = new Set<string>();
  for (const at of visited.values()) {
    if (visited.size > 500_000) throw new Error('more than 500,000 states');
    if (FERRY_FINALS.has(at.node.state)) continue;
    for (const move of [
      ...botMoves(at.node, ferry, plan, amend),
      ...peopleMoves(at.node, ferry, plan, amend),
      ...worldMoves(at.node, plan),
    ]) {
      for (const { row } of move.rows) rows.add(`${row.from} ${row.on}`);
      const node = canonical(move.next);
      const next = visited.get(keyOf(node)) ?? { node, from: at, label: move.label, blindlyFrom: [] };
      const wrong = broken(move);
      if (wrong !== null)
        return { states: visited.size, rows, counterExample: [...story({ ...next, from: at, label: move.label }), `WRONG: ${wrong}`] };
      visited.set(keyOf(node), next);
      if (move.silent === SILENT || move.who === 'person') next.blindlyFrom.push(at);
    }
  }
  const ending = new Set([...visited.values()].filter(({ node }) => FERRY_FINALS.has(node.state)));
  for (const at of ending) for (const before of at.blindlyFrom) ending.add(before);
  const stuck = [...visited.values()].find((at) => !ending.has(at));
  return {
    states: visited.size,
    rows,
    counterExample: stuck === undefined ? null : [...story(stuck), 'WRONG: nobody can bring this to an end'],
  };
}

function keyOf(node: FerryNode): string {
  return JSON.stringify(node);
}

const GATE: ReadonlySet<string> = new Set(['cleared', 'arming']);
const CLEARER_MATTERS: ReadonlySet<string> = new Set(['proposed', 'cleared', 'arming']);
const UNFILED: ReadonlySet<string> = new Set(['draft', 'filing', 'unfiled']);
const JOB_MATTERS: ReadonlySet<string> = new Set(['launching', 'running', 'stopping', 'verifying', 'held']);
const TEXT_MATTERS: ReadonlySet<string> = new Set(['concluding', 'commenting', 'triage', 'reporting']);
const ENTRY_MATTERS: ReadonlySet<string> = new Set(['cleared', 'reporting']);

/** What nothing asks about any more is forgotten, so that what behaves alike is one state. */
function canonical(node: FerryNode): FerryNode {
  if (FERRY_FINALS.has(node.state)) return { ...FIRST_FERRY, state: node.state };
  const settled = node.act !== null && !unsettled(node.act);
  const job = JOB_MATTERS.has(node.state) || GATE.has(node.state) || node.state === 'proposed';
  return {
    ...node,
    act: settled && !/ing$/.test(node.state) ? null : node.act,
    clearance: GATE.has(node.state) ? node.clearance : 'none',
    clearerGone: CLEARER_MATTERS.has(node.state) && node.clearerGone,
    goneTold: CLEARER_MATTERS.has(node.state) && node.goneTold,
    issue: !UNFILED.has(node.state) || node.issue,
    enteredBy: ENTRY_MATTERS.has(node.state) ? node.enteredBy : '',
    job: job ? node.job : 'none',
    twin: job && node.twin,
    evidence: JOB_MATTERS.has(node.state) ? node.evidence : 'none',
    reported: TEXT_MATTERS.has(node.state) && node.reported,
    launches: 0,
  };
}

function story(last: Visited): readonly string[] {
  const lines: string[] = [];
  for (let at: Visited | null = last; at !== null; at = at.from) lines.unshift(`${at.label}  [${at.node.state}; job ${at.node.job}]`);
  return lines;
}

function botMoves(node: FerryNode, ferry: Ferry, plan: FerryPlan, amend: AmendFerry): readonly Move[] {
  const moves: Move[] = [];
  const verbs = new Set(ferry.needs(ferryViewOf(node, plan, 'short'), NOW).map(({ verb }) => verb));
  for (const wait of ['short', 'long'] as const) {
    for (const silent of [NOBODY_SILENT, SILENT, ...[...verbs].map((verb) => new Set([verb]))]) {
      const view = ferryViewOf(node, plan, wait);
      const needs = ferry.needs(view, NOW);
      const first = ferry.watch(view, ferryReadings(node, plan, needs, silent, 1), null, NOW);
      const readings = ferryReadings(node, plan, needs, silent, 2);
      const { proposals } = first.proposals.length > 0 ? first : ferry.watch(view, readings, first.memory, NOW);
      let at = node;
      const steps: { before: FerryNode; row: FerryRow }[] = [];
      for (const { on } of proposals) {
        const row = rowFor(FERRY_ROWS, at.state, on) as FerryRow | undefined;
        if (row === undefined || amend(row) === null)
          moves.push({ label: `${on} is proven`, who: 'bot', next: at, rows: [], silent, lost: on });
        const move: Taken | null = row === undefined ? null : offer(at, ferry, plan, amend, on, 'bot', wait, {}, readings);
        if (move === null) break;
        steps.push({ before: at, row: move.row });
        at = move.next;
      }
      const label = steps.map(({ row }) => row.on).join(', ');
      if (steps.length > 0) moves.push({ label, who: 'bot', next: at, rows: steps, silent });
    }
  }
  for (const { on } of ferry.dues(ferryViewOf(node, plan, 'long'))) {
    const taken = on === 'reminded' ? null : offer(node, ferry, plan, amend, on, 'bot', 'long', {}, {});
    if (taken !== null)
      moves.push({
        label: `${on} comes due`,
        who: 'bot',
        next: taken.next,
        rows: [{ before: node, row: taken.row }],
        silent: NOBODY_SILENT,
      });
  }
  const gate = ferryReadings(node, plan, ferry.needs(ferryViewOf(node, plan, 'short'), NOW), NOBODY_SILENT, 2);
  const waived =
    plan.scheduledFor === null ? null : offer(node, ferry, plan, amend, 'standing_waiver_used', 'bot', 'short', STANDING, gate);
  if (waived !== null)
    moves.push({
      label: 'a standing waiver holds',
      who: 'bot',
      next: waived.next,
      rows: [{ before: node, row: waived.row }],
      silent: NOBODY_SILENT,
    });
  return moves;
}

const STANDING = { waivedBy: REQUESTER, until: '2026-12-05T00:00:00Z', quote: 'every night' };
const PEOPLE_ASK = [...new Set(FERRY_ROWS.filter(({ who }) => who !== 'bot').map(({ on }) => on))].filter(
  (on) => on !== 'taken' && on !== 'recheck_asked',
);

function peopleMoves(node: FerryNode, ferry: Ferry, plan: FerryPlan, amend: AmendFerry): readonly Move[] {
  const readings = ferryReadings(node, plan, ferry.needs(ferryViewOf(node, plan, 'short'), NOW), NOBODY_SILENT, 2);
  return [REQUESTER, DECIDER].flatMap((by) =>
    PEOPLE_ASK.flatMap((on): Move[] => {
      const details = on === 'adopt' ? { jobId: node.job === 'none' && node.twin ? OTHER_JOB : JOB } : { reason: 'because' };
      const taken = offer(node, ferry, plan, amend, on, by, 'short', details, readings);
      return taken === null
        ? []
        : [{ label: `${by} ${on}`, who: 'person', next: taken.next, rows: [{ before: node, row: taken.row }], silent: NOBODY_SILENT }];
    }),
  );
}

interface Taken {
  readonly next: FerryNode;
  readonly row: FerryRow;
}

function offer(
  node: FerryNode,
  ferry: Ferry,
  plan: FerryPlan,
  amend: AmendFerry,
  on: string,
  by: string,
  wait: Wait,
  details: JsonObject,
  readings: Readings,
): Taken | null {
  const view = ferryViewOf(node, plan, wait);
  const decision = ferry.decide(view, { operationId: 'ferry-1', on, by, requestKey: 'k', details }, { memory: null, readings }, NOW);
  if (decision.kind === 'refuse') return null;
  const row = amend(decision.row as FerryRow);
  return row === null ? null : { next: taken(node, row, decision.to), row };
}

function taken(node: FerryNode, row: FerryRow, decided: string): FerryNode {
  const to = row.to === '@origin' ? decided : row.to;
  const moved: FerryNode = {
    ...node,
    state: to,
    enteredBy: to === node.state ? node.enteredBy : row.on,
    origin: to === 'held' ? (node.origin ?? node.state) : null,
  };
  const acts = row.then === null || row.then === 'read_guards' ? moved : onFile(moved, row.then);
  switch (row.on) {
    case 'approved':
    case 'waived':
    case 'standing_waiver_used':
      return { ...acts, clearance: 'valid', goneTold: false, launches: 0 };
    case 'approver_left':
      return { ...acts, clearance: 'none', goneTold: true };
    case 'clearance_expired':
    case 'launch_absent':
      return { ...acts, clearance: 'none', abortAsked: false };
    case 'fix_proposed':
      return {
        ...acts,
        clearance: 'none',
        goneTold: false,
        fixUsed: true,
        outcome: 'none',
        job: 'none',
        twin: false,
        evidence: 'none',
        reported: false,
      };
    case 'guards_open':
      return { ...acts, launches: acts.launches + 1 };
    case 'abort_asked':
      return { ...acts, abortAsked: true };
    case 'launched_once':
    case 'launched_once_after_abort':
    case 'adopt':
      return { ...acts, launched: true, abortAsked: false };
    case 'canary_failed':
    case 'daily_failed':
      return { ...acts, outcome: 'failed' };
    case 'canary_stopped':
    case 'daily_stopped':
      return { ...acts, outcome: 'stopped' };
    case 'daily_verified':
    case 'canary_verified':
      return { ...acts, outcome: 'succeeded' };
    case 'daily_unverified':
    case 'canary_unverified':
      return { ...acts, outcome: 'unverified' };
    default:
      return acts;
  }
}

function onFile(node: FerryNode, effect: string): FerryNode {
  const orphan = unsettled(node.act) ? node.act : node.orphan;
  return { ...node, orphan, act: { effect, stage: 'waiting', landed: false } };
}

/** What an act does outside, once it does it. */
function landed(node: FerryNode, { effect }: FerryAct, plan: FerryPlan): readonly FerryNode[] {
  switch (effect) {
    case 'launch':
      return node.job === 'none'
        ? [
            { ...node, job: 'queued' },
            { ...node, job: 'queued', twin: true },
          ]
        : [{ ...node, twin: true }];
    case 'cancel':
      return node.job === 'queued' || node.job === 'running' ? [{ ...node, job: 'killed' }, node] : [node];
    case 'file_issue':
      return [{ ...node, issue: true }];
    case 'push_tag':
      return [{ ...node, tag: node.tag === 'none' ? 'ours' : node.tag }];
    case 'make_branch':
      return [{ ...node, branch: true }];
    case 'write_log':
      return [{ ...node, entry: true }, node];
    case 'open_pull':
      return [{ ...node, pull: 'bare' }];
    case 'label_pull':
      return [{ ...node, pull: node.pull === 'bare' && plan.seal !== null ? 'labelled' : node.pull }];
    default:
      return [{ ...node, reported: true }];
  }
}

function worldMoves(node: FerryNode, plan: FerryPlan): readonly Move[] {
  const moves: Move[] = [];
  const move = (label: string, next: FerryNode): void => void moves.push({ label, who: 'world', next, rows: [], silent: NOBODY_SILENT });
  for (const slot of ['act', 'orphan'] as const) {
    const act = node[slot];
    if (act === null || !unsettled(act)) continue;
    if (act.stage === 'waiting') {
      move(`${act.effect} starts`, { ...node, [slot]: { ...act, stage: 'acting' } });
      move(`${act.effect} is found too late to start`, { ...node, [slot]: { ...act, stage: 'expired' } });
      continue;
    }
    if (!act.landed) for (const next of landed(node, act, plan)) move(`${act.effect} lands`, { ...next, [slot]: { ...act, landed: true } });
    move(`${act.effect} is over`, slot === 'orphan' ? { ...node, orphan: null } : { ...node, act: { ...act, stage: 'over' } });
  }
  if (node.clearance === 'valid') move('the clearance expires', { ...node, clearance: 'expired' });
  if (CLEARER_MATTERS.has(node.state)) move('whoever clears it leaves, or is back', { ...node, clearerGone: !node.clearerGone });
  if (node.job === 'queued') move('the job runs', { ...node, job: 'running' });
  if (node.job === 'running') {
    for (const evidence of ['sound', 'lacking', 'fails'] as const)
      move(`the job succeeds, ${evidence}`, { ...node, job: 'succeeded', evidence });
    move('the job fails', { ...node, job: 'failed' });
    move('somebody kills the job', { ...node, job: 'killed' });
  }
  if (node.twin) move('the twin ends', { ...node, twin: false });
  if (node.job === 'running' && node.state === 'running') move('the row ages out', { ...node, job: 'aged' });
  if (node.state === 'awaiting_seal' && node.tag === 'none') move('somebody has the tag', { ...node, tag: 'elsewhere' });
  if (node.pull === 'bare') move('somebody adds a file to the pull request', { ...node, pull: 'more_files' });
  return moves;
}

const BLIND =
  /_unknown$|_overdue$|unreported$|unverified$|^closed_|^analysed$|^guards_shut$|^clearance_expired$|^watch_blind$|^diagnosed_|^proposed$|^launch_due$/;

/** What must not be, if this move is it; in words. */
function broken({ next, rows, who, silent, lost }: Move): string | null {
  if (lost !== undefined) return `${lost} is proven in ${next.state}, and no row takes it: it is lost`;
  for (const [index, { before, row }] of rows.entries()) {
    const wrong = launchedWrongly(before, row) ?? claimed(before, row, who) ?? (index === 0 ? leftHold(before, row, who) : null);
    if (wrong !== null) return wrong;
    if (who === 'bot' && silent === SILENT && !BLIND.test(row.on)) return `${row.on} is concluded with nothing readable`;
  }
  return null;
}

function launchedWrongly(before: FerryNode, row: FerryRow): string | null {
  if (row.then !== 'launch') return null;
  if (before.clearance !== 'valid') return `a launch is put on file, and the clearance is ${before.clearance}`;
  if (before.clearerGone) return 'a launch is put on file on the word of somebody who is gone';
  if (before.job === 'queued' || before.job === 'running') return 'a launch is put on file while a job of it lives';
  const mayCome = before.orphan?.effect === 'launch' || (before.act?.effect === 'launch' && unsettled(before.act));
  return mayCome ? 'a launch is put on file while an earlier one may still act' : null;
}

function claimed(before: FerryNode, row: FerryRow, who: Move['who']): string | null {
  if (row.then === 'push_tag' && before.tag !== 'none') return 'a tag is pushed over one that is there';
  if (row.then === 'cancel' && who === 'bot' && !before.abortAsked) return 'the bot stops a job that nobody asked it to stop';
  const sealed = before.tag === 'ours' && before.entry && before.pull === 'labelled';
  if (row.on === 'sealed' && !sealed) return 'it is sealed, and something of the seal is not there';
  const verified = row.on === 'daily_verified' || row.on === 'canary_verified';
  return verified && before.evidence !== 'sound' ? `${row.on}, and the evidence is ${before.evidence}` : null;
}

function leftHold(before: FerryNode, row: FerryRow, who: Move['who']): string | null {
  return before.state === 'held' && who === 'bot' && row.on !== 'recheck_proved' ? `${row.on} leaves the hold by itself` : null;
}
