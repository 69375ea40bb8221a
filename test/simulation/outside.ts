import type { Ask } from '../../commands/plan-entry.js';
import type { ProcessIdentity } from '../../src/journal/intents.js';
import type { ActReport, Reads } from '../../src/protocol/outside.js';
import type { Reading } from '../../src/protocol/reading.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { NEW_RUN, OLD_RUN } from '../support/plan.js';
import { type Fate, HEALTHY } from './job.js';
import type { Life } from './life.js';
import type { Answered, Scene, Spawn } from './scene.js';
import { UNKNOWN } from './weather.js';

type Answers = { readonly [V in keyof Reads]: Reads[V]['value'] };

/**
 * The outside as one life of the bot meets it: its questions, and the processes that it starts. A process outlives the
 * bot, and what it does to the cluster it does whoever is still there to hear of it.
 */
export class Outside {
  /** Readings that go wrong until an instant, by verb. */
  static readonly silent = new WeakMap<Scene, Map<string, number>>();

  constructor(
    private readonly scene: Scene,
    private readonly life: Life,
    private readonly onSpawned: (spawn: Spawn) => void,
    private readonly lies: { readonly orphansGone?: boolean; readonly unknownIsKnown?: boolean } = {},
  ) {}

  readonly ask: Ask = async (verb, args) => {
    const reading = await this.question(verb, args, () => {});
    return reading.kind === 'unknown' ? reading : { ...reading, value: reading.value as Answers[typeof verb] };
  };

  read(verb: string, args: JsonObject): Promise<Reading<unknown>> {
    return this.question(verb, args, (answered) => this.scene.answered.set(`${verb} ${JSON.stringify(args)}`, answered));
  }

  private async question(verb: string, args: JsonObject, note: (answered: Answered) => void): Promise<Reading<unknown>> {
    const { scene } = this;
    scene.activity++;
    const readAt = this.life.now();
    if (scene.strikes('slow_readings', 0.1)) await this.life.while(scene.agenda.delay(scene.dice.between(200, 6_000)));
    const takenMs = scene.agenda.nowMs;
    const value = scene.cluster.answer(verb, args);
    const source = verb;
    const evidence = `${verb} ${JSON.stringify(args)} at ${readAt.toISOString()}`;
    const unknown = this.isSilent(verb);
    if (scene.strikes('slow_readings', 0.1)) await this.life.while(scene.agenda.delay(scene.dice.between(200, 6_000)));
    note({
      verb,
      args,
      kind: unknown ? 'unknown' : 'known',
      takenMs,
      givenMs: scene.agenda.nowMs,
    });
    scene.activity++;
    if (unknown && this.lies.unknownIsKnown !== true) {
      return { kind: 'unknown', why: scene.dice.pick(UNKNOWN), detail: 'as the world would have it', source, readAt, evidence };
    }
    return { kind: 'known', value, source, readAt, evidence };
  }

  private isSilent(verb: string): boolean {
    const { scene } = this;
    const until = Outside.silent.get(scene)?.get(verb) ?? 0;
    return (!scene.calm && scene.agenda.nowMs < until) || scene.strikes('unknown_readings', 0.03);
  }

  async act(
    verb: string,
    args: JsonObject,
    { id, onSpawn }: { readonly id: string; readonly onSpawn: (identity: ProcessIdentity) => void },
  ): Promise<ActReport> {
    const { scene, life } = this;
    scene.activity++;
    life.pass('before a spawn');
    if (scene.strikes('acts_not_started', 0.3)) {
      scene.tell(`${verb} for ${id} could not be started`);
      return { exitCode: null, problem: 'not_started', jobId: null, evidence: `${verb}: not started` };
    }
    const spawn: Spawn = { intentId: id, verb, args, atMs: scene.agenda.nowMs, alive: true };
    scene.tell(`spawn ${verb} ${JSON.stringify(args)} for ${id}`);
    scene.spawns.push(spawn);
    this.onSpawned(spawn);
    const ended = runProcess(scene, spawn);
    life.pass('after a spawn');
    onSpawn({ pid: 1_000 + scene.spawns.length, startTicks: scene.agenda.nowMs, bootId: 'boot' });
    const report = await life.while(ended);
    scene.activity++;
    life.pass('after an act');
    return report;
  }

