import type { FamilyConfig, Fleet } from '../src/fleet.js';
import { doubtWords } from '../src/protocol/doubt.js';
import type { Criterion } from '../src/protocol/gate/criterion.js';
import { parseGate } from '../src/protocol/gate/parse.js';
import { PACE_STEPS, paceOf, roundTripSeconds } from '../src/protocol/hero/budget.js';
import { ABSENT_NAMES } from '../src/protocol/hero/logs.js';
import { HeroPlan, NEW_RUN_ID, RUN_ID } from '../src/protocol/hero/plan.js';
import { isTerminal, type Reads } from '../src/protocol/outside.js';
import type { Reading } from '../src/protocol/reading.js';
import type { JsonObject } from '../src/protocol/table.js';
import { faultOf } from './plan-faults.js';
import { checkRecord, RECORD_FIELDS, readRecord } from './plan-record.js';
import { shown, unseenIn } from './typed-text.js';

/** A plan made of what was typed and what was read; or everything that is wrong with it, each by its field. */
export type Entry =
  | {
      readonly kind: 'plan';
      readonly body: JsonObject;
      readonly inferred: readonly string[];
      readonly evidence: readonly string[];
      readonly chosen: ReadonlyMap<string, string>;
    }
  /** `chosen`: what stands in each field all the same, typed or read. */
  | { readonly kind: 'faults'; readonly faults: readonly string[]; readonly chosen: ReadonlyMap<string, string> };

/** Reads one verb of the outside; unknown answers are faults of the entry, never guesses. */
export type Ask = <V extends keyof Reads>(verb: V, args: Reads[V]['args']) => Promise<Reading<Reads[V]['value']>>;

export const PLAN_FIELDS = [
  'family',
  'kind',
  'old',
  'new',
  'handoff',
  'window',
  'discard',
  'deploy',
  'rollback',
  'gate',
  'fail',
  'reason',
  ...RECORD_FIELDS,
] as const;
type Field = (typeof PLAN_FIELDS)[number];

class Entries {
  readonly faults: string[] = [];
  readonly inferred: string[] = [];
  readonly evidence: string[] = [];
  readonly chosen = new Map<string, string>();
  constructor(readonly fields: ReadonlyMap<string, string>) {}

  typed(field: Field): string | undefined {
    return this.fields.get(field);
  }

  /** What was typed, else what was read; the latter is labelled. */
  choose(field: Field, read: string | undefined): string | undefined {
    const typed = this.typed(field);
    const value = typed ?? read;
    if (value !== undefined) this.chosen.set(field, value);
    if (typed === undefined && read !== undefined) this.inferred.push(field);
    return value;
  }

  whole(field: Field, fallback: number): number {
    const typed = this.typed(field);
    this.chosen.set(field, typed ?? `${fallback}`);
    if (typed === undefined) return fallback;
    if (/^[0-9]{1,9}$/.test(typed)) return Number(typed);
    this.faults.push(`${field}: "${shown(typed)}" is not a whole number of steps`);
    return fallback;
  }

  async read<V extends keyof Reads>(ask: Ask, field: string, verb: V, args: Reads[V]['args']): Promise<Reads[V]['value'] | undefined> {
    const reading = await ask(verb, args);
    if (reading.evidence !== undefined) this.evidence.push(reading.evidence);
    if (reading.kind === 'known') return reading.value;
    this.faults.push(
      `${field}: could not be read, ${doubtWords(reading.why)} (${reading.detail}); an answer that is not there is not an answer`,
    );
    return undefined;
  }
}

/** `previous` is the plan that is revised: its values stand where nothing is typed and nothing is read anew. */
export async function enterPlan(fleet: Fleet, ask: Ask, typed: ReadonlyMap<string, string>, previous: HeroPlan | null): Promise<Entry> {
  const entry = new Entries(typed);
  const unknownKeys = [...typed.keys()].filter((key) => !PLAN_FIELDS.some((field) => field === key));
  for (const key of unknownKeys) entry.faults.push(`${shown(key)}: there is no such field; known are ${PLAN_FIELDS.join(', ')}`);
  const familyName = entry.choose('family', previous?.family ?? only(Object.keys(fleet.families))) ?? '';
  const family = Object.hasOwn(fleet.families, familyName) ? fleet.families[familyName] : undefined;
  if (family === undefined) {
    entry.faults.push(`family: "${shown(familyName)}" is not in the fleet file; known are ${Object.keys(fleet.families).join(', ')}`);
    return { kind: 'faults', faults: entry.faults, chosen: entry.chosen };
  }
  checkRunIds(entry);
  if (entry.faults.length > 0) return { kind: 'faults', faults: entry.faults, chosen: entry.chosen };
  return readPlan(entry, fleet, familyName, family, ask, previous);
}

