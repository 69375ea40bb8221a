import { expect, test } from 'vitest';
import { BYSTANDER, DECIDER, REQUESTER, startFerries } from '../support/ferry-engine.js';
import { canaryBody, ferryBody, LAUNCH_COMMIT, RUN, SEAL_LABELS } from '../support/ferry-plan.js';

const TAG = `ferry/daily/20261130/ferry_daily_125m_${RUN}-1a2b3c`;

test('a daily is proposed, cleared, launched once, watched to its end with evidence, and sealed', async () => {
  const bot = startFerries();

  await bot.toRunning();
  bot.world.grants();
  await bot.tick(2);
  bot.world.logs(50, { 'eval/bpb': 2.5 });
  await bot.tick(2);
  bot.world.logs(120, { 'eval/bpb': 1.12509 }, 'finished');
  bot.world.ends('succeeded');
  await bot.until('awaiting_seal');
  bot.ask(DECIDER, 'seal_asked');
  await bot.until('sealed');

  expect(bot.faults).toEqual([]);
  expect(bot.state()).toBe('sealed');
  expect(bot.told()).toEqual(['issue_filed', 'approved', 'launched_once', 'evaluated', 'daily_verified', 'sealed']);
  expect(bot.world.acts).toEqual([
    `file_issue [ferry] daily ${RUN}`,
    `ferry_launch ferry-${RUN}`,
    'comment_issue 100',
    `push_tag ${TAG}`,
    'make_branch ferry-log/ferry-1',
    'write_log ferry-log/ferry-1',
    'open_pull ferry-log/ferry-1',
    'label_pull 900',
  ]);
  expect(bot.world.tags.get(TAG)).toBe(LAUNCH_COMMIT);
  expect(bot.world.pulls[0]?.pull.labels).toEqual(SEAL_LABELS);
  expect(bot.world.issues[0]?.comments[0]).toMatch(/Final status: SUCCEEDED\nIris job id: `\/marin\/ferry-[^`]+`\nW&B link: /);
  expect(bot.world.branches.get('ferry-log/ferry-1')?.text).toMatch(
    /## Runs\n\n## 2026-11-30 \(completed 2026-11-30\)\n\n- Issue: [\s\S]*- Seal tag: `ferry\/daily\/20261130[\s\S]*`eval\/bpb`: `1\.12509`/,
  );
  bot.journal.verify('ferry-1');
});

test('somebody else’s click, and a waiver that is passed on, launch nothing', async () => {
  const bot = startFerries();
  bot.plan();
  await bot.until('proposed');

  const answers = [
    bot.ask(DECIDER, 'approved'),
    bot.ask(BYSTANDER, 'approved'),
    bot.ask(DECIDER, 'waived', { reason: 'they said go' }),
    bot.ask(DECIDER, 'launch_asked'),
  ];
  await bot.tick(3);

  expect(answers.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'refused', 'refused']);
  expect(bot.state()).toBe('proposed');
  expect(bot.world.jobs).toEqual([]);
});

test('a waiver for this run is the requester’s own words, and they are in the record', async () => {
  const bot = startFerries();
  bot.plan();
  await bot.until('proposed');

  const empty = bot.ask(REQUESTER, 'waived');
  bot.ask(REQUESTER, 'waived', { reason: 'go without me, same as yesterday' });

  expect(empty).toMatchObject({ kind: 'refused', refusal: 'reason_missing' });
  expect(bot.engine.view('ferry-1')?.facts.clearance).toMatchObject({
    kind: 'waiver',
    by: REQUESTER,
    quote: 'go without me, same as yesterday',
  });
});

test('F42: a second proposal for a lane is refused while the first holds it, and makes no operation', async () => {
  const bot = startFerries();
  await bot.toRunning();

  const second = bot.plan(ferryBody({ run: '20261130-120040-daily-ferry' }), REQUESTER);

  expect(second).toMatchObject({
    kind: 'refused',
    refusal: 'subject_locked',
    details: { holder: 'ferry-1', state: 'running', by: REQUESTER },
  });
  expect(bot.journal.operation('ferry-2')).toBeUndefined();
  expect(bot.world.acts.filter((act) => act.startsWith('ferry_launch'))).toHaveLength(1);
});

