import { freezeTerms, judgeComparative, lookAt } from '../src/protocol/gate/comparative.js';
import type { ComparativeCriterion } from '../src/protocol/gate/criterion.js';
import type { Lineage } from '../src/protocol/gate/lineage.js';
import { Path, type Terms } from '../src/protocol/gate/path.js';
import { falseFails } from './judge-false-fail.js';
import { normal, seeded } from './noise.js';

/**
 * What the judge costs, as ratios to one bare pass over the same typed arrays: a metric at a time, the ways in turn,
 * in processor time, the best of each over all rounds, since what else runs on the machine only ever adds. Then its false-FAIL rate, measured again.
 */

const STEPS = 1_000_000;
const METRICS = 20;
const ROUNDS = 9;
const WINDOW = { start: 0, end: STEPS - 1 };
const ALPHA = 0.05 / METRICS;

interface Case {
  readonly criterion: ComparativeCriterion;
  readonly control: Lineage;
  readonly candidate: Lineage;
  readonly terms: Terms;
}

const ways = { bare, perStep, rowByRow, whole };
type Way = keyof typeof ways;
const cases = Array.from({ length: METRICS }, (_, metric) => caseOf(metric));
const best = cases.map(() => new Map<Way, number>());
for (let round = 0; round <= ROUNDS; round++) {
  for (const [metric, each] of cases.entries()) {
    for (const way of ['bare', 'perStep', 'rowByRow', 'whole'] as const) {
      const began = process.cpuUsage().user; // what others do on the machine is not ours
      ways[way](each);
      const took = (process.cpuUsage().user - began) / 1000;
      if (round > 0) best[metric]?.set(way, Math.min(took, best[metric]?.get(way) ?? Number.POSITIVE_INFINITY)); // the first round warms up
    }
  }
}

const ms = (way: Way) => best.reduce((sum, each) => sum + (each.get(way) ?? Number.NaN), 0);
const ratio = (way: Way) => Number((ms(way) / ms('bare')).toFixed(2));
console.log(`${STEPS} steps × ${METRICS} metrics, best of ${ROUNDS} rounds`);
console.log(`  one bare pass over the arrays                  ${ms('bare').toFixed(0)} ms`);
console.log(`  per-step path, control's scale frozen          ${ms('perStep').toFixed(0)} ms, ${ratio('perStep')} × (goal 5)`);
console.log(`  the same, a call for each row                  ${ms('rowByRow').toFixed(0)} ms, ${ratio('rowByRow')} ×`);
console.log(`  whole re-judge: scale, join, sums, verdict     ${ms('whole').toFixed(0)} ms, ${ratio('whole')} × (goal 15)`);

const rates = falseFails();
console.log('false FAIL with both limits at the true mean, streams only, a look at every step, 2000 runs each:');
for (const { noise, alpha, rate, contract } of rates) console.log(`  ${noise.padEnd(8)} alpha ${alpha}: ${rate}, contract ${contract}`);

console.log(
  JSON.stringify({
    bareMs: Math.round(ms('bare')),
    perStepRatio: ratio('perStep'),
    perStepGoal: 5,
    rowByRowRatio: ratio('rowByRow'),
    wholeRatio: ratio('whole'),
    wholeGoal: 15,
    falseFail: rates,
  }),
);

/** Reads every number once, in four chains of additions that do not wait for each other. */
function bare({ control, candidate }: Case): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < STEPS; i++) {
    a += control.steps[i] ?? 0;
    b += control.values[i] ?? 0;
    c += candidate.steps[i] ?? 0;
    d += candidate.values[i] ?? 0;
  }
  return a + b + c + d;
}

function perStep({ terms, candidate }: Case): void {
  const path = new Path(terms);
  path.take(candidate, 0, candidate.steps.length);
  expectPass(lookAt(path, 'ended').verdict);
}

function rowByRow({ terms, candidate: { steps, values } }: Case): void {
  const path = new Path(terms);
  for (let i = 0; i < steps.length; i++) path.push(steps[i] ?? 0, values[i] ?? 0);
  expectPass(lookAt(path, 'ended').verdict);
}

function whole({ criterion, candidate, control }: Case): void {
  expectPass(judgeComparative(criterion, candidate, control, WINDOW, ALPHA, 'ended').result.verdict);
}

/** A judgement that ended early would be quick, and no measurement. */
function expectPass(verdict: string): void {
  if (verdict !== 'PASS') throw new Error(`expected PASS, measured ${verdict}`);
}

/** The batch's own noise, which both runs share, and a little that they do not. */
function caseOf(metric: number): Case {
  const random = seeded(1 + metric);
  const steps = Float64Array.from({ length: STEPS }, (_, step) => step);
  const batch = steps.map(() => 2.5 + 0.04 * normal(random));
  const lineage = (): Lineage => {
    return { steps: steps.slice(), values: batch.map((value) => value + 0.001 * normal(random)), newestAttempt: 0, dropped: 0 };
  };
  const [control, candidate] = [lineage(), lineage()];
  const criterion: ComparativeCriterion = {
    id: `m${metric}`,
    kind: 'tracks',
    metric: `m${metric}`,
    better: 'lower',
    margin: { abs: 0.005 },
    logEvery: 1,
    sameBatches: metric < 2,
  };
  const frozen = freezeTerms(criterion, control, WINDOW, ALPHA);
  if (frozen.kind !== 'terms') throw new Error(`the control of ${criterion.id} is ${frozen.reason}`);
  return { criterion, control, candidate, terms: frozen.terms };
}
