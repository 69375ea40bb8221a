import type { HeroRow } from '../../src/protocol/hero/table.js';
import { type Move, SILENT } from './moves.js';
import { isUnsettled, liveIn, type Node } from './node.js';

const LAUNCHES: ReadonlySet<string> = new Set(['launch_new', 'launch_old']);
const GOES_FORWARD: ReadonlySet<string> = new Set(['fork', 'cancel_old', 'launch_new']);
/** What the bot may conclude when nothing at all can be read: that it does not know, or that somebody waited too long. */
const BLIND = /_unknown$|^guards_shut$|^startup_overdue|^decision_overdue$|^approval_expired$|^window_closed$|^abort|^hung/;

/** What must not be, if this move is it; in words. */
export function broken(before: Node, move: Move): string | null {
  if (move.lost !== undefined) return `${move.lost} is proven in ${move.next.state}, and no row takes it: it is lost`;
  for (const row of move.rows) {
    const wrong =
      launchedBesideOthers(before, move, row) ?? uncovered(before, move, row) ?? blind(before, move, row) ?? leftHold(before, move, row);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** Never two live because of us: nobody is live when a launch is put on file, and no earlier launch can still come. */
function launchedBesideOthers(before: Node, { next }: Move, row: HeroRow): string | null {
  if (row.then === null || !LAUNCHES.has(row.then)) return null;
  const live = liveIn(before);
  if (live.length > 0) return `${row.then} is put on file while ${live.join(' and ')} is live`;
  const { orphan } = next;
  if (orphan !== null && LAUNCHES.has(orphan.effect) && isUnsettled(orphan))
    return `${row.then} is put on file while ${orphan.effect} may still act`;
  return null;
}

/** Nothing that goes forward without a valid approval, nor after it was called off. */
function uncovered(before: Node, { next, who }: Move, row: HeroRow): string | null {
  if (row.then === null || !GOES_FORWARD.has(row.then)) return null;
  if (next.approval !== 'valid') return `${row.then} is put on file, and the approval is ${next.approval}`;
  if (before.calledOff && who === 'bot') return `${row.then} is put on file after the swap was called off`;
  return null;
}

function blind(before: Node, { silent, who }: Move, row: HeroRow): string | null {
  if (who !== 'bot' || silent.size === 0) return null;
  const declared = before.declared !== null && /_gone/.test(row.on); // a person's word, given when it could be read
  if (silent === SILENT && !BLIND.test(row.on) && !declared) return `${row.on} is concluded with nothing readable`;
  // Only before a launch with nothing running do pods of the old run matter: elsewhere it is live, and has them.
  // Whether whoever has it is still there is asked all along, and holds up nothing.
  const matters = (!silent.has('pods') || row.from === 'rearming') && !silent.has('account');
  if (row.on.startsWith('guards_open') && matters) return `${row.on} is concluded with ${[...silent][0]} unreadable`;
  return null;
}

/** Only a person leaves a hold, but for what its readings prove. */
function leftHold(before: Node, { who, rows }: Move, row: HeroRow): string | null {
  if (before.state !== 'held' || who !== 'bot' || row !== rows[0] || row.to === 'held' || row.on === 'recheck_proved') return null;
  return `${row.on} leaves the hold by itself`;
}
