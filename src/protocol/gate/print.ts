import type { AbsentCriterion, BoundedCriterion, ComparativeCriterion, Criterion, Margin, Sampling } from './criterion.js';

/** The one canonical line of a criterion: read again, with the same tables, it is the same criterion. */
export function printCriterion(criterion: Criterion): string {
  return printLine(criterion, criterion.id);
}

/** The gate, a line each; things that must be absent under the same conditions share one. */
export function printGate(criteria: readonly Criterion[]): string {
  const lines: string[] = [];
  for (let i = 0; i < criteria.length; i++) {
    const criterion = criteria[i];
    if (criterion === undefined) continue;
    const names = [criterion.id];
    while (criterion.kind === 'absent' && isAlike(criterion, criteria[i + 1])) names.push(criteria[++i]?.id ?? '');
    lines.push(printLine(criterion, names.join(', ')));
  }
  return lines.join('\n');
}

function isAlike(one: AbsentCriterion, other: Criterion | undefined): boolean {
  return other?.kind === 'absent' && printLine(one, '') === printLine(other, '');
}

function printLine(criterion: Criterion, names: string): string {
  const parts =
    criterion.kind === 'absent' ? absentParts(criterion, names) : [subject(criterion), ...clause(criterion), ...sampling(criterion)];
  return [...(criterion.reportOnly === true ? ['report only'] : []), ...parts].join(' ');
}

function absentParts(criterion: AbsentCriterion, names: string): readonly string[] {
  const { allow, maxBlindSeconds } = criterion;
  return [
    'absent',
    names,
    ...optional('allowing', allow),
    ...(maxBlindSeconds === undefined ? [] : [`blind at most ${maxBlindSeconds} s`]),
  ];
}

function subject(criterion: Sampling): string {
  return criterion.was === undefined ? criterion.metric : `${criterion.metric} (was ${criterion.was})`;
}

function clause(criterion: ComparativeCriterion | BoundedCriterion): readonly string[] {
  switch (criterion.kind) {
    case 'tracks':
      return [`tracks within ${printMargin(criterion.margin)}`, ...optional('samples at least', criterion.minN)];
    case 'not-worse':
      return [`not worse by ${printMargin(criterion.margin)}`, ...optional('samples at least', criterion.minN)];
    case 'improves-by': {
      const share = criterion.atLeastFrac === undefined ? [] : [`proving ${printPercent(criterion.atLeastFrac)}`];
      return [`improves by ${printMargin(criterion.expect)}`, ...share, ...optional('samples at least', criterion.minN)];
    }
    case 'bounded':
      return [bounds(criterion), ...(criterion.allow === undefined ? [] : [`allowing ${printAllowance(criterion.allow)}`])];
  }
}

function bounds({ min, max, minName, maxName }: BoundedCriterion): string {
  const low = minName ?? `${min}`;
  const high = maxName ?? `${max}`;
  if (min === undefined) return `below ${high}`;
  return max === undefined ? `above ${low}` : `between ${low} and ${high}`;
}

function sampling(criterion: Sampling): readonly string[] {
  const { logEvery, logPhase = 0, skipFirst = 0, minCoverage, maxGap, nonFinite } = criterion;
  return [
    ...(logEvery === 1 ? [] : [`every ${logEvery}${logPhase === 0 ? '' : ` from ${logPhase}`}`]),
    ...(skipFirst === 0 ? [] : [`skip ${skipFirst}`]),
    ...(minCoverage === undefined ? [] : [`coverage ${printPercent(minCoverage)}`]),
    ...optional('gap at most', maxGap),
    ...(nonFinite === 'gap' ? ['non-finite as gap'] : []),
  ];
}

function optional(words: string, value: number | undefined): readonly string[] {
  return value === undefined ? [] : [`${words} ${value}`];
}

function printMargin(margin: Margin | undefined): string {
  const { abs, rel } = margin ?? {};
  return [...(abs === undefined ? [] : [`${abs}`]), ...(rel === undefined ? [] : [printPercent(rel)])].join(' or ');
}

function printAllowance(allow: number): string {
  return Number.isInteger(allow) ? `${allow}` : printPercent(allow);
}

/** Moves the decimal point of the shortest text, so that reading it again gives the very same number. */
export function printPercent(fraction: number): string {
  const [digits = '', exponent = ''] = fraction.toExponential().split('e');
  const moved = `${digits}e${Number(exponent) + 2}`;
  const plain = `${Number(moved)}`;
  return readPercent(plain) === fraction ? `${plain}%` : `${moved}%`;
}

/** The fraction that a percentage without its sign stands for, rounded once. */
export function readPercent(text: string): number {
  const [digits = '', exponent = '0'] = text.toLowerCase().split('e');
  return Number(`${digits}e${Number(exponent) - 2}`);
}
