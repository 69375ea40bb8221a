import type { Middleware, SlackCommandMiddlewareArgs } from '@slack/bolt';
import type { KnownBlock } from '@slack/types';
import type { Answer, Engine } from '../src/engine/engine.js';
import { possible } from '../src/engine/engine.js';
import type { Fleet } from '../src/fleet.js';
import { HeroPlan } from '../src/protocol/hero/plan.js';
import type { Standing } from '../src/protocol/people.js';
import type { JsonObject } from '../src/protocol/table.js';
import { readTimeOfDay, type TypedZone } from '../src/protocol/typed-time.js';
import { mrkdwn } from '../src/render/mrkdwn.js';
import { refusalText } from '../src/render/refusal.js';
import { eventInWords, stateInWords } from '../src/render/state-words.js';
import { instant, person, say, type Text, words } from '../src/render/text.js';
import { arrivalOf } from '../src/slack/ingress.js';
import { readTyped, type Typed } from './arguments.js';
import { type Ask, enterPlan, PLAN_FIELDS } from './plan-entry.js';
import { FORM_BUTTON, type FormClient, fillForm, type Wanted, wantedBy } from './plan-form.js';
import { rehearse } from './rehearse.js';
import { changesOf, revisedLines } from './revision.js';

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
      await respond({ response_type: 'ephemeral', text: render(text) });
    };
    if (command.channel_id !== desk.fleet.slack.channel) {
      return answer([say`Heroes are swapped in the channel ${desk.fleet.slack.channel} only. Nothing was done.`]);
    }
    const { shown } = arrivalOf(context);
    const typed = readTyped(command.text);
    if (typed.kind === 'fault') return answer([say`${words(typed.message)}`]);
    const { requestKey, askedAt, standing, note } = arrivalOf(context);
    const by = command.user_id;
    const call = { desk, typed, by, channel: command.channel_id, requestKey, askedAt, standing, note };
    const wanted = wantedBy(command.text);
    if (wanted === null || shown === null) return answer(await run(call));
    const operationId = wanted.kind === 'revise' ? meant(call) : null;
    if (operationId !== null && typeof operationId !== 'string') {
      await shown.turnedAway(render(operationId));
      return answer(operationId);
    }
    const form: Wanted = wanted.kind === 'plan' ? wanted : { kind: 'revise', operationId };
    const { viewId, fault } = await shown.opened;
    await arrivalOf(context).decided();
    if (viewId !== null) return fillForm(desk, form, command.channel_id, viewId);
    await respond({ response_type: 'ephemeral', ...formOffer(form, fault) });
  };
}

async function run(call: Call): Promise<Reply> {
  const { verb } = call.typed;
  if (verb === '') return help();
  if (verb === 'help' || verb === 'list') {
    if (takesMore(call)) return [say`${verb} takes nothing more. Nothing was done.`];
    return verb === 'help' ? help() : list(call);
  }
  if (verb === 'plan') return plan(call);
  if (verb === 'rehearse') return rehearsal(call);
  const look = LOOKS.find((each) => each === verb);
  if (verb !== 'revise' && look === undefined && !Object.hasOwn(EVENTS, verb)) {
    return [say`${verb.slice(0, 40)} is not something ${'/hero-deploy'} does. Nothing was done.`, ...help()];
  }
  const stray = verb === 'revise' ? undefined : [...call.typed.fields.keys()].find((key) => !(FIELDS[verb] ?? []).includes(key));
  if (stray !== undefined) return [say`${verb} takes no ${stray}=. Nothing was done.`];
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
  if (typed.fields.size > 0) return [say`${'rehearse'} takes no fields. Nothing was done.`];
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
    return operation?.channel === channel && operation.protocol === 'hero'
      ? typed.operationId
      : [say`There is no operation ${typed.operationId} in this channel. See ${'/hero-deploy list'}.`];
  }
  const open = journal.openOperations().filter((operation) => operation.channel === channel && operation.protocol === 'hero');
  const [first] = open;
  if (first === undefined) return [say`No operation is open in this channel. ${'/hero-deploy plan'} makes one.`];
  if (open.length > 1)
    return [say`Which one? Open are ${words(open.map((operation) => operation.operation_id).join(', '))}. Name it in the command.`];
  return first.operation_id;
}

/** Where a form could not be opened: the reason, and a button with a fresh trigger. Everything can be typed too. */
export function formOffer(wanted: Wanted, fault: string): { readonly text: string; readonly blocks: KnownBlock[] } {
  const value = wanted.kind === 'plan' ? `${FORM_BUTTON} plan` : `${FORM_BUTTON} revise ${wanted.operationId ?? ''}`.trim();
  const text = mrkdwn(
    say`The form could not be opened (${words(fault)}); nothing was put on file. Press for another, or type it: ${'/hero-deploy help'}.`,
  );
  const button = { type: 'button' as const, action_id: 'harbor.form', text: { type: 'plain_text' as const, text: 'Open the form' }, value };
  return {
    text,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text } },
      { type: 'actions', elements: [button] },
    ],
  };
}

