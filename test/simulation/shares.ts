import { runSeed } from './simulation.js';

const SHARE = 50;

/** The first seeds of three shares from this one on: each is a test of its own, so that a failure names a small range. */
export function shares(from: number): readonly number[] {
  return [from, from + SHARE, from + 2 * SHARE];
}

/** What broke in a share of seeds, each with the command that plays it again. */
export async function playShare(from: number): Promise<readonly string[]> {
  const broken: string[] = [];
  for (let seed = from; seed < from + SHARE; seed++) {
    const result = await runSeed({ seed });
    if (result.broken !== null) broken.push(`seed ${seed}: ${result.broken}; npm run simulate -- --from ${seed} --seeds 1`);
  }
  return broken;
}
