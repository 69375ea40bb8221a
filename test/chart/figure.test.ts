import { expect, test } from 'vitest';
import { drawPicture } from '../../src/adapters/drawing.js';
import { drawSvg } from '../../src/chart/draw.js';
import { judge } from '../../src/protocol/gate/judge.js';
import { HeroPlan } from '../../src/protocol/hero/plan.js';
import type { Sample } from '../../src/protocol/outside.js';
import { figureOf } from '../../src/render/hero/figure.js';
import { verdictLines } from '../../src/render/hero/told.js';
import { markdown } from '../../src/render/markdown.js';
import { HANDOFF, planBody } from '../support/plan.js';

const GATE = [
  { id: 'train_loss', kind: 'tracks', metric: 'train_loss', better: 'lower', margin: { abs: 0.01 }, logEvery: 1 },
  { id: 'throughput_mfu', kind: 'not-worse', metric: 'throughput_mfu', better: 'higher', margin: { rel: 0.01 }, logEvery: 10 },
] as const;
const plan = HeroPlan.parse(planBody({ windowSteps: 200, gate: GATE.map((each) => ({ ...each })) }));

function rows(shift: number, phase: number): Sample[] {
  const at = (step: number, metric: string, value: number): Sample => ({
    step: HANDOFF + step,
    metric,
    value,
    attempt: 0,
    atMs: step,
    seq: step,
  });
  const loss = (step: number) => 1.87 + Math.sin(step / 7) / 50 + shift + Math.sin(step * 12.9898 + phase) / 400;
  const steps = Array.from({ length: 201 }, (_none, step) => step);
  return [
    ...steps.map((step) => at(step, 'train_loss', loss(step))),
    ...steps.filter((step) => step % 10 === 0).map((step) => at(step, 'throughput_mfu', 20.5 - 100 * shift + Math.sin(step + phase) / 50)),
  ];
}

const by = (samples: readonly Sample[]) =>
  Object.fromEntries(GATE.map(({ metric }) => [metric, samples.filter((row) => row.metric === metric)]));
const [control, candidate] = [rows(0, 0), rows(-0.004, 2)];
const window = { start: HANDOFF, end: HANDOFF + 200 };
const verdict = judge({ window, state: 'ended', criteria: plan.gate, candidate: by(candidate), control: by(control) });
const charted = { operationId: 'hero-12', plan, verdict, failure: null, control, candidate };

test('the figures of the chart are those of the message, word for word', () => {
  const message = verdictLines(verdict.overall, verdict.criteria)
    .map(markdown)
    .map((line) => line.replace(/[*`\\•]/g, '').trim());

  const { lines, title } = figureOf(charted);

  expect(title).toBe(`hero-12 · ${verdict.overall}`);
  expect(lines.map((line) => line.replace(/\s+/g, ' '))).toEqual(message.slice(1).map((line) => line.replace(/\s+/g, ' ')));
});

test('what is drawn is what was judged: the interval and the band are those of the verdict', () => {
  const { panels } = figureOf(charted);

  const differences = panels.flatMap((panel) => (panel.kind === 'differences' ? [panel] : []));
  expect(differences.map(({ lo, hi, mean, halfWidth }) => ({ lo, hi, mean, halfWidth }))).toEqual(
    verdict.criteria.map(({ lo, hi, mean, halfWidth }) => ({ lo, hi, mean, halfWidth })),
  );
  expect(differences.map(({ points }) => points.length)).toEqual(verdict.criteria.map(({ pairs }) => pairs));
});

test('a window of ten thousand steps is thinned, and keeps its extremes', () => {
  const many = Array.from({ length: 10_000 }, (_none, step): Sample => {
    return { step, metric: 'train_loss', value: step === 7_777 ? 9 : 2 + Math.sin(step) / 10, attempt: 0, atMs: step, seq: step };
  });
  const [levels] = figureOf({ ...charted, control: many, candidate: many }).panels;

  expect(levels?.kind === 'levels' ? levels.control.length : 0).toBeLessThanOrEqual(1_000);
  expect(levels?.kind === 'levels' ? levels.control : []).toContainEqual([7_777, 9]);
});

test('a chart without a control, or of words that are markup, is drawn all the same', () => {
  const figure = figureOf({ ...charted, verdict: null, failure: 'no step for 900 s <at> step 54071 & more', control: [] });
  const svg = drawSvg(figure);

  expect(svg).toContain('&lt;at&gt; step 54071 &amp; more');
  expect(svg).toContain('no step that both runs logged');
  expect(drawSvg(figureOf({ ...charted, verdict: null, control: [], candidate: [] }))).toContain('no step that both runs logged');
});

test('the picture is a PNG of a phone at double size, drawn in a process of its own', async () => {
  const png = await drawPicture(figureOf(charted));

  expect([png.readUInt32BE(16), png.subarray(1, 4).toString('latin1')]).toEqual([780, 'PNG']);
  expect(png.length).toBeLessThan(400_000);
  await expect(drawPicture({ title: 'broken' })).rejects.toThrow(/draw a chart: exit 1/);
});
