import type { FamilyConfig, Fleet } from '../src/fleet.js';
import type { HeroPlan } from '../src/protocol/hero/plan.js';
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

interface Typed {
  typed(field: RecordField): string | undefined;
  readonly faults: string[];
  readonly inferred: string[];
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
      retention: lineOf(entry, 'retention') ?? family.retention ?? previous?.record.retention ?? null,
    },
    notExercised: listOf(entry, 'unseen') ?? previous?.notExercised ?? [],
    coreDump: lineOf(entry, 'dump') ?? previous?.coreDump ?? null,
    downstream: readDownstream(entry, previous),
    dri: personOf(entry, 'dri') ?? previous?.dri ?? null,
    reviewer: personOf(entry, 'reviewer') ?? previous?.reviewer ?? null,
    statusIssue: `${fleet.github.repository}#${fleet.github.issue}`,
  };
}

function readFinalStep(entry: Typed, family: FamilyConfig, previous: HeroPlan | null): number {
  const typed = entry.typed('final');
  if (typed !== undefined && !/^[1-9][0-9]{0,8}$/.test(typed)) {
    entry.faults.push(`final: "${shown(typed)}" is not the number of a step; write final=250000`);
    return 1;
  }
  const found = typed === undefined ? (family.finalStep ?? previous?.finalStep) : Number(typed);
  if (found === undefined) {
    entry.faults.push('final: the fleet file does not say at which step a run of this family ends; write final=250000');
    return 1;
  }
  if (typed === undefined) entry.inferred.push('final');
  return found;
}

/** `copy=s3://…/step-N` agrees to a temporary handoff; `copy=none` takes that back. */
function readWaiver(entry: Typed, previous: HeroPlan | null): HeroPlan['permanentWaiver'] {
  const typed = entry.typed('copy')?.trim();
  if (typed === undefined) return previous?.permanentWaiver ?? null;
  return typed === 'none' ? null : { copy: typed };
}

/** `what | link | done or open | how it is undone`, several of them with `;` between. */
function readDownstream(entry: Typed, previous: HeroPlan | null): HeroPlan['downstream'] {
  const rows = listOf(entry, 'downstream');
  if (rows === undefined) return previous?.downstream ?? [];
  return rows.flatMap((row) => {
    const [what = '', link = '', state = '', undo = '', ...more] = row.split('|').map((part) => part.trim());
    if (what === '' || link === '' || undo === '' || more.length > 0 || (state !== 'done' && state !== 'open')) {
      entry.faults.push(
        `downstream: "${shown(row)}" is not understood; write downstream="dashboard | https://… | open | point it back at the old run"`,
      );
      return [];
    }
    return [{ what, link, done: state === 'done', undo }];
  });
}

/** A Slack user, by mention or by id: a name can be taken by anybody. */
function personOf(entry: Typed, field: 'dri' | 'reviewer'): string | undefined {
  const typed = entry.typed(field);
  if (typed === undefined) return undefined;
  const id = /^(?:<@)?([UW][A-Z0-9]{2,})(?:\|[^>]*)?>?$/.exec(typed.trim())?.[1];
  if (id === undefined) entry.faults.push(`${field}: "${shown(typed)}" is no Slack user; mention them, or write an id such as U012ABCDEF`);
  return id;
}

function lineOf(entry: Typed, field: RecordField): string | undefined {
  const typed = entry.typed(field)?.trim();
  return typed === '' ? undefined : typed;
}

function listOf(entry: Typed, field: RecordField): string[] | undefined {
  return entry
    .typed(field)
    ?.split(';')
    .map((item) => item.trim())
    .filter((item) => item !== '' && item !== 'none');
}
