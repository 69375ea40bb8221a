import type { FamilyConfig, Fleet } from '../src/fleet.js';
import { readRows } from '../src/protocol/hero/downstream.js';
import { HeroPlan } from '../src/protocol/hero/plan.js';
import { faultOf } from './plan-faults.js';
import { shown } from './typed-text.js';

/** Fields of a plan that say what is written down of the run, and who and what stands beside it. */
export const RECORD_FIELDS = ['final', 'copy', 'retention', 'unseen', 'dump', 'downstream', 'dri', 'reviewer'] as const;
export type RecordField = (typeof RECORD_FIELDS)[number];

type Kept = Pick<
  HeroPlan,
  | 'finalStep'
  | 'permanentWaiver'
  | 'tracker'
  | 'user'
  | 'record'
  | 'notExercised'
  | 'coreDump'
  | 'downstream'
  | 'dri'
  | 'reviewer'
  | 'statusIssue'
>;

/** A form shows no more of one field; what is cut would be lost when the form comes back. */
const LIST_MAX = 2_800;

interface Typed {
  typed(field: RecordField): string | undefined;
  readonly faults: string[];
  readonly inferred: string[];
  /** What stands in each field, typed or read. */
  readonly chosen: Map<string, string>;
}

/** From what was typed, else from the plan that is revised, else from the fleet file. What is wrong becomes a fault by its field. */
export function readRecord(entry: Typed, fleet: Fleet, family: FamilyConfig, newRun: string, previous: HeroPlan | null): Kept {
  const { launcher } = fleet.adapters;
  const { tracker, user, checkpoints, repository } = family;
  return {
    finalStep: readFinalStep(entry, family, previous),
    permanentWaiver: readWaiver(entry, previous),
    tracker,
    user,
    record: {
      command: [...launcher.command, repository.launchScript, 'launch'],
      outputRoot: checkpoints.permanent.replaceAll('{run}', newRun),
      retention: kept(lineOf(entry, 'retention'), family.retention ?? previous?.record.retention ?? null),
    },
    notExercised: listOf(entry, 'unseen') ?? previous?.notExercised ?? [],
    coreDump: kept(lineOf(entry, 'dump'), previous?.coreDump ?? null),
    downstream: readDownstream(entry) ?? previous?.downstream ?? [],
    dri: kept(personOf(entry, 'dri'), previous?.dri ?? null),
    reviewer: kept(personOf(entry, 'reviewer'), previous?.reviewer ?? null),
    statusIssue: `${fleet.github.repository}#${fleet.github.issue}`,
  };
}

/** What is wrong with these fields as far as that can be said without asking anybody, the limits of a plan among it. */
export function checkRecord(entry: Typed): void {
  isStep(entry);
  personOf(entry, 'dri');
  personOf(entry, 'reviewer');
  const { permanentWaiver, notExercised, coreDump, downstream } = HeroPlan.shape;
  const parts = { permanentWaiver, notExercised, coreDump, downstream } as const;
  const typed: Readonly<Record<keyof typeof parts, unknown>> = {
    permanentWaiver: readWaiver(entry, null),
    notExercised: listOf(entry, 'unseen') ?? [],
    coreDump: lineOf(entry, 'dump') ?? null,
    downstream: readDownstream(entry) ?? [],
  };
  for (const part of ['permanentWaiver', 'notExercised', 'coreDump', 'downstream'] as const) {
    const parsed = parts[part].safeParse(typed[part]);
    if (!parsed.success) entry.faults.push(...parsed.error.issues.map((issue) => faultOf({ ...issue, path: [part, ...issue.path] })));
  }
}

function readFinalStep(entry: Typed, family: FamilyConfig, previous: HeroPlan | null): number {
  const typed = entry.typed('final');
  if (!isStep(entry)) return 1;
  const found = typed === undefined ? (family.finalStep ?? previous?.finalStep) : Number(typed);
  if (found === undefined) {
    entry.faults.push('final: the fleet file does not say at which step a run of this family ends; write final=250000');
    return 1;
  }
  if (typed === undefined) entry.inferred.push('final');
  entry.chosen.set('final', `${found}`);
  return found;
}

function isStep(entry: Typed): boolean {
  const typed = entry.typed('final');
  if (typed === undefined || /^[1-9][0-9]{0,8}$/.test(typed)) return true;
  entry.faults.push(`final: "${shown(typed)}" is not the number of a step; write final=250000`);
  return false;
}

/** `copy=s3://…/step-N` agrees to a temporary handoff; `copy=none` takes that back. */
function readWaiver(entry: Typed, previous: HeroPlan | null): HeroPlan['permanentWaiver'] {
  const typed = entry.typed('copy')?.trim();
  if (typed === undefined) return previous?.permanentWaiver ?? null;
  return typed === 'none' ? null : { copy: typed };
}

/** Rows, each `what | link | open or done | how it is undone`; what is wrong says in which row and column. */
function readDownstream(entry: Typed): HeroPlan['downstream'] | undefined {
  const texts = listOf(entry, 'downstream');
  if (texts === undefined) return undefined;
  const { rows, faults } = readRows(texts);
  entry.faults.push(...faults.map((fault) => `downstream, ${fault}`));
  return [...rows];
}

/** A Slack user, by mention or by id: a name can be taken by anybody. Null: nobody is named. */
function personOf(entry: Typed, field: 'dri' | 'reviewer'): string | null | undefined {
  const typed = lineOf(entry, field);
  if (typed === undefined || typed === null) return typed;
  const id = /^(?:<@)?([UW][A-Z0-9]{2,})(?:\|[^>]*)?>?$/.exec(typed)?.[1];
  if (id === undefined) entry.faults.push(`${field}: "${shown(typed)}" is no Slack user; mention them, or write an id such as U012ABCDEF`);
  return id;
}

/** What was typed; null for `none`, which takes back what stood there. */
function lineOf(entry: Typed, field: RecordField): string | null | undefined {
  const typed = entry.typed(field)?.trim();
  if (typed === undefined || typed === '') return undefined;
  return typed === 'none' ? null : typed;
}

function kept<T>(typed: T | null | undefined, otherwise: T | null): T | null {
  return typed === undefined ? otherwise : typed;
}

/** One item a line, as in the form. What was typed on one line is parted by `;`. */
function listOf(entry: Typed, field: RecordField): string[] | undefined {
  const typed = entry.typed(field);
  if (typed === undefined) return undefined;
  if (typed.trim() === 'none') return [];
  if (typed.length > LIST_MAX)
    entry.faults.push(`${field}: ${typed.length} characters; at most ${LIST_MAX} can be read and revised in a form`);
  return typed
    .split(typed.includes('\n') ? '\n' : ';')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
