import type { Entry } from '../protocol/table.js';
import { people, say, strong, type Text } from './text.js';

/**
 * What is awaited of an operation that came back from a backup; null for any other, and once a person has moved it on. Until
 * then nothing is done by itself there, whatever its state says.
 */
export function awaitedAfterRestore(history: readonly Entry<object>[], duty: readonly string[]): Text | null {
  const at = history.findLastIndex(({ event }) => event === 'restored');
  const since = at === -1 ? [] : history.slice(at + 1);
  if (at === -1 || since.some(({ actor }) => actor !== 'bot')) return null;
  if (!since.some(({ event }) => event === 'compared'))
    return say`Next: by itself, the comparison with the outside, which must agree twice.`;
  const whom = duty.length === 0 ? [] : say` (${people(duty)})`;
  return say`Next: somebody takes it, or decides${whom}. ${strong('Nothing is done by itself here until then.')}`;
}

/** What it means that an operation came back from a backup. */
export function restoredLine(): Text {
  return say`What happened after the backup is not in this record. The outside is read now; until it agrees twice, nothing that is asked for is done.`;
}

export function comparedLine(): Text {
  return say`Buttons work again.`;
}
