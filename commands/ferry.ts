import type { BlockAction, ButtonAction, Middleware, SlackActionMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import { type Answer, type Engine, possible } from '../src/engine/engine.js';
import type { Fleet } from '../src/fleet.js';
import type { FerryPlan } from '../src/protocol/ferry/plan.js';
import type { Standing } from '../src/protocol/people.js';
import type { JsonObject } from '../src/protocol/table.js';
import { readEndOfDay, type TypedZone } from '../src/protocol/typed-time.js';
import {
  buttonOfAnotherChannel,
  faultLines,
  noSuchVerb,
  notMyButton,
  notRead,
  notUnderstood,
  otherChannel,
  readAs,
  takesNoField,
  takesNothing,
  whichOne,
} from '../src/render/answers.js';
import { answerText } from '../src/render/blocks.js';
import {
  aboutTheSchedule,
  beingProposed,
  ferryHelp,
  fixNeeds,
  launchedAlready,
  listedFerry,
  noFerryHere,
  noFerryIsOpen,
  noFerryYet,
  noLanes,
  noSchedule,
  proposeMakesNew,
} from '../src/render/ferry/answers.js';
import { parseButtonValue } from '../src/render/message.js';
import type { Text } from '../src/render/text.js';
import { arrivalOf } from '../src/slack/ingress.js';
import { readTyped, type Typed } from './arguments.js';
import { type Asked, enterFerry, FERRY_FIELDS, type LastFerry } from './ferry-entry.js';
import { recordOf, replyTo } from './hero-deploy.js';
import type { Ask } from './plan-entry.js';
import { quoted } from './typed-text.js';

/** What the handlers of ferries need. */
export interface FerryDesk {
  readonly engine: Engine;
  readonly fleet: Fleet;
  readonly ask: Ask;
  /** The zone in which somebody writes times. */
  readonly zoneOf: (userId: string) => Promise<TypedZone>;
  readonly status: (operationId: string) => readonly Text[];
}

interface Call {
  readonly desk: FerryDesk;
  readonly typed: Extract<Typed, { kind: 'typed' }>;
  readonly by: string;
  readonly channel: string;
  readonly requestKey: string;
  readonly askedAt: Date;
  readonly standing: Standing;
  /** What became of it, for the record of who asked. */
  readonly note: (word: string) => void;
}

type Reply = readonly Text[];

const COMMAND = '/ferry';

/** A verb that offers one event; where a state decides which, the first that is possible is meant. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  approve: ['approved'],
  waive: ['waived'],
  launch: ['launch_asked'],
  cancel: ['cancel_asked', 'abort_asked', 'stop_asked'],
  stop: ['stop_asked'],
  seal: ['seal_asked'],
  'leave-unsealed': ['leave_unsealed'],
  escalate: ['escalate_asked'],
  'file-again': ['file_again'],
  recheck: ['recheck_asked'],
  adopt: ['adopt'],
  'retry-stop': ['retry_stop'],
  abandon: ['abandon'],
  take: ['taken'],
};

/** Verbs about a lane's schedule: they take `lane=`. */
const LANE_EVENTS: Readonly<Record<string, string>> = {
  off: 'switched_off',
  on: 'switched_on',
  waive: 'waiver_given',
  revoke: 'waiver_revoked',
};

/** Fields that a verb takes about a lane's schedule. */
const LANE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  waive: ['lane', 'until', 'reason'],
  revoke: ['lane', 'reason'],
  off: ['lane', 'reason'],
  on: ['lane', 'reason'],
};

