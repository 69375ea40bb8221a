import { evidenceOf } from '../read.js';
import type { Readings } from '../table.js';
import type { HeroView } from './facts.js';
import type { BlindSeen, HeroMemory } from './memory.js';
import type { HeroProposal } from './watcher.js';

/** Whether the watch itself sees: a monitor that is blind says nothing of the run, neither healthy nor hung. */

/** What liveness is told from, and what each is called. */
const EYES = { steps: 'the last step', series: 'the metrics', replay: 'the replayed steps', job: "the scheduler's job state" } as const;
type Eye = keyof typeof EYES;

/** This many unknown readings in a row of one source make the monitor blind. Source: contracts/iris-and-ferries.md, section 7. */
const BLIND_AFTER = 3;

/** Counts for each source how long it has not answered. */
export function noteSight(memory: HeroMemory, readings: Readings): HeroMemory {
  const blind: Record<string, BlindSeen> = { ...memory.blind };
  for (const eye of eyesIn(readings)) {
    const reading = readings[eye];
    if (reading === undefined) continue;
    if (reading.kind === 'known') delete blind[eye];
    else {
      const before = blind[eye];
      if (before?.readAt.getTime() === reading.readAt.getTime()) continue;
      const { readAt, why } = reading;
      blind[eye] = { count: (before?.count ?? 0) + 1, since: before?.since ?? readAt, readAt, why };
    }
  }
  return { ...memory, blind };
}

/** What is said once when the monitor goes blind, and once when it sees again. */
export function sightProposals(view: HeroView, readings: Readings, memory: HeroMemory): readonly HeroProposal[] {
  const shut = eyesIn(readings).filter((eye) => (memory.blind[eye]?.count ?? 0) >= BLIND_AFTER);
  const blindSince = view.facts.blindSince ?? null;
  if (blindSince === null && shut.length > 0) {
    const since = new Date(Math.min(...shut.map((eye) => memory.blind[eye]?.since.getTime() ?? Number.POSITIVE_INFINITY))).toISOString();
    const sentence = shut.map((eye) => `${EYES[eye]} could not be read (${memory.blind[eye]?.why})`).join('; ');
    const evidence = evidenceOf(...shut.map((eye) => readings[eye]));
    return [{ on: 'monitor_blind', key: since, facts: { blindSince: since }, details: { sentence, since }, evidence }];
  }
  const open = eyesIn(readings).length > 0 && eyesIn(readings).every((eye) => readings[eye]?.kind === 'known');
  if (blindSince === null || !open) return [];
  return [{ on: 'monitor_sees', key: blindSince, facts: { blindSince: null }, details: { since: blindSince } }];
}

function eyesIn(readings: Readings): readonly Eye[] {
  return (Object.keys(EYES) as Eye[]).filter((eye) => readings[eye] !== undefined);
}
