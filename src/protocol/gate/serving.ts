import { tQuantile } from './quantile.js';

/** One benchmark run of an arm. `scenarios` holds points (or 1 and 0 for pass and fail) by scenario, where they were kept. */
export interface ServingRun {
  readonly score: number;
  readonly completed: number;
  readonly errors: number;
  readonly scenarios?: Readonly<Record<string, number>> | undefined;
}

/** Throughputs by arm of one cell (depth × concurrency). */
export interface ServingCell {
  readonly A?: readonly number[] | null | undefined;
  readonly B?: readonly number[] | null | undefined;
}

export interface ServingInput {
  readonly scenarioCount: number;
  readonly arms: { readonly A: { readonly runs: readonly ServingRun[] }; readonly B: { readonly runs: readonly ServingRun[] } };
  readonly cells: Readonly<Record<string, ServingCell>>;
}

export type Change = 'better' | 'worse' | 'within-noise';
export type ServingReason = 'no-runs' | 'unfinished' | 'errors' | 'non-finite' | 'scenario-set' | 'cell-unreadable';

/** B against A. */
export interface ServingResult {
  readonly overall: Change | 'mixed' | 'UNKNOWN';
  readonly quality: Change | 'UNKNOWN';
  /** Left out where no cell was measured. */
  readonly speed?: Change | 'mixed' | 'UNKNOWN';
  readonly reason?: ServingReason;
  readonly score?: { readonly difference: number; readonly halfWidth: number; readonly notWorseProven: boolean };
  readonly flips?: Flips;
  readonly cells?: readonly { readonly name: string; readonly change: Change; readonly logRatio: number; readonly halfWidth: number }[];
}

export interface Flips {
  readonly up: number;
  readonly down: number;
  readonly p: number;
  /** Scenarios in which every run of B is below every run of A, with at least two runs an arm. */
  readonly lost: readonly string[];
  /** The same with one run in an arm: not confirmed, as identical stacks flip too. */
  readonly lostUnconfirmed: readonly string[];
}

const ALPHA = 0.05;
/** A prior worth four runs: scores vary by 3 points between identical stacks, throughput by 3%. */
const PRIOR_RUNS = 4;
const SCORE_SD = 3;
const LOG_THROUGHPUT_SD = 0.03;
/** B may be this many points below A and still be called not worse. */
const NOT_WORSE_BY = 4;

/** Source: contracts/gate-judge.md, section 8. */
export function judgeServing(input: ServingInput): ServingResult {
  const speed = Object.keys(input.cells).length === 0 ? null : judgeSpeed(input.cells);
  const spoiled = unusable(input);
  const quality = spoiled === null ? judgeQuality(input) : ({ quality: 'UNKNOWN', reason: spoiled } as const);
  const reason = spoiled ?? (speed?.speed === 'UNKNOWN' ? 'cell-unreadable' : null);
  return {
    overall: overallOf(quality.quality, speed?.speed ?? null),
    ...quality,
    ...(speed ?? {}),
    ...(reason === null ? {} : { reason }),
  };
}

/** Worse if either says worse, else mixed, else better if either says better. What could not be read is never a finding. */
function overallOf(quality: ServingResult['quality'], speed: ServingResult['speed'] | null): ServingResult['overall'] {
  const both = [quality, speed];
  for (const word of ['UNKNOWN', 'worse', 'mixed', 'better'] as const) if (both.includes(word)) return word;
  return 'within-noise';
}

function unusable({ scenarioCount, arms }: ServingInput): ServingReason | null {
  const runs = [...arms.A.runs, ...arms.B.runs];
  if (arms.A.runs.length === 0 || arms.B.runs.length === 0) return 'no-runs';
  if (!runs.every(({ completed }) => completed === scenarioCount)) return 'unfinished';
  if (!runs.every(({ errors }) => errors === 0)) return 'errors';
  if (!runs.every(({ score }) => Number.isFinite(score))) return 'non-finite';
  const sets = runs.map(({ scenarios }) => (scenarios === undefined ? null : Object.keys(scenarios).sort().join('\n')));
  const sized = runs.every(({ scenarios }) => scenarios === undefined || Object.keys(scenarios).length === scenarioCount);
  if (!sized || sets.some((set) => set !== sets[0])) return 'scenario-set';
  return runs.every(({ scenarios }) => Object.values(scenarios ?? {}).every(Number.isFinite)) ? null : 'non-finite';
}

