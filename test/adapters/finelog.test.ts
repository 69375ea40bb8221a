import type Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { UnsafeArgumentError } from '../../src/adapters/binding.js';
import { gist, registryOf } from './asking.js';
import { fakeCommand, fakeFleet, fakeReply } from './fake-command.js';
import { sqlCommand } from './sql-command.js';

const RUN = 'hero-ragged_a2a-ep-step54k';
const JOB = '/marin/hero-ragged_a2a-ep-step54k-coord-1a2b3c4d';

interface MetricRow {
  readonly step: number;
  readonly name?: string;
  readonly value?: number | string | null;
  readonly uid?: string;
  readonly atMs?: number;
  readonly run?: string;
}

function telemetry(rows: readonly MetricRow[], lines: readonly (readonly [key: string, atMs: number, data: string])[] = []) {
  return sqlCommand('jsonl', (db: Database.Database) => {
    db.exec(
      'CREATE TABLE "levanter.metrics" (timestamp_ms, run_id, execution_uid, job_id, process_index, step, name, kind, value, unit, seq, cluster)',
    );
    db.exec('CREATE TABLE "log" (key, seq, epoch_ms, source, data, cluster)');
    const metric = db.prepare(`INSERT INTO "levanter.metrics" VALUES (?, ?, ?, '/j', 0, ?, ?, 'scalar', ?, '', ?, 'east')`);
    db.transaction(() => {
      for (const [seq, { step, name = 'train_loss', value = 1.5, uid = 'e-0', atMs = step * 100, run = RUN }] of rows.entries()) {
        metric.run(atMs, run, uid, step, name, value, seq + 1);
      }
      const log = db.prepare(`INSERT INTO "log" VALUES (?, ?, ?, 'stdout', ?, 'east')`);
      for (const [seq, [key, atMs, data]] of lines.entries()) log.run(key, seq + 1, atMs, data);
    })();
  });
}

function hero(finelog: ReturnType<typeof fakeCommand>) {
  const registry = registryOf(fakeFleet({ finelog }));
  return {
    lastStep: async (sinceMs = 0) => gist(await registry.read('last_step', { family: 'hero', runId: RUN, sinceMs })),
    series: async (metrics: readonly string[], from: number, to: number) =>
      gist(await registry.read('series', { family: 'hero', runId: RUN, metrics, from, to })),
    markers: async (sinceMs = 0) => gist(await registry.read('markers', { family: 'hero', jobId: JOB, sinceMs })),
  };
}

describe('the last step', () => {
  test('is the newest by time: a retry starts again at a lower one', async () => {
    const rows = [
      { step: 54_100, uid: 'e-0', atMs: 1_000 },
      { step: 54_000, uid: 'e-1', atMs: 2_000 },
      { step: 54_200, name: 'throughput_mfu', atMs: 3_000 },
      { step: 60_000, run: 'hero-raggedXa2a-ep-step54k', atMs: 4_000 },
    ];

    expect(await hero(telemetry(rows)).lastStep()).toEqual({ known: { step: 54_000, atMs: 2_000, rows: 2 } });
    expect(await hero(telemetry(rows)).lastStep(2_001)).toEqual({ known: { step: null, atMs: null, rows: 0 } });
  });

  test('F96: no row is said by a count; nothing printed is no answer', async () => {
    expect(await hero(fakeReply('')).lastStep()).toMatchObject({ unknown: 'unparsable' });
    expect(await hero(fakeReply('{"last_step": null, "last_ms": null, "n": 0}\n')).lastStep()).toEqual({
      known: { step: null, atMs: null, rows: 0 },
    });
    expect(await hero(fakeReply('{"last_step": null, "last_ms": 5, "n": 3}\n')).lastStep()).toMatchObject({ unknown: 'inconsistent' });
    expect(await hero(fakeReply('{"last_step": 5, "last_ms": 5, "n": 3, "stale": true}\n')).lastStep()).toMatchObject({
      unknown: 'unparsable',
    });
    expect(await hero(fakeReply('{"last_step": 5, "last_ms": 5, "n": 3}')).lastStep()).toMatchObject({ unknown: 'unparsable' });
    expect(await hero(fakeReply('', { exit: 1, stderr: 'deadline\n' })).lastStep()).toMatchObject({ unknown: 'failed' });
  });
});

