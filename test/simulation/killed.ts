import { expect } from 'vitest';
import { runSeed } from './simulation.js';

/** What a straight story wants, and the state in which it ends undisturbed. */
export const STORIES = [
  { wants: 'swap', end: 'closed' },
  { wants: 'rollback', end: 'rolled_back' },
] as const;

/** Kills the bot at every n-th point of a story, one life after the other: it ends as without the kill, or waits for a person. */
export async function killAtEvery(nth: number, { wants, end }: (typeof STORIES)[number]): Promise<void> {
  const undisturbed = await runSeed({ seed: 1, straight: { wants, dieAt: 0 } });
  expect(undisturbed).toMatchObject({ broken: null, states: [end], lives: 1 });

  const waiting: string[] = [];
  for (let dieAt = 1; dieAt <= undisturbed.points; dieAt += nth) {
    const { broken, states, acts, lives } = await runSeed({ seed: 1, straight: { wants, dieAt } });
    expect(lives).toBe(2);
    expect(undisturbed.acts).toEqual(expect.arrayContaining([...acts]));
    // A person who finds it held may ask for the same cancel once more; nothing else is ever done twice.
    const once = acts.filter((act) => !act.startsWith('cancel'));
    expect(new Set(once).size).toBe(once.length);
    if (states[0] === end) expect(broken).toBeNull();
    else waiting.push(`${states[0]} after ${acts.length} acts`);
  }

  expect(undisturbed.points).toBeGreaterThan(250);
  // Between the claim of a cancel's one start and its spawn: that it never ran cannot be told, and a person is asked.
  expect(waiting.filter((each) => each !== 'held after 1 acts')).toEqual([]);
  expect(waiting.length).toBeLessThanOrEqual(3);
}
