import { printCriterion } from '../gate/print.js';
import { printRow } from './downstream.js';
import type { HeroPlan } from './plan.js';

/** One field of a plan that a revision changes, as people read it. */
export interface Change {
  readonly field: string;
  readonly was: string;
  readonly now: string;
}

/** What a revised plan changes, field by field: nothing that decides what will be done is left out. */
export function difference(before: HeroPlan, after: HeroPlan): readonly Change[] {
  const was = spelled(before);
  const now = spelled(after);
  const fields = [...new Set([...was.keys(), ...now.keys()])];
  return fields.flatMap((field) => {
    const [one = 'not there', other = 'not there'] = [was.get(field), now.get(field)];
    return one === other ? [] : [{ field, was: one, now: other }];
  });
}

/** A plan as texts by field; lists and gates as they are read, everything else by its path. */
function spelled(plan: HeroPlan): ReadonlyMap<string, string> {
  const { gate, commits, downstream, notExercised, ...rest } = plan;
  const texts = new Map<string, string>([
    ['gate', gate.map((criterion) => printCriterion(criterion)).join('; ')],
    ['commits', commits.map(({ sha }) => sha.slice(0, 10)).join(' ')],
    ['notExercised', notExercised.join('; ') || 'nothing'],
    ...downstream.map((row, index) => [`downstream, row ${index + 1}`, printRow(row)] as const),
  ]);
  spell('', rest, texts);
  return texts;
}

function spell(path: string, value: unknown, texts: Map<string, string>): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [key, inner] of Object.entries(value)) spell(path === '' ? key : `${path}.${key}`, inner, texts);
  } else texts.set(path, typeof value === 'string' ? value : JSON.stringify(value));
}
