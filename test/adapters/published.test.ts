import type Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { UnsafeArgumentError } from '../../src/adapters/binding.js';
import { gist, registryOf } from './asking.js';
import { fakeFleet, fakeReply } from './fake-command.js';
import { sqlCommand } from './sql-command.js';

const TITLE = 'hero-1 hero-fast-a2a-step54k against hero-main-step54k, steps 54000 to 54200';
const [OLD, NEW] = ['hero-main-step54k', 'hero-fast-a2a-step54k'];

const report = async (stdout: string, title = TITLE, exit = 0) =>
  gist(await registryOf(fakeFleet({ tracker: fakeReply(stdout, { exit }) })).read('tracker_report', { family: 'hero', title }));

test('a report is there with its address, or known not to be; no answer is neither', async () => {
  expect(await report('{"exists":false}\n')).toEqual({ known: { url: null } });
  expect(await report('{"exists":true,"url":"https://tracker.example/r/1"}\n')).toEqual({ known: { url: 'https://tracker.example/r/1' } });
  expect(await report('', TITLE, 1)).toMatchObject({ unknown: 'failed' });
  expect(await report('')).toMatchObject({ unknown: 'unparsable' });
  expect(await report('{"exists":true}\n')).toMatchObject({ unknown: 'unparsable' });
});

test('F80: an address that is more than an address becomes no link, and a title that is an option reaches no command line', async () => {
  for (const url of ['javascript:alert(1)', 'https://a.example/x|go', 'https://a.example/ <!channel>', 'http://'])
    expect(await report(`${JSON.stringify({ exists: true, url })}\n`)).toMatchObject({ unknown: 'unparsable' });
  await expect(report('{"exists":false}\n', '--title')).rejects.toThrow(UnsafeArgumentError);
});

test('a report is made of two run sets over the same steps, a panel a metric', async () => {
  const tracker = fakeReply('https://tracker.example/r/1\n');
  const registry = registryOf(fakeFleet({ tracker }));
  const args = {
    family: 'hero',
    title: TITLE,
    control: OLD,
    candidate: NEW,
    from: 54_000,
    to: 54_200,
    panels: ['train_loss', 'throughput_mfu'],
  };

  const done = await registry.act('publish_report', args, { id: 'hero-1:9', onSpawn: () => {} });

  expect(done).toMatchObject({ exitCode: 0, problem: null });
  expect(tracker.calls()).toEqual([
    [
      ...['report', 'create', expect.stringMatching(/^[^/]+\/[^/]+$/), '--title', TITLE, '--run-set', OLD, '--run-set', NEW],
      ...['--from', '54000', '--to', '54200', '--panel', 'train_loss', '--panel', 'throughput_mfu'],
    ],
  ]);
});

function telemetry(names: Readonly<Record<string, readonly string[]>>) {
  return sqlCommand('jsonl', (db: Database.Database) => {
    db.exec('CREATE TABLE "levanter.metrics" (timestamp_ms, run_id, execution_uid, step, name, value, seq)');
    const insert = db.prepare(`INSERT INTO "levanter.metrics" VALUES (?, ?, 'e-0', ?, ?, 1.5, ?)`);
    let seq = 0;
    for (const [run, metrics] of Object.entries(names)) for (const name of metrics) insert.run(1_000, run, 54_000, name, ++seq);
  });
}

const shared = async (names: Readonly<Record<string, readonly string[]>>) =>
  gist(
    await registryOf(fakeFleet({ finelog: telemetry(names) })).read('shared_series', {
      family: 'hero',
      control: OLD,
      candidate: NEW,
      from: 54_000,
      to: 54_200,
    }),
  );

test('metrics that both runs log are read of both; the others are no difference', async () => {
  const read = await shared({ [OLD]: ['train_loss', 'old_only'], [NEW]: ['new_only', 'train_loss'] });

  expect(read).toMatchObject({
    known: { metrics: ['train_loss'], left: 0, control: [{ metric: 'train_loss' }], candidate: [{ step: 54_000 }] },
  });
});

test('of very many metrics some are read and the rest is counted; a run without a row is not a run that shares nothing', async () => {
  const many = Array.from({ length: 75 }, (_none, n) => `metric_${`${n}`.padStart(2, '0')}`);
  const read = await shared({ [OLD]: many, [NEW]: many });

  expect('known' in read ? [read.known.metrics.length, read.known.left] : read).toEqual([60, 15]);
  expect(await shared({ [OLD]: ['train_loss'] })).toMatchObject({ unknown: 'unparsable' });
});
