import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { SeedResult } from './seed.js';
import { runSeed } from './simulation.js';

/**
 * `simulate --seeds N [--from S]`: runs the seeds, prints those that fail, and ends with one line of JSON. A single
 * seed prints what happened in it. Work is shared among processes: the database's native part dislikes threads that end.
 */
const WORKERS = 2;

interface Share {
  readonly from: number;
  readonly seeds: number;
  readonly every: number;
}

interface Done {
  readonly failed: readonly { readonly seed: number; readonly broken: string }[];
  readonly events: readonly string[];
  readonly states: Readonly<Record<string, number>>;
}

async function runShare({ from, seeds, every }: Share): Promise<Done> {
  const failed: { seed: number; broken: string }[] = [];
  const events = new Set<string>();
  const states: Record<string, number> = {};
  for (let seed = from; seed < from + seeds; seed += every) {
    const { broken, events: seen, states: ends } = await runSeed({ seed });
    if (broken !== null) failed.push({ seed, broken });
    for (const event of seen) events.add(event);
    for (const state of ends) states[state] = (states[state] ?? 0) + 1;
  }
  return { failed, events: [...events], states };
}

function inProcess(share: Share): Promise<Done> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, ['--share', JSON.stringify(share)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    let done: Done | null = null;
    child.on('message', (message: Done) => {
      done = message;
    });
    child.on('error', reject);
    child.on('exit', (code) => (done === null ? reject(new Error(`a worker ended with ${code}`)) : resolve(done)));
  });
}

function print({ story, broken, troubles }: SeedResult): void {
  for (const line of story) process.stdout.write(`${line}\n`);
  process.stdout.write(`${broken === null ? 'nothing is broken' : `BROKEN: ${broken}`} (troubles: ${troubles.join(', ')})\n`);
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { seeds: { type: 'string' }, from: { type: 'string' }, share: { type: 'string' } } });
  if (values.share !== undefined) {
    const done = await runShare(JSON.parse(values.share));
    await new Promise((resolve) => process.send?.(done, resolve));
    process.disconnect?.();
    return 0;
  }
  const seeds = Number(values.seeds ?? 300);
  const from = Number(values.from ?? 1);
  const alone = seeds === 1 ? await runSeed({ seed: from, tells: true }) : null;
  if (alone !== null) print(alone);
  const shares = Array.from({ length: WORKERS }, (_none, index) => ({ from: from + index, seeds: seeds - index, every: WORKERS }));
  const done = alone === null ? await Promise.all(shares.map(inProcess)) : [];
  const failed = alone === null ? done.flatMap((each) => each.failed) : alone.broken === null ? [] : [{ seed: from, broken: alone.broken }];
  for (const { seed, broken } of failed.slice(0, 20))
    process.stdout.write(`seed ${seed}: ${broken}\n  replay: npm run simulate -- --from ${seed} --seeds 1\n`);
  const rows = new Set(done.flatMap(({ events }) => events));
  if (alone === null)
    process.stdout.write(`${rows.size} rows of the table were taken; ends: ${JSON.stringify(sum(done.map(({ states }) => states)))}\n`);
  process.stdout.write(`${JSON.stringify({ seeds, failed: failed.length })}\n`);
  return failed.length === 0 ? 0 : 1;
}

function sum(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const each of counts) for (const [name, count] of Object.entries(each)) total[name] = (total[name] ?? 0) + count;
  return total;
}

process.exitCode = await main();
