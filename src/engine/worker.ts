import type { IntentRow, ProcessIdentity } from '../journal/intents.js';
import type { ActReport } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import type { JsonObject } from '../protocol/table.js';
import type { Engine } from './engine.js';

/** What acts on the outside. Never called twice for one intent. */
export interface Actor {
  act(
    verb: string,
    args: JsonObject,
    intent: { readonly id: string; readonly onSpawn: (identity: ProcessIdentity) => void },
  ): Promise<ActReport>;
  /** Whether the process of an intent, and all it started, are gone. What cannot be told is unknown. */
  isGone(process: { readonly intentId: string; readonly identity: ProcessIdentity | null }): Promise<Reading<boolean>>;
}

/**
 * Acts after the record, once, and settles what a dead bot left behind: an intent that was never started may be started
 * while it is fresh; one that was started is over only when its processes are proven gone. What it did outside is for
 * the protocol's readings to say.
 */
export class Worker {
  private readonly running = new Map<string, Promise<void>>();
  private readonly reports = new Map<string, ActReport>();
  private stopped = false;

  constructor(
    private readonly engine: Engine,
    private readonly actor: Actor,
    private readonly onSettled: (operationId: string) => void,
    /** An act that could not be made, or its report not be kept: settling finds out what became of it. */
    private readonly onFault: (intentId: string, fault: unknown) => void,
  ) {
    engine.onRecorded((_operationId, intentId) => {
      if (intentId !== null) this.begin(intentId);
    });
  }

  /** Called at every tick, the first one after a start too. */
  async settle(): Promise<void> {
    for (const intent of this.engine.journal.intents.unsettled()) {
      if (this.running.has(intent.intent_id)) continue;
      if (intent.stage === 'recorded') this.begin(intent.intent_id);
      else await this.finish(intent);
    }
  }

  /** Starts nothing any more: what is on file and not started is the next process's. */
  stop(): void {
    this.stopped = true;
  }

  /** Resolves when every act that this process started has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.running.values());
  }

  private begin(intentId: string): void {
    if (this.stopped || this.running.has(intentId)) return;
    const run = this.act(intentId)
      .catch((fault) => this.onFault(intentId, fault))
      .finally(() => this.running.delete(intentId));
    this.running.set(intentId, run);
  }

  private async act(intentId: string): Promise<void> {
    const { intents } = this.engine.journal;
    const intent = intents.get(intentId);
    if (intent === undefined || intent.stage !== 'recorded') return;
    if (this.engine.now() > new Date(intent.start_before)) {
      intents.expire(intentId, this.engine.now());
      this.onSettled(intent.operation_id);
      return;
    }
    if (!intents.claimStart(intentId)) return;
    const report = await this.actor.act(intent.verb, JSON.parse(intent.args), {
      id: intentId,
      onSpawn: (identity) => intents.noteProcess(intentId, identity),
    });
    this.reports.set(intentId, report);
    const started = intents.get(intentId);
    if (started !== undefined) await this.finish(started);
  }

  /** Over, once nothing of it is alive any more. A report that died with the bot is said to be lost. */
  private async finish(intent: IntentRow): Promise<void> {
    const report = this.reports.get(intent.intent_id);
    if (report?.problem !== 'not_started') {
      const gone = await this.actor.isGone({ intentId: intent.intent_id, identity: identityOf(intent) });
      if (gone.kind === 'unknown' || !gone.value) return;
    }
    const { journal } = this.engine;
    const at = this.engine.now();
    journal.transaction(() => {
      const evidence = report === undefined ? null : journal.evidence.keep(report.evidence, at);
      const problem = report === undefined ? 'lost' : report.problem;
      journal.intents.end(intent.intent_id, { at, problem, jobId: report?.jobId ?? null, evidence });
    });
    this.reports.delete(intent.intent_id);
    this.onSettled(intent.operation_id);
  }
}

function identityOf(intent: IntentRow): ProcessIdentity | null {
  if (intent.pid === null || intent.start_ticks === null || intent.boot_id === null) return null;
  return { pid: intent.pid, startTicks: intent.start_ticks, bootId: intent.boot_id };
}
