import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Answer } from '../src/engine/engine.js';
import { possible } from '../src/engine/engine.js';
import { difference } from '../src/protocol/hero/difference.js';
import { HeroPlan } from '../src/protocol/hero/plan.js';
import type { JsonObject } from '../src/protocol/table.js';
import { readNotTyped } from '../src/render/answers.js';
import { answerText } from '../src/render/blocks.js';
import { planned, revised } from '../src/render/hero/answers.js';
import { changeLines } from '../src/render/hero/change.js';
import {
  cannotBeRevised,
  commitLines,
  generalFault,
  lookingUp,
  notAllRead,
  nothingOnFile,
  readingPlan,
  readLines,
} from '../src/render/hero/plan-form.js';
import { parseButtonValue } from '../src/render/message.js';
import type { Text } from '../src/render/text.js';
import { type Form, formView, saying } from '../src/render/views.js';
import type { AskedAs, Shown, Trigger } from '../src/slack/ingress.js';
import { readTyped } from './arguments.js';
import { faultsByField, formFields, otherFaults, suggestedRunId, valuesOfPlan } from './form-fields.js';
import { type HeroDesk, recordOf, replyTo } from './hero-deploy.js';
import { lastRows, rowsAnew } from './last-plan.js';
import { type Entry, enterPlan, faultsOfTyped } from './plan-entry.js';
import { drawnAgain, MAY_BE_EMPTIED, type Meta, metaOf, type Submitted, typedIn } from './submitted.js';

/** The methods with which forms are shown, and people told where a form is gone. */
export type FormClient = Pick<WebClient, 'views' | 'chat'>;

export const PLAN_CALLBACK = 'harbor.plan';
/** Characters of a value that is noted as read. */
const READ_MAX = 300;
/** Prefix of the value of a button that opens the form. */
export const FORM_BUTTON = 'form';

/** Which form somebody wants. `operationId` null: the only open operation of the channel. */
export type Wanted = { readonly kind: 'plan' } | { readonly kind: 'revise'; readonly operationId: string | null };

/** Which form a typed command asks for: a plan without any field, or a revision without any. */
export function wantedBy(text: string): Wanted | null {
  const typed = readTyped(text);
  if (typed.kind === 'fault' || typed.fields.size > 0) return null;
  if (typed.verb === 'revise') return { kind: 'revise', operationId: typed.operationId };
  return typed.verb === 'plan' && typed.operationId === null ? { kind: 'plan' } : null;
}

/** Which form a button asks for: `form plan`, `form revise hero-3`. */
export function wantedByButton(value: string): Wanted | null {
  const [prefix, ...rest] = value.split(' ');
  return prefix === FORM_BUTTON ? wantedBy(rest.join(' ')) : null;
}

/**
 * Shows the form at once, empty: a trigger is good for three seconds, and what is to be read takes longer. Nothing is looked
 * up before this.
 */
export function showAtOnce(client: FormClient, trigger: Trigger): Shown | null {
  const wanted = trigger.kind === 'command' ? wantedBy(trigger.what) : wantedByButton(trigger.what);
  const looked = trigger.kind === 'button' ? parseButtonValue(trigger.what) : null;
  if (wanted === null && looked?.action !== 'evidence') return null;
  const title = wanted === null ? 'Evidence' : titleOf(wanted);
  const wait = wanted === null ? lookingUp() : readingPlan();
  const opened = client.views
    .open({ trigger_id: trigger.triggerId, view: saying(title, [wait]) })
    .then(({ view }) => ({ viewId: view?.id ?? null, fault: '' }))
    .catch((fault: unknown) => ({ viewId: null, fault: fault instanceof Error ? fault.message : 'no answer' }));
  const turnedAway = async (lines: readonly Text[]): Promise<void> => {
    const { viewId } = await opened;
    if (viewId !== null) await client.views.update({ view_id: viewId, view: saying(title, lines) });
  };
  return { opened, turnedAway };
}

/** What a form is called. */
export function titleOf(wanted: Wanted): string {
  return wanted.kind === 'plan' ? 'Plan a swap' : 'Revise the plan';
}