/** What is wrong with what was typed, as far as that can be said without asking anybody: it must be answered within seconds. */
export function faultsOfTyped(fleet: Fleet, typed: ReadonlyMap<string, string>, previous: HeroPlan | null): readonly string[] {
  const entry = new Entries(typed);
  for (const [field, value] of typed) {
    const unseen = unseenIn(value.replaceAll('\n', ' '));
    if (unseen !== null) entry.faults.push(`${field}: ${unseen}`);
  }
  checkRunIds(entry);
  entry.whole('window', 0);
  entry.whole('discard', 0);
  readGate(entry, fleet, previous);
  readOnFailure(entry, previous);
  checkRecord(entry);
  if ((typed.get('reason')?.trim() ?? previous?.reason ?? '') === '') entry.faults.push('reason: say in a few words why');
  return [...new Set(entry.faults)];
}

/** Before anything is asked of the outside with them. */
function checkRunIds(entry: Entries): void {
  const oldRun = entry.typed('old');
  const newRun = entry.typed('new');
  if (oldRun !== undefined && !RUN_ID.test(oldRun)) entry.faults.push(`old: "${shown(oldRun)}" is not a run id`);
  if (newRun !== undefined && !NEW_RUN_ID.test(newRun)) {
    entry.faults.push(`new: "${shown(newRun)}" is not a run id of the form hero-<change>-step<N>k (letters, digits, "_", "." and "-")`);
  }
  for (const field of ['deploy', 'rollback'] as const) {
    const commit = entry.typed(field);
    if (commit !== undefined && !/^[0-9a-f]{40}$/.test(commit))
      entry.faults.push(`${field}: "${shown(commit)}" is not a full commit id of 40 hex digits`);
  }
}

