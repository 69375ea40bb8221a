import { z } from 'zod';
import type { Log } from './protocol/gate/absent.js';
import type { Criterion, UnknownCriterion } from './protocol/gate/criterion.js';
import type { GateInput } from './protocol/gate/judge.js';
import type { ServingInput } from './protocol/gate/serving.js';
import type { Sample } from './protocol/outside.js';

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
/** The contract has one record for every kind: what does not concern a kind may stand there, of its type, and decides nothing. */
const Beside = {
  better: Better.optional(),
  margin: Agreed.optional(),
  expect: Agreed.optional(),
  atLeastFrac: z.number().min(0).optional(),
  sameBatches: z.boolean().optional(),
  minN: z.int().min(0).optional(),
};
const Known = z.discriminatedUnion('kind', [
  // The interval of `tracks` is the same either way.
  z.strictObject({ ...Compared, kind: z.literal('tracks'), better: Better.default('lower') }),
  z.strictObject({ ...Compared, kind: z.enum(['not-worse', 'improves-by']), better: Better }),
  z.strictObject({
    ...Sampled,
    ...Beside,
    kind: z.literal('bounded'),
    min: Finite.optional(),
    max: Finite.optional(),
    allow: Allow,
  }),
  z.strictObject({
    ...Sampled,
    ...Beside,
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
/** A question to the judge, as a file holds it: `{"type","input"}`. Source: contracts/gate-judge.md, sections 2 and 8. */
export const Question = z.discriminatedUnion('type', [
  z.strictObject({ ...Notes, type: z.literal('training'), input: Training }),
  z.strictObject({ ...Notes, type: z.literal('serving'), input: Serving }),
]);

/** What is wrong, a line a field, each with its path. */
export function issuesOf(issues: readonly z.core.$ZodIssue[]): string {
  const lines = issues.flatMap(namingKeys).map(({ path, message }) => `  ${path.map(String).join('.') || '(top level)'}: ${message}\n`);
  return lines.join('');
}

/** A key that is not known is a wrong field of its own. */
function namingKeys(issue: z.core.$ZodIssue): readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] {
  if (issue.code !== 'unrecognized_keys') return [issue];
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'no such field' }));
}
