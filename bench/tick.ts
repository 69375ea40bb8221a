import Database from 'better-sqlite3';
import { createRegistry } from '../src/adapters/registry.js';
import type { Invocation, Outcome, Shell } from '../src/adapters/shell.js';
import { parseFleet } from '../src/fleet.js';
import type { Reads } from '../src/protocol/outside.js';

/**
 * One tick of the monitor with 500 live operations: how many processes, against one a run. Design section 9: at most
 * ⌈rows / 900⌉ a question. The adapters are the real ones; what they would spawn is counted and answered from a database
 * in this process, so that the figure is of the batching and not of the machine.
 */
const OPERATIONS = 500;
const WINDOW = 20;
const ROWS_A_PROCESS = 900;

const RUNS = Array.from({ length: OPERATIONS }, (_, n) => `hero-bench_${n}-step54k`);
const jobOf = (run: string): string => `/marin/${run}-coord-1a2b3c4d`;

function world(): Database.Database {
  const db = new Database(':memory:');
  db.function('contains', (text: unknown, needle: unknown) => (`${text}`.includes(`${needle}`) ? 1 : 0));
  db.exec('CREATE TABLE jobs (job_id TEXT, depth INTEGER, state INTEGER)');
  db.exec('CREATE TABLE "levanter.metrics" (timestamp_ms, run_id, execution_uid, step, name, value, seq)');
  db.exec('CREATE TABLE "log" (key, seq, epoch_ms, data)');
  const job = db.prepare('INSERT INTO jobs VALUES (?, 1, 3)');
  const metric = db.prepare(`INSERT INTO "levanter.metrics" VALUES (?, ?, 'e', ?, 'train_loss', 1.5, ?)`);
  const line = db.prepare(`INSERT INTO "log" VALUES (?, ?, 1000, 'Loading checkpoint from s3://hero/step-54000')`);
  db.transaction(() => {
    let seq = 0;
    for (const run of RUNS) {
      job.run(jobOf(run));
      line.run(`${jobOf(run)}/grug-train-${run}/0:0`, ++seq);
    }
    for (let step = 0; step <= WINDOW; step++) for (const run of RUNS) metric.run(1_000 + step, run, step, ++seq);
  })();
  return db;
}

interface Tally {
  processes: number;
  rows: number;
}

function questionOf([provider = '', ...args]: readonly string[]): string {
  const sql = args.at(-1) ?? '';
  if (provider === 'kubectl') return 'kubectl: pods';
  if (provider === 'iris') return sql.includes('depth = 1') ? 'iris: coordinators' : 'iris: states';
  return sql.includes('"log"') ? 'finelog: markers' : sql.includes('last_step') ? 'finelog: last steps' : 'finelog: series';
}

/** Answers as the executables would, and counts what would have been spawned. */
function countingShell(db: Database.Database, tallies: Map<string, Tally>): Shell {
  const pods = RUNS.map((run) => ({
    metadata: { name: `iris-${run}`, labels: { 'iris.job_id': jobOf(run).slice(1).replace('/', '.') } },
    status: { phase: 'Running' },
  }));
  const answer = ({ argv }: Invocation): readonly [stdout: string, rows: number] => {
    if (argv[0] === 'kubectl') return [JSON.stringify({ apiVersion: 'v1', kind: 'List', items: pods }), pods.length];
    const statement = db.prepare(argv.at(-1) ?? '');
    const rows = statement.all() as Record<string, unknown>[];
    if (argv[0] === 'finelog') return [rows.map((row) => `${JSON.stringify(row)}\n`).join(''), rows.length];
    const header = statement.columns().map(({ name }) => name);
    return [[header, ...rows.map((row) => Object.values(row))].map((cells) => `${cells.join(',')}\r\n`).join(''), rows.length];
  };
  const read = async (invocation: Invocation): Promise<Outcome> => {
    const [stdout, rows] = answer(invocation);
    const question = questionOf(invocation.argv);
    const tally = tallies.get(question) ?? { processes: 0, rows: 0 };
    tallies.set(question, { processes: tally.processes + 1, rows: tally.rows + rows });
    return { ending: { kind: 'ok' }, stdout: Buffer.from(stdout), stderr: Buffer.alloc(0), droppedBytes: 0, durationMs: 0 };
  };
  return { read, act: () => Promise.reject(new Error('a bench acts on nothing')), stop: async () => undefined };
}

const command = (name: string) => ({ command: [name] });
const fleet = parseFleet(
  JSON.stringify({
    version: 1,
    data: '/not-used',
    clusters: { east: { scheduler: 'marin', telemetry: 'cw-us-east-08a', namespace: 'iris' } },
    families: {
      hero: {
        cluster: 'east',
        user: 'marin',
        gang: { tasks: 1, devices: 1 },
        repository: { deployWorktree: '/not-used', rollbackWorktree: '/not-used' },
        checkpoints: { permanent: 's3://hero/{run}/checkpoints' },
        tracker: { entity: 'marin-community', project: 'marin_moe' },
        workingHours: { zone: 'UTC', from: '00:00', until: '24:00' },
      },
    },
    metrics: { train_loss: { better: 'lower' } },
    adapters: {
      iris: command('iris'),
      finelog: command('finelog'),
      kubectl: command('kubectl'),
      objectstore: command('objectstore'),
      tracker: command('tracker'),
    },
    people: { hero: { ask: [], agree: [], approve: ['U1BENCH'], decide: [], override: [], onCall: [] } },
    policy: { hero: {} },
    slack: { channel: 'C01BENCH' },
    github: { repository: 'marin-community/marin', issue: 1 },
  }),
  'bench',
);

/** What the states after a launch read at each tick. */
function needsOf(run: string): readonly (readonly [keyof Reads, object])[] {
  const family = 'hero';
  return [
    ['coordinators', { family }],
    ['job_state', { family, jobId: jobOf(run) }],
    ['pods', { family, jobId: jobOf(run) }],
    ['last_step', { family, runId: run, sinceMs: 0 }],
    ['series', { family, runId: run, metrics: ['train_loss'], from: 0, to: WINDOW }],
    ['markers', { family, jobId: jobOf(run), sinceMs: 0 }],
  ];
}

const tallies = new Map<string, Tally>();
const registry = createRegistry({ fleet, env: {}, now: () => new Date(), backoffMs: [], shell: countingShell(world(), tallies) });
const startedMs = performance.now();
const readings = await Promise.all(RUNS.flatMap((run) => needsOf(run).map(([verb, args]) => registry.read(verb, args as never))));
const tookMs = performance.now() - startedMs;

const unknown = readings.filter(({ kind }) => kind === 'unknown').length;
const perQuestion = [...tallies].map(([question, { processes, rows }]) => ({
  question,
  processes,
  rows,
  least: Math.ceil(rows / ROWS_A_PROCESS),
}));
const processes = perQuestion.reduce((sum, each) => sum + each.processes, 0);
process.stdout.write(
  `one tick, ${OPERATIONS} live operations: ${readings.length} readings, ${unknown} of them unknown, ${processes} processes, ${Math.round(tookMs)} ms of our own time\n`,
);
for (const { question, processes: count, rows, least } of perQuestion) {
  process.stdout.write(
    `  ${question.padEnd(20)} ${`${rows}`.padStart(6)} rows, ${`${count}`.padStart(3)} processes, ⌈rows / ${ROWS_A_PROCESS}⌉ = ${least}\n`,
  );
}
process.stdout.write(`  a process a reading would be ${(readings.length / processes).toFixed(0)} times as many\n`);
process.exitCode = unknown === 0 && perQuestion.every((each) => each.processes <= each.least) ? 0 : 1;