/** Alpha is halved between the score and the flips: worse if either says worse, else better if either says better. */
function judgeQuality({ arms }: ServingInput): Pick<ServingResult, 'quality' | 'score' | 'flips'> {
  const a = arms.A.runs.map(({ score }) => score);
  const b = arms.B.runs.map(({ score }) => score);
  const difference = meanOf(b) - meanOf(a);
  const { sd, degrees } = pooled([a, b], a.length + b.length - 2, SCORE_SD);
  const halfWidth = tQuantile(ALPHA / 4, degrees) * sd * Math.sqrt(1 / a.length + 1 / b.length);
  const score = { difference, halfWidth, notWorseProven: difference - halfWidth > -NOT_WORSE_BY };
  const flips = flipsOf(arms.A.runs, arms.B.runs);
  const said = [
    changeOf(difference, halfWidth),
    ...(flips !== null && flips.p < ALPHA / 2 ? [flips.up > flips.down ? 'better' : 'worse'] : []),
  ];
  const quality = said.includes('worse') ? 'worse' : said.includes('better') ? 'better' : 'within-noise';
  return { quality, score, ...(flips === null ? {} : { flips }) };
}

/** u scenarios up, v down, ties dropped: an exact sign test. Null where no scenario was kept. */
function flipsOf(a: readonly ServingRun[], b: readonly ServingRun[]): Flips | null {
  const names = Object.keys(a[0]?.scenarios ?? {});
  if (names.length === 0) return null;
  const points = (runs: readonly ServingRun[], name: string) => runs.map(({ scenarios }) => scenarios?.[name] ?? Number.NaN);
  const compared = names.map((name) => ({ name, a: points(a, name), b: points(b, name) }));
  const up = compared.filter((each) => meanOf(each.b) > meanOf(each.a)).length;
  const down = compared.filter((each) => meanOf(each.b) < meanOf(each.a)).length;
  const below = compared.filter((each) => Math.max(...each.b) < Math.min(...each.a)).map(({ name }) => name);
  const confirmed = a.length >= 2 && b.length >= 2;
  return { up, down, p: signTest(up, down), lost: confirmed ? below : [], lostUnconfirmed: confirmed ? [] : below };
}

/** p = min(1, 2 P[Bin(u + v, 1/2) <= min(u, v)]). */
export function signTest(up: number, down: number): number {
  const n = up + down;
  let term = 1;
  let sum = 0;
  for (let k = 0; k <= Math.min(up, down); k++) {
    sum += term;
    term *= (n - k) / (k + 1);
  }
  return Math.min(1, 2 * sum * 0.5 ** n);
}

/** Log throughput a cell, its noise pooled over all cells, alpha split among them. */
function judgeSpeed(cells: ServingInput['cells']): Pick<ServingResult, 'speed' | 'cells'> {
  const entries = Object.entries(cells).map(([name, { A, B }]) => ({ name, a: logs(A), b: logs(B) }));
  const read: { readonly name: string; readonly a: readonly number[]; readonly b: readonly number[] }[] = [];
  for (const { name, a, b } of entries) {
    if (a === null || b === null) return { speed: 'UNKNOWN' };
    read.push({ name, a, b });
  }
  const groups = read.flatMap(({ a, b }) => [a, b]);
  const { sd, degrees } = pooled(
    groups,
    groups.reduce((sum, group) => sum + group.length - 1, 0),
    LOG_THROUGHPUT_SD,
  );
  const t = tQuantile(ALPHA / (2 * read.length), degrees);
  const judged = read.map(({ name, a, b }) => {
    const logRatio = meanOf(b) - meanOf(a);
    const halfWidth = t * sd * Math.sqrt(1 / a.length + 1 / b.length);
    return { name, change: changeOf(logRatio, halfWidth), logRatio, halfWidth };
  });
  const better = judged.some(({ change }) => change === 'better');
  const worse = judged.some(({ change }) => change === 'worse');
  return { speed: better && worse ? 'mixed' : better ? 'better' : worse ? 'worse' : 'within-noise', cells: judged };
}

/** Null for an arm that was not measured, or measured as zero or as no number. */
function logs(throughputs: readonly number[] | null | undefined): readonly number[] | null {
  if (throughputs === null || throughputs === undefined || throughputs.length === 0) return null;
  return throughputs.every((each) => each > 0 && Number.isFinite(each)) ? throughputs.map(Math.log) : null;
}

/** s² = (ν0 s0² + SS_within) / ν, ν = ν0 + the degrees of freedom within the groups. */
function pooled(
  groups: readonly (readonly number[])[],
  within: number,
  priorSd: number,
): { readonly sd: number; readonly degrees: number } {
  const squares = groups.reduce((sum, group) => {
    const mean = meanOf(group);
    return sum + group.reduce((inner, value) => inner + (value - mean) ** 2, 0);
  }, 0);
  const degrees = PRIOR_RUNS + within;
  return { sd: Math.sqrt((PRIOR_RUNS * priorSd ** 2 + squares) / degrees), degrees };
}

function changeOf(difference: number, halfWidth: number): Change {
  if (difference - halfWidth > 0) return 'better';
  return difference + halfWidth < 0 ? 'worse' : 'within-noise';
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