test('F42: a name that a job has already is not used again: the next launch has a name of its own', async () => {
  const bot = startFerries();
  bot.world.jobs.push({ jobId: `/alice/ferry-${RUN}`, state: 'killed', submittedAtMs: 1, grantedAtMs: null, finishedAtMs: 2, error: null });
  bot.plan();
  await bot.until('proposed');
  bot.ask(REQUESTER, 'approved');
  bot.ask(REQUESTER, 'launch_asked');
  await bot.until('cleared');

  expect(bot.said('guards_shut')).toBe(`/alice/ferry-${RUN} had that name and is killed; the next launch is called ferry-${RUN}-r2`);
  bot.ask(REQUESTER, 'launch_asked');
  await bot.until('running');
  expect(bot.world.acts.at(-1)).toBe(`ferry_launch ferry-${RUN}-r2`);
});

test('F42: while a job of that name lives, nothing is launched beside it', async () => {
  const bot = startFerries();
  bot.world.jobs.push({
    jobId: `/alice/ferry-${RUN}`,
    state: 'running',
    submittedAtMs: 1,
    grantedAtMs: 2,
    finishedAtMs: null,
    error: null,
  });
  bot.plan();
  await bot.until('proposed');
  bot.ask(REQUESTER, 'approved');
  bot.ask(REQUESTER, 'launch_asked');
  await bot.until('cleared');

  expect(bot.said('guards_shut')).toBe(`/alice/ferry-${RUN} has that name and is running`);
  expect(bot.world.acts.filter((act) => act.startsWith('ferry_launch'))).toEqual([]);
});

test('F41: names, tag and day are of one zone, and the day is that of the launch, not of the seal', async () => {
  const bot = startFerries();
  bot.world.nowMs = Date.parse('2026-02-21T23:50:00Z');
  await bot.toRunning();
  bot.world.grants();
  bot.world.advance(3 * 24 * 3600);
  bot.world.logs(120, { 'eval/bpb': 1.1 }, 'finished');
  bot.world.ends('succeeded');
  await bot.until('awaiting_seal');
  bot.ask(DECIDER, 'seal_asked');
  await bot.until('sealed');

  expect([...bot.world.tags.keys()]).toEqual([`ferry/daily/20260221/ferry_daily_125m_${RUN}-1a2b3c`]);
});

test('F35: a success that did nothing of its own is not healthy: it is unverified, and said to be', async () => {
  const bot = startFerries();
  const body = canaryBody();
  bot.world.runs.push({
    name: `${body.trackerName}-1a2b3c`,
    url: 'https://tracker/old',
    state: 'finished',
    startedAtMs: 1,
    updatedAtMs: Date.parse('2026-11-29T06:10:00Z'),
    lastStep: 476,
    summary: { 'train/loss': 3.8 },
  });
  await bot.toRunning(body);
  bot.world.advance(240);
  bot.world.ends('succeeded');
  await bot.until('unverified', 100);

  expect(bot.state()).toBe('unverified');
  expect(bot.said('canary_unverified')).toMatch(
    /^did nothing \(reused output\): the newest row .* is of 2026-11-29T06:10:00.000Z, before this launch$/,
  );
});

test.each([
  ['no run in the tracker', null, {}, /^did nothing that is on record/],
  ['no step', null, { 'train/loss': 3 }, /no step of its own, where 100 are needed/],
  ['too few steps', 12, { 'train/loss': 3 }, /step 12, where 100 are needed/],
])('F35: %s: a canary needs steps of its own', async (name, lastStep, metrics, said) => {
  const bot = startFerries();
  await bot.toRunning(canaryBody());
  if (name !== 'no run in the tracker') bot.world.grants(metrics, lastStep);
  bot.world.logs(lastStep ?? 0, {}, 'finished');
  if (lastStep === null && bot.world.runs[0] !== undefined) bot.world.runs[0].lastStep = null;
  bot.world.ends('succeeded');
  await bot.until('unverified', 100);

  expect(bot.said('canary_unverified')).toMatch(said);
});

test('F36: training passed and its metrics are missing: health unknown, triage asked for once', async () => {
  const bot = startFerries();
  await bot.toRunning(canaryBody());
  bot.world.grants();
  bot.world.logs(476, {}, 'finished');
  bot.world.ends('succeeded');
  await bot.until('unverified', 100);
  await bot.tick(5);

  expect(bot.said('canary_unverified')).toBe('run finished, health unknown: metrics missing (train/loss)');
  expect(bot.told().filter((event) => event === 'canary_unverified')).toHaveLength(1);
});

