import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Log } from './protocol/gate/absent.js';
import type { Criterion, UnknownCriterion } from './protocol/gate/criterion.js';
import { type GateInput, judge } from './protocol/gate/judge.js';
import { judgeServing, type ServingInput, type ServingResult } from './protocol/gate/serving.js';
import type { GateResult } from './protocol/gate/verdict.js';
import type { Sample } from './protocol/outside.js';

/** Where a command writes: what was asked for, and what went wrong. */
export interface CommandIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

const EXIT = { PASS: 0, FAIL: 1, bad: 2, other: 3 } as const;
const USAGE = 'usage: harbor judge FILE [--json]\n';

/**
 * `harbor judge FILE [--json]`: judges a file of `{"type","input"}` as contracts/gate-judge.md section 2 describes. Answers the
 * exit code: 0 PASS (serving: any verdict), 1 FAIL, 2 bad input, and then no verdict is printed, 3 otherwise.
 */
export async function judgeCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const json = args.includes('--json');
  const [file, ...rest] = args.filter((arg) => arg !== '--json');
  if (file === undefined || file.startsWith('-') || rest.length > 0) return refuse(io, USAGE);
  const read = await readJson(file);
  if (read.kind === 'fault') return refuse(io, `judge ${file}: ${read.message}\n`);
  const parsed = Question.safeParse(read.value);
  if (!parsed.success) return refuse(io, `judge ${file}:\n${issuesOf(parsed.error.issues)}`);

  if (parsed.data.type === 'serving') {
    const result = judgeServing(parsed.data.input);
    io.out(json ? servingJson(result) : servingTable(result));
    return result.overall === 'UNKNOWN' ? EXIT.other : EXIT.PASS;
  }
  const result = judge(parsed.data.input);
  io.out(json ? trainingJson(result) : trainingTable(result));
  return result.overall === 'PASS' ? EXIT.PASS : result.overall === 'FAIL' ? EXIT.FAIL : EXIT.other;
}

function refuse(io: CommandIo, message: string): number {
  io.err(message);
  return EXIT.bad;
}

async function readJson(file: string): Promise<{ kind: 'json'; value: unknown } | { kind: 'fault'; message: string }> {
  try {
    return { kind: 'json', value: JSON.parse(await readFile(file, 'utf8')) };
  } catch (cause) {
    return { kind: 'fault', message: cause instanceof Error ? cause.message : `${cause}` };
  }
}

const Finite = z.number();
const Agreed = z.strictObject({ abs: Finite.optional(), rel: Finite.optional() });
const Reported = { id: z.string().min(1), reportOnly: z.boolean().optional() };
/** What is neither a count nor a fraction is no allowance: the judge answers UNKNOWN, it is not bad input. */
const Allow = z
  .unknown()
  .transform((allow) => (typeof allow === 'number' ? allow : Number.NaN))
  .optional();
const Sampled = {
  ...Reported,
  metric: z.string().min(1),
  was: z.string().min(1).optional(),
  skipFirst: z.int().min(0).optional(),
  logEvery: z.int().min(1).default(1),
  logPhase: z.int().optional(),
  minCoverage: z.number().min(0).max(1).optional(),
  maxGap: z.int().min(0).optional(),
  nonFinite: z.enum(['fail', 'gap']).optional(),
};
const Compared = {
  ...Sampled,
  margin: Agreed.optional(),
  expect: Agreed.optional(),
  atLeastFrac: z.number().min(0).optional(),
  sameBatches: z.boolean().optional(),
  minN: z.int().min(0).optional(),
};
const Better = z.enum(['lower', 'higher']);
const Known = z.discriminatedUnion('kind', [
  // The interval of `tracks` is the same either way.
  z.strictObject({ ...Compared, kind: z.literal('tracks'), better: Better.default('lower') }),
  z.strictObject({ ...Compared, kind: z.enum(['not-worse', 'improves-by']), better: Better }),
  z.strictObject({
    ...Sampled,
    kind: z.literal('bounded'),
    better: Better.optional(),
    min: Finite.optional(),
    max: Finite.optional(),
    allow: Allow,
  }),
  z.strictObject({
    ...Reported,
    kind: z.literal('absent'),
    metric: z.string().optional(),
    allow: Allow,
    maxBlindSeconds: z.number().min(0).optional(),
  }),
]);
const KINDS: ReadonlySet<unknown> = new Set(['tracks', 'not-worse', 'improves-by', 'bounded', 'absent']);
/** A kind that the judge does not know is UNKNOWN, not bad input; what else such a criterion says is not read. */
const Unjudgeable = z
  .looseObject({ ...Reported, kind: z.string() })
  .transform(({ id, reportOnly }): UnknownCriterion => ({ id, kind: 'unknown', reportOnly }));
