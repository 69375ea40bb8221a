import type { HeroView } from '../../protocol/hero/facts.js';
import type { Coordinator, Pod } from '../../protocol/outside.js';
import type { Reading } from '../../protocol/reading.js';
import type { JsonObject, Readings } from '../../protocol/table.js';
import type { Button } from '../message.js';

/** A way out of a hold as a button, with the request that it stands for. Whether it is proven, the protocol says. */
export interface WayOut {
  readonly button: Button;
  readonly on: string;
  readonly role: string;
  readonly details: JsonObject;
}

/** Slack's limit of a confirm's text. */
const CONFIRM_MAX = 300;
/** Of more runs than this nobody picks one by a button. */
const ADOPT_MAX = 5;
/** A button value holds only so many pods; more are declared by a typed command. */
const ARGUMENT_MAX = 1_500;

export function waysOutOf(view: HeroView, readings: Readings): readonly WayOut[] {
  const { plan, facts } = view;
  const live = known<readonly Coordinator[]>(readings.coordinators) ?? [];
  const pods = known<readonly Pod[]>(readings.pods)?.map(({ name }) => name) ?? null;
  const stopping = view.origin === 'stopping_new' ? (facts.newCoordinator ?? '') : (facts.oldCoordinator ?? '');
  const adopt = live
    .slice(0, ADOPT_MAX)
    .map(({ jobId, runId }) =>
      way('adopt', 'adopt', 'decide', 'Adopt', `${jobId} leads ${runId} and becomes part of ${view.operationId}.`, { jobId }, jobId),
    );
  return [
    ...adopt,
    way('called_off', 'called_off', 'duty', 'Call the swap off', `${plan.oldRun} steps on; nothing is launched.`, {}),
    way('retry_cancel', 'retry_cancel_old', 'approve', 'Cancel again', `Cancels ${stopping} once more.`, {}),
    way('retry_cancel', 'retry_cancel_new', 'duty', 'Cancel again', `Cancels ${stopping} once more.`, {}),
    ...declareGone(stopping, pods),
    way(
      'rollback',
      'rollback_asked',
      'duty',
      'Roll back',
      `Cancels ${facts.newCoordinator ?? 'nothing'} and launches ${plan.oldRun} again from its newest checkpoint.`,
      {},
    ),
    // A confirm that is cut would not name all it is about: then it must be typed.
  ].filter(({ on, button }) => fits(on, view.origin) && (button.confirm ?? '').length <= CONFIRM_MAX);
}

/** Pods that could not be read are not none: then there is nothing to declare. */
function declareGone(jobId: string, pods: readonly string[] | null): readonly WayOut[] {
  if (pods === null) return [];
  const argument = pods.length === 0 ? 'none' : pods.join(',');
  if (argument.length > ARGUMENT_MAX) return [];
  const named = pods.length === 0 ? 'It has no pods.' : `Still listed: ${pods.join(', ')}.`;
  return [
    way(
      'declare_gone',
      'declare_gone',
      'decide',
      'Declare gone',
      `You say that ${jobId} is gone. ${named}`,
      { pods: pods.join(',') },
      argument,
    ),
  ];
}

/** Only out of a stop can a cancel be tried again, or a run be declared gone. */
function fits(on: string, origin: string | null): boolean {
  if (on === 'retry_cancel_old') return origin === 'stopping_old';
  if (on === 'retry_cancel_new') return origin === 'stopping_new';
  return on !== 'declare_gone' || origin === 'stopping_old' || origin === 'stopping_new';
}

function way(action: string, on: string, role: string, label: string, confirm: string, details: JsonObject, argument?: string): WayOut {
  return { button: { action, label, confirm, ...(argument === undefined ? {} : { argument }) }, on, role, details };
}

function known<T>(reading: Reading<unknown> | undefined): T | undefined {
  return reading?.kind === 'known' ? (reading.value as T) : undefined;
}
