import { answer, evidenceOf, need } from '../read.js';
import type { Need, Readings } from '../table.js';
import { alertsOf } from './alerts.js';
import { asideNeeds, asideWatch } from './asides.js';
import type { HeroView } from './facts.js';
import { stallProposals } from './liveness.js';
import { whatMoved } from './moved.js';
import { metricsOf, windowOf } from './plan.js';
import { noteSight, sightProposals } from './sight.js';
import { HERO_ROWS, type HeroEvent } from './table.js';
import { type HeroProposal, type Seen, secondsIn } from './watcher.js';

/**
 * What is noted beside the course of a state: blindness, a stall that is suspected, alerts, what else moved, what was
 * published. One at a time, only where the state itself concludes nothing, and never a verdict.
 */
export function notesNeeds(view: HeroView): readonly Need[] {
  const shared = mayNote(view, 'looked_around') && !lookedAround(view) ? [sharedNeed(view)] : [];
  return [...asideNeeds(view), ...shared].map((each) => ({ ...each, beside: true }));
}

export function takeNotes(view: HeroView, readings: Readings, seen: Seen, now: Date): Seen {
  const memory = noteSight(seen.memory, readings);
  const published = asideWatch(view, readings, memory, now);
  if (seen.proposals.length > 0) {
    // Who concludes something sees: that is said first.
    const sees = sightProposals(view, readings, memory).filter(({ on }) => on === 'monitor_sees' && mayNote(view, on));
    return { proposals: [...sees, ...seen.proposals], memory: published.memory };
  }
  const noted = [
    ...sightProposals(view, readings, memory),
    ...stallProposals(view, readings, memory, now),
    ...alertProposals(view, readings),
    ...published.proposals,
    ...lookProposals(view, readings, now),
  ];
  return { proposals: noted.filter(({ on }) => mayNote(view, on)).slice(0, 1), memory: published.memory };
}

const NOTED: ReadonlySet<string> = new Set(HERO_ROWS.filter(({ from, to }) => from === to).map(({ from, on }) => `${from} ${on}`));

function mayNote({ state }: HeroView, on: HeroEvent): boolean {
  return NOTED.has(`${state} ${on}`);
}

/** Alerts that are raised and were not told in this state. */
function alertProposals(view: HeroView, readings: Readings): readonly HeroProposal[] {
  const series = answer(readings, 'series', 'series');
  const after = answer(readings, 'series', 'after_window');
  const rows = [series, after].flatMap((reading) => (reading?.kind === 'known' ? reading.value : []));
  const told = view.history.filter(({ event }) => event === 'alert').map(({ details }) => details.which);
  return alertsOf(view.plan, rows)
    .filter(({ answer: said, metric }) => said === 'raised' && !told.includes(`alert-${metric}`))
    .map(({ metric, sentence }) => ({
      on: 'alert',
      key: `alert-${metric}`,
      details: { which: `alert-${metric}`, sentence },
      evidence: evidenceOf(series, after),
    }));
}

function sharedNeed({ plan }: HeroView): Need {
  const { start, end } = windowOf(plan);
  return need('shared', 'shared_series', { family: plan.family, control: plan.oldRun, candidate: plan.newRun, from: start, to: end });
}

/** Nothing to look at without rows that were judged, and once is enough. */
function lookedAround(view: HeroView): boolean {
  if (view.facts.trialWindow === undefined) return true;
  return view.history.some(({ event, seq }) => event === 'looked_around' && seq > view.enteredAtSeq);
}

/** How many of what moved are told; the rest is counted. */
const MOVED_MAX = 6;

/** Every metric that both runs share, looked at once when a decision is awaited. */
function lookProposals(view: HeroView, readings: Readings, now: Date): readonly HeroProposal[] {
  if (lookedAround(view)) return [];
  const shared = answer(readings, 'shared_series', 'shared');
  if (shared?.kind === 'known') {
    const moved = whatMoved(shared.value, metricsOf(view.plan));
    const { metrics, left } = shared.value;
    const details = { moved: moved.slice(0, MOVED_MAX).map((each) => ({ ...each })), more: moved.length, looked: metrics.length, left };
    return [{ on: 'looked_around', details, evidence: evidenceOf(shared) }];
  }
  if (shared === undefined || secondsIn(view, now) < view.plan.limits.guardsSeconds) return [];
  return [
    { on: 'looked_around', details: { sentence: `what else moved could not be read (${shared.why})` }, evidence: evidenceOf(shared) },
  ];
}
