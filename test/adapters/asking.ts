import { createRegistry, type Registry } from '../../src/adapters/registry.js';
import { createShell, type Shell } from '../../src/adapters/shell.js';
import type { Fleet } from '../../src/fleet.js';
import type { Reading } from '../../src/protocol/reading.js';

export const NOW = new Date('2026-09-20T23:26:00.000Z');

/** The real registry over a fleet, that repeats nothing unless told to. */
export function registryOf(
  fleet: Fleet,
  options: { env?: NodeJS.ProcessEnv; backoffMs?: readonly number[]; shell?: Shell } = {},
): Registry {
  const { env = { PATH: process.env.PATH, HOME: process.env.HOME }, backoffMs = [], shell = createShell() } = options;
  return createRegistry({ fleet, env, now: () => NOW, backoffMs, shell });
}

/** The part of a reading that a test is about. */
export function gist<T>(reading: Reading<T>): { readonly known: T } | { readonly unknown: string; readonly detail: string } {
  return reading.kind === 'known' ? { known: reading.value } : { unknown: reading.why, detail: reading.detail };
}

/** Resolves once a condition holds; throws after the deadline, in milliseconds. */
export async function until(condition: () => boolean, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
