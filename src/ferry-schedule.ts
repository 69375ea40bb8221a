import { lastFerryOf } from '../commands/ferry.js';
import { enterFerry } from '../commands/ferry-entry.js';
import type { Ask } from '../commands/plan-entry.js';
import type { Engine } from './engine/engine.js';
import type { Fleet, LaneConfig } from './fleet.js';
import type { FerryView } from './protocol/ferry/facts.js';
import { type LaneView, validWaiver } from './protocol/lane/facts.js';
import type { JsonObject } from './protocol/table.js';

/** What could not be read is asked for again for so long after it was noticed; then the instant is given up, in words. */
const READ_SECONDS = 15 * 60;
/** More missed instants than this are not made up for at one start: minutes of years. */
const DRAINED_MAX = 100_000;

/**
 * Between a lane's schedule and its ferries: what is due is proposed, a standing waiver clears it, a good end is noted.
 * Each step has a key of its own, so that it is taken once however often it is tried, and after a kill goes on where it was.
 */
export class FerrySchedule {
  constructor(
    private readonly engine: Engine,
    private readonly fleet: Fleet,
    private readonly ask: Ask,
  ) {}

  /**
   * Gives each lane with a schedule its operation, changed and retired as the fleet file says. Instants that came due under
   * the old schedule are handled first, by it. Called at every start.
   */
  ensure(fireDues: () => void): void {
    for (let n = 0; n < DRAINED_MAX && this.isDue(); n += 1) fireDues();
    for (const [name, lane] of Object.entries(this.fleet.lanes)) this.give(name, planOf(name, lane));
    for (const view of this.schedules()) {
      const lane = Object.hasOwn(this.fleet.lanes, view.plan.lane) ? this.fleet.lanes[view.plan.lane] : undefined;
      if (lane?.schedule !== undefined) continue;
      this.engine.request({ operationId: view.operationId, on: 'retired', by: 'bot', requestKey: `${view.operationId}:retired` });
    }
  }

  /** Carries on what is pending. Never throws for what the outside did. */
  async pass(): Promise<void> {
    for (const view of this.schedules()) {
      this.noteGood(view);
      const { pending } = view.facts;
      if (pending !== undefined && pending !== null) await this.propose(view, pending);
      this.waive(view.plan.lane, view);
    }
  }

  private isDue(): boolean {
    return this.engine.journal.duesBefore(this.engine.now()).some(({ event }) => event === 'due_came');
  }

  private give(name: string, body: JsonObject | null): void {
    if (body === null) return;
    const there = this.schedules().find(({ plan }) => plan.lane === name);
    const at = this.engine.now().toISOString();
    if (there === undefined) {
      const { channel } = this.fleet.slack;
      this.engine.plan({ protocol: 'lane', body, inferred: [], by: 'bot', channel, requestKey: `schedule:${name}:${at}` });
      return;
    }
    const { operationId } = there;
    const requestKey = `${operationId}:changed:${at}`;
    this.engine.request({ operationId, on: 'schedule_changed', by: 'bot', requestKey }, { body, inferred: [] });
  }

  private schedules(): readonly LaneView[] {
    const { journal } = this.engine;
    return journal.openOperations().flatMap((each) => (each.protocol === 'lane' ? [this.engine.viewOf(each) as unknown as LaneView] : []));
  }

