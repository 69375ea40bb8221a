import { allowedOf } from './bounded.js';
import type { AbsentCriterion } from './criterion.js';
import { type CriterionResult, unmeasured } from './verdict.js';

/** Times in seconds, of any one clock. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** One look at a source. It proves reading only if it succeeded and saw lines that must be there. */
export interface Probe extends Span {
  readonly ok: boolean;
  readonly heartbeats: number;
}

/** What was read of one source; null for what could not be read. */
export interface Log {
  readonly probes: readonly Probe[] | null;
  readonly hits: readonly number[] | null;
}

const BLIND_SECONDS_MAX = 300;

/** Source: contracts/gate-judge.md, section 6. A hit fails whatever the coverage is; silence is absence only where it was listened. */
export function judgeAbsent(
  criterion: AbsentCriterion,
  log: Log | null,
  span: Span | null,
  state: 'running' | 'ended',
): { readonly result: CriterionResult; readonly done: boolean } {
  const done = state === 'ended';
  const unknown = (reason: 'unreadable' | 'no-tolerance' | 'not-proven-readable') => {
    return { result: unmeasured(criterion, 'UNKNOWN', reason), done };
  };
  if (log === null || log.hits === null || !log.hits.every(Number.isFinite)) return unknown('unreadable');
  if (span === null || !Number.isFinite(span.from)) return unknown('not-proven-readable');
  const allowed = Number.isInteger(criterion.allow ?? 0) ? allowedOf(criterion.allow, 0) : null;
  if (allowed === null) return unknown('no-tolerance');

  const hits = log.hits.filter((at) => at >= span.from).length;
  if (hits > allowed) return { result: unmeasured(criterion, 'FAIL', 'present'), done: true };
  const blind = blindSeconds(log.probes ?? [], span);
  if (!(blind <= (criterion.maxBlindSeconds ?? BLIND_SECONDS_MAX))) return unknown('not-proven-readable');
  if (!done) return { result: unmeasured(criterion, 'CONTINUE', 'window-open'), done };
  return { result: unmeasured(criterion, 'PASS', hits === 0 ? 'absent' : 'within-allowed'), done };
}

/** The longest stretch of the span without a probe that proved reading; infinite without any such probe, however short. */
export function blindSeconds(probes: readonly Probe[], span: Span): number {
  if (!(span.from <= span.to)) return Number.POSITIVE_INFINITY;
  const proven = probes.filter((probe) => probe.ok === true && probe.heartbeats > 0 && probe.from <= probe.to);
  const inside = proven.filter((probe) => probe.to >= span.from && probe.from <= span.to);
  if (inside.length === 0) return Number.POSITIVE_INFINITY;
  let longest = 0;
  let covered = span.from;
  for (const probe of [...inside].sort((a, b) => a.from - b.from)) {
    longest = Math.max(longest, probe.from - covered);
    covered = Math.max(covered, probe.to);
  }
  return Math.max(longest, span.to - covered);
}
