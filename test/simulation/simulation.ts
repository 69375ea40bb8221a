import { Harbour } from './harbour.js';
import type { SeedOptions, SeedResult } from './seed.js';

/** Runs one seed to its end, or to the first invariant that does not hold. */
export async function runSeed(options: SeedOptions): Promise<SeedResult> {
  const harbour = new Harbour(options);
  await harbour.run();
  return harbour.result();
}
