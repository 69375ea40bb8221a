import { parseArgs } from 'node:util';
import { FERRY_PLANS } from './ferry-node.js';
import { walkFerry } from './ferry-walk.js';
import { PLANS } from './plans.js';
import { walk } from './walk.js';

/** `modelcheck [--mishaps N]`: walks the hero and the ferry table for every kind of plan, and ends with one line of JSON. */
function main(): number {
  const { values } = parseArgs({ options: { mishaps: { type: 'string' } } });
  const mishapsMax = Number(values.mishaps ?? 0);
  let states = 0;
  let counterExamples = 0;
  for (const [name, plan] of Object.entries(PLANS)) {
    const walked = walk({ plan, mishapsMax });
    states += walked.states;
    process.stdout.write(`${name}: ${walked.states} states, ${walked.moves} moves, ${walked.rows.size} rows of the table\n`);
    if (walked.counterExample === null) continue;
    counterExamples += 1;
    for (const line of walked.counterExample) process.stdout.write(`  ${line}\n`);
  }
  for (const [name, plan] of Object.entries(FERRY_PLANS)) {
    const walked = walkFerry(plan);
    states += walked.states;
    process.stdout.write(`${name}: ${walked.states} states, ${walked.rows.size} rows of the table\n`);
    if (walked.counterExample === null) continue;
    counterExamples += 1;
    for (const line of walked.counterExample) process.stdout.write(`  ${line}\n`);
  }
  process.stdout.write(`${JSON.stringify({ states, counterExamples })}\n`);
  return counterExamples === 0 ? 0 : 1;
}

process.exitCode = main();