const AnyCriterion = z.unknown().transform((value, context): Criterion | UnknownCriterion => {
  const isKnown = typeof value !== 'object' || value === null || !('kind' in value) || KINDS.has(value.kind);
  const parsed = (isKnown ? Known : Unjudgeable).safeParse(value);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues.flatMap(namingKeys)) context.addIssue({ code: 'custom', message, path: [...path] });
  return z.NEVER;
});

/** Step and value may be anything: what is no whole step or no number is a missing row. The rest of a row is ours. */
const Row = z.tuple([z.unknown(), z.unknown(), z.int(), z.number()]);
const Runs = z.record(z.string(), z.array(Row).nullable()).transform((runs) => {
  return Object.fromEntries(Object.entries(runs).map(([metric, rows]) => [metric, rows === null ? null : rows.map(sampleOf(metric))]));
});

function sampleOf(metric: string) {
  return ([step, value, attempt, ts]: z.infer<typeof Row>, index: number): Sample => {
    return { metric, step: typeof step === 'number' ? step : Number.NaN, value: loggedOf(value), attempt, atMs: ts, seq: index };
  };
}

/** The three words of a logged non-finite value; anything else that is no number is missing, neither zero nor NaN. */
function loggedOf(value: unknown): Sample['value'] {
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return value;
  if (typeof value !== 'number') return null;
  if (Number.isFinite(value)) return value;
  return value > 0 ? 'Infinity' : '-Infinity'; // 1e999 in the file
}

/** A list of hits that is not one was not read. A probe that is not understood proved nothing. */
const SourceLog = z.unknown().transform((log): Log | null => {
  const parsed = z.object({ probes: z.unknown().optional(), hits: z.array(Finite) }).safeParse(log);
  if (!parsed.success) return null;
  const probes = Array.isArray(parsed.data.probes) ? parsed.data.probes.map((probe) => Probe.safeParse(probe)) : [];
  return { hits: parsed.data.hits, probes: probes.flatMap((probe) => (probe.success ? [probe.data] : [])) };
});
const Probe = z.object({ from: Finite, to: Finite, ok: z.literal(true), heartbeats: Finite });

const Training = z.strictObject({
  window: z.strictObject({ start: z.int(), end: z.int() }),
  state: z.enum(['running', 'ended']),
  gateAlpha: z.number().gt(0).lt(1).optional(),
  liveAttempt: z
    .int()
    .nullish()
    .transform((attempt) => attempt ?? undefined),
  criteria: z.array(AnyCriterion),
  candidate: Runs,
  control: Runs,
  span: z.strictObject({ from: Finite, to: Finite }).optional(),
  logs: z.record(z.string(), SourceLog).optional(),
}) satisfies z.ZodType<GateInput>;

/** A score, a count or a throughput that is not a number is unreadable, not bad input: the verdict is UNKNOWN. */
const Measured = z.unknown().transform((value) => (typeof value === 'number' ? value : Number.NaN));
const Points = z
  .unknown()
  .transform((value) => (typeof value === 'boolean' ? Number(value) : typeof value === 'number' ? value : Number.NaN));
const Run = z.strictObject({
  score: Measured,
  completed: Measured,
  errors: Measured,
  scenarios: z.record(z.string(), Points).optional(),
});
const Arm = z.strictObject({ runs: z.array(Run) });
const Throughputs = z.array(Measured).nullish();
const Serving = z.strictObject({
  scenarioCount: z.int().min(1),
  arms: z.strictObject({ A: Arm, B: Arm }),
  cells: z.record(z.string(), z.strictObject({ A: Throughputs, B: Throughputs })).default({}),
}) satisfies z.ZodType<ServingInput>;