async function readPlan(
  entry: Entries,
  fleet: Fleet,
  familyName: string,
  family: FamilyConfig,
  ask: Ask,
  previous: HeroPlan | null,
): Promise<Entry> {
  const { repository } = family;
  const args = { family: familyName };
  const coordinators = await entry.read(ask, 'old', 'coordinators', args);
  const live = coordinators?.filter(({ state }) => !isTerminal(state)) ?? [];
  if (live.length > 1 && entry.typed('old') === undefined)
    entry.faults.push(
      `old: ${live.length} coordinators are live (${live.map(({ jobId }) => jobId).join(', ')}); find out whose the others are`,
    );
  const kind = entry.typed('kind') ?? previous?.kind ?? 'swap';
  if (kind !== 'swap' && kind !== 'recover') entry.faults.push(`kind: "${shown(kind)}" is neither swap nor recover`);
  const oldRun = entry.choose('old', live[0]?.runId ?? previous?.oldRun) ?? '';
  // That none could be read is said already, and is not that none is live.
  if (oldRun === '' && coordinators !== undefined)
    entry.faults.push('old: no coordinator of the family is live, so the old run must be named');

  const deployTree = await entry.read(ask, 'deploy', 'worktree', { ...args, dir: repository.deployWorktree });
  const rollbackTree = await entry.read(ask, 'rollback', 'worktree', { ...args, dir: repository.rollbackWorktree });
  const record = await entry.read(ask, 'new', 'launch_record', { ...args, dir: repository.deployWorktree });
  if (record !== undefined && record.placeholders.length > 0) {
    entry.faults.push(`new: the launch record still has a placeholder in ${record.placeholders.join(', ')}; finish it on main first`);
  }
  const newRun = entry.choose('new', record?.runId) ?? '';
  const handoff =
    kind === 'recover'
      ? await readNewest(entry, ask, familyName, newRun)
      : await readHandoff(entry, ask, familyName, oldRun, record?.handoffCheckpoint);
  const deploy = entry.choose('deploy', deployTree?.head) ?? '';
  const rollback = entry.choose('rollback', rollbackTree?.head) ?? '';
  const commits =
    entry.faults.length > 0
      ? []
      : await entry.read(ask, 'deploy', 'commits', { ...args, dir: repository.deployWorktree, from: rollback, to: deploy });

  const windowSteps = entry.whole('window', previous?.windowSteps ?? family.windowSteps);
  const discardedStepsMax = entry.whole('discard', previous?.discardedStepsMax ?? Math.max(family.discardedSteps, windowSteps));
  const gate = readGate(entry, fleet, previous);
  const onFailure = readOnFailure(entry, previous);
  const pace = handoff === undefined ? 0 : await readPace(entry, ask, familyName, kind === 'recover' ? newRun : oldRun, handoff.step);
  const written = readRecord(entry, fleet, family, newRun, previous);
  const reason = entry.typed('reason')?.trim() ?? previous?.reason;
  if (reason === undefined || reason === '') entry.faults.push('reason: say in a few words why, for example reason="faster all-to-all"');
  if (entry.faults.length > 0 || handoff === undefined) return { kind: 'faults', faults: entry.faults, chosen: entry.chosen };

  entry.chosen.set('kind', kind);
  const limits = limitsOf(family, fleet);
  return checked(entry, {
    ...written,
    kind,
    family: familyName,
    oldRun,
    newRun,
    handoffStep: handoff.step,
    handoffCheckpoint: handoff.path,
    windowSteps,
    discardedStepsMax,
    deploy: { worktree: repository.deployWorktree, commit: deploy },
    rollback: { worktree: repository.rollbackWorktree, commit: rollback },
    commits: (commits ?? []).map(({ sha, subject }) => ({ sha, subject })),
    forkFrom: kind === 'recover' ? null : (record?.trackerForkFrom ?? null),
    gate,
    onFailure,
    limits,
    workingHours: family.workingHours,
    roundTripSeconds: roundTripSeconds(limits, windowSteps, pace),
    paceSecondsPerStep: pace,
    gang: family.gang,
    requesterMayApprove: fleet.policy.hero.requesterMayApprove,
    deterministic: family.deterministic,
    alerts: family.alerts,
    reason,
  });
}

/** Copied into the plan: what people agreed to does not change with the fleet file. */
export function limitsOf({ limits, evaluationEverySteps }: FamilyConfig, fleet: Fleet): HeroPlan['limits'] {
  return {
    queuedSeconds: limits.queued,
    startUpSeconds: limits.startUp,
    stallSeconds: limits.stall,
    evaluationSeconds: limits.evaluation,
    evaluationEverySteps,
    hangSeconds: limits.hang,
    cancelSeconds: limits.cancel,
    launchSeconds: limits.launch,
    watchSeconds: limits.watch,
    guardsSeconds: limits.guards,
    approvalSeconds: fleet.policy.hero.approvalSeconds,
    reminderSeconds: limits.reminder,
  };
}

function checked(entry: Entries, body: unknown): Entry {
  const parsed = HeroPlan.safeParse(body);
  if (parsed.success) {
    const { inferred, evidence, chosen } = entry;
    return { kind: 'plan', body: JSON.parse(JSON.stringify(parsed.data)), inferred, evidence, chosen };
  }
  return { kind: 'faults', faults: [...new Set(parsed.error.issues.map(faultOf))], chosen: entry.chosen };
}