describe('a series', () => {
  test('is every row of the metrics asked for, oldest first, by attempt, with what is not finite', async () => {
    const finelog = telemetry([
      { step: 10, uid: 'e-b', atMs: 300, value: 2 },
      { step: 10, uid: 'e-a', atMs: 100, value: 'NaN' },
      { step: 11, uid: 'e-a', atMs: 200, value: null },
      { step: 12, uid: 'e-b', atMs: 400 },
      { step: 9, uid: 'e-a', atMs: 50 },
      { step: 10, uid: 'e-b', name: 'throughput_mfu', atMs: 310, value: 23.3 },
      { step: 10, uid: 'e-b', name: 'grad_norm', atMs: 310 },
    ]);

    expect(await hero(finelog).series(['train_loss', 'throughput_mfu'], 10, 11)).toEqual({
      known: [
        { step: 10, metric: 'train_loss', value: 'NaN', attempt: 0, atMs: 100, seq: 2 },
        { step: 11, metric: 'train_loss', value: null, attempt: 0, atMs: 200, seq: 3 },
        { step: 10, metric: 'train_loss', value: 2, attempt: 1, atMs: 300, seq: 1 },
        { step: 10, metric: 'throughput_mfu', value: 23.3, attempt: 1, atMs: 310, seq: 6 },
      ],
    });
  });

  test('is read in pages, none of which leaves a row out', async () => {
    const finelog = telemetry(Array.from({ length: 1_850 }, (_, step) => ({ step })));

    const reading = await hero(finelog).series(['train_loss'], 0, 5_000);

    expect(reading).toMatchObject({ known: { length: 1_850 } });
    expect(finelog.calls().length).toBe(3);
  });

  test('that is empty is believed with a count, and not without', async () => {
    const none = telemetry([]);
    const silent = fakeCommand('case "$3" in *count*) echo "{\\"n\\":7}";; esac');

    expect(await hero(none).series(['train_loss'], 0, 10)).toEqual({ known: [] });
    expect(none.calls().length).toBe(2);
    expect(await hero(silent).series(['train_loss'], 0, 10)).toEqual({
      unknown: 'inconsistent',
      detail: 'nothing was printed, and the count is 7',
    });
    expect(await hero(fakeReply('')).series(['train_loss'], 0, 10)).toMatchObject({ unknown: 'unparsable' });
  });

  test('with a bare NaN is read, and with any other layout is not', async () => {
    const row = '{"timestamp_ms": 1, "execution_uid": "e", "step": 1, "name": "train_loss", "value": VALUE, "seq": 1}\n';
    const of = (value: string) => hero(fakeReply(row.replace('VALUE', value))).series(['train_loss'], 0, 10);

    expect(await of('NaN')).toMatchObject({ known: [{ value: 'NaN' }] });
    expect(await of('-Infinity')).toMatchObject({ known: [{ value: '-Infinity' }] });
    expect(await of('"1.5"')).toMatchObject({ unknown: 'unparsable' });
    expect(await of('1, "approximate": true')).toMatchObject({ unknown: 'unparsable' });
    expect(await hero(fakeReply(row.replace('VALUE', '1').repeat(2))).series(['train_loss'], 0, 10)).toMatchObject({
      unknown: 'inconsistent',
    });
  });

  test('F84: what cannot be a run id, a metric or a number is refused before anything is spawned', async () => {
    const finelog = fakeReply('');
    const registry = registryOf(fakeFleet({ finelog }));
    const ask = { family: 'hero', runId: RUN, metrics: ['train_loss'], from: 0, to: 1 };
    const runIds = [
      'hero-x$(id)',
      'hero-x;reboot',
      '-rf',
      '--config=evil',
      'hero-x\nrm',
      'hero-х-step54k',
      'x'.repeat(300),
      '',
      "x'--",
      '..',
    ];

    for (const runId of runIds) await expect(registry.read('series', { ...ask, runId }), runId).rejects.toThrow(UnsafeArgumentError);
    await expect(registry.read('series', { ...ask, metrics: ["a') OR 1=1 --"] })).rejects.toThrow(UnsafeArgumentError);
    await expect(registry.read('series', { ...ask, metrics: [] })).rejects.toThrow(UnsafeArgumentError);
    await expect(registry.read('series', { ...ask, to: Number.NaN })).rejects.toThrow(UnsafeArgumentError);
    await expect(registry.read('last_step', { family: 'hero', runId: RUN, sinceMs: 0.5 })).rejects.toThrow(UnsafeArgumentError);
    expect(finelog.calls()).toEqual([]);
  });
});

