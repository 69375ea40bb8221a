import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FLEET as ONE_TREE } from '../fail-open/fleet.js';
import { NOW } from './asking.js';
import { fakeFleet } from './fake-command.js';
import { mangled, manglings, readingOf } from './mangled.js';

const FLEET = fakeFleet({});
const LIVE = ['1', '2', '3'];
const TERMINAL = ['4', '5', '6', '7', '8'];
const RUNS = { numRuns: 1_000 };

const word = fc.stringMatching(/^[a-z0-9][A-Za-z0-9_.-]{0,11}$/);
const jobId = fc
  .tuple(fc.stringMatching(/^[a-z][a-z0-9_.@-]{0,7}$/), word, fc.constantFrom('', '-9f31c2aa', '-0a1b2c3d-clean-99aa88bb'))
  .map(([user, run, suffix]) => `/${user}/hero-${run}-coord${suffix}`);
const rows = fc.uniqueArray(fc.tuple(jobId, fc.constantFrom(...LIVE, ...TERMINAL)), { maxLength: 6, selector: ([id]) => id });
const lineEnd = fc.constantFrom('\r\n', '\n');

function tableOf(cells: readonly (readonly [string, string])[], end: string): string {
  return ['job_id,state', ...cells.map((row) => row.join(','))].map((line) => `${line}${end}`).join('');
}

/** What the bytes say, read by hand: whole lines of two plain cells under the header; null if they are anything else. */
function byHand(bytes: Buffer): readonly (readonly [string, string])[] | null {
  const text = bytes.toString('utf8');
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.pop() !== '' || !Buffer.from(text).equals(bytes)) return null;
  const [header, ...more] = lines;
  if (header !== 'job_id,state') return null;
  const cells = more.map((line) => line.split(','));
  return cells.every((row) => row.length === 2) ? cells.map(([id = '', state = '']) => [id, state] as const) : null;
}

test('coordinators: mangled bytes are what they say, or unknown; never fewer live ones than stand there', async () => {
  await fc.assert(
    fc.asyncProperty(rows, lineEnd, manglings, async (cells, end, mangling) => {
      const bytes = mangled(tableOf(cells, end), mangling);
      const reading = await readingOf(FLEET, 'coordinators', { family: 'hero' }, bytes);
      if (reading.kind === 'unknown') return;

      const said = byHand(bytes);
      const live = reading.value.filter(({ state }) => ['pending', 'building', 'running'].includes(state));
      const listed = reading.value.map((each) => each.jobId);
      expect(said?.map(([id]) => id)).toEqual(expect.arrayContaining(listed));
      expect(live.map((each) => each.jobId)).toEqual(said?.filter(([, state]) => LIVE.includes(state)).map(([id]) => id));
      // A line that was not lost, and whose state is what it was, is a live coordinator still, whatever became of the others.
      const lost = mangling.kind === 'line_lost' || mangling.kind === 'cut' ? 1 : 0;
      const wereLive = cells.filter(([, state]) => LIVE.includes(state)).length;
      const nowTerminal =
        (said ?? []).filter(([, state]) => TERMINAL.includes(state)).length - cells.filter(([, state]) => TERMINAL.includes(state)).length;
      if (lost === 0) expect(live.length).toBeGreaterThanOrEqual(wereLive - Math.max(0, nowTerminal));
    }),
    RUNS,
  );
});

test('coordinators: a whole answer is read whole', async () => {
  await fc.assert(
    fc.asyncProperty(rows, lineEnd, async (cells, end) => {
      const reading = await readingOf(FLEET, 'coordinators', { family: 'hero' }, Buffer.from(tableOf(cells, end)));

      expect(reading).toMatchObject({ kind: 'known' });
      expect(reading.kind === 'known' && reading.value.map((each) => each.jobId)).toEqual(cells.map(([id]) => id));
    }),
    { numRuns: 200 },
  );
});

test('the state of a job: mangled bytes are what they say of this very job, or unknown', async () => {
  const states = ['', 'pending', 'building', 'running', 'succeeded', 'failed', 'killed', 'worker_failed', 'unschedulable'];
  await fc.assert(
    fc.asyncProperty(jobId, fc.constantFrom(...LIVE, ...TERMINAL), lineEnd, manglings, async (id, state, end, mangling) => {
      const bytes = mangled(tableOf([[id, state]], end), mangling);
      const reading = await readingOf(FLEET, 'job_state', { family: 'hero', jobId: id }, bytes);
      if (reading.kind === 'unknown') return;

      const said = byHand(bytes);
      expect(said === null ? 'another layout' : said.length === 0 ? 'absent' : said[0]?.[0] === id && states[Number(said[0][1])]).toBe(
        reading.value,
      );
    }),
    RUNS,
  );
});

