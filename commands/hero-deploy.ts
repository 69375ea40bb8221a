import type { Middleware, SlackCommandMiddlewareArgs } from '@slack/bolt';
import type { Answer, Engine } from '../src/engine/engine.js';
import { possible } from '../src/engine/engine.js';
import type { Fleet } from '../src/fleet.js';
import { difference } from '../src/protocol/hero/difference.js';
import { HeroPlan } from '../src/protocol/hero/plan.js';
import type { Standing } from '../src/protocol/people.js';
import type { JsonObject } from '../src/protocol/table.js';
import { readTimeOfDay, type TypedZone } from '../src/protocol/typed-time.js';
import {
  faultLines,
  noSuchVerb,
  notRead,
  notUnderstood,
  otherChannel,
  readAs,
  readNotTyped,
  taken,
  takenAlready,
  takesNoField,
  takesNothing,
  whichOne,
} from '../src/render/answers.js';
import { answerText } from '../src/render/blocks.js';
import { heroHelp, listedHero, noneIsOpen, noOperationHere, nothingPlannedYet, planMakesNew, planned } from '../src/render/hero/answers.js';
import { changeLines } from '../src/render/hero/change.js';
import { formOffer } from '../src/render/hero/plan-form.js';
import { rehearseTakesNoFields } from '../src/render/hero/rehearsal.js';
import { refusalText } from '../src/render/refusal.js';
import type { Text } from '../src/render/text.js';
import { arrivalOf } from '../src/slack/ingress.js';
import { readTyped, type Typed } from './arguments.js';
import { type Ask, enterPlan, PLAN_FIELDS } from './plan-entry.js';
import { FORM_BUTTON, type FormClient, fillForm, type Wanted, wantedBy } from './plan-form.js';
import { rehearse } from './rehearse.js';
import { quoted } from './typed-text.js';

/** What the handlers of this protocol need. */
export interface HeroDesk {
  readonly engine: Engine;
  readonly fleet: Fleet;
  readonly ask: Ask;
  /** The zone in which somebody writes times. */
  readonly zoneOf: (userId: string) => Promise<TypedZone>;
  /** Shows forms, and tells people where a form is gone. */
  readonly client: FormClient;
  /** All that a row rests on, for those who press for it. */
  readonly evidence: (operationId: string, seq: number) => readonly Text[];
  /** The card of an operation as text, for those who ask without a thread at hand. */
  readonly status: (operationId: string) => readonly Text[];
  /** What a person types to go on without the bot. */
  readonly hand: (operationId: string) => readonly Text[];
  /** What somebody who takes over has to know. */
  readonly brief: (operationId: string) => readonly Text[];
}

interface Call {
  readonly desk: HeroDesk;
  readonly typed: Extract<Typed, { kind: 'typed' }>;
  readonly by: string;
  readonly channel: string;
  readonly requestKey: string;
  readonly askedAt: Date;
  readonly standing: Standing;
  readonly note: (word: string) => void;
}

type Reply = readonly Text[];

const COMMAND = '/hero-deploy';

/** A verb that offers one event; where a state decides which, the first that is possible is meant. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  agree: ['plan_agreed'],
  preflight: ['preflight_asked'],
  launch: ['launch_approved', 'launch_again'],
  reject: ['launch_rejected'],
  cancel: ['cancel_asked', 'abort_asked'],
  go: ['go_approved'],
  'no-go': ['no_go'],
  rollback: ['rollback_asked'],
  recheck: ['recheck_asked'],
  override: ['override'],
  extend: ['extend'],
  adopt: ['adopt'],
  'declare-gone': ['declare_gone'],
  'retry-cancel': ['retry_cancel_old', 'retry_cancel_new'],
  'called-off': ['called_off'],
  'confirm-anchor': ['anchor_confirmed'],
  'close-unverified': ['close_unverified'],
  'leave-down': ['leave_down'],
  abandon: ['abandon'],
  take: ['taken'],
};

/** Verbs that only look. */
const LOOKS = ['status', 'hand', 'brief'] as const;

