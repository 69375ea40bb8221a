import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ask } from '../../commands/plan-entry.js';
import { parseFleet } from '../../src/fleet.js';
import type { Reads } from '../../src/protocol/outside.js';
import { AT } from '../support/samples.js';

/** What the readers of typed text ask, and a fleet file that they read by. */

export const FLEET = parseFleet(readFileSync(join(import.meta.dirname, '../../harbor.example.yaml'), 'utf8'), 'the example');

export type Answers = { readonly [V in keyof Reads]?: Reads[V]['value'] };
export type Fields = Readonly<Record<string, string>>;

/** An outside that answers these verbs, and no other. */
export function askOf(answers: Answers): Ask {
  return async (verb) => {
    const value = answers[verb];
    const frame = { source: 'a test', readAt: AT };
    return value === undefined ? { ...frame, kind: 'unknown', why: 'timed_out', detail: '30 s' } : { ...frame, kind: 'known', value };
  };
}