test('F36: an unreadable tracker, and artefacts that are not there, never pass', async () => {
  for (const trouble of ['tracker', 'artefacts'] as const) {
    const bot = startFerries();
    await bot.toRunning();
    bot.world.grants();
    bot.world.logs(476, { 'eval/bpb': 1 }, 'finished');
    bot.world.ends('succeeded');
    if (trouble === 'tracker') bot.world.unknown.set('ferry_runs', 'timed_out');
    else bot.world.artefactStep = null;
    await bot.until('unverified', 120);

    expect(bot.state()).toBe('unverified');
    expect(bot.ask(DECIDER, 'seal_asked').kind).toBe('refused');
  }
});

test('F37: it is told once that a job still queues, it is watched to its real end, and its two times are apart', async () => {
  const bot = startFerries();
  await bot.toRunning();
  for (let n = 0; n < 6; n++) await bot.tick(1, 3_600);
  bot.world.grants();
  await bot.tick(2, 3_600);
  bot.world.logs(120, { 'eval/bpb': 1.1 }, 'finished');
  bot.world.ends('succeeded');
  await bot.until('awaiting_seal');

  expect(bot.told().filter((event) => event === 'queued_long')).toHaveLength(1);
  expect(bot.said('queued_long')).toMatch(/^still queued after 1 h 0 min; it stays watched to its end$/);
  expect(bot.said('ended_well')).toMatch(/it queued 6 h 0 min and ran 2 h 0 min$/);
});

test('F37: a job that a time limit cut off is an outcome of its own, never silence and never a failure', async () => {
  const bot = startFerries();
  await bot.toRunning(canaryBody());
  bot.world.grants();
  bot.world.advance(4 * 3600);
  bot.world.ends('killed', 'time limit exceeded');
  await bot.until('stopped');

  expect(bot.said('canary_stopped')).toMatch(/was cut off by a time limit: time limit exceeded; it queued .* and ran 4 h 0 min$/);
  expect(bot.told().at(-1)).toBe('canary_stopped');
});

test('F44: a second failed night adds to the issue of the first; a closed one is followed by a new one that links it', async () => {
  const bot = startFerries();
  const night = async (id: string, failureIssue: number | null): Promise<void> => {
    const run = `2026113${id.slice(-1)}-060000-canary-tpu-ferry`;
    bot.plan(canaryBody({ failureIssue, run, jobName: `ferry-${run}` }));
    await bot.until('proposed', 40, id);
    bot.ask(REQUESTER, 'approved', {}, id);
    bot.ask(REQUESTER, 'launch_asked', {}, id);
    await bot.until('running', 40, id);
    bot.world.ends('failed', 'Exit code 1');
    await bot.until('failed', 60, id);
  };

  await night('ferry-1', null);
  await night('ferry-2', 100);
  const [first] = bot.world.issues;
  if (first !== undefined) first.open = false;
  await night('ferry-3', 100);

  expect(bot.world.issues).toHaveLength(2);
  expect(first?.comments).toHaveLength(1);
  expect(bot.world.issues[1]?.body).toContain('Follows the closed issue #100.');
  expect(bot.engine.view('ferry-2')?.facts.failureIssue).toMatchObject({ number: 100 });
  expect(bot.engine.view('ferry-3')?.facts.failureIssue).toMatchObject({ number: 101 });
  expect(bot.told('ferry-1').slice(-3)).toEqual(['canary_failed', 'diagnosed_new_issue', 'failure_reported']);
});

test('a tag that is elsewhere stops the seal: nothing is pushed, nothing is moved', async () => {
  const bot = startFerries();
  await bot.toRunning();
  bot.world.grants();
  bot.world.logs(120, { 'eval/bpb': 1.1 }, 'finished');
  bot.world.ends('succeeded');
  await bot.until('awaiting_seal');
  bot.world.tags.set(TAG, 'e'.repeat(40));
  bot.ask(DECIDER, 'seal_asked');
  await bot.until('awaiting_seal');
  await bot.tick(3);

  expect(bot.state()).toBe('awaiting_seal');
  expect(bot.said('tag_conflict')).toMatch(/a tag is never moved$/);
  expect(bot.world.tags.get(TAG)).toBe('e'.repeat(40));
  expect(bot.world.acts.filter((act) => act.startsWith('push_tag'))).toEqual([]);
});

