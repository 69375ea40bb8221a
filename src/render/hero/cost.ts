import type { HeroView } from '../../protocol/hero/facts.js';
import { minutesLeft } from '../../protocol/hero/hours.js';
import type { LastStep } from '../../protocol/outside.js';
import type { Reading } from '../../protocol/reading.js';
import type { Readings } from '../../protocol/table.js';
import { instant, say, type Text, words } from '../text.js';

/** What the swap costs as it stands, and when its next marks are due: absolute instants, so that a still card stays still. */
export function costLines(view: HeroView, readings: Readings): readonly Text[] {
  return [...idleLine(view), ...lossLine(view, readings), ...clockLine(view)];
}

function enteredAt(view: HeroView, event: string): Date | null {
  return view.history.findLast((entry) => entry.event === event)?.at ?? null;
}

/** Where no run trains as far as anybody can tell: elsewhere "idle" would be said of a run that steps. */
const NOTHING_TRAINS: ReadonlySet<string> = new Set([
  'nothing_running',
  'rearming',
  'launching',
  'starting',
  'anchoring',
  'awaiting_anchor',
  'relaunching_old',
]);

/** Devices that train nothing between the old run's end and the next first step. */
function idleLine(view: HeroView): readonly Text[] {
  const stopped = enteredAt(view, 'old_gone') ?? enteredAt(view, 'old_gone_after_abort') ?? enteredAt(view, 'control_died');
  if (stopped === null) return [];
  const { devices } = view.plan.gang;
  const steps = enteredAt(view, 'trial_began');
  if (steps === null || steps < stopped) {
    return NOTHING_TRAINS.has(view.state) ? [say`${devices} devices idle since ${instant(stopped)}.`] : [];
  }
  const hours = (devices * (steps.getTime() - stopped.getTime())) / 3_600_000;
  return [say`${hours.toFixed(hours < 1 ? 3 : 1)} GPU-hours idle between the old run and the new one's first steps.`];
}

const CANDIDATE_TRAINS: ReadonlySet<string> = new Set(['trial', 'awaiting_rollback', 'awaiting_decision', 'watching']);

/** Steps of the new run that a rollback would throw away now. */
function lossLine(view: HeroView, readings: Readings): readonly Text[] {
  const steps = readings.steps as Reading<LastStep> | undefined;
  if (!CANDIDATE_TRAINS.has(view.state) || steps?.kind !== 'known' || steps.value.step === null) return [];
  const lost = Math.max(0, steps.value.step + 1 - view.plan.handoffStep);
  return [say`Rolled back now: ${lost} steps of the new run are lost; the old one resumes from its newest checkpoint.`];
}

/** Stop, first step, verdict, rollback done, and what is left of the working hours after that. */
function clockLine(view: HeroView): readonly Text[] {
  const { limits, windowSteps, paceSecondsPerStep, workingHours } = view.plan;
  const stopped = enteredAt(view, 'old_gone');
  const began = enteredAt(view, 'trial_began');
  if (stopped === null || began === null || !CANDIDATE_TRAINS.has(view.state)) return [];
  const verdict = new Date(began.getTime() + windowSteps * paceSecondsPerStep * 1000);
  const rolledBack = new Date(verdict.getTime() + (limits.cancelSeconds + limits.launchSeconds + limits.startUpSeconds) * 1000);
  const left = minutesLeft(workingHours, rolledBack);
  const margin =
    left === null
      ? words('outside the agreed hours')
      : words(left === Number.POSITIVE_INFINITY ? 'at any hour' : `${left} min before the agreed hours end`);
  return [
    say`Stopped ${instant(stopped)} · first step ${instant(began)} · verdict about ${instant(verdict)} · a rollback would be done by ${instant(rolledBack)}, ${margin}.`,
  ];
}
