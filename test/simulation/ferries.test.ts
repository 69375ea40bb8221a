import { expect, test } from 'vitest';
import { runFerrySeed } from './ferry-seed.js';

test.each([1, 41])('no invariant breaks for ferries in the forty seeds from %i', async (from) => {
  const broken: string[] = [];
  const ends = new Set<string>();
  for (let seed = from; seed < from + 40; seed++) {
    const result = await runFerrySeed({ seed });
    if (result.broken !== null) broken.push(`seed ${seed}: ${result.broken}`);
    for (const state of result.states) ends.add(state);
  }

  expect(broken).toEqual([]);
  expect(ends.size).toBeGreaterThan(5);
});

test('killed at any point of a daily, it is launched, tagged and told on GitHub once, and ends sealed or waits for a person', async () => {
  const undisturbed = await runFerrySeed({ seed: 1, dieAt: 0 });
  expect(undisturbed).toMatchObject({ broken: null, states: ['sealed'], lives: 1 });

  const others: string[] = [];
  for (let dieAt = 1; dieAt <= undisturbed.points; dieAt++) {
    const { broken, states, acts, lives } = await runFerrySeed({ seed: 1, dieAt });
    expect({ dieAt, broken, lives }).toEqual({ dieAt, broken: null, lives: 2 });
    for (const act of new Set(acts)) {
      // What died between its claim and its spawn was never done: a person asks for it again, under another name or the same.
      expect(acts.filter((each) => each === act).length, `${dieAt}: ${act}`).toBe(1);
    }
    if (states[0] !== 'sealed') others.push(`${states[0]} at ${dieAt}`);
  }

  expect(undisturbed.points).toBeGreaterThan(60);
  expect(others).toEqual([]);
});
