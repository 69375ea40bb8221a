import { existsSync } from 'node:fs';
import { UsageError } from './errors.js';
import type { Fleet } from './fleet.js';
import { type Database, openToLook } from './journal/database.js';
import { Journal, type TransitionRow } from './journal/journal.js';
import { Outbox } from './journal/outbox.js';

/** Prints the history of an operation; its chain is verified first. Returns the exit code. */
export function printLog(fleet: Fleet, operationId: string, format: 'text' | 'json'): number {
  return reading(fleet, (database) => {
    const journal = new Journal(database);
    if (journal.operation(operationId) === undefined) throw new UsageError(`log: there is no operation ${operationId} in ${fleet.data}`);
    journal.verify(operationId);
    for (const row of journal.history(operationId)) process.stdout.write(format === 'json' ? `${asJson(row)}\n` : `${asText(row)}\n`);
    return 0;
  });
}

/** Prints open operations and what is still to be told. Returns the exit code. */
export function printStatus(fleet: Fleet): number {
  return reading(fleet, (database) => {
    const open = new Journal(database).openOperations();
    for (const each of open)
      process.stdout.write(`${each.operation_id}  ${each.state}  row ${each.seq}  ${each.locked === 1 ? each.subject : ''}\n`);
    if (open.length === 0) process.stdout.write('no operation is open\n');
    for (const { sink, waiting, error } of new Outbox(database).backlog()) {
      process.stdout.write(`${sink}: ${waiting} lines wait${error === null ? '' : ` (${error})`}\n`);
    }
    return 0;
  });
}

/** Beside a running bot: read-only, so that looking never stands in its way. */
function reading(fleet: Fleet, look: (database: Database) => number): number {
  const path = `${fleet.data}/journal.db`;
  if (!existsSync(path)) throw new UsageError(`there is no journal in ${fleet.data} yet`);
  const database = openToLook(path);
  try {
    return look(database);
  } finally {
    database.close();
  }
}

function asText(row: TransitionRow): string {
  return `${`${row.seq}`.padStart(3)}  ${row.at}  ${row.from_state ?? '–'} → ${row.to_state}  ${row.event}, by ${row.actor}`;
}

function asJson(row: TransitionRow): string {
  return JSON.stringify({
    operation: row.operation_id,
    seq: row.seq,
    from: row.from_state,
    event: row.event,
    to: row.to_state,
    actor: row.actor,
    at: row.at,
    plan_version: row.plan_version,
    request_key: row.request_key,
    facts: JSON.parse(row.facts),
    details: JSON.parse(row.details),
    evidence: JSON.parse(row.evidence),
    hash: row.hash,
  });
}
