import type { Database } from '../../src/journal/database.js';

/** What somebody with a database tool may try, to set right what happened. All of it must fail. */
const REPAIRS = [
  "UPDATE transition SET actor = 'U0EVIL00001' WHERE rowid = (SELECT max(rowid) FROM transition)",
  'DELETE FROM transition WHERE rowid = (SELECT max(rowid) FROM transition)',
  `INSERT OR REPLACE INTO transition (operation_id, seq, from_state, event, to_state, actor, at, request_key, plan_version, facts, details, evidence, hash)
   SELECT operation_id, seq, from_state, event, to_state, 'U0EVIL00001', at, request_key, plan_version, facts, details, evidence, hash
   FROM transition WHERE rowid = (SELECT max(rowid) FROM transition)`,
  'DELETE FROM intent',
  "UPDATE intent SET stage = 'recorded'",
] as const;

/** Tries every repair. One that has nothing to change may pass; what it changed is for the invariants to find. */
export function rewriteHistory(database: Database): void {
  for (const repair of REPAIRS) {
    try {
      database.exec(repair);
    } catch (fault) {
      if (!(fault instanceof Error && 'code' in fault && `${fault.code}`.startsWith('SQLITE_CONSTRAINT'))) throw fault;
    }
  }
}
