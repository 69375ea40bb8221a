import { printCriterion } from '../src/protocol/gate/print.js';
import { printRow, ROW_FORM } from '../src/protocol/hero/downstream.js';
import type { HeroPlan } from '../src/protocol/hero/plan.js';
import type { FormField } from '../src/render/views.js';
import { PLAN_FIELDS } from './plan-entry.js';

interface Spec {
  readonly label: string;
  readonly placeholder?: string;
  readonly multiline?: boolean;
  /** How it is written. */
  readonly form?: string;
  readonly must?: boolean;
  /** From where it is read if nobody types it. */
  readonly source?: string;
}

/** How each field is asked for in the form. */
const SPECS: Readonly<Record<(typeof PLAN_FIELDS)[number], Spec>> = {
  family: { label: 'Family', source: 'the fleet file' },
  kind: { label: 'Kind: swap or recover' },
  old: { label: 'Old run', source: 'the one live coordinator' },
  new: { label: 'New run', source: "the launch record at the deploy worktree's HEAD", placeholder: 'hero-<change>-step<N>k' },
  handoff: { label: 'Handoff checkpoint', source: 'the launch record', placeholder: '54000' },
  window: { label: 'Window, in steps', source: 'the fleet file' },
  discard: { label: 'Most steps that may be discarded', source: 'the fleet file' },
  deploy: { label: 'Deploy commit', source: "the deploy worktree's HEAD" },
  rollback: { label: 'Rollback commit', source: "the rollback worktree's HEAD" },
  gate: { label: 'Gate, a criterion a line', placeholder: 'train_loss tracks within 0.002', multiline: true, must: true },
  fail: { label: 'If the trial fails: ask, ask:<seconds> or automatic' },
  reason: { label: 'Why', multiline: true, must: true },
  final: { label: 'Step at which the run ends', source: 'the fleet file' },
  copy: { label: 'Copy of a handoff that is temporary', placeholder: 's3://…/step-54000' },
  retention: { label: 'How long checkpoints are kept', form: 'Empty: as the fleet file says.' },
  unseen: { label: 'What the window will not show, one a line', multiline: true },
  dump: { label: 'What is armed for a core dump' },
  downstream: {
    label: 'Downstream reports, one a line',
    placeholder: 'dashboard | https://… | open | point it back at the old run',
    multiline: true,
    form: `A line: ${ROW_FORM}.`,
  },
  dri: { label: 'Who answers for the run', placeholder: 'U012ABCDEF', form: 'Empty: whoever asks.' },
  reviewer: { label: 'Who looked at the change beside those who agree', placeholder: 'U012ABCDEF' },
};

export interface Filled {
  readonly values: ReadonlyMap<string, string>;
  /** Fields whose value was read, not typed. */
  readonly read: ReadonlySet<string>;
  /** Where a value was read that is not always read from the same place. */
  readonly sources?: ReadonlyMap<string, string>;
  readonly faults: readonly string[];
}

/** Every field of a plan with what stands in it: what was read says so, and a fault stands beside its field. */
export function formFields({ values, read, sources, faults }: Filled): readonly FormField[] {
  const wrong = faultsByField(faults);
  return PLAN_FIELDS.map((name) => {
    const { label, placeholder = '', multiline = false, must = false, form = '', ...spec } = SPECS[name];
    const source = sources?.get(name) ?? spec.source;
    const fault = wrong.get(name);
    const from = read.has(name) && source !== undefined ? `Read from ${source}; look at it.` : '';
    const hint = fault === undefined ? [form, from].filter((each) => each !== '').join(' ') : `⚠️ ${fault}`;
    return { name, label, value: values.get(name) ?? '', hint, optional: !must, multiline, placeholder };
  });
}

/** A fault begins with the field that it is about; one that does not belongs to none. */
export function faultsByField(faults: readonly string[]): ReadonlyMap<string, string> {
  const byField = new Map<string, string>();
  for (const fault of faults) {
    const field = /^([a-z_]+)[:,]/.exec(fault)?.[1] ?? '';
    if (PLAN_FIELDS.some((name) => name === field)) byField.set(field, [byField.get(field), fault].filter(Boolean).join('; '));
  }
  return byField;
}

/** Those that belong to no field of the form. */
export function otherFaults(faults: readonly string[]): readonly string[] {
  const fields = new Set(faultsByField(faults).values());
  return faults.filter((fault) => ![...fields].some((beside) => beside.includes(fault)));
}

/** What a plan that is revised says in the fields that are not read anew. */
export function valuesOfPlan(plan: HeroPlan): ReadonlyMap<string, string> {
  const fail = plan.onFailure.kind === 'ask_then_automatic' ? `ask:${plan.onFailure.afterSeconds}` : plan.onFailure.kind;
  return new Map([
    ['gate', plan.gate.map((criterion) => printCriterion(criterion)).join('\n')],
    ['fail', fail],
    ['reason', plan.reason],
    ['window', `${plan.windowSteps}`],
    ['discard', `${plan.discardedStepsMax}`],
    ['kind', plan.kind],
    ...[...recordOfPlan(plan)].filter(([, value]) => value !== ''),
  ]);
}

function recordOfPlan({
  permanentWaiver,
  record,
  notExercised,
  coreDump,
  downstream,
  dri,
  reviewer,
}: HeroPlan): ReadonlyMap<string, string> {
  return new Map([
    ['copy', permanentWaiver?.copy ?? ''],
    ['retention', record.retention ?? ''],
    ['unseen', notExercised.join('\n')],
    ['dump', coreDump ?? ''],
    ['downstream', downstream.map(printRow).join('\n')],
    ['dri', dri ?? ''],
    ['reviewer', reviewer ?? ''],
  ]);
}

/** A run id of the agreed form for a change that has none yet: from the subject of its newest commit. */
export function suggestedRunId(subject: string, step: number): string {
  const change = subject
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return `hero-${change === '' ? 'change' : change}-step${Math.floor(step / 1_000)}k`;
}