test('a log that was changed meanwhile is not written over: said, and asked again it goes on from there', async () => {
  const bot = startFerries();
  await bot.toRunning();
  bot.world.grants();
  bot.world.logs(120, { 'eval/bpb': 1.1 }, 'finished');
  bot.world.ends('succeeded');
  await bot.until('awaiting_seal');
  bot.ask(DECIDER, 'seal_asked');
  await bot.until('logging', 60);
  bot.world.branches.set('ferry-log/ferry-1', { fileSha: 'other', text: '## Runs\n\nsomebody was here\n' });
  await bot.until('awaiting_seal', 60);
  expect(bot.said('step_absent')).toMatch(/somebody may have changed it meanwhile/);
  bot.ask(DECIDER, 'seal_asked');
  await bot.until('sealed', 60);

  expect(bot.state()).toBe('sealed');
  expect(bot.world.branches.get('ferry-log/ferry-1')?.text).toContain('somebody was here');
  expect(bot.world.acts.filter((act) => act.startsWith('push_tag') || act.startsWith('make_branch'))).toHaveLength(2);
});

test.each(['fails_after', 'does_nothing'] as const)(
  'a launch whose command %s is looked up, and never repeated by itself',
  async (mode) => {
    const bot = startFerries();
    bot.world.fails.set('ferry_launch', mode);
    bot.plan();
    await bot.until('proposed');
    bot.ask(REQUESTER, 'approved');
    bot.ask(REQUESTER, 'launch_asked');
    await bot.tick(20);

    expect(bot.state()).toBe(mode === 'fails_after' ? 'running' : 'proposed');
    expect(bot.world.acts.filter((act) => act.startsWith('ferry_launch'))).toHaveLength(1);
    if (mode === 'does_nothing') expect(bot.ask(REQUESTER, 'launch_asked').kind).toBe('refused');
  },
);

test('two jobs of one name are held; a person adopts the one that is left', async () => {
  const bot = startFerries();
  bot.world.submitTwice = true;
  bot.plan();
  await bot.until('proposed');
  bot.ask(REQUESTER, 'approved');
  bot.ask(REQUESTER, 'launch_asked');
  await bot.until('held');
  const early = bot.ask(DECIDER, 'adopt', { jobId: `/marin/ferry-${RUN}` });
  Object.assign(bot.world.jobs[1] ?? {}, { state: 'killed', finishedAtMs: bot.world.nowMs });
  await bot.tick(2);
  bot.ask(DECIDER, 'adopt', { jobId: `/marin/ferry-${RUN}` });

  expect(early).toMatchObject({ kind: 'refused', refusal: 'not_a_live_coordinator' });
  expect(bot.state()).toBe('running');
});

test('a daily that failed has one fix with its own clearance, then it is a person’s', async () => {
  const bot = startFerries();
  await bot.toRunning();
  bot.world.grants();
  bot.world.ends('failed', 'Exit code 1');
  await bot.until('awaiting_fix');
  const fixed = { body: ferryBody({ commit: 'd'.repeat(40), rationale: 'mended the loader' }), inferred: [] };
  bot.engine.request({ operationId: 'ferry-1', on: 'fix_proposed', by: REQUESTER, requestKey: 'fix' }, fixed);
  bot.world.tree = { ...bot.world.tree, head: 'd'.repeat(40) };
  const unclear = bot.ask(REQUESTER, 'launch_asked');
  bot.ask(REQUESTER, 'approved');
  bot.ask(REQUESTER, 'launch_asked');
  await bot.until('running');
  bot.world.ends('failed', 'Exit code 1');
  await bot.until('escalated');

  expect(unclear.kind).toBe('refused');
  expect(bot.state()).toBe('escalated');
  expect(bot.world.acts.filter((act) => act.startsWith('ferry_launch'))).toEqual([
    `ferry_launch ferry-${RUN}`,
    `ferry_launch ferry-${RUN}-r2`,
  ]);
});
