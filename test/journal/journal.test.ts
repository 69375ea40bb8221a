import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadMigrations, migrate, NewerDatabaseError, openDatabase } from '../../src/journal/database.js';
import { canonicalJson, digestOf } from '../../src/journal/digest.js';
import { type Append, BrokenChainError, Journal, SubjectLockedError } from '../../src/journal/journal.js';

const at = new Date('2026-11-30T12:00:00.000Z');

function journalWith(operations = 1): { journal: Journal; ids: string[] } {
  const journal = new Journal(openDatabase(':memory:'));
  const ids = Array.from({ length: operations }, (_, n) => {
    const id = journal.createOperation({ protocol: 'hero', subject: 'family:hero', requester: 'U1', channel: 'C1' }, at);
    journal.append(
      row(id, { from: null, to: 'planned', event: 'plan_made', requestKey: `made-${n}`, plan: { body: { n }, inferred: [] } }),
    );
    return id;
  });
  return { journal, ids };
}

function row(operationId: string, changes: Partial<Append>): Append {
  return {
    operationId,
    from: 'planned',
    event: 'plan_agreed',
    to: 'agreed',
    actor: 'U2',
    at,
    requestKey: 'agreed',
    facts: {},
    details: {},
    evidence: [],
    tell: [],
    open: true,
    locked: false,
    ...changes,
  };
}

test('history can be neither changed nor taken away, not even by a replace', () => {
  const { journal } = journalWith();
  const run = (sql: string) => () => journal.database.exec(sql);

  expect(run("UPDATE transition SET to_state = 'closed'")).toThrow('append-only');
  expect(run('DELETE FROM transition')).toThrow('append-only');
  expect(run('INSERT OR REPLACE INTO transition SELECT * FROM transition')).toThrow('does not follow');
  expect(run("UPDATE plan SET body = '{}'")).toThrow('append-only');
  expect(run('DELETE FROM plan')).toThrow('append-only');
  expect(run('INSERT OR REPLACE INTO plan SELECT * FROM plan')).toThrow('does not follow');
  expect(run('DELETE FROM operation')).toThrow('append-only');
  expect(run('INSERT OR REPLACE INTO operation SELECT * FROM operation')).toThrow('exists');
  expect(run("UPDATE operation SET state = 'closed'")).toThrow('says what its last transition says');
});

test('a row follows the last one: no gap, no other state, no key twice', () => {
  const { journal, ids } = journalWith();
  const [id = ''] = ids;

  expect(() => journal.append(row(id, { from: 'trial' }))).toThrow('does not follow');
  expect(() => journal.append(row(id, { requestKey: 'made-0' }))).toThrow();
  expect(() =>
    journal.database.exec(
      "INSERT INTO transition SELECT operation_id, 3, 'planned', event, to_state, actor, at, 'k', 1, facts, details, evidence, hash FROM transition",
    ),
  ).toThrow('does not follow');
  expect(journal.history(id)).toHaveLength(1);
});

test('two operations cannot hold one subject, and what was refused left nothing behind', () => {
  const { journal, ids } = journalWith(2);
  const [first = '', second = ''] = ids;
  journal.append(row(first, { requestKey: 'a', locked: true }));

  expect(() => journal.transaction(() => journal.append(row(second, { requestKey: 'b', locked: true, tell: ['thread'] })))).toThrow(
    SubjectLockedError,
  );

  expect(journal.operation(second)).toMatchObject({ state: 'planned', seq: 1, locked: 0 });
  expect(journal.history(second)).toHaveLength(1);
  expect(journal.holderOf('family:hero')?.operation_id).toBe(first);
});

test('a row that was written past the journal breaks the chain', () => {
  const { journal, ids } = journalWith();
  const [id = ''] = ids;
  journal.append(row(id, {}));
  journal.verify(id);

  journal.database.exec('DROP TRIGGER transition_is_never_updated');
  journal.database.exec("UPDATE transition SET actor = 'U9' WHERE seq = 1");

  expect(() => journal.verify(id)).toThrow(BrokenChainError);
});