describe('markers', () => {
  test('are none only by a count, when all that was printed is of something else', async () => {
    const line = (key: string, data = 'JaxRuntimeError') => `${JSON.stringify({ key, seq: 1, epoch_ms: 500, data })}\n`;
    const asked = `${JOB}/grug-train-x/0:0`;
    const foreign = [`${JOB}9/x/0:0`, '/marin/hero-other-coord-1/x/0:0', '/bob/hero-x-coord-1/x/0:0', JOB.slice(1), JOB];
    const printed = [...foreign.map((key) => line(key)), line(asked, 'nothing in particular')];
    const counting = (rows: string, count: number) =>
      hero(fakeCommand(`case "$3" in *count*) echo '{"n":${count}}';; *) printf '%s' '${rows}';; esac`)).markers(200);

    for (const rows of printed) {
      expect(await counting(rows, 0), rows).toEqual({ known: [] });
      expect(await counting(rows, 1), rows).toMatchObject({ unknown: 'inconsistent' });
      expect(await hero(fakeReply(rows)).markers(200), rows).toMatchObject({ unknown: 'unparsable' });
    }
    expect(await hero(fakeReply(line(asked))).markers(200)).toMatchObject({ known: [{ kind: 'runtime_error' }] });
    expect(await hero(fakeReply(line(`${JOB.toUpperCase()}/x/0:0`))).markers(200)).toEqual({ known: [] });
  });

  test('are lines of the job and its children, each for all that it means, with secrets out', async () => {
    const gang = `${JOB}/grug-train-${RUN}/0:0`;
    const finelog = telemetry(
      [],
      [
        [gang, 200, 'Loading checkpoint from s3://hero/step-54000'],
        [gang, 300, 'Compiling train_step with XLA'],
        [gang, 500, 'Fatal error in grug training loop; JaxRuntimeError: WANDB_API_KEY=abcdef'],
        [gang, 400, 'No progress after step for 900 seconds (timeout 900); terminating with exit code 124'],
        [gang, 100, 'Loading checkpoint from too early'],
        [gang, 600, 'nothing in particular'],
        [`${JOB.replace('ragged_a2a', 'raggedXa2a')}/grug-train-x/0:0`, 700, 'JaxRuntimeError'],
        [`${JOB}9/grug-train-x/0:0`, 700, 'JaxRuntimeError'],
        [`${JOB.toUpperCase()}/x/0:0`, 700, 'JaxRuntimeError'],
      ],
    );

    expect(await hero(finelog).markers(200)).toEqual({
      known: [
        { kind: 'restore_began', task: gang, atMs: 200, text: 'Loading checkpoint from s3://hero/step-54000' },
        { kind: 'compiling', task: gang, atMs: 300, text: 'Compiling train_step with XLA' },
        {
          kind: 'watchdog',
          task: gang,
          atMs: 400,
          text: 'No progress after step for 900 seconds (timeout 900); terminating with exit code 124',
        },
        {
          kind: 'runtime_error',
          task: gang,
          atMs: 500,
          text: 'Fatal error in grug training loop; JaxRuntimeError: WANDB_API_KEY=[redacted]',
        },
        { kind: 'fatal', task: gang, atMs: 500, text: 'Fatal error in grug training loop; JaxRuntimeError: WANDB_API_KEY=[redacted]' },
      ],
    });
  });
});
