import type { Standing } from './people.js';
import type { Reading } from './reading.js';

/** Where a told transition is told. A row that tells nobody shows on the card only. */
export type Sink = 'thread' | 'issue';

/** Whose word a row takes. People are named per protocol in the fleet file; `bot` is a reading, a due time or an outcome. */
export type Who = 'bot' | 'ask' | 'agree' | 'approve' | 'decide' | 'override' | 'duty';

/** One row of a protocol: what cannot be found here cannot happen. `from: null` makes an operation. */
export interface Row {
  readonly from: string | null;
  readonly on: string;
  /** A state, or `@origin`: the state from which `held` was entered. */
  readonly to: string;
  readonly who: Who;
  /** The effect that is put on file with the row and acts after it. */
  readonly then: string | null;
  readonly tell: readonly Sink[];
}

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined };
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/** What one transition left on file, as a protocol sees it. */
export interface Entry<Facts> {
  readonly seq: number;
  readonly from: string | null;
  readonly event: string;
  readonly to: string;
  readonly actor: string;
  readonly at: Date;
  readonly facts: Partial<Facts>;
  readonly details: JsonObject;
}

/** How far the effect of the state now entered has come. */
export interface IntentView {
  readonly intentId: string;
  readonly effect: string;
  readonly verb: string;
  /** The row that put it on file. */
  readonly seq: number;
  /** `waiting`: not started yet. `acting`: its process may be alive. `over`: it and all it started are gone. `expired`: never started, and now never will. */
  readonly stage: 'waiting' | 'acting' | 'over' | 'expired';
  readonly recordedAt: Date;
  readonly jobId: string | null;
  readonly problem: string | null;
}

/** One operation as its protocol decides on it: the fold of its history, nothing else. */
export interface View<Plan, Facts> {
  readonly operationId: string;
  readonly state: string;
  readonly seq: number;
  /** The row that entered the present state; rows that stay in it do not move this. */
  readonly enteredAtSeq: number;
  readonly enteredAt: Date;
  /** When the newest row was recorded: a clock that reads earlier cannot be trusted with an age. */
  readonly lastAt: Date;
  readonly plan: Plan;
  readonly planVersion: number;
  /** SHA-256 of the plan's canonical JSON, in hex. */
  readonly planHash: string;
  readonly requester: string;
  /** The state from which `held` was entered; null elsewhere. */
  readonly origin: string | null;
  readonly facts: Partial<Facts>;
  readonly history: readonly Entry<Facts>[];
  /** The intent that the row which entered the present state put on file. */
  readonly intent: IntentView | null;
  /** What was put on file beside the course: published for people, waited for by nobody. Oldest first. */
  readonly asides: readonly IntentView[];
  /** Effects of this operation, the newest or earlier ones, that are on file and may still act. */
  readonly acting: readonly string[];
}

/** Something offered to an operation by a person, by a reading, by a due time. */
export interface Request<Facts> {
  readonly operationId: string;
  readonly on: string;
  /** A Slack user id, or `bot`. */
  readonly by: string;
  /** The same key twice is one transition. */
  readonly requestKey: string;
  /** The `enteredAtSeq` for which the pressed button was drawn. */
  readonly drawnFor?: number;
  /** The first eight hex digits of the plan hash for which the button was drawn. */
  readonly drawnForPlan?: string;
  /** When the person asked, by the platform's clock. */
  readonly askedAt?: Date;
  /** How the person stands, as read when they asked; a reading, a due time or an outcome has none. */
  readonly standing?: Standing;
  readonly facts?: Partial<Facts>;
  readonly details?: JsonObject;
  /** Scrubbed transcripts on which this rests; kept by digest. */
  readonly evidence?: readonly string[];
  /** Larger readings to keep: stored by digest, which becomes the fact of that name. */
  readonly attach?: Readonly<Record<string, string>>;
}

/** Why a request was not taken. Closed: prose belongs to `render`. */
export type Refusal =
  | 'no_such_operation'
  | 'no_such_transition'
  | 'stale_button'
  | 'stale_plan'
  | 'too_old'
  | 'not_allowed'
  | 'own_request'
  | 'nobody_may'
  | 'subject_locked'
  | 'clock_behind'
  | 'not_proven'
  | 'no_pass'
  | 'liveness_unknown'
  | 'reason_missing'
  | 'not_a_live_coordinator'
  | 'nothing_changed'
  | 'account_refused'
  | 'account_unread'
  | 'not_compared'
  | 'disk_full'
  | 'not_the_requester'
  | 'fix_used';