/** Fills the form that is open with what is read; resolves with what has to be said beside it, if anything. */
export async function fillForm(
  desk: HeroDesk,
  wanted: Wanted & { readonly operationId?: string | null },
  channel: string,
  viewId: string,
): Promise<void> {
  const view = wanted.kind === 'revise' ? desk.engine.view(wanted.operationId ?? '') : null;
  if (wanted.kind === 'revise' && (view === null || !possible(desk.engine.protocol('hero'), view.state, 'plan_revised'))) {
    const lines = [cannotBeRevised(wanted.operationId ?? null, view?.state ?? null)];
    await desk.client.views.update({ view_id: viewId, view: saying(titleOf(wanted), lines) });
    return;
  }
  const previous = view === null ? null : HeroPlan.parse(view.plan);
  const draft = new Map([
    ['gate', draftGate(desk)],
    ['reason', 'draft'],
  ]);
  const entry = await enterPlan(desk.fleet, desk.ask, previous === null ? draft : new Map(), previous);
  const values = new Map([...(previous === null ? new Map() : valuesOfPlan(previous)), ...entry.chosen]);
  const read = new Map([...entry.chosen].filter(([field]) => field !== 'window' && field !== 'discard' && field !== 'kind'));
  suggest(entry, values);
  const last = previous === null ? lastRows(desk.engine, `${values.get('family')}`) : null;
  if (last !== null) values.set('downstream', last.text);
  const meta: Meta = {
    operationId: wanted.kind === 'revise' ? (wanted.operationId ?? null) : null,
    hash8: view?.planHash.slice(0, 8) ?? null,
    channel,
    // Slack takes 3,000 characters of it: a value that is longer than any id is submitted as if it had been typed.
    read: Object.fromEntries([...read].filter(([, value]) => value.length <= READ_MAX)),
    filled: MAY_BE_EMPTIED.filter((field) => values.has(field)),
    rowsOf: last?.operationId ?? null,
  };
  const labelled = new Set([...read.keys(), ...(last === null ? [] : ['downstream'])]);
  const form = planForm({ wanted, meta, values, read: labelled, faults: entry.kind === 'faults' ? entry.faults : [], entry });
  await desk.client.views.update({ view_id: viewId, view: formView(form) });
}

/** A gate that is only there so that the rest of the plan can be read; it is not shown. */
function draftGate({ fleet }: HeroDesk): string {
  const metric = Object.keys(fleet.metrics)[0] ?? 'train_loss';
  return `${metric} tracks within 1`;
}

function suggest(entry: Entry, values: Map<string, string>): void {
  if (values.has('new') || !values.has('handoff')) return;
  const subject = entry.kind === 'plan' ? `${(entry.body.commits as readonly { subject: string }[]).at(-1)?.subject ?? ''}` : '';
  values.set('new', suggestedRunId(subject, Number(values.get('handoff'))));
}

/** A form of a plan: what stands in its fields, what of that was read, and what is wrong. */
export interface Composed {
  readonly wanted: Wanted;
  readonly meta: Meta;
  readonly values: ReadonlyMap<string, string>;
  readonly read: ReadonlySet<string>;
  readonly faults: readonly string[];
  readonly entry: Entry;
}

/** The form of a plan as it is drawn: faults beside their fields, and above them those that belong to none. */
export function planForm({ wanted, meta, values, read, faults, entry }: Composed): Form {
  const sources = meta.rowsOf === null ? new Map() : new Map([['downstream', `the plan of ${meta.rowsOf}, each open again`]]);
  const general = otherFaults(faults).map(generalFault);
  const plan = entry.kind === 'faults' ? null : HeroPlan.parse(entry.body);
  return {
    title: titleOf(wanted),
    submit: wanted.kind === 'plan' ? 'Put on file' : 'Revise',
    callbackId: PLAN_CALLBACK,
    metadata: JSON.stringify(meta),
    before: [...general, ...(plan === null ? [notAllRead()] : readLines(plan))],
    fields: formFields({ values, read, faults, sources }),
    after: plan === null ? [] : commitLines(plan),
  };
}

/** What is wrong with a submission, by field; null when it can be read on. Pure and quick: Slack waits three seconds. */
export function checkSubmitted(desk: HeroDesk, submitted: Submitted): Readonly<Record<string, string>> | null {
  const meta = metaOf(submitted);
  const view = meta.operationId === null ? null : desk.engine.view(meta.operationId);
  const faults = faultsOfTyped(desk.fleet, typedIn(submitted, meta), view === null ? null : HeroPlan.parse(view.plan));
  const byField = Object.fromEntries(faultsByField(faults));
  return Object.keys(byField).length === 0 ? null : byField;
}