/** Fields that a verb takes beside an operation. A fix stays in the lane of its ferry. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  fix: FERRY_FIELDS.filter((field) => field !== 'lane'),
  waive: ['reason'],
  adopt: ['job'],
  cancel: ['reason'],
  stop: ['reason'],
  escalate: ['reason'],
  abandon: ['reason'],
  'leave-unsealed': ['reason'],
};

const BUTTONS: Readonly<Record<string, string>> = {
  approve: 'approved',
  launch: 'launch_asked',
  cancel: 'cancel_asked',
  abort: 'abort_asked',
  stop: 'stop_asked',
  file_again: 'file_again',
  escalate: 'escalate_asked',
  seal: 'seal_asked',
  leave_unsealed: 'leave_unsealed',
  recheck: 'recheck_asked',
  adopt: 'adopt',
  retry_stop: 'retry_stop',
  abandon: 'abandon',
  take: 'taken',
};

/** `/ferry`: answers the person who typed; what happens is told in the thread. */
export function ferry(desk: FerryDesk): Middleware<SlackCommandMiddlewareArgs> {
  return async ({ command, context, respond }) => {
    const answer = async (text: Reply): Promise<void> => {
      await arrivalOf(context).decided();
      await respond({ response_type: 'ephemeral', text: answerText(text) });
    };
    if (command.channel_id !== desk.fleet.slack.channel) {
      return answer([otherChannel('Ferries are sailed', desk.fleet.slack.channel)]);
    }
    const typed = readTyped(command.text);
    if (typed.kind === 'fault') return answer([notUnderstood(typed.message)]);
    const { requestKey, askedAt, standing, note } = arrivalOf(context);
    return answer(await run({ desk, typed, by: command.user_id, channel: command.channel_id, requestKey, askedAt, standing, note }));
  };
}

async function run(call: Call): Promise<Reply> {
  const { verb, fields, operationId } = call.typed;
  if (verb === '') return ferryHelp(FERRY_FIELDS);
  if ((verb === 'help' || verb === 'list') && (operationId !== null || fields.size > 0)) {
    return [takesNothing(verb)];
  }
  if (verb === 'help') return ferryHelp(FERRY_FIELDS);
  if (Object.keys(call.desk.fleet.lanes).length === 0) return [noLanes()];
  if (verb === 'propose') return propose(call);
  if (verb === 'list') return list(call);
  const isLane = Object.hasOwn(LANE_EVENTS, verb) && (verb !== 'waive' || fields.has('lane'));
  if (verb !== 'status' && verb !== 'fix' && !isLane && !Object.hasOwn(EVENTS, verb)) {
    return [noSuchVerb(COMMAND, verb), ...ferryHelp(FERRY_FIELDS)];
  }
  const allowed = (isLane ? LANE_FIELDS : FIELDS)[verb] ?? [];
  const stray = [...fields.keys()].find((key) => !allowed.some((field) => field === key));
  if (stray !== undefined) return [takesNoField(verb, stray)];
  if (isLane) return operationId === null ? offerLane(call) : [aboutTheSchedule(verb, operationId)];
  const meantId = meant(call);
  if (typeof meantId !== 'string') return meantId;
  if (verb === 'status') return call.desk.status(meantId);
  return verb === 'fix' ? fix(call, meantId) : offer(call, meantId);
}

/** The ferry that is named, or the only open one of the channel; `status` takes a schedule too. */
function meant({ desk, typed, channel }: Call): string | Reply {
  const { journal } = desk.engine;
  if (typed.operationId !== null) {
    const operation = journal.operation(typed.operationId);
    const fits = operation?.protocol === 'ferry' || (typed.verb === 'status' && operation?.protocol === 'lane');
    return operation?.channel === channel && fits ? typed.operationId : [noFerryHere(typed.operationId)];
  }
  const open = journal.openOperations().filter((operation) => operation.channel === channel && operation.protocol === 'ferry');
  const [first] = open;
  if (first === undefined) return [noFerryIsOpen()];
  if (open.length > 1) {
    return [whichOne(open.map((operation) => operation.operation_id))];
  }
  return first.operation_id;
}