test('an intent goes forward only, starts once, and is never taken away', () => {
  const { journal, ids } = journalWith();
  const [id = ''] = ids;
  const intent = { effect: 'cancel_old', verb: 'cancel', args: { jobId: '/m/x' }, proof: 'gone', recordedAt: at, startBefore: at };
  const { intentId } = journal.append(row(id, { intent }));

  expect(intentId).toBe(`${id}:2`);
  expect(journal.intents.claimStart(`${intentId}`)).toBe(true);
  expect(journal.intents.claimStart(`${intentId}`)).toBe(false);
  expect(journal.intents.expire(`${intentId}`, at)).toBe(false);
  expect(() => journal.database.exec("UPDATE intent SET stage = 'recorded'")).toThrow('only goes forward');
  expect(() => journal.database.exec("UPDATE intent SET args = '{}'")).toThrow('only goes forward');
  expect(() => journal.database.exec('DELETE FROM intent')).toThrow('append-only');
  const columns = 'operation_id, seq, effect, verb, args, args_digest, proof, recorded_at, start_before';
  expect(() => journal.database.exec(`INSERT OR REPLACE INTO intent (${columns}) SELECT ${columns} FROM intent`)).toThrow('exists');
});

test('canonical JSON does not depend on the order of keys, and a plan is hashed by it', () => {
  expect(canonicalJson({ b: 1, a: { d: [2, 1], c: null } })).toBe('{"a":{"c":null,"d":[2,1]},"b":1}');
  const { journal, ids } = journalWith();

  expect(journal.plan(ids[0] ?? '', 1)).toMatchObject({ body: '{"n":0}', hash: digestOf('{"n":0}') });
});

test('evidence is stored once by digest', () => {
  const { journal } = journalWith();

  const first = journal.evidence.keep('iris query …', at);
  const again = journal.evidence.keep('iris query …', new Date(at.getTime() + 5));

  expect(again).toBe(first);
  expect(journal.evidence.read(first)).toEqual({ body: 'iris query …', storedAt: at });
});

test('every migration is applied to a database that is not empty', () => {
  const database = openDatabase(':memory:', []);
  const all = loadMigrations();
  const rows = readdirSync(new URL('../migrations', import.meta.url));

  for (const [index, { name }] of all.entries()) {
    migrate(database, all.slice(0, index + 1));
    expect(rows, `test/migrations/${name}.sql must hold rows for the next migration to meet`).toContain(`${name}.sql`);
    database.exec(readFileSync(new URL(`../migrations/${name}.sql`, import.meta.url), 'utf8'));
  }

  expect(database.pragma('user_version', { simple: true })).toBe(all.length);
  expect(database.pragma('foreign_key_check')).toEqual([]);
  expect(database.prepare('SELECT count(*) AS n FROM transition').get()).toEqual({ n: 2 });
  expect(database.prepare('SELECT intent_id, effect, stage FROM intent').all()).toEqual([
    { intent_id: 'hero-1:2', effect: 'cancel_old', stage: 'recorded' },
  ]);
  expect(database.prepare('SELECT seq, sink, stage, tries, sent_under, external_id FROM outbox ORDER BY sink').all()).toEqual([
    { seq: 1, sink: 'issue', stage: 'waiting', tries: 0, sent_under: null, external_id: null },
    { seq: 1, sink: 'thread', stage: 'delivered', tries: 1, sent_under: '1.1', external_id: '1.2' },
  ]);
});

test('a database of a newer build is not touched', () => {
  const database = openDatabase(':memory:');
  database.pragma('user_version = 99');

  expect(() => migrate(database, loadMigrations())).toThrow(NewerDatabaseError);
  expect(() => migrate(database, loadMigrations())).toThrow('start the newer build');
});

test('a migration that fails leaves neither its tables nor its version', () => {
  const database = openDatabase(':memory:', []);

  expect(() => migrate(database, [{ version: 1, name: 'x', sql: 'CREATE TABLE a (b); CREATE TABLE a (b);' }])).toThrow();

  expect(database.pragma('user_version', { simple: true })).toBe(0);
  expect(database.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = 'a'").get()).toEqual({ n: 0 });
});
