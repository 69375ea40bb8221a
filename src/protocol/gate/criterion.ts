/**
 * A gate criterion as agreed. Source: contracts/gate-judge.md, sections 2, 5 and 6. Fields that are left out have the
 * contract's defaults; the gate as text is read by `parse.ts` and written by `print.ts`.
 */
export type Criterion = ComparativeCriterion | BoundedCriterion | AbsentCriterion;

/** An agreed size: absolute, or a fraction of |mean of the control in the window|. With both, the larger one counts. */
export interface Margin {
  readonly abs?: number | undefined;
  readonly rel?: number | undefined;
}

/** What every criterion on a logged metric has. */
export interface Sampling {
  readonly id: string;
  readonly metric: string;
  /** The name under which the control logs the same metric, where it was renamed. */
  readonly was?: string | undefined;
  /** Shown, and not counted in the gate. */
  readonly reportOnly?: boolean | undefined;
  /** Steps at the start of the window that are not judged. */
  readonly skipFirst?: number | undefined;
  /** A row is expected where step mod logEvery = logPhase mod logEvery, wherever the window starts. */
  readonly logEvery: number;
  readonly logPhase?: number | undefined;
  /** Share of the expected rows that must be there. */
  readonly minCoverage?: number | undefined;
  /** The most expected rows that may be missing in a row. */
  readonly maxGap?: number | undefined;
  /** Whether a logged NaN or Infinity fails at once (the default) or counts as a missing row. */
  readonly nonFinite?: 'fail' | 'gap' | undefined;
}

/** Candidate against control, step by step on the same batches: the mean difference must lie in an agreed interval. */
export interface ComparativeCriterion extends Sampling {
  readonly kind: 'tracks' | 'not-worse' | 'improves-by';
  readonly better: 'lower' | 'higher';
  readonly margin?: Margin | undefined;
  readonly expect?: Margin | undefined;
  /** The share of `expect` that must be proven; 0.5 when left out. */
  readonly atLeastFrac?: number | undefined;
  /** Both runs train on the same batches, so that their differences must move together. */
  readonly sameBatches?: boolean | undefined;
  readonly minN?: number | undefined;
}

/** The candidate alone: every value within [min, max], but for the exceptions allowed. */
export interface BoundedCriterion extends Sampling {
  readonly kind: 'bounded';
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** The names, in the fleet file, under which the limits were agreed. */
  readonly minName?: string | undefined;
  readonly maxName?: string | undefined;
  /** A count, or a fraction 0 < allow < 1 of the expected rows, rounded down. */
  readonly allow?: number | undefined;
}

/** Something that must not appear in a source which was proven readable meanwhile. */
export interface AbsentCriterion {
  readonly id: string;
  readonly kind: 'absent';
  readonly reportOnly?: boolean | undefined;
  /** Hits that may be there; 0 when left out. */
  readonly allow?: number | undefined;
  /** The longest stretch, in seconds, without a probe that proved reading; 300 when left out. */
  readonly maxBlindSeconds?: number | undefined;
}

/** A criterion of a kind that this judge does not know: never judged, so never passed. */
export interface UnknownCriterion {
  readonly id: string;
  readonly kind: 'unknown';
  readonly reportOnly?: boolean | undefined;
}

/** Whether a criterion compares two runs: only these share the gate's alpha. */
export function isComparative(criterion: Criterion | UnknownCriterion): criterion is ComparativeCriterion {
  return criterion.kind === 'tracks' || criterion.kind === 'not-worse' || criterion.kind === 'improves-by';
}

/** Metric names that a criterion reads, of either run; none for one that reads no metric. */
export function metricsRead(criterion: Criterion): readonly string[] {
  if (criterion.kind === 'absent') return [];
  return criterion.was === undefined ? [criterion.metric] : [criterion.metric, criterion.was];
}
