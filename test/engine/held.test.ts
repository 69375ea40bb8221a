import { expect, test } from 'vitest';
import { APPROVER, REQUESTER, startEngine } from '../support/engine.js';
import { HANDOFF, NEW_RUN, OLD_RUN, planBody } from '../support/plan.js';

type Bot = ReturnType<typeof startEngine>;

async function until(bot: Bot, state: string, ticks = 40, steps = 0): Promise<void> {
  for (let n = 0; n < ticks && bot.state() !== state; n++) await bot.tick(1, steps);
  expect(bot.state()).toBe(state);
}

function lastEvent(bot: Bot): string | undefined {
  return bot.engine.view('hero-1')?.history.at(-1)?.event;
}

test('F22: a cancel that does not take is held, nothing is launched, and the cancel is tried again only by a new approval', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.cancelTakes = false;
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'held');
  expect(lastEvent(bot)).toBe('old_still_live');
  expect(bot.world.acts.filter((act) => act.startsWith('launch'))).toEqual([]);

  await bot.tick(5, 1);
  expect(bot.state()).toBe('held');
  expect(bot.ask(REQUESTER, 'retry_cancel_old')).toMatchObject({ kind: 'refused', refusal: 'own_request' });
  bot.world.cancelTakes = true;
  bot.ask(APPROVER, 'retry_cancel_old');
  await until(bot, 'starting');

  expect(bot.world.acts.filter((act) => act.startsWith('cancel'))).toHaveLength(2);
});

test('the swap is called off when the old run is seen to step, and only then', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.cancelTakes = false;
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'held');

  bot.world.unknown.set('last_step', 'failed');
  await bot.tick(30);
  expect(bot.ask(APPROVER, 'called_off')).toMatchObject({ kind: 'refused', refusal: 'not_proven' });
  bot.world.unknown.clear();
  await bot.tick(3, 2);

  expect(bot.ask(APPROVER, 'called_off')).toMatchObject({ kind: 'advanced' });
  expect(bot.state()).toBe('agreed');
});

test('F12: a terminal coordinator whose pods are still up is not gone', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.podsStay = true;
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'held');

  expect(bot.engine.view('hero-1')?.history.at(-1)).toMatchObject({
    event: 'old_unknown',
    details: { sentence: expect.stringContaining('1 pods are not gone (1 running)') },
  });
  expect(bot.ask(APPROVER, 'declare_gone', { pods: '' })).toMatchObject({ refusal: 'not_proven' });

  expect(bot.ask(APPROVER, 'declare_gone', { pods: `pod-${OLD_RUN}` })).toMatchObject({ kind: 'advanced' });
  await until(bot, 'nothing_running');
  expect(bot.world.acts).not.toContain('launch deploy');
});

test('a hold ends by itself when its readings prove what happened, but launches nothing on guards that were read before it', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.podsStay = true;
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'held');

  for (const run of bot.world.runs) run.pods = [];
  await until(bot, 'nothing_running');
  expect(bot.world.acts).not.toContain('launch deploy');
  bot.ask(REQUESTER, 'launch_again');
  await until(bot, 'starting');

  expect(bot.path()).toContain('held → stopping_old');
  expect(bot.world.acts.filter((act) => act.startsWith('cancel'))).toHaveLength(1);
});

test('a row that aged out is absent, not gone: it is held until a person says so', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.ask(APPROVER, 'launch_approved');
  for (let n = 0; n < 20 && bot.state() !== 'stopping_old'; n++) await bot.tick();
  bot.world.runs.length = 0;

  await until(bot, 'held');

  expect(bot.engine.view('hero-1')?.history.at(-1)).toMatchObject({
    event: 'old_unknown',
    details: { sentence: expect.stringContaining('aged out, which proves nothing') },
  });
});

test.each(['fails_after', 'prints_nothing'] as const)(
  'F14: a submit whose outcome is not told is looked up, never repeated: %s',
  async (submit) => {
    const bot = startEngine();
    await bot.toGate();
    bot.world.submit = submit;
    bot.ask(APPROVER, 'launch_approved');
    await until(bot, 'starting');

    expect(bot.world.acts.filter((act) => act === 'launch deploy')).toHaveLength(1);
    expect(bot.engine.view('hero-1')?.facts).toMatchObject({ newCoordinator: expect.stringContaining(NEW_RUN) });
  },
);

test('F19: a refused submit leaves nothing running; launching again reuses the child and does not fork again', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.submit = 'refuses';
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'nothing_running');

  bot.world.submit = 'accepts';
  expect(bot.ask(REQUESTER, 'launch_again')).toMatchObject({ kind: 'advanced' });
  await until(bot, 'starting');

  expect(bot.world.acts.filter((act) => act === 'fork_tracker deploy')).toHaveLength(1);
  expect(bot.world.acts.filter((act) => act === 'launch deploy')).toHaveLength(2);
});

