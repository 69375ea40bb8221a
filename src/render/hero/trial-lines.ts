import { doubtWords } from '../../protocol/doubt.js';
import { controlCoverage } from '../../protocol/gate/sanity.js';
import { type Alert, alertsOf } from '../../protocol/hero/alerts.js';
import type { HeroView } from '../../protocol/hero/facts.js';
import { judgeTrial } from '../../protocol/hero/judging.js';
import { isAlive } from '../../protocol/hero/liveness.js';
import type { HeroMemory } from '../../protocol/hero/memory.js';
import { expectedOf } from '../../protocol/hero/phases.js';
import { windowOf } from '../../protocol/hero/plan.js';
import type { HeroState } from '../../protocol/hero/table.js';
import { answer } from '../../protocol/read.js';
import type { Readings } from '../../protocol/table.js';
import { instant, say, shownLink, strong, type Text, words } from '../text.js';
import { trackerSilence } from './decision.js';
import { coverageWords } from './measured.js';

/** What the watch of a run has seen so far, for the card: coverage, liveness, log and alerts, each with its instant, none with an age. */
export function trialLines(view: HeroView, readings: Readings, memory: HeroMemory | null): readonly Text[] {
  switch (view.state as HeroState) {
    case 'agreed':
    case 'blocked':
    case 'ready':
      return controlLines(view, readings);
    case 'starting':
      return [...blindLines(view), ...phaseLines(view), ...logLines(readings)];
    case 'trial':
      return [
        ...blindLines(view),
        ...gateLines(view, readings),
        ...stepLines(view, readings, memory),
        ...logLines(readings),
        ...alertLines(view, readings),
      ];
    case 'awaiting_rollback':
    case 'awaiting_decision':
    case 'watching':
      return [...blindLines(view), ...stepLines(view, readings, memory), ...alertLines(view, readings), ...publishedLines(view)];
    case 'replaying':
      return [...blindLines(view), trackerSilence(view)];
    default:
      return [];
  }
}

/** How much of the window the control has covered: read from the agreement on. */
function controlLines(view: HeroView, readings: Readings): readonly Text[] {
  const series = answer(readings, 'series', 'control_series');
  if (series?.kind !== 'known') return [];
  const window = windowOf(view.plan);
  return view.plan.gate.flatMap((criterion) => {
    const { present, expected } = controlCoverage(criterion, series.value, window);
    return expected === 0 ? [] : [say`Control window of ${criterion.id}: ${`${present}/${expected}`} rows.`];
  });
}

function blindLines({ facts: { blindSince } }: HeroView): readonly Text[] {
  return blindSince === undefined || blindSince === null
    ? []
    : [say`${strong('The monitor is blind')} since ${instant(blindSince)}: the state of the run is unknown.`];
}

function phaseLines(view: HeroView): readonly Text[] {
  const phase = view.facts.phase ?? 'queued';
  const since = view.history.findLast(({ event, details }) => event === 'phase_reached' && details.phase === phase);
  const at = since?.at ?? view.enteredAt;
  const { until } = expectedOf(view.plan, phase, Number(since?.details.attempt ?? 0));
  const limit = new Date(view.enteredAt.getTime() + view.plan.limits.startUpSeconds * 1000);
  return [
    say`${words(phase.replace('_', ' '))} since ${instant(at)}, usually over by ${instant(new Date(at.getTime() + until * 1000))}; the start-up limit comes at ${instant(limit)}.`,
  ];
}

/** The gate so far, each criterion with what of its window was read. */
function gateLines(view: HeroView, readings: Readings): readonly Text[] {
  const result = judgeTrial(view, readings);
  if (result === null) return [say`The gate cannot be judged now: a side of it could not be read.`];
  return result.criteria.map((criterion) => {
    const coverage = criterion.expected === 0 ? [] : say` ${coverageWords(criterion)} rows`;
    return say`${criterion.id}: ${words(criterion.verdict)}${coverage}`;
  });
}

/** When the step was last seen to move, and whether the scheduler agrees. */
function stepLines(view: HeroView, readings: Readings, memory: HeroMemory | null): readonly Text[] {
  const seen = memory?.steps[view.plan.newRun];
  if (memory === null || seen === undefined) return [say`No step was watched yet: its age is unknown.`];
  const line = seen.moved
    ? say`Its step was seen to move to ${seen.step} at ${instant(seen.movedAt)}.`
    : say`Its step was ${seen.step} when the bot first looked, at ${instant(seen.movedAt)}; it was not seen to move since.`;
  const job = answer(readings, 'job_state', 'job');
  const stands = view.facts.stall !== undefined && view.facts.stall !== null;
  const alive = isAlive(view, memory, readings, seen.readAt);
  if (job?.kind !== 'known' || job.value !== 'running' || (alive && !stands)) return [line];
  return [line, say`The scheduler says ${job.value}, the step does not: ${strong('stale, treat it as not running well')}.`];
}

/** That no marker is there counts only where the lines are there that every start writes. */
function logLines(readings: Readings): readonly Text[] {
  const markers = answer(readings, 'markers', 'markers');
  if (markers === undefined) return [];
  if (markers.kind === 'unknown') return [say`Log: unknown, ${words(doubtWords(markers.why))}.`];
  const lines = markers.value.filter(({ kind }) => kind === 'restore_began').length;
  if (lines === 0) return [say`Log: not proven readable; no line is there that every start writes.`];
  const bad = [...new Set(markers.value.map(({ kind }) => kind))].filter((kind) => TROUBLING.has(kind));
  return [say`Log: readable (${`${lines}`} start lines), ${words(bad.length === 0 ? 'no marker of trouble' : bad.join(', '))}.`];
}

const TROUBLING: ReadonlySet<string> = new Set(['watchdog', 'runtime_error', 'non_finite', 'fatal']);

function alertLines(view: HeroView, readings: Readings): readonly Text[] {
  const series = [answer(readings, 'series', 'series'), answer(readings, 'series', 'after_window')];
  if (series.every((reading) => reading?.kind !== 'known')) return [say`Alerts: unknown, their rows could not be read.`];
  const alerts = alertsOf(
    view.plan,
    series.flatMap((reading) => (reading?.kind === 'known' ? reading.value : [])),
  );
  if (alerts.length === 0) return [];
  const raised = alerts.filter((alert) => alert.answer === 'raised').map(({ sentence }) => sentence);
  const named = (said: Alert['answer']) => alerts.filter((alert) => alert.answer === said).map(({ metric }) => metric);
  const parts = [
    ...(raised.length === 0 ? [] : [`raised: ${raised.join(', ')}`]),
    `${named('quiet').length} quiet`,
    ...(named('unknown').length === 0 ? [] : [`not read: ${named('unknown').join(', ')}`]),
  ];
  return [say`Alerts: ${words(parts.join('; '))}.`];
}

function publishedLines({ facts: { report, chart } }: HeroView): readonly Text[] {
  return [
    ...(report === undefined || report === null ? [] : [say`${shownLink(report, 'comparison report')}`]),
    ...(chart === undefined || chart === null ? [] : [say`${shownLink(chart, 'chart of the trial')}`]),
  ];
}