test('the last step: mangled bytes are what they say, or unknown', async () => {
  const row = fc.record({ last_step: fc.nat(200_000), last_ms: fc.nat(NOW.getTime()), n: fc.integer({ min: 1, max: 500 }) });
  await fc.assert(
    fc.asyncProperty(row, manglings, async (value, mangling) => {
      const bytes = mangled(`${JSON.stringify(value)}\n`, mangling);
      const reading = await readingOf(FLEET, 'last_step', { family: 'hero', runId: 'hero-x', sinceMs: 0 }, bytes);
      if (reading.kind === 'unknown') return;

      const said = JSON.parse(bytes.toString('utf8'));
      expect({ last_step: reading.value.step, last_ms: reading.value.atMs, n: reading.value.rows }).toEqual(said);
    }),
    RUNS,
  );
});

test('a series: mangled bytes are each row that stands there and no other, or unknown', async () => {
  const values = fc.array(
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e3, max: 1e3 }), fc.constant('NaN'), fc.constant(null)),
    {
      minLength: 1,
      maxLength: 8,
    },
  );
  await fc.assert(
    fc.asyncProperty(values, manglings, async (all, mangling) => {
      const lines = all.map((value, n) => ({
        step: n,
        name: 'train_loss',
        value,
        execution_uid: 'e',
        timestamp_ms: n * 1_000,
        seq: n + 1,
      }));
      const bytes = mangled(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), mangling);
      const reading = await readingOf(
        FLEET,
        'series',
        { family: 'hero', runId: 'hero-x', metrics: ['train_loss'], from: 0, to: 100 },
        bytes,
      );
      if (reading.kind === 'unknown') return;

      const said = bytes
        .toString('utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
      const of = (seq: number, step: number, value: unknown) => JSON.stringify([seq, step, value]);
      expect(reading.value.map(({ seq, step, value }) => of(seq, step, value)).toSorted()).toEqual(
        said.map(({ seq, step, value }) => of(seq, step, value)).toSorted(),
      );
    }),
    RUNS,
  );
});

test('pods: mangled bytes never leave out a pod of the job that stands there', async () => {
  const job = '/marin/hero-ragged_a2a-ep-step54k-coord-1a2b3c4d';
  const label = job.slice(1).replaceAll('/', '.');
  const labels = fc.array(fc.constantFrom(label, `${label}.grug-train-hero`.slice(0, 63), 'marin.hero-other-coord-1'), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(labels, fc.boolean(), manglings, async (all, isPretty, mangling) => {
      const items = all.map((own, n) => ({
        metadata: { name: `iris-${label.replace(/[._]/g, '-')}-${n}`, labels: { 'iris.job_id': own } },
        status: { phase: 'Running' },
      }));
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata: {}, items }, null, isPretty ? 2 : 0);
      const bytes = mangled(`${list}\n`, mangling);
      const reading = await readingOf(FLEET, 'pods', { family: 'hero', jobId: job }, bytes);
      if (reading.kind === 'unknown') return;

      const said: readonly { metadata: { labels?: Record<string, string> } }[] = JSON.parse(bytes.toString('utf8')).items;
      const own = said.filter(({ metadata: { labels } }) => {
        const own = labels?.['iris.job_id'];
        return own === label || own?.startsWith(`${label}.`);
      });
      expect(reading.value.length).toBeGreaterThanOrEqual(own.length);
    }),
    RUNS,
  );
});

test('the page of the tracker: mangled bytes are what they say, or unknown', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.nat(90_000), manglings, async (exists, step, mangling) => {
      const page = exists ? { exists, config: { hero_launch_commit: 'abc' }, last_step: step } : { exists };
      const bytes = mangled(`${JSON.stringify(page)}\n`, mangling);
      const child = await readingOf(FLEET, 'tracker_child', { family: 'hero', runId: 'hero-x' }, bytes);
      if (child.kind === 'unknown') return;

      const said = JSON.parse(bytes.toString('utf8'));
      expect({ exists: child.value.exists, commit: child.value.launchCommit }).toEqual({
        exists: said.exists,
        commit: said.config?.hero_launch_commit ?? null,
      });
    }),
    RUNS,
  );
});

test('checkpoints: mangled bytes never leave out a step that stands there', async () => {
  const tree = 's3://hero/grug/hero-x/v/checkpoints/';
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(200_000), { maxLength: 5 }), manglings, async (steps, mangling) => {
      const keys = steps.map((step) => ({ key: `${tree}step-${step}/part-0`, size: 1 }));
      const bytes = mangled(`${JSON.stringify(keys)}\n`, mangling);
      const reading = await readingOf(ONE_TREE, 'checkpoints', { family: 'hero', runId: 'hero-x' }, bytes);
      if (reading.kind === 'unknown') return;

      const said: typeof keys = JSON.parse(bytes.toString('utf8'));
      const folders = said.map(({ key }) => key.slice(tree.length).split('/')[0]).filter((name) => name?.startsWith('step'));
      expect(reading.value.map(({ path }) => path.slice(tree.length)).toSorted()).toEqual([...new Set(folders)].toSorted());
    }),
    RUNS,
  );
});
