import { judge } from '../gate/judge.js';
import { lineageOf } from '../gate/lineage.js';
import type { GateResult } from '../gate/verdict.js';
import type { Sample } from '../outside.js';
import { answer } from '../read.js';
import type { Reading } from '../reading.js';
import type { Readings } from '../table.js';
import { attemptOf, attemptsBegun } from './attempts.js';
import type { HeroView } from './facts.js';
import { logOf, spanOf } from './logs.js';
import { windowOf } from './plan.js';

/** What the gate says of the candidate's rows. */

const NO_CONTROL = { kind: 'known', value: [] } as const;

/** What the gate says now; null while a side could not be read at all: blind is neither good nor bad. */
export function judgeTrial(view: HeroView, readings: Readings): GateResult | null {
  const series = answer(readings, 'series', 'series');
  const stored = readings.control_window;
  const steps = answer(readings, 'last_step', 'steps');
  // A control that died before its window was frozen is never compared with: the verdict is unknown, and a person decides.
  const frozen = view.facts.controlWindow === undefined ? NO_CONTROL : stored;
  if (series?.kind !== 'known' || frozen?.kind !== 'known') return null;
  const window = windowOf(view.plan);
  const slack = 5 + Math.max(...view.plan.gate.map((criterion) => (criterion.kind === 'absent' ? 1 : criterion.logEvery)));
  const passed = steps?.kind === 'known' && steps.value.step !== null && steps.value.step > window.end + slack;
  const markers = answer(readings, 'markers', 'markers');
  const launched = new Date(view.facts.launchedAt ?? view.enteredAt);
  const restarts = attemptsBegun(view, readings).slice(1);
  const absent = view.plan.gate.filter(({ kind }) => kind === 'absent');
  return judge({
    window,
    logs: Object.fromEntries(absent.map(({ id }) => [id, logOf(id, markers, launched, restarts)])),
    ...(markers === undefined ? {} : { span: spanOf(markers, launched) }),
    state: passed ? 'ended' : 'running',
    liveAttempt: attemptOf(view, readings),
    criteria: view.plan.gate,
    candidate: byMetric(series.value),
    control: byMetric(frozen.value as readonly Sample[]),
  });
}

function byMetric(samples: readonly Sample[]): Record<string, Sample[]> {
  const result: Record<string, Sample[]> = {};
  for (const sample of samples) {
    const rows = result[sample.metric] ?? [];
    rows.push(sample);
    result[sample.metric] = rows;
  }
  return result;
}

/** Non-finite loss ends a trial whatever the gate says. */
export function firstNonFinite(series: Reading<readonly Sample[]> | undefined): string | null {
  if (series?.kind !== 'known') return null;
  const losses = lineageOf(series.value.filter(({ metric }) => metric === 'train_loss'));
  for (const [step, value] of losses) if (typeof value !== 'number') return `train_loss is ${value} at step ${step}`;
  return null;
}

/** Which criteria failed, and from which step on; why stands in the verdict that is shown with it. */
export function failedCriteria(result: GateResult | null): string {
  const failures = result?.criteria.filter(({ verdict }) => verdict === 'FAIL') ?? [];
  return failures.map(({ id, decidedAt }) => `${id} failed at step ${decidedAt}`).join('; ');
}
