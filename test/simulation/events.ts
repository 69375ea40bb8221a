import { NEW_RUN, OLD_RUN } from '../support/plan.js';
import type { Github } from './github.js';
import { Outside } from './outside.js';
import type { Scene } from './scene.js';
import type { Slack } from './slack.js';

const VERBS = [
  'coordinators',
  'job_state',
  'pods',
  'last_step',
  'series',
  'markers',
  'checkpoints',
  'worktree',
  'tracker_child',
  'credentials',
] as const;

/** Something goes wrong by itself: one draw of it. */
export function strike(scene: Scene, slack: Slack, github: Github): void {
  const { dice, agenda, cluster } = scene;
  const untilMs = agenda.nowMs + dice.between(5_000, 90_000);
  if (scene.strikes('unknown_readings', 0.25)) {
    const silent = Outside.silent.get(scene) ?? new Map<string, number>();
    const verbs = dice.chance(0.3) ? VERBS : [dice.pick(VERBS)];
    for (const verb of verbs) silent.set(verb, untilMs);
    Outside.silent.set(scene, silent);
    scene.tell(`${verbs.join(', ')} cannot be read for a while`);
  }
  if (scene.strikes('slack_down', 0.15)) slack.downUntilMs = untilMs;
  if (scene.strikes('github_down', 0.15)) github.downUntilMs = untilMs;
  if (scene.strikes('roots_deleted', 0.1)) {
    const [newest] = slack.cards();
    if (newest !== undefined) {
      newest.deleted = true;
      scene.tell(`somebody deletes the root ${newest.key}`);
    }
  }
  if (scene.strikes('meddler', 0.2)) github.meddle();
  if (scene.strikes('clock_back', 0.1)) {
    scene.skewMs = -Math.round(dice.between(1_000, 300_000));
    scene.tell(`the bot's clock goes back by ${Math.round(-scene.skewMs / 1000)} s`);
    agenda.after(dice.between(5_000, 120_000), () => {
      scene.skewMs = 0;
    });
  }
  if (scene.strikes('guards_shut', 0.2)) {
    if (dice.chance(0.5)) cluster.dirty = cluster.dirty.length === 0 ? ['train.py'] : [];
    else cluster.loggedOut = !cluster.loggedOut;
  }
  strikeJobs(scene);
}

function strikeJobs(scene: Scene): void {
  const { dice, agenda, cluster } = scene;
  if (scene.strikes('dying_control', 0.08)) {
    const control = cluster.live().find(({ runId }) => runId === OLD_RUN);
    control?.end(dice.pick(['failed', 'killed', 'worker_failed', 'succeeded']), agenda.nowMs, dice.between(500, 20_000));
    if (control !== undefined) scene.tell(`${control.jobId} dies by itself`);
  }
  if (scene.strikes('strangers', 0.08)) {
    const stranger = cluster.submit('hero-other-step10k', 'stranger', null, undefined, 'eve');
    scene.tell(`${stranger.jobId} is launched by somebody`);
    agenda.after(dice.between(10_000, 150_000), () => stranger.end('killed', agenda.nowMs, 1_000));
  }
  if (scene.strikes('hand_launches', cluster.live().length === 0 ? 0.3 : 0.02)) {
    const job = cluster.submit(dice.pick([OLD_RUN, NEW_RUN]), 'hand', null);
    scene.tell(`${job.jobId} is launched by hand`);
  }
  if (scene.strikes('aged_rows', 0.2)) {
    const job = dice.any(cluster.jobs.filter(({ live }) => !live));
    if (job !== undefined) job.aged = true;
  }
}

/** Nothing goes wrong any more, and what went wrong by itself ends. */
export function calm(scene: Scene): void {
  scene.calm = true;
  scene.skewMs = 0;
  scene.cluster.dirty = [];
  scene.cluster.loggedOut = false;
  for (const job of scene.cluster.jobs) {
    if (job.podsGoneMs !== null) job.podsGoneMs = Math.min(job.podsGoneMs, scene.agenda.nowMs + 2_000);
    if (job.made.origin === 'stranger') job.end('killed', scene.agenda.nowMs, 1_000);
  }
  scene.tell('all is calm from here on');
}
