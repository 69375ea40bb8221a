import type { Fleet, LaneConfig } from '../src/fleet.js';
import { doubtWords } from '../src/protocol/doubt.js';
import type { LaneTree, Tagged } from '../src/protocol/ferry/outside.js';
import { FerryPlan } from '../src/protocol/ferry/plan.js';
import type { Reading } from '../src/protocol/reading.js';
import type { JsonObject } from '../src/protocol/table.js';
import type { Ask } from './plan-entry.js';
import { faultOf } from './plan-faults.js';
import { shown } from './typed-text.js';

/** The last ferry of a lane that was launched, by our own record; the source of truth beside it is GitHub. */
export interface LastFerry {
  readonly operationId: string;
  readonly commit: string;
  readonly jobId: string | null;
  readonly link: string | null;
  readonly launchedAt: string;
  readonly failureIssue: number | null;
}

/** What somebody, or a due instant, asks for. */
export interface Asked {
  readonly lane: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly clears: string;
  readonly scheduledFor: string | null;
  readonly now: Date;
  readonly last: LastFerry | null;
}

/** A plan; or everything that is wrong with what was asked for; or what could not be read, which says nothing of it. */
export type FerryEntry =
  | { readonly kind: 'plan'; readonly body: JsonObject; readonly inferred: readonly string[]; readonly evidence: readonly string[] }
  | { readonly kind: 'faults'; readonly faults: readonly string[]; readonly unread: boolean };

export const FERRY_FIELDS = ['lane', 'objective', 'regression', 'rationale', 'risk', 'fallback', 'commit', 'failure', 'pull'] as const;

/** More settings than this at once cannot be told apart by one run. Source: contracts/iris-and-ferries.md 6.3. */
const KNOBS_MAX = 2;

export async function enterFerry(fleet: Fleet, ask: Ask, asked: Asked): Promise<FerryEntry> {
  const lane = Object.hasOwn(fleet.lanes, asked.lane) ? fleet.lanes[asked.lane] : undefined;
  const known = Object.keys(fleet.lanes).join(', ') || 'none';
  if (lane === undefined) return faulty([`lane: "${shown(asked.lane)}" is not in the fleet file; known are ${known}`]);
  const faults = typedFaults(asked, lane);
  if (faults.length > 0) return faulty(faults);

  const { dir } = lane.repository;
  const commit = asked.fields.get('commit') ?? null;
  const since = asked.last?.commit ?? null;
  const tree = await ask('lane_tree', { lane: asked.lane, dir, commit, since });
  const tagged = await ask('tagged', { lane: asked.lane, since: asked.last?.launchedAt ?? null });
  const [unreadTree, unreadTagged] = [unread('commit', tree), unread('context', tagged)];
  if (tree.kind === 'unknown' || tagged.kind === 'unknown')
    return { kind: 'faults', faults: [...unreadTree, ...unreadTagged], unread: true };

  const wrong = treeFaults(asked, lane, tree.value);
  if (wrong.length > 0) return faulty(wrong);
  const evidence = [tree, tagged].flatMap((reading) => (reading.evidence === undefined ? [] : [reading.evidence]));
  const inferred = ['commit', 'risk', 'rationale', 'fallback'].filter((field) => !asked.fields.has(field));
  const body = bodyOf(asked, lane, tree.value, tagged.value);
  const parsed = FerryPlan.safeParse(body);
  if (!parsed.success) return faulty(parsed.error.issues.map(faultOf));
  return { kind: 'plan', body: JSON.parse(JSON.stringify(parsed.data)), inferred, evidence };
}

/** Before anything is asked of the outside. */
function typedFaults({ fields, lane: name }: Asked, lane: LaneConfig): readonly string[] {
  const faults: string[] = [];
  const stray = [...fields.keys()].filter((key) => !FERRY_FIELDS.some((field) => field === key));
  for (const key of stray) faults.push(`${shown(key)}: there is no such field; known are ${FERRY_FIELDS.join(', ')}`);
  const { ask, decide } = lane.people;
  if (ask.length === 0 || decide.length === 0)
    faults.push(`lane: the fleet file names nobody who may ${ask.length === 0 ? 'ask' : 'decide'} for ${name}`);
  const objective = fields.get('objective')?.trim() ?? '';
  if (objective === '') faults.push('objective: what is this ferry to show? Write objective="…"');
  if (objective.length > 500) faults.push('objective: at most 500 characters');
  const commit = fields.get('commit');
  if (commit !== undefined && !/^[0-9a-f]{40}$/.test(commit))
    faults.push(`commit: "${shown(commit)}" is not a full commit id of 40 hex digits`);
  const regression = fields.get('regression');
  if (regression !== undefined && !['yes', 'no'].includes(regression))
    faults.push(`regression: "${shown(regression)}" is neither yes nor no`);
  const risk = fields.get('risk');
  if (risk !== undefined && !['low', 'medium', 'high'].includes(risk)) faults.push(`risk: "${shown(risk)}" is none of low, medium, high`);
  for (const key of ['failure', 'pull']) {
    const value = fields.get(key);
    if (value !== undefined && !/^[1-9][0-9]{0,8}$/.test(value))
      faults.push(`${key}: "${shown(value)}" is not the number of an issue or a pull request`);
  }
  return faults;
}

