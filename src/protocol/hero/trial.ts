import { answer, evidenceOf, need } from '../read.js';
import type { Need, Readings } from '../table.js';
import { alertMetrics } from './alerts.js';
import { attemptOf, ownSinceMs } from './attempts.js';
import { type HeroView, PHASES, type Phase } from './facts.js';
import { failedCriteria, firstNonFinite, judgeTrial } from './judging.js';
import { type Failure, isAlive, noteLiveness, troubleOf } from './liveness.js';
import type { HeroMemory } from './memory.js';
import { expectedOf } from './phases.js';
import { metricsOf, windowOf } from './plan.js';
import { coordinatorsNeed, foreign, type HeroProposal, nothing, one, type Seen, secondsIn, type Watcher } from './watcher.js';

/** The candidate from its launch to the decision: phases, liveness, the gate. */

export function candidateNeeds(view: HeroView): readonly Need[] {
  const { family, newRun } = view.plan;
  const jobId = view.facts.newCoordinator ?? '';
  const sinceMs = ownSinceMs(view);
  const { start, end } = windowOf(view.plan);
  return [
    coordinatorsNeed(view),
    need('job', 'job_state', { family, jobId }),
    need('steps', 'last_step', { family, runId: newRun, sinceMs }),
    need('markers', 'markers', { family, jobId, sinceMs }),
    need('series', 'series', { family, runId: newRun, metrics: watchedMetrics(view), from: start, to: end }),
  ];
}

/** What the gate reads, and what alerts are read from: one query. */
function watchedMetrics({ plan }: HeroView): readonly string[] {
  return [...new Set([...metricsOf(plan), ...alertMetrics(plan)])];
}

function trialNeeds(view: HeroView): readonly Need[] {
  const digest = view.facts.controlWindow;
  const stored: readonly Need[] = digest === undefined ? [] : [{ name: 'control_window', verb: 'stored', args: { digest } }];
  return [...candidateNeeds(view), podsNeed(view), ...stored];
}

function podsNeed(view: HeroView): Need {
  return need('pods', 'pods', { family: view.plan.family, jobId: view.facts.newCoordinator ?? '' });
}

export const starting: Watcher = {
  needs: trialNeeds,
  watch(view, readings, memory, now) {
    const looked = look(view, readings, memory, now);
    if (looked.proposals.length > 0) return looked;
    const steps = answer(readings, 'last_step', 'steps');
    const rows = steps?.kind === 'known' ? steps.value.rows : 0;
    const phase = phaseOf(readings, rows);
    const moved = phase !== null && PHASES.indexOf(phase) > PHASES.indexOf(view.facts.phase ?? 'queued');
    const proposals: HeroProposal[] = [];
    if (moved) {
      const attempt = attemptOf(view, readings);
      const { from, until } = expectedOf(view.plan, phase, attempt);
      const details = { phase, attempt, fromSeconds: from, untilSeconds: until };
      proposals.push({ on: 'phase_reached', key: phase, facts: { phase }, details, evidence: evidenceOf(steps) });
    }
    if (rows >= 3 && steps?.kind === 'known') {
      proposals.push({ on: 'trial_began', details: { step: steps.value.step ?? 0 }, evidence: evidenceOf(steps) });
    }
    if (proposals.length > 0 || rows > 0) return { proposals, memory: looked.memory };
    const waited = secondsIn(view, now);
    const { startUpSeconds, queuedSeconds } = view.plan.limits;
    const short = shortOf(view, readings);
    if (
      short !== null &&
      waited >= queuedSeconds &&
      waited < startUpSeconds &&
      !view.history.some(({ event }) => event === 'queued_long')
    ) {
      return one(looked.memory, {
        on: 'queued_long',
        details: { sentence: short },
        evidence: evidenceOf(answer(readings, 'pods', 'pods')),
      });
    }
    if (waited < startUpSeconds) return looked;
    return one(looked.memory, failed(view, 'startup_overdue', `no step after ${Math.round(waited)} s, agreed were ${startUpSeconds} s`));
  },
};

export const trial: Watcher = {
  needs: trialNeeds,
  watch(view, readings, memory, now) {
    const looked = look(view, readings, memory, now);
    if (looked.proposals.length > 0) return looked;
    const result = judgeTrial(view, readings);
    // An UNKNOWN of today may be a row that comes late: only a complete window goes to a person.
    if (result === null || !result.complete) return looked;
    return one(looked.memory, {
      on: 'window_closed',
      facts: { verdict: result },
      attach: attachWindow(readings),
      details: { verdict: result.overall, criteria: result.criteria.map((criterion) => ({ ...criterion })) },
      evidence: evidenceOf(answer(readings, 'series', 'series'), answer(readings, 'last_step', 'steps')),
    });
  },
};

/** What waits for a person is watched on: the card shows it, and a go needs a run that is alive. */
export const awaitingPerson: Watcher = {
  needs: (view) => [...candidateNeeds(view), podsNeed(view)],
  watch(view, readings, memory, now) {
    const stranger = foreign(view, readings, memory);
    return stranger.proposals.length > 0 ? stranger : nothing(noteLiveness(view, readings, stranger.memory, now));
  },
};

/** How far past its window a kept run's loss is looked at. */
const AFTER_WINDOW_STEPS = 20_000;