  async isGone({ intentId }: { readonly intentId: string }): Promise<Reading<boolean>> {
    const { scene } = this;
    scene.activity++;
    const base = { source: 'processes', readAt: this.life.now() };
    if (this.lies.orphansGone === true) return { ...base, kind: 'known', value: true };
    if (scene.strikes('processes_not_told', 0.3)) return { ...base, kind: 'unknown', why: 'unreachable', detail: 'not to be told' };
    return { ...base, kind: 'known', value: !scene.spawns.some((spawn) => spawn.intentId === intentId && spawn.alive) };
  }
}

/** What a process does to the cluster, and how it ends: in its own time, whoever started it. */
async function runProcess(scene: Scene, spawn: Spawn): Promise<ActReport> {
  const { agenda, dice } = scene;
  const slow = scene.strikes('slow_acts', 0.5);
  const refused = scene.strikes('refused_acts', 0.3);
  const failing = !refused && scene.strikes('failing_acts', 0.4);
  const silent = scene.strikes('silent_acts', 0.4);
  await agenda.delay(slow ? dice.between(1_000, 45_000) : dice.between(50, 900));
  scene.activity++;
  const jobId = refused ? null : land(scene, spawn);
  await agenda.delay(dice.between(20, slow ? 4_000 : 600));
  scene.activity++;
  spawn.alive = false;
  const evidence = `${spawn.verb} for ${spawn.intentId}`;
  if (refused) return { exitCode: 2, problem: 'failed', jobId: null, evidence };
  if (failing && dice.chance(0.5)) return { exitCode: null, problem: 'timed_out', jobId: null, evidence };
  if (failing) return { exitCode: 1, problem: 'failed', jobId: null, evidence };
  return { exitCode: 0, problem: null, jobId: silent ? null : jobId, evidence };
}

function land(scene: Scene, { verb, args, intentId }: Spawn): string | null {
  const { cluster, agenda } = scene;
  if (verb === 'fork_tracker') {
    cluster.fork();
    scene.tell('the tracker has the child');
    return null;
  }
  if (verb === 'publish_report') {
    if (cluster.reports.includes(`${args.title}`)) scene.breaks(`the report ${args.title} was made twice`);
    cluster.reports.push(`${args.title}`);
    return null;
  }
  if (verb === 'cancel') {
    const job = cluster.byId(`${args.jobId}`);
    if (job === undefined || scene.strikes('cancels_not_taking', 0.4)) return null;
    job.end('killed', agenda.nowMs, scene.strikes('lingering_pods', 0.5) ? scene.dice.between(20_000, 200_000) : 2_000);
    scene.tell(`${job.jobId} is killed`);
    return null;
  }
  const runId = args.dir === '/deploy' ? NEW_RUN : OLD_RUN;
  const job = cluster.submit(runId, 'bot', intentId, runId === NEW_RUN ? fateOf(scene) : HEALTHY);
  scene.tell(`${job.jobId} is submitted`);
  if (scene.strikes('doubled_submits', 0.25)) {
    const double = cluster.submit(runId, 'doubled', intentId);
    scene.tell(`${double.jobId} too, by the scheduler's own doing`);
  }
  return job.jobId;
}

/** How a candidate fares. */
function fateOf(scene: Scene): Fate {
  const { dice } = scene;
  const loseEvery = scene.strikes('lost_rows', 0.6) ? dice.pick([2, 7, 30]) : 0;
  const fate = { ...HEALTHY, loseEvery, queuedFor: dice.between(1, 20) };
  if (!scene.strikes('bad_candidate', 0.7)) return fate;
  const step = 54_000 + Math.floor(dice.between(1, 24));
  return dice.pick([
    { ...fate, hangsAt: step },
    { ...fate, nonFiniteAt: step },
    { ...fate, retriesAt: step },
    { ...fate, lossOffset: 0.5 },
    { ...fate, endsAfter: { seconds: dice.between(5, 90), as: 'failed' } },
    { ...fate, startsUpFor: 400 },
  ]);
}
