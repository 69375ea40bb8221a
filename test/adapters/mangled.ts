import fc from 'fast-check';
import { createRegistry } from '../../src/adapters/registry.js';
import type { Outcome } from '../../src/adapters/shell.js';
import type { Fleet } from '../../src/fleet.js';
import type { Reads } from '../../src/protocol/outside.js';
import type { Reading } from '../../src/protocol/reading.js';
import { NOW } from './asking.js';

/** What can happen to the bytes of an answer on its way. `at` is a share of its length. */
export type Mangling =
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'line_lost' | 'line_doubled'; readonly at: number }
  | { readonly kind: 'byte'; readonly at: number; readonly to: number };

// Doubles would crowd at nought: this is even over the whole answer.
const share = fc.nat(9_999).map((n) => n / 10_000);

// Most bytes break an answer at once: those that could stand there are the ones that could deceive.
const byte = fc.oneof(fc.constantFrom(...Buffer.from('abcXYZ012345678-_./,@\r\n"{}[]:')), fc.integer({ min: 0, max: 255 }));

export const manglings: fc.Arbitrary<Mangling> = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: share }),
  fc.record({ kind: fc.constantFrom('line_lost' as const, 'line_doubled' as const), at: share }),
  fc.record({ kind: fc.constant('byte' as const), at: share, to: byte }),
  fc.record({ kind: fc.constant('byte' as const), at: share, to: byte }),
);

/** The answer with this done to it. */
export function mangled(answer: string, mangling: Mangling): Buffer {
  const bytes = Buffer.from(answer, 'utf8');
  const at = Math.floor(mangling.at * bytes.length);
  if (mangling.kind === 'cut') return bytes.subarray(0, at);
  if (mangling.kind === 'byte') return Buffer.concat([bytes.subarray(0, at), Buffer.from([mangling.to]), bytes.subarray(at + 1)]);
  const lines = answer.split(/(?<=\n)/);
  const index = Math.floor(mangling.at * lines.length);
  const times = mangling.kind === 'line_lost' ? 0 : 2;
  return Buffer.from(lines.flatMap((line, n) => Array.from({ length: n === index ? times : 1 }, () => line)).join(''));
}

/** The reading of the real adapter, of an executable that printed these bytes, whatever it was asked, and ended well. */
export function readingOf<V extends keyof Reads>(
  fleet: Fleet,
  verb: V,
  args: Reads[V]['args'],
  stdout: Buffer,
): Promise<Reading<Reads[V]['value']>> {
  const outcome: Outcome = { ending: { kind: 'ok' }, stdout, stderr: Buffer.alloc(0), droppedBytes: 0, durationMs: 1 };
  const shell = { read: async () => outcome, act: () => Promise.reject(new Error('nothing may act here')), stop: async () => undefined };
  return createRegistry({ fleet, env: { WANDB_API_KEY: 'not-used' }, now: () => NOW, backoffMs: [], shell }).read(verb, args);
}
