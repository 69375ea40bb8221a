import { type Move, NOBODY_SILENT } from './moves.js';
import { type Act, isUnsettled, JOBS, type Node } from './node.js';

/** What the world does: processes go on or end, jobs step, end, come up; as many mishaps as are still allowed. */
export function worldMoves(node: Node, mishapsMax: number): readonly Move[] {
  const moves: Move[] = [];
  const add = (label: string, next: Node): void => void moves.push({ label, who: 'world', next, rows: [], silent: NOBODY_SILENT });
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