/** Reads on what was submitted, puts it on file, and says in the form what became of it. */
export async function submitPlan(desk: HeroDesk, submitted: Submitted, by: string, asked: AskedAs): Promise<void> {
  const meta = metaOf(submitted);
  const wanted: Wanted = meta.operationId === null ? { kind: 'plan' } : { kind: 'revise', operationId: meta.operationId };
  const view = meta.operationId === null ? null : desk.engine.view(meta.operationId);
  const previous = view === null ? null : HeroPlan.parse(view.plan);
  const typed = typedIn(submitted, meta);
  const entry = await enterPlan(desk.fleet, desk.ask, typed, previous);
  const show = (view: ModalView, lines: readonly Text[]): Promise<void> =>
    showOrWhisper(desk, { viewId: submitted.viewId, channel: meta.channel, user: by, view, lines });
  const read = new Set([...typed].filter(([name, value]) => readOf(desk, meta, name) === value.trim()).map(([name]) => name));
  if (entry.kind === 'faults') {
    asked.note('refused: faults in the form');
    await asked.decided();
    const form = planForm({ wanted, meta, values: drawnAgain(typed, meta), read, faults: entry.faults, entry });
    return show(formView(form), nothingOnFile(entry.faults));
  }
  const { body, evidence } = entry;
  const inferred = [...new Set([...entry.inferred, ...read])];
  const answer = record(desk, { meta, body, inferred, evidence, by, asked, previous });
  asked.note(recordOf(answer));
  await asked.decided();
  const lines = answer.kind === 'advanced' ? saidOf(answer, previous, inferred) : replyTo(answer, meta.operationId ?? 'the plan');
  await show(saying(titleOf(wanted), lines), lines);
}

/** What stood in a field of the form because it was read. */
function readOf({ engine }: HeroDesk, { read, rowsOf }: Meta, name: string): string | undefined {
  if (name !== 'downstream') return read[name];
  const plan = rowsOf === null ? null : engine.view(rowsOf)?.plan;
  return plan === undefined || plan === null ? undefined : rowsAnew(HeroPlan.parse(plan));
}

interface Recorded {
  readonly meta: Meta;
  readonly body: JsonObject;
  readonly inferred: readonly string[];
  readonly evidence: readonly string[];
  readonly by: string;
  readonly asked: AskedAs;
  readonly previous: HeroPlan | null;
}

function record(desk: HeroDesk, { meta, body, inferred, evidence, by, asked, previous }: Recorded): Answer {
  const { requestKey, askedAt, standing } = asked;
  const base = { by, requestKey, askedAt, standing, evidence };
  if (meta.operationId === null || previous === null) {
    return desk.engine.plan({ ...base, protocol: 'hero', channel: meta.channel, body, inferred });
  }
  const details = { changes: difference(previous, HeroPlan.parse(body)).map((change) => ({ ...change })) };
  const drawn = meta.hash8 === null ? {} : { drawnForPlan: meta.hash8 };
  return desk.engine.request({ ...base, ...drawn, operationId: meta.operationId, on: 'plan_revised', details }, { body, inferred });
}

function saidOf(answer: Extract<Answer, { kind: 'advanced' }>, previous: HeroPlan | null, inferred: readonly string[]): readonly Text[] {
  const { operationId } = answer.view;
  const named = inferred.length === 0 ? [] : [readNotTyped(inferred)];
  if (previous === null) return [planned(operationId), ...named];
  return [revised(operationId), ...changeLines(difference(previous, HeroPlan.parse(answer.view.plan)))];
}

interface Said {
  readonly viewId: string;
  readonly channel: string;
  readonly user: string;
  readonly view: ModalView;
  readonly lines: readonly Text[];
}

/** In the form, or where that is gone, to the person alone in the channel. */
async function showOrWhisper(desk: HeroDesk, shown: Said): Promise<void> {
  const { viewId, view, channel, user, lines } = shown;
  try {
    await desk.client.views.update({ view_id: viewId, view });
  } catch {
    await desk.client.chat.postEphemeral({ channel, user, text: answerText(lines) });
  }
}