/** Files carry a name, a reason and what was expected beside the question; those are not ours to check. */
const Notes = { name: z.unknown().optional(), why: z.unknown().optional(), expected: z.unknown().optional() };
const Question = z.discriminatedUnion('type', [
  z.strictObject({ ...Notes, type: z.literal('training'), input: Training }),
  z.strictObject({ ...Notes, type: z.literal('serving'), input: Serving }),
]);

function issuesOf(issues: readonly z.core.$ZodIssue[]): string {
  const lines = issues.flatMap(namingKeys).map(({ path, message }) => `  ${path.map(String).join('.') || '(top level)'}: ${message}\n`);
  return lines.join('');
}

/** A key that is not known is a wrong field of its own. */
function namingKeys(issue: z.core.$ZodIssue): readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] {
  if (issue.code !== 'unrecognized_keys') return [issue];
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'no such field' }));
}

function trainingJson({ overall, criteria }: GateResult): string {
  const said = criteria.map(({ id, verdict, reason, decidedAt }) => [id, { verdict, reason, decidedAt }] as const);
  return `${JSON.stringify({ overall, criteria: Object.fromEntries(said) })}\n`;
}

function servingJson({ overall, quality, speed, reason }: ServingResult): string {
  return `${JSON.stringify({ overall, quality, speed, reason })}\n`;
}

function trainingTable({ overall, criteria }: GateResult): string {
  const rows = criteria.map((each) => [
    each.required ? each.id : `${each.id} (report only)`,
    each.verdict,
    each.lean === null ? each.reason : `${each.reason}, leans ${each.lean}`,
    each.decidedAt === null ? '-' : `${each.decidedAt}`,
    each.mean === null ? '-' : `${figure(each.mean)}${each.halfWidth === null ? '' : ` ± ${figure(each.halfWidth)}`}`,
    each.lo === null && each.hi === null
      ? '-'
      : `[${each.lo === null ? '-∞' : figure(each.lo)}, ${each.hi === null ? '∞' : figure(each.hi)}]`,
    each.expected === 0 ? '-' : `${each.pairs}/${each.expected}`,
    [
      ...(each.spikes > 0 ? [`${each.spikes} spikes`] : []),
      ...(each.dropped > 0 ? [`${each.dropped} rows dropped`] : []),
      ...each.exceptions.map(([step, value]) => `${figure(value)} at step ${step}`),
    ].join(', '),
  ]);
  const measured = criteria.filter(({ verdict }) => verdict !== 'UNKNOWN').length;
  const passed = criteria.filter(({ verdict }) => verdict === 'PASS').length;
  const head = ['criterion', 'verdict', 'reason', 'step', 'mean difference', 'agreed', 'rows', 'seen'];
  const count = `${passed} of ${criteria.length} passed, ${criteria.length - measured} could not be judged`;
  return `${tableOf([head, ...rows])}\n${overall}: ${count}\n`;
}

function servingTable(result: ServingResult): string {
  const { score, flips, cells = [] } = result;
  const lines = [
    `quality: ${result.quality}`,
    ...(score === undefined
      ? []
      : [`  score ${signed(score.difference)} ± ${figure(score.halfWidth)}${score.notWorseProven ? ', not worse proven' : ''}`]),
    ...(flips === undefined ? [] : [`  ${flips.up} scenarios up, ${flips.down} down, p ${figure(flips.p)}`]),
    ...(flips === undefined || flips.lost.length === 0 ? [] : [`  lost: ${flips.lost.join(', ')}`]),
    ...(flips === undefined || flips.lostUnconfirmed.length === 0
      ? []
      : [`  below in single runs, not confirmed: ${flips.lostUnconfirmed.join(', ')}`]),
    ...(result.speed === undefined ? [] : [`speed: ${result.speed}`]),
    ...cells.map((cell) => `  ${cell.name} ${cell.change} ${signed(100 * Math.expm1(cell.logRatio))}%`),
  ];
  return `${lines.join('\n')}\n${result.overall}${result.reason === undefined ? '' : `: ${result.reason}`}\n`;
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? '')].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function figure(value: number): string {
  return value === 0 ? '0' : `${Number(value.toPrecision(4))}`;
}

function signed(value: number): string {
  return value > 0 ? `+${figure(value)}` : figure(value);
}
