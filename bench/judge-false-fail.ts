import type { ComparativeCriterion } from '../src/protocol/gate/criterion.js';
import { gridOf } from '../src/protocol/gate/grid.js';
import { Path, type Terms } from '../src/protocol/gate/path.js';
import { normal, type Random, seeded } from './noise.js';

export interface FalseFail {
  readonly noise: string;
  readonly alpha: number;
  /** Share of runs that failed though nothing had changed, and what contracts/gate-judge.md section 9 measured. */
  readonly rate: number;
  readonly contract: number;
}

const RUNS = 2000;
const STEPS = 200;
const WINDOW = { start: 0, end: STEPS };
const BURN_IN = 100;

/** Both limits at the true mean, the worst case; streams only; every step is looked at, so a run fails if any look did. */
export function falseFails(): readonly FalseFail[] {
  const noises: readonly {
    readonly noise: string;
    readonly make: (random: Random) => () => number;
    readonly contract: readonly [number, number];
  }[] = [
    { noise: 'iid', make: (random) => () => normal(random), contract: [0.018, 0.0014] },
    { noise: 'AR .6', make: (random) => autoregressive(random, 0.6), contract: [0.02, 0.0017] },
    { noise: 't3', make: (random) => () => heavy(random), contract: [0.016, 0.0016] },
  ];
  return noises.flatMap(({ noise, make, contract }, index) =>
    [0.05, 0.005].map((alpha, column) => ({
      noise,
      alpha,
      rate: rateOf(make, alpha, 1000 + index),
      contract: contract[column] ?? Number.NaN,
    })),
  );
}

function rateOf(make: (random: Random) => () => number, alpha: number, seed: number): number {
  const random = seeded(seed);
  const terms = zeroWidth(alpha);
  let failed = 0;
  for (let run = 0; run < RUNS; run++) {
    const next = make(random);
    const path = new Path(terms);
    for (let step = 1; step <= STEPS && path.proven === null; step++) path.push(step, next());
    if (path.proven !== null) failed++;
  }
  return failed / RUNS;
}

/** The mean must be exactly zero, and no difference is far enough to be clipped. */
function zeroWidth(alpha: number): Terms {
  const criterion: ComparativeCriterion = { id: 'noise', kind: 'tracks', metric: 'noise', better: 'lower', logEvery: 1 };
  const steps = Float64Array.from({ length: STEPS + 1 }, (_, step) => step);
  const control = { steps, values: new Float64Array(STEPS + 1), mean: 0, sigma: 0, differences: STEPS };
  return { criterion, window: WINDOW, grid: gridOf(criterion, WINDOW), control, tolerance: { lo: 0, hi: 0, size: 1e9 }, alpha };
}

function autoregressive(random: Random, rho: number): () => number {
  let value = 0;
  const next = () => {
    value = rho * value + normal(random);
    return value;
  };
  for (let step = 0; step < BURN_IN; step++) next();
  return next;
}

/** Student's t with three degrees of freedom. */
function heavy(random: Random): number {
  const squares = normal(random) ** 2 + normal(random) ** 2 + normal(random) ** 2;
  return normal(random) / Math.sqrt(squares / 3);
}