function offer({ desk, typed, by, requestKey, askedAt, standing, note }: Call, operationId: string): Reply {
  const view = desk.engine.view(operationId);
  const protocol = desk.engine.protocol('ferry');
  const candidates = EVENTS[typed.verb] ?? [];
  const on = (view === null ? undefined : candidates.find((event) => possible(protocol, view.state, event))) ?? candidates[0] ?? '';
  const details = detailsOf(typed.fields);
  const answer = desk.engine.request({ operationId, on, by, requestKey, askedAt, standing, details });
  note(recordOf(answer));
  return [...replyTo(answer, operationId), ...launched(typed.verb, answer, view?.facts ?? {})];
}

/** Whoever asks for a second launch is told of the first. */
function launched(verb: string, answer: Answer, { jobId, launchedAt }: Readonly<Record<string, unknown>>): Reply {
  const again = verb === 'launch' && answer.kind === 'refused' && answer.refusal === 'no_such_transition';
  return again && typeof jobId === 'string' && typeof launchedAt === 'string' ? [launchedAlready(jobId, launchedAt)] : [];
}

function detailsOf(fields: ReadonlyMap<string, string>): JsonObject {
  const details = Object.fromEntries(
    [...fields].map(([key, value]) => [key === 'job' ? 'jobId' : key, key === 'reason' ? quoted(value) : value]),
  );
  return details.reason === undefined ? details : { ...details, sentence: details.reason };
}

async function offerLane({ desk, typed, by, requestKey, askedAt, standing, channel, note }: Call): Promise<Reply> {
  const until = typed.fields.get('until');
  const time = until === undefined ? null : readEndOfDay(until, await desk.zoneOf(by));
  if (time?.kind === 'fault') return [notRead(time.message)];
  const lane = typed.fields.get('lane') ?? '';
  const schedule = desk.engine.journal
    .openOperations()
    .find((each) => each.protocol === 'lane' && each.subject === `schedule:${lane}` && each.channel === channel);
  if (schedule === undefined) {
    const known = Object.entries(desk.fleet.lanes).flatMap(([name, each]) => (each.schedule === undefined ? [] : [name]));
    return [noSchedule(lane, known)];
  }
  const on = LANE_EVENTS[typed.verb] ?? '';
  const answer = desk.engine.request({
    operationId: schedule.operation_id,
    on,
    by,
    requestKey,
    askedAt,
    standing,
    details: time === null ? detailsOf(typed.fields) : { ...detailsOf(typed.fields), until: time.at.toISOString() },
  });
  note(recordOf(answer));
  const readBack = answer.kind === 'advanced' && time !== null ? [readAs(`until ${time.readBack}`)] : [];
  return [...replyTo(answer, schedule.operation_id), ...readBack];
}

async function propose(call: Call): Promise<Reply> {
  const { desk, typed, by, channel, requestKey, askedAt, standing, note } = call;
  if (typed.operationId !== null) return [proposeMakesNew()];
  const lane = typed.fields.get('lane') ?? only(Object.keys(desk.fleet.lanes)) ?? '';
  const asked: Asked = { lane, fields: typed.fields, clears: by, scheduledFor: null, now: askedAt, last: lastFerryOf(desk.engine, lane) };
  const entry = await enterFerry(desk.fleet, desk.ask, asked);
  if (entry.kind === 'faults') return faultLines('No ferry was proposed:', entry.faults, COMMAND);
  const answer = desk.engine.plan({ protocol: 'ferry', by, channel, requestKey, askedAt, standing, ...entry });
  note(recordOf(answer));
  if (answer.kind !== 'advanced') return replyTo(answer, answer.view?.operationId ?? 'the ferry');
  return [beingProposed(answer.view.operationId, entry.inferred)];
}

