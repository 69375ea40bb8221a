/**
 * The words of a verdict. Source: contracts/gate-judge.md, section 1. The first of this list that is present among the
 * required criteria decides the gate.
 */
export const VERDICTS = ['FAIL', 'UNKNOWN', 'CONTINUE', 'INCONCLUSIVE', 'PASS'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Why a criterion has its verdict: a closed list, each with its own sentence for people. */
export type Reason =
  // FAIL: a deterministic rule broken, or a violation proven
  | 'non-finite'
  | 'catastrophe'
  | 'sustained-shift'
  | 'late-shift'
  | 'out-of-bounds'
  | 'present'
  // UNKNOWN: cannot be judged
  | 'unreadable'
  | 'empty-window'
  | 'control-incomplete'
  | 'no-tolerance'
  | 'misaligned'
  | 'unpaired'
  | 'missing-data'
  | 'attempt-silent'
  | 'not-proven-readable'
  | 'unknown-kind'
  | 'repeated-id'
  // CONTINUE
  | 'window-open'
  // INCONCLUSIVE: complete and readable, not proven
  | 'spikes'
  | 'straddles-margin'
  | 'tail-outside'
  // PASS
  | 'within'
  | 'within-allowed'
  | 'absent';

/** How one criterion was judged. Plain JSON: every number in it is finite. */
export interface CriterionResult {
  readonly id: string;
  readonly required: boolean;
  readonly verdict: Verdict;
  readonly reason: Reason;
  /** The last candidate step that the verdict rests on; null where no step was read or none is concerned. */
  readonly decidedAt: number | null;
  /** Mean difference, candidate minus control, single outliers clipped at the limit; null where nothing was compared. */
  readonly mean: number | null;
  /** Half the width of the interval around the mean; null before the final look. */
  readonly halfWidth: number | null;
  /** The mean difference must lie in [lo, hi]; null for a side that is open. */
  readonly lo: number | null;
  readonly hi: number | null;
  readonly largest: { readonly step: number; readonly difference: number } | null;
  /** Joined pairs (rows, where the candidate stands alone), of the rows expected. */
  readonly pairs: number;
  readonly expected: number;
  /** Rows that held no number or no whole step, and so count as missing. */
  readonly dropped: number;
  /** Differences beyond the limit, which were clipped. */
  readonly spikes: number;
  /** Values outside the bounds, [step, value], that were allowed or that failed. */
  readonly exceptions: readonly (readonly [step: number, value: number])[];
  /** For INCONCLUSIVE: whether the point estimate lies inside or outside of what was agreed. */
  readonly lean: 'pass' | 'fail' | null;
}

export interface GateResult {
  readonly overall: Verdict;
  /** Every criterion has seen the last row it expects, or the run has ended: nothing more will come. */
  readonly complete: boolean;
  readonly criteria: readonly CriterionResult[];
}

/** A result with nothing measured: the start of every other. */
export function unmeasured(
  criterion: { readonly id: string; readonly reportOnly?: boolean | undefined },
  verdict: Verdict,
  reason: Reason,
) {
  return {
    id: criterion.id,
    required: criterion.reportOnly !== true,
    verdict,
    reason,
    decidedAt: null,
    mean: null,
    halfWidth: null,
    lo: null,
    hi: null,
    largest: null,
    pairs: 0,
    expected: 0,
    dropped: 0,
    spikes: 0,
    exceptions: [],
    lean: null,
  } satisfies CriterionResult;
}

/** The gate: the first verdict of the list that is present among the required criteria. Nothing required is UNKNOWN. */
export function overallOf(criteria: readonly CriterionResult[]): Verdict {
  const required = criteria.filter((result) => result.required);
  return VERDICTS.find((verdict) => required.some((result) => result.verdict === verdict)) ?? 'UNKNOWN';
}