/** The losses after the window: no gate judges them, but steps that train NaN are not healthy. */
function afterWindowNeed({ plan }: HeroView): Need {
  const from = windowOf(plan).end + 1;
  const args = {
    family: plan.family,
    runId: plan.newRun,
    metrics: ['train_loss', ...alertMetrics(plan)],
    from,
    to: from + AFTER_WINDOW_STEPS,
  };
  return need('after_window', 'series', args);
}

export const watching: Watcher = {
  needs: (view) => [...candidateNeeds(view), afterWindowNeed(view)],
  watch(view, readings, memory, now) {
    const stranger = foreign(view, readings, memory);
    if (stranger.proposals.length > 0) return stranger;
    const seen = noteLiveness(view, readings, stranger.memory, now);
    const trouble = troubleOf(view, readings, seen, now);
    const told = view.history.filter(({ event, seq }) => event === 'alert' && seq > view.enteredAtSeq).map(({ details }) => details.which);
    // A retry stays true for ever: told once, it hides neither a later hang nor healthy steps.
    const after = answer(readings, 'series', 'after_window');
    const nonFinite = firstNonFinite(after);
    const found =
      nonFinite === null ? trouble.found : [...trouble.found, { event: 'gate_failed', which: 'non_finite', sentence: nonFinite } as const];
    const untold = found.find(({ which }) => !told.includes(which));
    if (untold !== undefined) {
      const { event, which, sentence } = untold;
      return one(trouble.memory, {
        on: 'alert',
        key: which,
        facts: { alertAt: now.toISOString() },
        details: { trouble: event, which, sentence },
        evidence: trouble.evidence,
      });
    }
    const since = Math.max(view.enteredAt.getTime(), new Date(view.facts.alertAt ?? 0).getTime());
    const watched = (now.getTime() - since) / 1000;
    const healthy = after?.kind === 'known' && nonFinite === null && isAlive(view, trouble.memory, readings, now);
    if (watched < view.plan.limits.watchSeconds || !healthy) return nothing(trouble.memory);
    return one(trouble.memory, {
      on: 'closed',
      details: { sentence: `${Math.round(watched)} s of healthy steps after the decision` },
      evidence: evidenceOf(answer(readings, 'last_step', 'steps'), answer(readings, 'job_state', 'job')),
    });
  },
};

/** What both starting and trial look at first: strangers, an end, a retry, a hang, a gate that has failed. */
function look(view: HeroView, readings: Readings, memory: HeroMemory, now: Date): Seen {
  const stranger = foreign(view, readings, memory);
  if (stranger.proposals.length > 0) return stranger;
  const seen = noteLiveness(view, readings, stranger.memory, now);
  const result = judgeTrial(view, readings);
  const nonFinite = firstNonFinite(answer(readings, 'series', 'series'));
  if (result?.overall === 'FAIL' || nonFinite !== null) {
    const sentence = nonFinite ?? failedCriteria(result);
    const proposal = failed(view, 'gate_failed', sentence, evidenceOf(answer(readings, 'series', 'series')));
    const kept = { ...proposal, attach: attachWindow(readings) };
    return one(seen, result === null ? kept : { ...kept, facts: { ...proposal.facts, verdict: result } });
  }
  const trouble = troubleOf(view, readings, seen, now);
  const [first] = trouble.found;
  if (first === undefined) return nothing(trouble.memory);
  return one(trouble.memory, { ...failed(view, first.event, first.sentence, trouble.evidence), attach: attachWindow(readings) });
}

/** The candidate's rows as they were judged: what the message says can be judged again, and drawn. */
function attachWindow(readings: Readings): Readonly<Record<string, string>> {
  const series = answer(readings, 'series', 'series');
  return series?.kind === 'known' ? { trialWindow: JSON.stringify(series.value) } : {};
}

function failed(view: HeroView, event: Failure, sentence: string, evidence: readonly string[] = []): HeroProposal {
  const on = view.plan.onFailure.kind === 'automatic' ? (`${event}_automatic` as const) : event;
  return { on, facts: { failure: { event, sentence } }, details: { sentence }, evidence };
}

/** Which capacity the gang waits for; null while it does not wait, or that could not be read. */
function shortOf(view: HeroView, readings: Readings): string | null {
  const pods = answer(readings, 'pods', 'pods');
  if (pods?.kind !== 'known' || (view.facts.phase ?? 'queued') !== 'queued') return null;
  const { tasks, devices } = view.plan.gang;
  const running = pods.value.filter(({ phase }) => phase === 'Running').length;
  const pending = pods.value.filter(({ phase }) => phase === 'Pending').length;
  return `${running} of ${tasks} tasks (${devices} devices) run, ${pending} pods are pending: the cluster is short of capacity, or something still holds it`;
}

/** How far the start has come; null when nothing can be said. */
function phaseOf(readings: Readings, rows: number): Phase | null {
  if (rows > 0) return 'first_steps';
  const markers = answer(readings, 'markers', 'markers');
  const kinds = markers?.kind === 'known' ? markers.value.map(({ kind }) => kind) : [];
  if (kinds.includes('restored') || kinds.includes('compiling')) return 'compiling';
  if (kinds.includes('restore_began')) return 'restoring';
  const pods = answer(readings, 'pods', 'pods');
  if (pods?.kind !== 'known') return null;
  return pods.value.length > 0 && pods.value.every(({ phase }) => phase === 'Running') ? 'restoring' : 'queued';
}