/** The one fix of a failed daily: another commit of the same proposal, cleared anew. */
async function fix(call: Call, operationId: string): Promise<Reply> {
  const { desk, typed, by, requestKey, askedAt, standing } = call;
  const view = desk.engine.view(operationId);
  if (view === null || !possible(desk.engine.protocol('ferry'), view.state, 'fix_proposed')) {
    return replyTo(refusedIn(view?.state ?? ''), operationId);
  }
  const before = view.plan as unknown as FerryPlan;
  if (!typed.fields.has('commit') || !typed.fields.has('rationale')) {
    return [fixNeeds(operationId)];
  }
  const fields = new Map([['objective', before.objective], ...typed.fields]);
  const last = lastFerryOf(desk.engine, before.lane);
  const entry = await enterFerry(desk.fleet, desk.ask, { lane: before.lane, fields, clears: by, scheduledFor: null, now: askedAt, last });
  if (entry.kind === 'faults') return faultLines(`No fix was proposed for ${operationId}:`, entry.faults, COMMAND);
  // The same ferry goes on: its run, and with it the names of its reruns, stay.
  const { run, jobName, trackerName, context } = before;
  const body: JsonObject = { ...entry.body, run, jobName, trackerName, context: JSON.parse(JSON.stringify(context)) };
  const answer = desk.engine.request(
    { operationId, on: 'fix_proposed', by, requestKey, askedAt, standing, evidence: entry.evidence },
    { body, inferred: [] },
  );
  call.note(recordOf(answer));
  return replyTo(answer, operationId);
}

function refusedIn(state: string): Answer {
  return { kind: 'refused', refusal: 'no_such_transition', details: { state, on: 'fix_proposed' }, view: null };
}

/** The newest ferry of a lane that was launched, by our own record. */
export function lastFerryOf(engine: Engine, lane: string): LastFerry | null {
  for (const operation of engine.journal.ofSubject(`lane:${lane}`)) {
    const view = engine.viewOf(operation);
    const facts: { launchedAt?: string; jobId?: string; tracker?: { url?: string } | null; failureIssue?: { number?: number } | null } =
      view.facts;
    if (typeof facts.launchedAt !== 'string') continue;
    const plan = view.plan as unknown as FerryPlan;
    return {
      operationId: view.operationId,
      commit: plan.commit,
      jobId: facts.jobId ?? null,
      link: facts.tracker?.url ?? null,
      launchedAt: facts.launchedAt,
      failureIssue: facts.failureIssue?.number ?? plan.failureIssue,
    };
  }
  return null;
}

function list({ desk, channel }: Call): Reply {
  const all = desk.engine.journal.recentOperations(channel, 100);
  const operations = all.filter(({ protocol }) => protocol === 'ferry' || protocol === 'lane').slice(0, 20);
  if (operations.length === 0) return [noFerryYet(Object.keys(desk.fleet.lanes))];
  return operations.map(({ operation_id: operationId, subject, state, requester, created_at: createdAt }) =>
    listedFerry({ operationId, lane: subject.replace(/^\w+:/, ''), state, requester, createdAt }),
  );
}

/** A click on a ferry's card offers the event of its button, for the state and the plan it was drawn for. */
export function ferryButtons(desk: FerryDesk): Middleware<SlackActionMiddlewareArgs<BlockAction<ButtonAction>>> {
  return async ({ action, body, context, respond }) => {
    const answer = async (text: Reply): Promise<void> => {
      await arrivalOf(context).decided();
      await respond({ response_type: 'ephemeral', replace_original: false, text: answerText(text) });
    };
    const value = parseButtonValue(action.value ?? '');
    const on = value !== null && Object.hasOwn(BUTTONS, value.action) ? BUTTONS[value.action] : undefined;
    if (value === null || on === undefined) return answer([notMyButton()]);
    const { operationId, seq, hash8, argument } = value;
    if (desk.engine.journal.operation(operationId)?.channel !== body.channel?.id) {
      return answer([buttonOfAnotherChannel()]);
    }
    const { requestKey, askedAt, standing, note } = arrivalOf(context);
    const details: JsonObject = argument === null ? {} : { jobId: argument };
    const drawn = { drawnFor: seq, drawnForPlan: hash8 };
    const outcome = desk.engine.request({ operationId, on, by: body.user.id, requestKey, askedAt, standing, ...drawn, details });
    note(recordOf(outcome));
    if (outcome.kind !== 'advanced') return answer(replyTo(outcome, operationId));
  };
}

function only(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}
