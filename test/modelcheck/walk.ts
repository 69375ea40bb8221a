import { createHero } from '../../src/protocol/hero/hero.js';
import type { HeroPlan } from '../../src/protocol/hero/plan.js';
import { HERO_FINALS } from '../../src/protocol/hero/table.js';
import { type Amend, botMoves, type Hero, type Move, peopleMoves, SILENT } from './moves.js';
import { canonical, FIRST, JOBS, keyOf, type Node } from './node.js';
import { broken } from './properties.js';
import { APPROVER, REQUESTER } from './view.js';
import { worldMoves } from './world.js';

export interface WalkOptions {
  readonly plan: HeroPlan;
  /** How many things may go wrong in the world by themselves along one path. */
  readonly mishapsMax: number;
  readonly amend?: Amend;
  readonly statesMax?: number;
}

export interface Walked {
  readonly states: number;
  readonly moves: number;
  readonly rows: ReadonlySet<string>;
  /** The shortest story to something that must not be; null when there is none. */
  readonly counterExample: readonly string[] | null;
}

const PEOPLE = {
  ask: [REQUESTER, APPROVER],
  agree: [REQUESTER, APPROVER],
  approve: [REQUESTER, APPROVER],
  decide: [APPROVER],
  override: [APPROVER],
  onCall: [],
};
const ALL_DAY = { zone: 'UTC', from: '00:00', until: '24:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] };

interface Visited {
  readonly node: Node;
  readonly from: Visited | null;
  readonly label: string;
  /** Who can come here when nothing is readable any more. */
  readonly blindlyFrom: Visited[];
}

/**
 * Walks every interleaving of the bot, people and the world, breadth first: the production table, `decide` and `watch`,
 * over an abstract outside. Ends at the first thing that must not be, or when nothing new is left.
 */
export function walk({ plan, mishapsMax, amend = (row) => row, statesMax = 3_000_000 }: WalkOptions): Walked {
  const hero: Hero = createHero({
    people: PEOPLE,
    requestSeconds: 300,
    tickSeconds: 10,
    workingHours: { hero: ALL_DAY },
    rehearsal: { hours: 0, fleetDigest: '' },
  });
  const first: Node = plan.kind === 'recover' ? { ...FIRST, old: 'gone', child: true } : FIRST;
  const visited = new Map<string, Visited>([[keyOf(first), { node: first, from: null, label: 'a plan is on file', blindlyFrom: [] }]]);
  const rows = new Set<string>();
  let moves = 0;
  for (const at of visited.values()) {
    if (visited.size > statesMax) throw new Error(`more than ${statesMax} states`);
    for (const move of movesFrom(at.node, hero, plan, amend, mishapsMax)) {
      moves++;
      for (const row of move.rows) rows.add(`${row.from} ${row.on}`);
      const node = canonical(move.next, HERO_FINALS.has(move.next.state));
      const key = keyOf(node);
      const next = visited.get(key) ?? { node, from: at, label: move.label, blindlyFrom: [] };
      const wrong = broken(at.node, move);
      if (wrong !== null) {
        return {
          states: visited.size,
          moves,
          rows,
          counterExample: [...story({ ...next, from: at, label: move.label }), `WRONG: ${wrong}`],
        };
      }
      visited.set(key, next);
      if (move.silent === SILENT) next.blindlyFrom.push(at);
    }
  }
  const stuck = deadEnd(visited);
  return {
    states: visited.size,
    moves,
    rows,
    counterExample: stuck === null ? null : [...story(stuck), 'WRONG: nobody can bring this to an end'],
  };
}

function movesFrom(node: Node, hero: Hero, plan: HeroPlan, amend: Amend, mishapsMax: number): readonly Move[] {
  if (HERO_FINALS.has(node.state)) return [];
  return [
    ...botMoves(node, hero, plan, amend),
    ...peopleMoves(node, hero, plan, amend),
    ...peopleMoves(node, hero, plan, amend, SILENT),
    ...worldMoves(node, mishapsMax),
  ];
}

function story(last: Visited): readonly string[] {
  const lines: string[] = [];
  for (let at: Visited | null = last; at !== null; at = at.from) {
    const { node } = at;
    const held = node.origin === null ? '' : ` out of ${node.origin}`;
    const jobs = JOBS.filter((name) => node[name] !== 'none').map((name) => `${name} ${node[name]}`);
    lines.unshift(`${at.label}  [${node.state}${held}; ${jobs.join(', ')}]`);
  }
  return lines;
}

/**
 * A state out of which people cannot reach an end if nothing can be read from now on, neither by themselves nor by what
 * the bot does when it has waited long enough.
 */
function deadEnd(visited: ReadonlyMap<string, Visited>): Visited | null {
  const ending = new Set([...visited.values()].filter(({ node }) => HERO_FINALS.has(node.state)));
  for (const at of ending) for (const before of at.blindlyFrom) ending.add(before);
  return [...visited.values()].find((at) => !ending.has(at)) ?? null;
}
