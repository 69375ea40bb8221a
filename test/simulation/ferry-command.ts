import { parseArgs } from 'node:util';
import { runFerrySeed } from './ferry-seed.js';

/** `simulate:ferries --seeds N [--from S]`: runs the seeds, prints those that fail, and ends with one line of JSON. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { seeds: { type: 'string' }, from: { type: 'string' } } });
  const seeds = Number(values.seeds ?? 500);
  const from = Number(values.from ?? 1);
  const ends: Record<string, number> = {};
  let failed = 0;
  for (let seed = from; seed < from + seeds; seed++) {
    const { broken, states, story } = await runFerrySeed({ seed });
    if (seeds === 1) for (const line of story) process.stdout.write(`${line}\n`);
    for (const state of states) ends[state] = (ends[state] ?? 0) + 1;
    if (broken === null) continue;
    failed += 1;
    process.stdout.write(`seed ${seed}: ${broken}\n`);
  }
  process.stdout.write(`ends: ${JSON.stringify(ends)}\n${JSON.stringify({ seeds, failed })}\n`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
