import { drawPicture } from '../src/adapters/drawing.js';
import type { Sample } from '../src/protocol/outside.js';
import { figureOf } from '../src/render/hero/figure.js';

/** What charts cost the bot: its own memory before and after forty of them, since each is drawn in a process that ends. */

const CHARTS = 40;
const GOAL_MB = 150;

function rows(shift: number): readonly Sample[] {
  return Array.from({ length: 10_001 }, (_none, step) => {
    return { step: 54_000 + step, metric: 'train_loss', value: 2 + shift + Math.sin(step) / 10, attempt: 0, atMs: step, seq: step };
  });
}

function residentMb(): number {
  return Math.round(process.memoryUsage().rss / 1e6);
}

const criterion = { id: 'train_loss', kind: 'tracks', metric: 'train_loss', better: 'lower', margin: { abs: 0.02 }, logEvery: 1 } as const;
const plan = { gate: [criterion], oldRun: 'hero-main-step54k', newRun: 'hero-fast-a2a-step54k' };
const charted = { operationId: 'hero-1', plan, verdict: null, failure: null, control: rows(0), candidate: rows(0.01) };
const beforeMb = residentMb();
const startedMs = performance.now();
let bytes = 0;
for (let n = 0; n < CHARTS; n++) bytes += (await drawPicture(figureOf(charted))).length;
const eachMs = Math.round((performance.now() - startedMs) / CHARTS);
const afterMb = residentMb();
process.stdout.write(
  `${JSON.stringify({ bench: 'chart-memory', charts: CHARTS, kilobytes: Math.round(bytes / CHARTS / 1000), eachMs, beforeMb, afterMb, goalMb: GOAL_MB })}\n`,
);
process.exitCode = afterMb <= GOAL_MB ? 0 : 1;