/** Fields that a verb takes beside an operation. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  launch: ['not-after'],
  override: ['reason'],
  'no-go': ['reason'],
  rollback: ['reason'],
  cancel: ['reason'],
  adopt: ['job'],
  'declare-gone': ['pods'],
  'confirm-anchor': ['step'],
  'leave-down': ['reason'],
  abandon: ['reason'],
};

/** `/hero-deploy`: answers the person who typed; what happens is told in the thread. */
export function heroDeploy(desk: HeroDesk): Middleware<SlackCommandMiddlewareArgs> {
  return async ({ command, context, respond }) => {
    const answer = async (text: readonly Text[]): Promise<void> => {
      await arrivalOf(context).decided();
      await respond({ response_type: 'ephemeral', text: answerText(text) });
    };
    if (command.channel_id !== desk.fleet.slack.channel) {
      return answer([otherChannel('Heroes are swapped', desk.fleet.slack.channel)]);
    }
    const { shown } = arrivalOf(context);
    const typed = readTyped(command.text);
    if (typed.kind === 'fault') return answer([notUnderstood(typed.message)]);
    const { requestKey, askedAt, standing, note } = arrivalOf(context);
    const by = command.user_id;
    const call = { desk, typed, by, channel: command.channel_id, requestKey, askedAt, standing, note };
    const wanted = wantedBy(command.text);
    if (wanted === null || shown === null) return answer(await run(call));
    const operationId = wanted.kind === 'revise' ? meant(call) : null;
    if (operationId !== null && typeof operationId !== 'string') {
      await shown.turnedAway(operationId);
      return answer(operationId);
    }
    const form: Wanted = wanted.kind === 'plan' ? wanted : { kind: 'revise', operationId };
    const { viewId, fault } = await shown.opened;
    await arrivalOf(context).decided();
    if (viewId !== null) return fillForm(desk, form, command.channel_id, viewId);
    await respond({ response_type: 'ephemeral', ...formOffer(formValue(form), fault) });
  };
}

async function run(call: Call): Promise<Reply> {
  const { verb } = call.typed;
  if (verb === '') return heroHelp(PLAN_FIELDS);
  if (verb === 'help' || verb === 'list') {
    if (takesMore(call)) return [takesNothing(verb)];
    return verb === 'help' ? heroHelp(PLAN_FIELDS) : list(call);
  }
  if (verb === 'plan') return plan(call);
  if (verb === 'rehearse') return rehearsal(call);
  const look = LOOKS.find((each) => each === verb);
  if (verb !== 'revise' && look === undefined && !Object.hasOwn(EVENTS, verb)) {
    return [noSuchVerb(COMMAND, verb), ...heroHelp(PLAN_FIELDS)];
  }
  const stray = verb === 'revise' ? undefined : [...call.typed.fields.keys()].find((key) => !(FIELDS[verb] ?? []).includes(key));
  if (stray !== undefined) return [takesNoField(verb, stray)];
  const operationId = meant(call);
  if (typeof operationId !== 'string') return operationId;
  if (verb === 'revise') return revise(call, operationId);
  if (look !== undefined) return call.desk[look](operationId);
  return offer(call, operationId);
}

/** Whether more was typed than the verb. */
function takesMore({ typed }: Call): boolean {
  return typed.operationId !== null || typed.fields.size > 0;
}

/** Without an operation it is about the next one. */
async function rehearsal(call: Call): Promise<Reply> {
  const { desk, typed, by, channel, requestKey, askedAt, standing } = call;
  if (typed.fields.size > 0) return [rehearseTakesNoFields()];
  const open = desk.engine.journal.openOperations().some((each) => each.channel === channel && each.protocol === 'hero');
  const operationId = typed.operationId === null && !open ? null : meant(call);
  if (operationId !== null && typeof operationId !== 'string') return operationId;
  return rehearse(desk, operationId, { by, requestKey, askedAt, standing });
}

/** The operation that is named, or the only open one of the channel. */
function meant({ desk, typed, channel }: Call): string | Reply {
  const { journal } = desk.engine;
  if (typed.operationId !== null) {
    const operation = journal.operation(typed.operationId);
    return operation?.channel === channel && operation.protocol === 'hero' ? typed.operationId : [noOperationHere(typed.operationId)];
  }
  const open = journal.openOperations().filter((operation) => operation.channel === channel && operation.protocol === 'hero');
  const [first] = open;
  if (first === undefined) return [noneIsOpen()];
  if (open.length > 1) return [whichOne(open.map((operation) => operation.operation_id))];
  return first.operation_id;
}

/** The value of a button that opens this form. */
export function formValue(wanted: Wanted): string {
  return wanted.kind === 'plan' ? `${FORM_BUTTON} plan` : `${FORM_BUTTON} revise ${wanted.operationId ?? ''}`.trim();
}

async function offer({ desk, typed, by, requestKey, askedAt, standing, note }: Call, operationId: string): Promise<Reply> {
  const details = await detailsOf(typed.fields, () => desk.zoneOf(by), askedAt);
  if (typeof details === 'string') return [notRead(details)];
  const view = desk.engine.view(operationId);
  const candidates = EVENTS[typed.verb] ?? [];
  const protocol = desk.engine.protocol('hero');
  const on =
    (view === null ? undefined : candidates.find((event) => possible(protocol, view.state, event) && fitsOrigin(event, view.origin))) ??
    candidates[0] ??
    '';
  const answer = desk.engine.request({ operationId, on, by, requestKey, askedAt, standing, details });
  note(recordOf(answer));
  const takenOver = typed.verb === 'take' && answer.kind === 'advanced' ? desk.brief(operationId) : [];
  const readBack = answer.kind === 'advanced' && details.notAfter !== undefined ? [readAs(`${details.sentence}`)] : [];
  return [...replyTo(answer, operationId), ...readBack, ...takenOver];
}

