import type { Sample } from '../outside.js';
import { judgeAbsent, type Log, type Span } from './absent.js';
import { judgeBounded } from './bounded.js';
import { judgeComparative } from './comparative.js';
import { type Criterion, isComparative, type UnknownCriterion } from './criterion.js';
import type { Window } from './grid.js';
import { columnOf, type Lineage } from './lineage.js';
import { type CriterionResult, type GateResult, overallOf, unmeasured } from './verdict.js';

export interface GateInput {
  readonly window: Window;
  readonly state: 'running' | 'ended';
  /** The chance of a false FAIL agreed for the whole gate; 0.05 when left out. */
  readonly gateAlpha?: number | undefined;
  /** The newest attempt that is known to run: one that has logged nothing yet silences the older ones. */
  readonly liveAttempt?: number | undefined;
  readonly criteria: readonly (Criterion | UnknownCriterion)[];
  /** By metric; null when the source could not be read, which is not the same as an empty list. */
  readonly candidate: Readonly<Record<string, readonly Sample[] | null>>;
  readonly control: Readonly<Record<string, readonly Sample[] | null>>;
  /** What `absent` criteria are judged by, by criterion id, over the span. */
  readonly logs?: Readonly<Record<string, Log | null>> | undefined;
  readonly span?: Span | undefined;
}

const GATE_ALPHA = 0.05;

/**
 * Judges a trial window. Source: contracts/gate-judge.md, sections 1 to 6. Pure: the same rows always give the same
 * verdict, in whatever order they were delivered; what is missing never passes. FAIL is final: the caller latches it.
 */
export function judge(input: GateInput): GateResult {
  const read = columnReader();
  const alpha = (input.gateAlpha ?? GATE_ALPHA) / sharesOf(input.criteria);
  const judged = input.criteria.map((criterion) => {
    const repeated = input.criteria.filter(({ id }) => id === criterion.id).length > 1;
    if (repeated) return { result: unmeasured(criterion, 'UNKNOWN', 'repeated-id'), done: true };
    return judgeOne(criterion, input, alpha, read);
  });
  const criteria = judged.map(({ result }) => result);
  const complete = input.state === 'ended' || judged.every(({ done }) => done);
  // A window that holds no step proves nothing, whatever a log was silent about meanwhile.
  const empty = !(input.window.start <= input.window.end);
  const overall = overallOf(criteria);
  return { overall: empty && overall !== 'FAIL' ? 'UNKNOWN' : overall, complete, criteria };
}

/** m, among how many criteria the gate's alpha is split: any FAIL rolls back, so each gets its share (Bonferroni). */
function sharesOf(criteria: readonly (Criterion | UnknownCriterion)[]): number {
  return Math.max(1, criteria.filter((criterion) => isComparative(criterion) && criterion.reportOnly !== true).length);
}

type ReadColumn = (rows: readonly Sample[] | null | undefined, metric: string) => Lineage | null;

function judgeOne(criterion: Criterion | UnknownCriterion, input: GateInput, alpha: number, read: ReadColumn) {
  const { window, state } = input;
  if (criterion.kind === 'unknown') return { result: unmeasured(criterion, 'UNKNOWN', 'unknown-kind'), done: true };
  if (criterion.kind === 'absent') return judgeAbsent(criterion, own(input.logs ?? {}, criterion.id) ?? null, input.span ?? null, state);

  const candidate = read(own(input.candidate, criterion.metric), criterion.metric);
  if (criterion.kind === 'bounded') return silenced(judgeBounded(criterion, candidate, window, state), candidate, input);
  const before = criterion.was ?? criterion.metric;
  const control = read(own(input.control, before), before);
  return silenced(judgeComparative(criterion, candidate, control, window, alpha, state), candidate, input);
}

/** Rows of an attempt that has since been replaced cannot pass: they will be trained anew. */
function silenced<T extends { readonly result: CriterionResult; readonly done: boolean }>(
  judged: T,
  candidate: Lineage | null,
  { liveAttempt }: GateInput,
): { readonly result: CriterionResult; readonly done: boolean } {
  const { result } = judged;
  if (result.verdict !== 'PASS' && result.verdict !== 'INCONCLUSIVE') return judged;
  const silent = liveAttempt !== undefined && !(liveAttempt <= (candidate?.newestAttempt ?? Number.NEGATIVE_INFINITY));
  return silent ? { ...judged, result: { ...result, verdict: 'UNKNOWN', reason: 'attempt-silent', lean: null } } : judged;
}

/** Several criteria may rest on one metric: its lineage is made once. */
function columnReader(): ReadColumn {
  const made = new Map<readonly Sample[], Map<string, Lineage>>();
  return (rows, metric) => {
    if (rows === null || rows === undefined) return null;
    const byMetric = made.get(rows) ?? new Map<string, Lineage>();
    made.set(rows, byMetric);
    const lineage = byMetric.get(metric) ?? columnOf(rows.filter((sample) => sample.metric === metric));
    byMetric.set(metric, lineage);
    return lineage;
  };
}

/** A metric named `constructor` is not there unless it was read. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