async function offer({ desk, typed, by, requestKey, askedAt, standing, note }: Call, operationId: string): Promise<Reply> {
  const details = await detailsOf(typed.fields, () => desk.zoneOf(by), askedAt);
  if (typeof details === 'string') return [say`${words(details)} Nothing was done.`];
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
  const readBack = answer.kind === 'advanced' && details.notAfter !== undefined ? [say`Read as ${words(`${details.sentence}`)}.`] : [];
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
      details[key === 'job' ? 'jobId' : key] = value.slice(0, 1_000);
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
  if (call.typed.operationId !== null)
    return [say`${'plan'} makes a new operation; to change ${call.typed.operationId} use ${'revise'}. Nothing was done.`];
  const entry = await enterPlan(call.desk.fleet, call.desk.ask, call.typed.fields, null);
  if (entry.kind === 'faults') return faults('No plan was made:', entry.faults);
  const { by, channel, requestKey, askedAt, standing } = call;
  const answer = call.desk.engine.plan({ protocol: 'hero', by, channel, requestKey, askedAt, standing, ...entry });
  call.note(recordOf(answer));
  if (answer.kind !== 'advanced') return replyTo(answer, answer.view?.operationId ?? 'the plan');
  const inferred =
    entry.inferred.length === 0
      ? []
      : [say`Read, not typed: ${words(entry.inferred.join(', '))}. Look at them in the thread before agreeing.`];
  return [say`${answer.view.operationId} is planned; its thread has the card.`, ...inferred];
}

async function revise(call: Call, operationId: string): Promise<Reply> {
  const view = call.desk.engine.view(operationId);
  if (view === null || !possible(call.desk.engine.protocol('hero'), view.state, 'plan_revised')) {
    return [refusalText(operationId, 'no_such_transition', { state: view?.state ?? '', on: 'plan_revised' })];
  }
  const previous = HeroPlan.parse(view.plan);
  const entry = await enterPlan(call.desk.fleet, call.desk.ask, call.typed.fields, previous);
  if (entry.kind === 'faults') return faults(`${operationId} was not revised:`, entry.faults);
  const { by, requestKey, askedAt, standing } = call;
  const { evidence } = entry;
  const next = HeroPlan.parse(entry.body);
  const details = { changes: changesOf(previous, next) };
  const answer = call.desk.engine.request({ operationId, on: 'plan_revised', by, requestKey, askedAt, standing, evidence, details }, entry);
  call.note(recordOf(answer));
  return answer.kind === 'advanced' ? [...replyTo(answer, operationId), ...revisedLines(previous, next)] : replyTo(answer, operationId);
}

function faults(head: string, all: readonly string[]): Reply {
  return [
    say`${words(head)}`,
    ...all.map((fault) => say`• ${words(fault)}`),
    say`Nothing was put on file. ${'/hero-deploy help'} shows the fields.`,
  ];
}

/** What became of a request, for the record of who asked. */
export function recordOf(answer: Answer): string {
  return answer.kind === 'refused' ? `refused: ${answer.refusal}` : answer.kind;
}

/** What the person who asked is told; the thread tells what happened to everybody. */
export function replyTo(answer: Answer, operationId: string): Reply {
  switch (answer.kind) {
    case 'advanced':
      return [say`${operationId}: taken. Now: ${words(stateInWords(operationId, answer.view.state))}.`];
    case 'repeated':
      return [
        say`${operationId}: that was taken already (${words(eventInWords(operationId, answer.event))}, by ${person(answer.actor)} at ${instant(answer.at)}).`,
      ];
    case 'refused':
      return [refusalText(operationId, answer.refusal, answer.details)];
  }
}

function list({ desk, channel }: Call): Reply {
  const recent = desk.engine.journal.recentOperations(channel, 100);
  const operations = recent.filter(({ protocol }) => protocol === 'hero').slice(0, 15);
  if (operations.length === 0) return [say`No operation has been planned in this channel.`];
  return operations.map((each) => {
    const lock = each.locked === 1 ? words(', holds the family') : words('');
    return say`${each.operation_id}: ${words(stateInWords(each.operation_id, each.state))}${lock}, asked for by ${person(each.requester)}, ${instant(each.created_at)}`;
  });
}

function help(): Reply {
  return [
    say`${'/hero-deploy plan reason="…" gate="train_loss tracks within 0.002"'} — a new swap. What is not typed is read: ${words(PLAN_FIELDS.join(', '))}.`,
    say`${'rehearse'} reads all guards on any day and changes nothing.`,
    say`${'revise'} changes a plan; ${'agree'} agrees to it; ${'preflight'} reads all guards; ${'launch'} approves the launch (${'not-after=17:30'} in your own zone, or ${'16:30Z'}, bounds it), ${'reject'} does not.`,
    say`${'go'}, ${'no-go'}, ${'rollback'}, ${'cancel'}: one person, at any time while they are possible. ${'override reason="…"'} goes on against the verdict.`,
    say`${'take'} says that you have it; ${'brief'} and ${'hand'} say what to know and how to go on without the bot.`,
    say`${'recheck'}, ${'leave-down'}, ${'abandon'} for what is held; ${'status'} and ${'list'} only look.`,
    say`All but ${'plan'} and ${'list'} take an operation such as ${'hero-12'}, or mean the only open one.`,
  ];
}

function render(text: readonly Text[]): string {
  return text.map(mrkdwn).join('\n');
}
