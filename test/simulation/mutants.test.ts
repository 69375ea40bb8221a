import { expect, test } from 'vitest';
import { MISSING, type Missing } from './mutants.js';
import { runSeed } from './simulation.js';

const SEEDS_MAX = 200;

/** The first seed in which the absence is noticed, and how it was. */
async function noticedBy({ mutant, troubles }: Missing): Promise<string | null> {
  for (let seed = 1; seed <= SEEDS_MAX; seed++) {
    const { broken } = await runSeed({ seed, mutant, troubles });
    if (broken !== null) return broken;
  }
  return null;
}

test.each(MISSING)('it is noticed when this does not hold: $safety', async (missing) => {
  const broken = await noticedBy(missing);

  expect(broken).toMatch(missing.noticed);
});

test.each(MISSING)('nothing is noticed with the same troubles while this holds: $safety', async ({ troubles }) => {
  for (let seed = 1; seed <= 8; seed++) expect((await runSeed({ seed, troubles })).broken).toBeNull();
});