/** Out of `held` the cancel that is tried again is the one that was held. */
function fitsOrigin(event: string, origin: string | null): boolean {
  if (event === 'retry_cancel_old') return origin === 'stopping_old';
  return event !== 'retry_cancel_new' || origin === 'stopping_new';
}

/** The fields as the protocol wants them; a sentence where one is not understood. A time is counted from when it was typed. */
async function detailsOf(
  fields: ReadonlyMap<string, string>,
  zoneOf: () => Promise<TypedZone>,
  askedAt: Date,
): Promise<JsonObject | string> {
  const details: Record<string, string> = {};
  for (const [key, value] of fields) {
    if (key !== 'not-after') {
      details[key === 'job' ? 'jobId' : key] = key === 'reason' ? quoted(value) : value;
      continue;
    }
    const time = readTimeOfDay(value, await zoneOf(), askedAt);
    if (time.kind === 'fault') return time.message;
    details.notAfter = time.at.toISOString();
    details.sentence = `not after ${time.readBack}`;
  }
  return details.reason === undefined ? details : { ...details, sentence: details.reason };
}

async function plan(call: Call): Promise<Reply> {
  if (call.typed.operationId !== null) return [planMakesNew(call.typed.operationId)];
  const entry = await enterPlan(call.desk.fleet, call.desk.ask, call.typed.fields, null);
  if (entry.kind === 'faults') return faultLines('No plan was made:', entry.faults, COMMAND);
  const { by, channel, requestKey, askedAt, standing } = call;
  const answer = call.desk.engine.plan({ protocol: 'hero', by, channel, requestKey, askedAt, standing, ...entry });
  call.note(recordOf(answer));
  if (answer.kind !== 'advanced') return replyTo(answer, answer.view?.operationId ?? 'the plan');
  const inferred = entry.inferred.length === 0 ? [] : [readNotTyped(entry.inferred)];
  return [planned(answer.view.operationId), ...inferred];
}

async function revise(call: Call, operationId: string): Promise<Reply> {
  const view = call.desk.engine.view(operationId);
  if (view === null || !possible(call.desk.engine.protocol('hero'), view.state, 'plan_revised')) {
    return [refusalText(operationId, 'no_such_transition', { state: view?.state ?? '', on: 'plan_revised' })];
  }
  const previous = HeroPlan.parse(view.plan);
  const entry = await enterPlan(call.desk.fleet, call.desk.ask, call.typed.fields, previous);
  if (entry.kind === 'faults') return faultLines(`${operationId} was not revised:`, entry.faults, COMMAND);
  const { by, requestKey, askedAt, standing } = call;
  const { evidence } = entry;
  const next = HeroPlan.parse(entry.body);
  const details = { changes: difference(previous, next).map((change) => ({ ...change })) };
  const answer = call.desk.engine.request({ operationId, on: 'plan_revised', by, requestKey, askedAt, standing, evidence, details }, entry);
  call.note(recordOf(answer));
  return answer.kind === 'advanced'
    ? [...replyTo(answer, operationId), ...changeLines(difference(previous, next))]
    : replyTo(answer, operationId);
}

/** What became of a request, for the record of who asked. */
export function recordOf(answer: Answer): string {
  return answer.kind === 'refused' ? `refused: ${answer.refusal}` : answer.kind;
}

/** What the person who asked is told; the thread tells what happened to everybody. */
export function replyTo(answer: Answer, operationId: string): Reply {
  switch (answer.kind) {
    case 'advanced':
      return [taken(operationId, answer.view.state)];
    case 'repeated':
      return [takenAlready(operationId, answer.event, answer.actor, answer.at)];
    case 'refused':
      return [refusalText(operationId, answer.refusal, answer.details)];
  }
}

function list({ desk, channel }: Call): Reply {
  const recent = desk.engine.journal.recentOperations(channel, 100);
  const operations = recent.filter(({ protocol }) => protocol === 'hero').slice(0, 15);
  if (operations.length === 0) return [nothingPlannedYet()];
  return operations.map(({ operation_id: operationId, state, locked, requester, created_at: createdAt }) =>
    listedHero({ operationId, state, locked: locked === 1, requester, createdAt }),
  );
}
