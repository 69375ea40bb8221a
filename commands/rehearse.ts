import type { Answer } from '../src/engine/engine.js';
import type { Fleet } from '../src/fleet.js';
import type { HeroView } from '../src/protocol/hero/facts.js';
import { fileGuards, type GuardAnswer } from '../src/protocol/hero/guard.js';
import { assessGuards, guardNeeds } from '../src/protocol/hero/guards.js';
import { isGoodRehearsal } from '../src/protocol/hero/rehearsal.js';
import type { Reads } from '../src/protocol/outside.js';
import type { Standing } from '../src/protocol/people.js';
import { evidenceOf } from '../src/protocol/read.js';
import type { Reading } from '../src/protocol/reading.js';
import type { JsonObject, Need } from '../src/protocol/table.js';
import { notFiledAsRehearsal, rehearsedFor, rehearsedForNext, whichToRehearse } from '../src/render/hero/rehearsal.js';
import { refusalText } from '../src/render/refusal.js';
import type { Text } from '../src/render/text.js';
import { draftView } from './draft.js';
import type { HeroDesk } from './hero-deploy.js';
import type { Ask } from './plan-entry.js';

export interface Rehearsed {
  readonly guards: readonly GuardAnswer[];
  readonly evidence: readonly string[];
}

/** Reads every guard of a plan, on any day and in any state. Nothing is changed, here or outside. */
export async function readGuards(ask: Ask, fleet: Fleet, view: HeroView, now: () => Date): Promise<Rehearsed> {
  const needs = guardNeeds(view, 'rehearsal');
  const readings = Object.fromEntries(await Promise.all(needs.map(async (need) => [need.name, await askFor(ask, need)] as const)));
  const hours = fleet.families[view.plan.family]?.workingHours;
  const base = { source: 'fleet file', readAt: now() };
  const today: Reading<unknown> =
    hours === undefined
      ? { ...base, kind: 'unknown', why: 'failed', detail: `it has no family ${view.plan.family}` }
      : { ...base, kind: 'known', value: hours };
  const guards = assessGuards(view, { ...readings, hours: today }, 'rehearsal', now());
  return { guards, evidence: evidenceOf(...Object.values(readings)) };
}

/** A need names its verb and the arguments that fit it: `need` is the only maker of one. */
export function askFor(ask: Ask, { verb, args }: Need): Promise<Reading<unknown>> {
  return ask(verb as keyof Reads, args as never);
}

interface Asked {
  readonly by: string;
  readonly requestKey: string;
  readonly askedAt: Date;
  readonly standing: Standing;
}

/**
 * `/hero-deploy rehearse`. What was read is told to who asked; of an operation before its cut it is put on file too, for
 * the plan that it was read for: the last good one is a guard.
 */
export async function rehearse(desk: HeroDesk, operationId: string | null, asked: Asked): Promise<readonly Text[]> {
  const { engine, fleet, ask } = desk;
  if (operationId === null) {
    const [family, ...more] = Object.keys(fleet.families);
    if (family === undefined || more.length > 0) return [whichToRehearse()];
    const { view } = await draftView(fleet, family, ask, engine.now);
    const { guards } = await readGuards(ask, fleet, view, engine.now);
    return rehearsedForNext(guards);
  }
  const view = engine.view(operationId);
  if (view === null) return [refusalText(operationId, 'no_such_operation', {})];
  const { guards, evidence: transcripts } = await readGuards(ask, fleet, view as unknown as HeroView, engine.now);
  const { guards: filedGuards, evidence } = fileGuards(guards, transcripts);
  const details: JsonObject = { guards: filedGuards, sentence: verdictOf(guards) };
  const drawnForPlan = view.planHash.slice(0, 8);
  const answer = engine.request({ operationId, on: 'rehearsed', drawnForPlan, details, evidence, ...asked });
  return [...rehearsedFor(operationId, verdictOf(guards), guards), ...filed(operationId, answer)];
}

/** After the cut, or by somebody who may not ask, it was only a look. */
function filed(operationId: string, answer: Answer): readonly Text[] {
  if (answer.kind !== 'refused') return [];
  return [notFiledAsRehearsal(refusalText(operationId, answer.refusal, answer.details))];
}

function verdictOf(guards: readonly GuardAnswer[]): string {
  const blind = guards.filter(({ answer }) => answer === 'unknown').length;
  const shut = guards.filter(({ answer }) => answer === 'shut').length;
  if (isGoodRehearsal(guards))
    return `a good rehearsal, ${guards.length} guards answered${shut > 0 ? ', and only the hour is against it' : ''}`;
  return `not a good rehearsal, ${[...(shut > 0 ? [`${shut} shut`] : []), ...(blind > 0 ? [`${blind} could not be read`] : [])].join(', ')} of ${guards.length} guards`;
}
