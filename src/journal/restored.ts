import type { Database } from './database.js';

export interface RestoredRow {
  readonly operation_id: string;
  /** When the backup was put in place; UTC, ISO 8601. */
  readonly at: string;
  /** When the outside was read and contradicted nothing; null: not yet. */
  readonly compared_at: string | null;
}

/** Numbers left out after a restore, since they may have been given after the backup was made. */
const NUMBERS_APART = 100;

/** Operations that came back open from a backup: what happened to them since is known only once they have been compared with the outside. */
export class Restored {
  private readonly statements;

  constructor(private readonly database: Database) {
    this.statements = {
      pending: database.prepare('SELECT operation_id, at, compared_at FROM restored WHERE compared_at IS NULL ORDER BY operation_id'),
      one: database.prepare('SELECT operation_id, at, compared_at FROM restored WHERE operation_id = ? AND released_at IS NULL'),
      released: database.prepare('UPDATE restored SET released_at = ? WHERE operation_id = ? AND released_at IS NULL'),
      compared: database.prepare('UPDATE restored SET compared_at = ? WHERE operation_id = ? AND compared_at IS NULL'),
      mark: database.prepare(
        `INSERT INTO restored (operation_id, at) SELECT operation_id, @at FROM operation WHERE open = 1
         ON CONFLICT (operation_id) DO UPDATE SET at = excluded.at, compared_at = NULL, released_at = NULL`,
      ),
      floor: database.prepare(
        `INSERT INTO number_floor (protocol, number) SELECT protocol, max(number) + ${NUMBERS_APART} FROM operation GROUP BY protocol
         ON CONFLICT (protocol) DO UPDATE SET number = max(number, excluded.number)`,
      ),
      intents: database.prepare("UPDATE intent SET stage = 'starting' WHERE stage = 'recorded'"),
      lines: database.prepare("UPDATE outbox SET stage = 'sending' WHERE stage = 'waiting'"),
      cards: database.prepare("UPDATE card SET stage = 'sending' WHERE stage = 'waiting'"),
    };
  }

  /** What has not been compared with the outside yet. */
  pending(): readonly RestoredRow[] {
    return this.statements.pending.all() as RestoredRow[];
  }

  /** Undefined: it never came back from a backup, or a person has moved it since. */
  of(operationId: string): RestoredRow | undefined {
    return this.statements.one.get(operationId) as RestoredRow | undefined;
  }

  markCompared(operationId: string, at: Date): void {
    this.statements.compared.run(at.toISOString(), operationId);
  }

  /** A person moved it: what it does by itself is asked for again. */
  markReleased(operationId: string, at: Date): void {
    this.statements.released.run(at.toISOString(), operationId);
  }

  /**
   * Makes of a journal one that was restored at this instant: whatever its bot may have done after the backup counts as
   * perhaps done. An effect that was only recorded may have acted, a line that waited may have been sent.
   */
  markAll(at: Date): void {
    this.database
      .transaction(() => {
        this.statements.mark.run({ at: at.toISOString() });
        this.statements.floor.run();
        this.statements.intents.run();
        this.statements.lines.run();
        this.statements.cards.run();
      })
      .immediate();
  }
}