  /** One due instant is one ferry: the key names the instant, so that a ferry proposed before a kill is found, not made again. */
  private async propose(view: LaneView, pending: string): Promise<void> {
    const { lane, owner } = view.plan;
    const requestKey = `${view.operationId}:ferry:${pending}`;
    const there = this.engine.journal.byRequestKey(requestKey);
    if (there !== undefined) return this.answer(view, pending, 'ferry_proposed', { ferry: there.operation_id });
    // What was proposed after the backup is not on file: the same run must not be asked for again by itself.
    if (this.engine.journal.restored.of(view.operationId) !== undefined) {
      const sentence = `due ${pending.slice(0, 16)}Z: the journal was restored from a backup; switch the lane off and on once you have looked`;
      return this.answer(view, pending, 'ferry_not_proposed', { sentence });
    }
    const now = this.engine.now();
    const fields = new Map([['objective', `scheduled run, due ${pending.slice(0, 16)}Z`]]);
    if (view.plan.kind === 'daily') fields.set('regression', 'yes');
    const asked = { lane, fields, clears: owner, scheduledFor: pending, now: new Date(pending), last: lastFerryOf(this.engine, lane) };
    const entry = await enterFerry(this.fleet, this.ask, asked);
    if (entry.kind === 'faults') {
      const noticed = view.history.findLast(({ facts }) => facts.pending === pending)?.at ?? now;
      if (entry.unread && now.getTime() - noticed.getTime() < READ_SECONDS * 1000) return;
      return this.answer(view, pending, 'ferry_not_proposed', { sentence: `due ${pending.slice(0, 16)}Z: ${entry.faults.join('; ')}` });
    }
    const { channel } = this.fleet.slack;
    const answer = this.engine.plan({ protocol: 'ferry', by: 'bot', channel, requestKey, ...entry });
    if (answer.kind !== 'refused') return this.answer(view, pending, 'ferry_proposed', { ferry: answer.view.operationId });
    const { holder, state } = answer.details;
    const why = answer.refusal === 'subject_locked' ? `skipped, since ${holder} holds the lane (${state})` : `refused (${answer.refusal})`;
    this.answer(view, pending, 'ferry_not_proposed', { sentence: `due ${pending.slice(0, 16)}Z: ${why}` });
  }

  private answer(view: LaneView, pending: string, on: string, details: JsonObject): void {
    const requestKey = `${view.operationId}:answered:${pending}`;
    const facts = typeof details.ferry === 'string' ? { lastFerry: details.ferry } : {};
    this.engine.request({ operationId: view.operationId, on, by: 'bot', requestKey, details, facts });
  }

  /** What the schedule asked for is cleared by the owner's standing waiver, while it holds. */
  private waive(lane: string, schedule: LaneView): void {
    const waiver = validWaiver(schedule, this.engine.now());
    const ferry = this.engine.journal.holderOf(`lane:${lane}`);
    if (waiver === null || ferry?.state !== 'proposed') return;
    const view = this.engine.viewOf(ferry) as unknown as FerryView;
    // Once: a run that comes back to its gate is for a person.
    if (view.plan.scheduledFor === null || view.history.some(({ event }) => event === 'standing_waiver_used')) return;
    const quote = `${waiver.quote} (${schedule.operationId}, ${waiver.at.slice(0, 16)}Z)`;
    this.engine.request({
      operationId: view.operationId,
      on: 'standing_waiver_used',
      by: 'bot',
      requestKey: `${view.operationId}:standing:${view.enteredAtSeq}`,
      details: { waivedBy: waiver.by, until: waiver.until, quote, sentence: `"${waiver.quote}"` },
    });
  }

  /** The newest run of the lane that succeeded, by whoever's hand, is what an overdue one is measured from. */
  private noteGood(schedule: LaneView): void {
    for (const each of this.engine.journal.ofSubject(`lane:${schedule.plan.lane}`, 5)) {
      const { facts, operationId } = this.engine.viewOf(each) as unknown as FerryView;
      if (facts.outcome !== 'succeeded' || facts.endedAt === undefined) continue;
      if (schedule.facts.lastGood !== undefined && schedule.facts.lastGood >= facts.endedAt) return;
      const good = { lastGood: facts.endedAt, lastGoodFerry: operationId };
      const requestKey = `${schedule.operationId}:good:${operationId}`;
      this.engine.request({ operationId: schedule.operationId, on: 'ferry_was_good', by: 'bot', requestKey, facts: good });
      return;
    }
  }
}

/** Null: a lane without a schedule. */
function planOf(name: string, { kind, schedule, standingWaiverDays }: LaneConfig): JsonObject | null {
  if (schedule === undefined) return null;
  const { cron, owner, late, lateSeconds, overdueSeconds } = schedule;
  return { lane: name, kind, cron, owner, late, lateSeconds, overdueSeconds, standingWaiverDays };
}