test('two coordinators of one submit are held; neither is cancelled', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.submit = 'twice';
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'held');

  expect(lastEvent(bot)).toBe('launch_two');
  expect(bot.world.acts.filter((act) => act.startsWith('cancel'))).toHaveLength(1);
});

test('a submit whose processes may still be alive is not taken for absent', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.submit = 'refuses';
  bot.world.orphans = 'alive';
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'held');

  expect(lastEvent(bot)).toBe('fork_unknown');
});

test('a stranger in the family is held, in any state from ready on, and neither run is cancelled', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.world.start('hero-other-step1k', 5, '/alice/hero-other-step1k-coord-1');
  await until(bot, 'held');

  expect(lastEvent(bot)).toBe('foreign_coordinator');
  const cancels = bot.world.acts.filter((act) => act.startsWith('cancel')).length;
  const stranger = bot.world.runs.find(({ runId }) => runId === 'hero-other-step1k');
  if (stranger !== undefined) stranger.state = 'killed';
  await bot.tick(3, 1);

  expect(bot.state()).not.toBe('held');
  expect(bot.world.acts.filter((act) => act.startsWith('cancel'))).toHaveLength(cancels);
});

test('what a person launched by hand while nothing runs is adopted by its exact id', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.submit = 'refuses';
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'nothing_running');
  const byHand = bot.world.start(NEW_RUN, HANDOFF, `/alice/${NEW_RUN}-coord-feed`);
  await until(bot, 'held');

  expect(bot.ask(APPROVER, 'adopt', { jobId: `/alice/${NEW_RUN}-coord` })).toMatchObject({ refusal: 'not_a_live_coordinator' });
  expect(bot.ask(APPROVER, 'adopt', { jobId: byHand })).toMatchObject({ kind: 'advanced' });
  await bot.tick(2, 3);

  expect(bot.engine.view('hero-1')).toMatchObject({ state: 'trial', facts: { newCoordinator: byHand } });
});

test('leave down and abandon are always possible out of a hold, and release the family', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.cancelTakes = false;
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'held');

  bot.ask(REQUESTER, 'abandon');

  expect(bot.state()).toBe('abandoned');
  expect(bot.journal.holderOf('family:hero')).toBeUndefined();
});

test('an abort while the old run is being stopped is latched: nothing is launched after it', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.ask(APPROVER, 'launch_approved');
  for (let n = 0; n < 20 && bot.state() !== 'stopping_old'; n++) await bot.tick();

  bot.ask(REQUESTER, 'abort_asked');
  expect(bot.ask(REQUESTER, 'abort_asked')).toMatchObject({ refusal: 'nothing_changed' });
  await until(bot, 'nothing_running');

  expect(bot.world.acts).not.toContain('launch deploy');
});

test('an abort while launching cancels the new run as soon as its id is known', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.ask(APPROVER, 'launch_approved');
  bot.world.hold = 'launch';
  for (let n = 0; n < 20 && bot.state() !== 'launching'; n++) await bot.tickWithoutActs();
  bot.ask(REQUESTER, 'abort_asked');
  bot.world.releaseActs();
  await until(bot, 'rolled_back', 80, 20);

  expect(bot.path()).toContain('launching → stopping_new');
});

test('while nothing is running it is said again and again', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.submit = 'refuses';
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'nothing_running');

  for (let minutes = 0; minutes < 125; minutes += 5) {
    bot.world.advance(300);
    await bot.tick();
  }

  expect(bot.engine.view('hero-1')?.history.filter(({ event }) => event === 'reminded')).toHaveLength(4);
});

test('a cancel is tried again only out of a hold of that cancel', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.submit = 'twice';
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'held');

  expect(bot.ask(APPROVER, 'retry_cancel_old')).toMatchObject({ refusal: 'not_proven' });
  expect(bot.ask(APPROVER, 'retry_cancel_new')).toMatchObject({ refusal: 'not_proven' });
});

test('a rollback out of a held replay does not relaunch beside the live old run', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.ask(REQUESTER, 'rollback_asked');
  await until(bot, 'replaying');
  bot.world.loss = () => 9;
  await until(bot, 'held', 40, 10);

  expect(bot.ask(REQUESTER, 'rollback_asked')).toMatchObject({ refusal: 'not_proven' });
  expect(bot.world.acts.filter((act) => act === 'launch rollback')).toHaveLength(1);
});

test('a fork that is proven only hours later gives the agreement back: the old run is neither stopped nor replaced', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.ask(APPROVER, 'launch_approved');
  await bot.tick();
  bot.world.unknown.set('tracker_child', 'timed_out');
  await until(bot, 'held', 40, 1);
  expect(bot.engine.view('hero-1')?.origin).toBe('forking');

  bot.world.advance(7_200);
  bot.world.unknown.clear();
  await until(bot, 'agreed', 10, 1);

  expect(bot.world.acts).toEqual(['fork_tracker deploy']);
});

