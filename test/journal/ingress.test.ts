import { expect, test } from 'vitest';
import { openDatabase } from '../../src/journal/database.js';
import { Ingress } from '../../src/journal/ingress.js';

const receivedAt = new Date('2026-11-30T12:00:00.000Z');
const arrival = (requestKey: string) => ({ requestKey, kind: 'click' as const, actor: 'U1', body: '{}', receivedAt });

test('fifty arrivals of one turn of the event loop are one commit', async () => {
  const database = openDatabase(':memory:');
  const ingress = new Ingress(database);
  let commits = 0;
  const begin = database.transaction.bind(database);
  database.transaction = ((work: () => unknown) => {
    commits += 1;
    return begin(work);
  }) as typeof database.transaction;

  const stored = await Promise.all(Array.from({ length: 50 }, (_, n) => ingress.store(arrival(`k${n}`))));

  expect(stored.every(({ kind }) => kind === 'new')).toBe(true);
  expect(commits).toBe(1);
  expect(database.prepare('SELECT count(*) AS n FROM ingress').get()).toEqual({ n: 50 });
});

test('the same delivery twice is taken once, in one turn and in two', async () => {
  const ingress = new Ingress(openDatabase(':memory:'));

  const together = await Promise.all([ingress.store(arrival('k')), ingress.store(arrival('k'))]);
  const later = await ingress.store(arrival('k'));

  expect([...together, later].map(({ kind }) => kind)).toEqual(['new', 'repeated', 'repeated']);
});

test('what was not handled before a crash is handed in once more, with the time of its arrival', async () => {
  const database = openDatabase(':memory:');
  await new Ingress(database).store(arrival('interrupted'));
  const handled = new Ingress(database);
  await handled.store(arrival('handled'));
  await handled.markHandled('handled', 'handled', receivedAt);
  await handled.store(arrival('after'));
  await handled.markHandled('after', 'handled', receivedAt);
  await new Promise((done) => setImmediate(done));

  const next = new Ingress(database);
  const rows = next.takeUnhandled();
  const again = await next.store({ ...arrival('interrupted'), receivedAt: new Date('2026-11-30T13:00:00Z') });
  const twice = await next.store(arrival('interrupted'));

  expect(rows.map(({ request_key }) => request_key)).toEqual(['interrupted']);
  expect(again).toEqual({ kind: 'new', receivedAt });
  expect(twice.kind).toBe('repeated');
});

test('when nothing can be stored, whoever waits is told', async () => {
  const database = openDatabase(':memory:');
  const ingress = new Ingress(database);
  database.pragma('query_only = ON');

  await expect(ingress.store(arrival('k'))).rejects.toThrow();
});
