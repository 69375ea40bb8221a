import type { JsonObject } from '../protocol/table.js';
import type { Database } from './database.js';
import { canonicalJson, digestOf } from './digest.js';

export interface NewIntent {
  readonly effect: string;
  readonly verb: string;
  readonly args: JsonObject;
  /** In words: the reading that proves the outcome. */
  readonly proof: string;
  readonly recordedAt: Date;
  readonly startBefore: Date;
}

/** Who acts: enough to prove later that it, and all it started, are gone. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: number;
  readonly bootId: string;
}

export interface IntentRow {
  readonly intent_id: string;
  readonly operation_id: string;
  readonly seq: number;
  readonly effect: string;
  readonly verb: string;
  readonly args: string;
  readonly recorded_at: string;
  readonly start_before: string;
  readonly stage: 'recorded' | 'starting' | 'acting' | 'over' | 'expired';
  readonly pid: number | null;
  readonly start_ticks: number | null;
  readonly boot_id: string | null;
  readonly problem: string | null;
  readonly job_id: string | null;
}

/** The row of `hero-12:9`, by the key that it is kept under. */
const BY_ID =
  "operation_id = substr(@intentId, 1, instr(@intentId, ':') - 1) AND seq = CAST(substr(@intentId, instr(@intentId, ':') + 1) AS INTEGER)";

/** Effects on file. A stage only goes forward; an intent that was started once can never be started again. */
export class Intents {
  private readonly statements;

  constructor(database: Database) {
    this.statements = {
      insert: database.prepare(
        `INSERT INTO intent (operation_id, seq, effect, verb, args, args_digest, proof, recorded_at, start_before)
         VALUES (@operationId, @seq, @effect, @verb, @args, @argsDigest, @proof, @recordedAt, @startBefore)`,
      ),
      start: database.prepare(`UPDATE intent SET stage = 'starting' WHERE ${BY_ID} AND stage = 'recorded'`),
      expire: database.prepare(`UPDATE intent SET stage = 'expired', ended_at = @at WHERE ${BY_ID} AND stage = 'recorded'`),
      acting: database.prepare(
        `UPDATE intent SET stage = 'acting', pid = @pid, start_ticks = @startTicks, boot_id = @bootId WHERE ${BY_ID} AND stage = 'starting'`,
      ),
      end: database.prepare(
        `UPDATE intent SET stage = 'over', ended_at = @at, problem = @problem, job_id = @jobId, evidence = @evidence
         WHERE ${BY_ID} AND stage IN ('starting', 'acting')`,
      ),
      unsettled: database.prepare("SELECT * FROM intent WHERE stage IN ('recorded', 'starting', 'acting') ORDER BY recorded_at"),
      mayAct: database.prepare(
        "SELECT effect FROM intent WHERE operation_id = ? AND stage IN ('recorded', 'starting', 'acting') ORDER BY seq",
      ),
      all: database.prepare('SELECT * FROM intent WHERE operation_id = ? ORDER BY seq'),
      one: database.prepare(`SELECT * FROM intent WHERE ${BY_ID}`),
    };
  }

  record(operationId: string, seq: number, intent: NewIntent): string {
    const args = canonicalJson(intent.args);
    this.statements.insert.run({
      operationId,
      seq,
      effect: intent.effect,
      verb: intent.verb,
      args,
      argsDigest: digestOf(args),
      proof: intent.proof,
      recordedAt: intent.recordedAt.toISOString(),
      startBefore: intent.startBefore.toISOString(),
    });
    return `${operationId}:${seq}`;
  }

  /** Claims the one start of an intent; false when somebody claimed it before. Durable before anything is spawned. */
  claimStart(intentId: string): boolean {
    return this.statements.start.run({ intentId }).changes === 1;
  }

  /** It was never started and now never will be. */
  expire(intentId: string, at: Date): boolean {
    return this.statements.expire.run({ intentId, at: at.toISOString() }).changes === 1;
  }

  noteProcess(intentId: string, identity: ProcessIdentity): void {
    this.statements.acting.run({ intentId, ...identity });
  }

  /** Its process and all that it started are gone. */
  end(
    intentId: string,
    end: { readonly at: Date; readonly problem: string | null; readonly jobId: string | null; readonly evidence: string | null },
  ): boolean {
    return this.statements.end.run({ intentId, ...end, at: end.at.toISOString() }).changes === 1;
  }

  unsettled(): readonly IntentRow[] {
    return this.statements.unsettled.all() as IntentRow[];
  }

  /** Effects of an operation that may still act. */
  actingOf(operationId: string): readonly string[] {
    const rows = this.statements.mayAct.all(operationId) as { effect: string }[];
    return rows.map(({ effect }) => effect);
  }

  /** Every effect that an operation ever put on file, oldest first. */
  all(operationId: string): readonly IntentRow[] {
    return this.statements.all.all(operationId) as IntentRow[];
  }

  get(intentId: string): IntentRow | undefined {
    return this.statements.one.get({ intentId }) as IntentRow | undefined;
  }
}
