import { expect, test } from 'vitest';
import { HERO_FINALS, HERO_ROWS, type HeroState } from '../../../src/protocol/hero/table.js';
import { STATE_WORDS } from '../../../src/render/hero/states.js';

interface Operation {
  readonly id: string;
  readonly state: string;
  readonly ts: string;
}
interface Operations {
  operationsOf(messages: readonly object[], states: Record<string, string>): readonly Operation[];
  openOperation(operations: readonly Operation[]): Operation | undefined;
  lessonOf(operations: readonly { readonly state: string }[]): number;
}
interface Lessons {
  readonly LESSONS: readonly { readonly steps: readonly string[] }[];
  nextStep(at: { lesson: number; operation?: { state: string }; waiting?: object }): { step: number; role: string | null; words: string };
}

/** The page's own modules: plain JavaScript, as the browser gets it. */
const page = (name: string): string => new URL(`../../../src/local/page/${name}.js`, import.meta.url).href;
const { operationsOf, openOperation, lessonOf }: Operations = await import(page('operations'));
const { LESSONS, nextStep }: Lessons = await import(page('lessons'));

const states = Object.fromEntries(Object.entries(STATE_WORDS).map(([state, { words }]) => [words, state]));

function card(id: string, state: HeroState, ts: string): object {
  return { ts, text: `📝 *${id} · ${STATE_WORDS[state].words}*\nmore` };
}

test('each operation is found at the state that its card says, and replies are no cards', () => {
  const reply = { ...card('hero-1', 'planned', '2.0'), thread_ts: '1.0' };

  const found = operationsOf([card('hero-2', 'closed', '3.0'), card('hero-1', 'awaiting_launch', '1.0'), reply], states);

  expect(found).toEqual([
    { id: 'hero-1', state: 'awaiting_launch', ts: '1.0' },
    { id: 'hero-2', state: 'closed', ts: '3.0' },
  ]);
  expect(openOperation(found)).toMatchObject({ id: 'hero-1' });
});

test('every state of the protocol is one that the guide can go on from, and no two are said in the same words', () => {
  const all = new Set(HERO_ROWS.flatMap(({ from }) => (from === null ? [] : [from as string])));

  for (const state of [...all].filter((each) => !HERO_FINALS.has(each))) {
    expect([state, nextStep({ lesson: 0, operation: { state } }).step]).toEqual([state, expect.toSatisfy((step) => step >= 2)]);
  }
  expect(Object.keys(states).length).toBe(Object.keys(STATE_WORDS).length);
});

test('the guide begins with a change to prepare, then a plan for it, and ends after a swap and a rollback', () => {
  expect(nextStep({ lesson: 0 })).toMatchObject({ step: 0, words: expect.stringContaining('fast-a2a') });
  expect(nextStep({ lesson: 1, waiting: { change: 'nan' } })).toMatchObject({ step: 1, words: expect.stringContaining('nan is on main') });
  const done = (...states: string[]): number => lessonOf(states.map((state) => ({ state })));
  expect([done(), done('cancelled'), done('closed'), done('closed', 'closed'), done('closed', 'rolled_back')]).toEqual([0, 0, 1, 1, 2]);
  expect(LESSONS.map(({ steps }) => steps.length)).toEqual([7, 7]);
});
