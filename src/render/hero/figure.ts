import type { Criterion } from '../../protocol/gate/criterion.js';
import { lineageOf } from '../../protocol/gate/lineage.js';
import type { CriterionResult, GateResult } from '../../protocol/gate/verdict.js';
import type { HeroPlan } from '../../protocol/hero/plan.js';
import type { Sample } from '../../protocol/outside.js';
import { coverageWords, measuredWords } from './measured.js';

export type Point = readonly [step: number, value: number];

/** A chart as data: what is drawn is what the message says, in the same figures. */
export interface Figure {
  readonly title: string;
  /** The criteria, as the message has them. */
  readonly lines: readonly string[];
  readonly panels: readonly Panel[];
}

export type Panel =
  | {
      readonly kind: 'levels';
      readonly label: string;
      readonly control: readonly Point[];
      readonly candidate: readonly Point[];
      readonly runs: { readonly control: string; readonly candidate: string };
    }
  | {
      readonly kind: 'differences';
      readonly label: string;
      readonly points: readonly Point[];
      /** What was agreed for the mean; null: open on that side. */
      readonly lo: number | null;
      readonly hi: number | null;
      readonly mean: number | null;
      readonly halfWidth: number | null;
    };

export interface Charted {
  readonly operationId: string;
  readonly plan: Pick<HeroPlan, 'gate' | 'oldRun' | 'newRun'>;
  readonly verdict: GateResult | null;
  /** What failed, where nothing was judged. */
  readonly failure: string | null;
  readonly control: readonly Sample[];
  readonly candidate: readonly Sample[];
}

/** Differences that fit on a phone; what is judged beyond them is in the message. */
const COMPARED_MAX = 3;
/** Points of a line; more than that are thinned, keeping the extremes. */
const POINTS_MAX = 500;

/** The first compared metric of both runs, and the paired difference of each, with its interval and the agreed band. */
export function figureOf({ operationId, plan, verdict, failure, control, candidate }: Charted): Figure {
  const compared = plan.gate.flatMap((criterion) => (isCompared(criterion) ? [criterion] : [])).slice(0, COMPARED_MAX);
  const [first] = compared;
  const metric = first?.metric ?? 'train_loss';
  const runs = { control: plan.oldRun, candidate: plan.newRun };
  const levels: Panel = {
    kind: 'levels',
    label: metric,
    control: thinned(pointsOf(control, first?.was ?? metric)),
    candidate: thinned(pointsOf(candidate, metric)),
    runs,
  };
  const differences = compared.map((criterion): Panel => {
    const result = verdict?.criteria.find(({ id }) => id === criterion.id);
    const points = paired(pointsOf(control, criterion.was ?? criterion.metric), pointsOf(candidate, criterion.metric));
    return { kind: 'differences', label: `${criterion.metric}: new − old`, points: thinned(points), ...intervalOf(result) };
  });
  return {
    title: `${operationId} · ${verdict?.overall ?? 'not judged'}`,
    lines: [...(failure === null ? [] : [failure]), ...(verdict?.criteria ?? []).map(lineOf)],
    panels: [levels, ...differences],
  };
}

type Compared = Exclude<Criterion, { kind: 'bounded' | 'absent' }>;

function isCompared(criterion: Criterion): criterion is Compared {
  return criterion.kind !== 'bounded' && criterion.kind !== 'absent';
}

function intervalOf(result: CriterionResult | undefined) {
  return { lo: result?.lo ?? null, hi: result?.hi ?? null, mean: result?.mean ?? null, halfWidth: result?.halfWidth ?? null };
}

function lineOf(result: CriterionResult): string {
  const coverage = result.expected === 0 ? '' : `, coverage ${coverageWords(result)}`;
  return `${result.id} ${result.verdict} ${measuredWords(result)}${coverage}`;
}

/** A value that is not finite cannot be drawn; the verdict says that it was there. */
function pointsOf(samples: readonly Sample[], metric: string): readonly Point[] {
  const held = [...lineageOf(samples.filter((sample) => sample.metric === metric))];
  const points = held.flatMap(([step, value]): Point[] => (typeof value === 'number' ? [[step, value]] : []));
  return points.sort(([one], [other]) => one - other);
}

function paired(control: readonly Point[], candidate: readonly Point[]): readonly Point[] {
  const before = new Map(control);
  return candidate.flatMap(([step, value]): Point[] => {
    const old = before.get(step);
    return old === undefined ? [] : [[step, value - old]];
  });
}

function thinned(points: readonly Point[]): readonly Point[] {
  if (points.length <= POINTS_MAX) return points;
  const size = Math.ceil((2 * points.length) / POINTS_MAX);
  const kept = new Set<Point>();
  for (let at = 0; at < points.length; at += size) {
    const bucket = points.slice(at, at + size).sort(([, one], [, other]) => one - other);
    for (const extreme of [bucket.at(0), bucket.at(-1)]) if (extreme !== undefined) kept.add(extreme);
  }
  return points.filter((point) => kept.has(point));
}
