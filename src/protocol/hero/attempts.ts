import { answer } from '../read.js';
import type { Readings } from '../table.js';
import type { HeroView } from './facts.js';

/** Which executions of the candidate belong to this launch. */

/**
 * From when on a row is of this launch. A run that is launched again has rows of its own from before, which may be no
 * minute old, and writes the first new one only after a restore; any other run has none, and its clock gets some room.
 */
export function ownSinceMs(view: HeroView): number {
  const launchedMs = new Date(view.facts.launchedAt ?? view.enteredAt).getTime();
  return view.plan.kind === 'recover' ? launchedMs : launchedMs - CLOCKS_APART_MS;
}

/** Telemetry may be this far from our own clock. */
const CLOCKS_APART_MS = 60_000;

/** The newest attempt of this launch that rows or log lines name, from 0. What a recovered run did before does not count. */
export function attemptOf(view: HeroView, readings: Readings): number {
  const markers = answer(readings, 'markers', 'markers');
  const fromLog = markers?.kind === 'known' ? markers.value.map(({ task }) => Number(/:([0-9]+)$/.exec(task)?.[1] ?? 0)) : [];
  return Math.max(0, attemptsBegun(view, readings).length - 1, ...fromLog);
}

/** When each attempt of this launch wrote its first row, oldest first. */
export function attemptsBegun(view: HeroView, readings: Readings): readonly number[] {
  const series = answer(readings, 'series', 'series');
  const since = view.plan.kind === 'recover' ? ownSinceMs(view) : Number.NEGATIVE_INFINITY;
  const begun = new Map<number, number>();
  for (const { attempt, atMs } of series?.kind === 'known' ? series.value : [])
    begun.set(attempt, Math.min(atMs, begun.get(attempt) ?? atMs));
  return [...begun.values()].filter((firstMs) => firstMs >= since).sort((first, second) => first - second);
}