test('nothing is relaunched while any coordinator of the family is live', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.ask(REQUESTER, 'rollback_asked');
  for (let n = 0; n < 20 && bot.state() !== 'anchoring'; n++) await bot.tick();
  bot.world.start(OLD_RUN, HANDOFF, `/alice/${OLD_RUN}-coord-feed`);
  await until(bot, 'held');

  expect(bot.world.acts).not.toContain('launch rollback');
  expect(bot.ask(APPROVER, 'adopt', { jobId: `/alice/${OLD_RUN}-coord-feed` })).toMatchObject({ kind: 'advanced' });
  expect(bot.state()).toBe('replaying');
});

test('after a control that died, the old run is not relaunched while pods of it are still up', async () => {
  const bot = startEngine();
  await bot.toGate();
  for (const run of bot.world.runs) run.state = 'failed';
  await until(bot, 'nothing_running');
  bot.ask(REQUESTER, 'rollback_asked');
  await until(bot, 'held');
  expect(bot.engine.view('hero-1')?.history.at(-1)?.details.sentence).toContain('are still listed');

  for (const run of bot.world.runs) run.pods = [];
  await until(bot, 'replaying');
});

test('an abort is for the launch it met: one that is asked for afterwards is not cancelled', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.submit = 'refuses';
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'launching');
  bot.ask(REQUESTER, 'abort_asked');
  await until(bot, 'nothing_running');

  bot.world.submit = 'accepts';
  expect(bot.ask(APPROVER, 'launch_again')).toMatchObject({ kind: 'advanced' });
  await until(bot, 'starting');
  await bot.tick(2, 3);

  expect(bot.state()).toBe('trial');
  expect(bot.world.acts.filter((act) => act.startsWith('cancel'))).toHaveLength(1);
});

test('a swap is not called off once the new run was launched, however lately the old one stepped', async () => {
  const bot = startEngine();
  await bot.toGate({ limits: { ...Object(planBody().limits), hangSeconds: 300 } });
  bot.world.hold = 'launch';
  bot.ask(APPROVER, 'launch_approved');
  for (let n = 0; n < 40 && bot.state() !== 'launching'; n++) {
    bot.world.train(1);
    await bot.tickWithoutActs();
  }
  bot.ask(REQUESTER, 'abort_asked');
  bot.world.cancelTakes = false;
  bot.world.releaseActs();
  await until(bot, 'held');

  expect(bot.world.live().map(({ runId }) => runId)).toEqual([NEW_RUN]);
  expect(bot.ask(REQUESTER, 'called_off')).toMatchObject({ kind: 'refused', refusal: 'not_proven' });
});

test('the old run launched by hand while it is stopped: nothing is launched beside it', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'stopping_old');
  bot.world.start(OLD_RUN, HANDOFF, `/marin/${OLD_RUN}-coord-byhand01`);
  await until(bot, 'held');

  expect(lastEvent(bot)).toBe('foreign_coordinator');
  expect(bot.world.acts.filter((act) => act.startsWith('launch'))).toEqual([]);
});

test('a coordinator that may not be live holds once, not again and again, for as long as it is there', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.submit = 'refuses';
  bot.ask(APPROVER, 'launch_approved');
  await until(bot, 'nothing_running');
  const stranger = bot.world.start(OLD_RUN, HANDOFF, `/marin/${OLD_RUN}-coord-byhand01`);
  await until(bot, 'held');
  const rows = bot.path().length;

  await bot.tick(10);
  expect(bot.path()).toHaveLength(rows);
  for (const run of bot.world.runs) if (run.jobId === stranger) run.state = 'killed';
  await until(bot, 'nothing_running');
});

test('a rollback out of a hold launches nothing while the submit that was held may still come', async () => {
  const bot = startEngine();
  await bot.toGate();
  bot.world.hold = 'launch';
  bot.ask(APPROVER, 'launch_approved');
  for (let n = 0; n < 60 && bot.state() !== 'held'; n++) await bot.tickWithoutActs();
  expect(lastEvent(bot)).toBe('launch_unknown');

  bot.ask(APPROVER, 'rollback_asked');
  for (let n = 0; n < 12; n++) await bot.tickWithoutActs();

  expect(bot.world.acts.filter((act) => act.startsWith('launch'))).toEqual(['launch deploy']);
  expect(bot.engine.view('hero-1')?.history.at(-1)).toMatchObject({
    event: 'anchor_unknown',
    details: { sentence: expect.stringContaining('an earlier submit of ours may still act') },
  });
});

test('a relaunched run that replayed while the bot was away is compared all the same', async () => {
  const bot = startEngine();
  await bot.toTrial();
  bot.ask(APPROVER, 'rollback_asked');
  bot.world.hold = 'launch';
  for (let n = 0; n < 40 && bot.state() !== 'relaunching_old'; n++) await bot.tickWithoutActs();
  expect(bot.state()).toBe('relaunching_old');

  bot.world.releaseActs();
  await bot.worker.idle();
  bot.world.advance(10);
  bot.world.train(200);
  bot.world.advance(600);
  await until(bot, 'rolled_back');

  expect(lastEvent(bot)).toBe('replay_matches');
});