function treeFaults({ fields, last }: Asked, lane: LaneConfig, tree: LaneTree): readonly string[] {
  const commit = (fields.get('commit') ?? tree.head).slice(0, 10);
  const faults: string[] = [];
  if (!tree.pushed) faults.push(`commit: ${commit} is on no branch of the remote; push it first, so that everybody can find what ran`);
  if (!tree.hasFile) faults.push(`commit: ${commit} does not have the lane's file ${lane.file}`);
  if (fields.has('commit') && fields.get('commit') !== tree.head) {
    faults.push(`commit: the lane's checkout is at ${tree.head.slice(0, 10)}, not ${commit}; check that commit out first`);
  }
  if (tree.dirty.length > 0) faults.push(`commit: the lane's checkout is not clean (${tree.dirty.slice(0, 3).map(shown).join(', ')})`);
  if (lane.kind === 'daily') {
    if (last !== null && tree.delta.length === 0 && fields.get('regression') !== 'yes') {
      faults.push(`objective: nothing in ${lane.file} differs from ${last.operationId}; a daily changes something, or says regression=yes`);
    }
    return faults;
  }
  if (tree.delta.length > 0 && !(fields.has('failure') && fields.has('pull'))) {
    const names = tree.delta.slice(0, 4).map(({ name }) => shown(name));
    faults.push(
      `commit: the canary's own file changed (${names.join(', ')}); name what failed and the pull request: failure=<issue> pull=<number>`,
    );
  }
  return faults;
}

function bodyOf(asked: Asked, lane: LaneConfig, tree: LaneTree, tagged: readonly Tagged[]) {
  const { fields, last, now } = asked;
  const run = `${stamp(now)}-${asked.lane}-ferry`;
  const { limits, evidence } = lane;
  const failure = fields.get('failure');
  const pull = fields.get('pull');
  const reference = ({ number, title, url }: Tagged) => ({ number, title: title.slice(0, 200), url });
  const knobs = tree.delta.length > KNOBS_MAX ? ` (${tree.delta.length} settings at once: one run cannot tell them apart)` : '';
  return {
    kind: lane.kind,
    lane: asked.lane,
    cluster: lane.cluster,
    run,
    jobName: `ferry-${run}`,
    trackerName: lane.trackerName.replace('{run}', run),
    dir: lane.repository.dir,
    commit: fields.get('commit') ?? tree.head,
    file: lane.file,
    clears: asked.clears,
    scheduledFor: asked.scheduledFor,
    objective: fields.get('objective')?.trim(),
    regression: fields.get('regression') === 'yes',
    rationale: `${fields.get('rationale') ?? 'not given'}${knobs}`,
    risk: fields.get('risk') ?? 'medium',
    fallback: fields.get('fallback') ?? 'stop the run; nothing else depends on it',
    delta: tree.delta,
    context: {
      lastFerry: last?.operationId ?? null,
      lastCommit: last?.commit ?? null,
      lastJob: last?.jobId ?? null,
      lastLink: last?.link ?? null,
      issues: tagged
        .filter(({ pull: isPull }) => !isPull)
        .slice(0, 50)
        .map(reference),
      pulls: tagged
        .filter(({ pull: isPull }) => isPull)
        .slice(0, 50)
        .map(reference),
      commits: tree.commits.slice(-100).map(({ sha, subject }) => ({ sha, subject: subject.slice(0, 200) })),
    },
    repairs: failure === undefined || pull === undefined ? null : { failure: Number(failure), pull: Number(pull) },
    failureIssue: last?.failureIssue ?? null,
    limits: {
      approvalSeconds: limits.approval,
      guardsSeconds: limits.guards,
      launchSeconds: limits.launch,
      queuedSeconds: limits.queued,
      expectedSeconds: limits.expected,
      blindSeconds: limits.blind,
      cancelSeconds: limits.cancel,
      evidenceSeconds: limits.evidence,
      diagnosisSeconds: limits.diagnosis,
      reminderSeconds: limits.reminder,
    },
    evidence: {
      stepsMin: evidence.stepsMin,
      metrics: evidence.metrics,
      artefacts: lane.artefacts !== undefined,
      evaluation: evidence.evaluation ?? null,
    },
    seal: lane.seal ?? null,
    labels: lane.labels,
    urgent: lane.people.urgent,
  };
}

function unread(field: string, reading: Reading<unknown>): readonly string[] {
  return reading.kind === 'known'
    ? []
    : [`${field}: could not be read, ${doubtWords(reading.why)} (${reading.detail}); an answer that is not there is not an answer`];
}

function faulty(faults: readonly string[]): FerryEntry {
  return { kind: 'faults', faults, unread: false };
}

/** `20261129-202930`: one zone for every name, UTC. */
function stamp(at: Date): string {
  return at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}