/** The checkpoint that was named, exactly: no nearest match, no newest instead. Without a name, what the launch record names. */
async function readHandoff(entry: Entries, ask: Ask, family: string, oldRun: string, recorded: string | undefined) {
  const typed = entry.typed('handoff');
  const named = typed ?? recorded;
  if (named === undefined) return undefined; // the launch record could not be read, which is said already
  const step = /^(?:.*\/)?(?:step-)?([0-9]{1,9})\/?$/.exec(named)?.[1];
  if (step === undefined) {
    entry.faults.push(`handoff: "${shown(named)}" names no step; write handoff=54000`);
    return undefined;
  }
  if (typed === undefined) entry.inferred.push('handoff');
  entry.chosen.set('handoff', step);
  if (oldRun === '') return undefined;
  const all = await entry.read(ask, 'handoff', 'checkpoints', { family, runId: oldRun });
  if (all === undefined) return undefined;
  const matching = all.filter((checkpoint) => checkpoint.step === Number(step));
  const found = matching.find(({ permanent }) => permanent) ?? matching[0];
  if (found === undefined) {
    const newest = all.findLast(({ complete, permanent }) => complete && permanent);
    const hint =
      newest === undefined ? 'its tree holds no permanent checkpoint' : `the newest complete permanent one is step-${newest.step}`;
    entry.faults.push(`handoff: checkpoint step-${step} was not found in the tree of ${oldRun}; ${hint}`);
    return undefined;
  }
  return { step: found.step, path: found.path };
}

/** Where a run that is launched again resumes: its own newest complete checkpoint, which may be named to be sure of it. */
async function readNewest(entry: Entries, ask: Ask, family: string, newRun: string) {
  if (newRun === '') return undefined;
  const all = await entry.read(ask, 'handoff', 'checkpoints', { family, runId: newRun });
  const newest = all?.findLast(({ complete }) => complete);
  if (all === undefined) return undefined;
  const typed = entry.typed('handoff');
  if (newest === undefined) entry.faults.push(`handoff: the tree of ${newRun} holds no complete checkpoint to resume from`);
  else if (typed !== undefined && typed.replace(/^step-/, '') !== `${newest.step}`) {
    entry.faults.push(`handoff: ${newRun} would resume step-${newest.step}, not "${shown(typed)}"`);
  }
  if (typed === undefined) entry.inferred.push('handoff');
  if (newest !== undefined) entry.chosen.set('handoff', `${newest.step}`);
  return newest === undefined ? undefined : { step: newest.step, path: newest.path };
}

function readGate(entry: Entries, fleet: Fleet, previous: HeroPlan | null) {
  const typed = entry.typed('gate');
  if (typed === undefined && previous !== null) return previous.gate;
  const parsed = parseGate(typed ?? '', fleet.metrics, fleet.values);
  if (parsed.kind === 'gate') return readableOf(entry, parsed.criteria);
  entry.faults.push(
    `gate, line ${parsed.line}, column ${parsed.column}: ${parsed.message}. For example gate="train_loss tracks within 0.002"`,
  );
  return [];
}

/** Only what can be read can be proven absent: another name would leave the verdict unknown for ever. */
function readableOf(entry: Entries, criteria: readonly Criterion[]): readonly Criterion[] {
  for (const { kind, id } of criteria) {
    if (kind === 'absent' && !ABSENT_NAMES.includes(id)) {
      entry.faults.push(`gate: whether "${shown(id)}" is absent cannot be read; what can be is ${ABSENT_NAMES.join(', ')}`);
    }
  }
  return criteria;
}

/** `ask`, `automatic`, or `ask:900` for a rollback by itself after so many seconds. */
function readOnFailure(entry: Entries, previous: HeroPlan | null): HeroPlan['onFailure'] {
  const typed = entry.typed('fail');
  if (typed === undefined) return previous?.onFailure ?? { kind: 'ask' };
  if (typed === 'ask' || typed === 'automatic') return { kind: typed };
  const after = /^ask:([1-9][0-9]{0,5})$/.exec(typed)?.[1];
  if (after !== undefined) return { kind: 'ask_then_automatic', afterSeconds: Number(after) };
  entry.faults.push(`fail: "${shown(typed)}" is none of ask, automatic, ask:<seconds>`);
  return { kind: 'ask' };
}

/** Seconds a step, from the run's own rows around the handoff; 0 while there are too few, and then a guard asks again. */
async function readPace(entry: Entries, ask: Ask, family: string, runId: string, handoff: number): Promise<number> {
  const from = Math.max(0, handoff - PACE_STEPS);
  const rows = await entry.read(ask, 'old', 'series', { family, runId, metrics: ['train_loss'], from, to: handoff + PACE_STEPS });
  return paceOf(rows ?? []) ?? 0;
}

function only(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}