export type Decision<Facts> =
  | {
      readonly kind: 'advance';
      readonly row: Row;
      readonly to: string;
      readonly facts: Partial<Facts>;
      readonly details: JsonObject;
    }
  | { readonly kind: 'refuse'; readonly refusal: Refusal; readonly details: JsonObject };

export function refuse(refusal: Refusal, details: JsonObject = {}): { kind: 'refuse'; refusal: Refusal; details: JsonObject } {
  return { kind: 'refuse', refusal, details };
}

/** An effect as data: which verb acts with which arguments. `actWithinMs` bounds how late it may still be started. */
export interface Effect<Plan, Facts> {
  readonly verb: string;
  /** Null: there is nothing to do for this view, and nothing goes on file. */
  readonly args: (view: View<Plan, Facts>) => JsonObject | null;
  /** In words: which reading proves the outcome. Goes on file with the intent. */
  readonly proof: string;
  readonly actWithinMs: number;
  /** It publishes something for people and touches no run: no state waits for it. */
  readonly aside?: true;
}

/** A reading that a state wants now; `name` is what the watch finds it under. */
export interface Need {
  readonly name: string;
  readonly verb: string;
  readonly args: JsonObject;
  /** Nothing of a run waits for it: it is asked beside the passes, and one that does not answer holds up none of them. */
  readonly beside?: true;
}

/** An event that readings prove, with what it rests on. `key` makes it unique within the state it was seen in. */
export interface Proposal<Facts> {
  readonly on: string;
  readonly key?: string;
  readonly facts?: Partial<Facts>;
  readonly details?: JsonObject;
  readonly evidence?: readonly string[];
  readonly attach?: Readonly<Record<string, string>>;
}

export interface Watched<Facts, Memory> {
  readonly proposals: readonly Proposal<Facts>[];
  readonly memory: Memory;
}

export type Readings = Readonly<Record<string, Reading<unknown>>>;

/** A wake-up put on file with the row that entered a state, and gone when it is left. */
export interface Due {
  readonly name: string;
  readonly at: Date;
  readonly on: string;
}

/** What a protocol is. The engine knows this and nothing of heroes or ferries. */
export interface Protocol<Plan, Facts, Memory> {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly finals: ReadonlySet<string>;
  /** States in which the operation holds its subject against all others. */
  readonly locked: ReadonlySet<string>;
  readonly effects: Readonly<Record<string, Effect<Plan, Facts> | 'reads'>>;
  /** Events that only make things safer: taken from somebody whom Slack cannot be asked about just now, if it could lately. */
  readonly safe?: ReadonlySet<string>;
  /** Checks a plan body; throws when it is not one. */
  parsePlan(body: unknown): Plan;
  subject(plan: Plan): string;
  /** Whether this person may put this plan on file now. */
  decideNew(
    request: { readonly by: string; readonly askedAt: Date | null; readonly plan: Plan; readonly standing?: Standing | undefined },
    now: Date,
  ): { readonly kind: 'ask' } | ReturnType<typeof refuse>;
  /** Pure: the same view, request, watched state and instant always give the same decision. */
  decide(
    view: View<Plan, Facts>,
    request: Request<Facts>,
    watched: { memory: Memory | null; readings: Readings },
    now: Date,
  ): Decision<Facts>;
  needs(view: View<Plan, Facts>, now: Date): readonly Need[];
  /** Pure: what the readings prove. `memory` is what earlier ticks saw; null after a start, when nothing has been seen yet. */
  watch(view: View<Plan, Facts>, readings: Readings, memory: Memory | null, now: Date): Watched<Facts, Memory>;
  dues(view: View<Plan, Facts>): readonly Due[];
}

/** The row for a state and an event, if there is one. */
export function rowFor<R extends Row>(rows: readonly R[], from: string | null, on: string): R | undefined {
  return rows.find((row) => row.from === from && row.on === on);
}
