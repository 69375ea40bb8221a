import { canonicalJson } from '../../src/journal/digest.js';
import type { HeroView } from '../../src/protocol/hero/facts.js';
import { guardNeeds } from '../../src/protocol/hero/guards.js';
import type { LastStep, Sample } from '../../src/protocol/outside.js';
import type { Reading } from '../../src/protocol/reading.js';
import type { JsonObject, Need } from '../../src/protocol/table.js';
import { APPROVER, startEngine } from '../support/engine.js';
import { DEPLOY, HANDOFF, NEW_RUN, OLD_RUN, ROLLBACK } from '../support/plan.js';
import { World } from '../support/world.js';
import type { Facts } from './answers.js';

/** The two moments at which guards stand before an act. */
export const SCENES = ['arming', 'rearming'] as const;
export type Scene = (typeof SCENES)[number];

const PLAN = { deploy: { worktree: '/deploy', commit: DEPLOY }, rollback: { worktree: '/rollback', commit: ROLLBACK } };

/** The world in memory, in which one reading can be made to come out as an adapter had it. */
class Tampered extends World {
  private wrong: { readonly key: string; readonly reading: Reading<unknown> } | null = null;

  tamper({ verb, args }: Need, reading: Reading<unknown>): void {
    this.wrong = { key: `${verb} ${canonicalJson(args)}`, reading };
  }

  override async read(verb: string, args: JsonObject): Promise<Reading<unknown>> {
    if (this.wrong?.key === `${verb} ${canonicalJson(args)}`) return { ...this.wrong.reading, readAt: this.now() };
    const { dir } = args;
    return super.read(verb, typeof dir === 'string' ? { ...args, dir: dir.slice(1) } : args);
  }
}

/** An operation that has come to a scene by the real engine. */
export async function play(scene: Scene) {
  const world = new Tampered();
  const bot = startEngine({ world });
  if (scene === 'rearming') world.submit = 'refuses';
  await bot.toGate(PLAN);
  bot.ask(APPROVER, 'launch_approved');
  if (scene === 'rearming') {
    for (let n = 0; n < 40 && bot.state() !== 'nothing_running'; n++) await bot.tick();
    bot.ask(APPROVER, 'launch_again');
  }
  if (bot.state() !== scene) throw new Error(`the operation is ${bot.state()}, not ${scene}`);
  return { ...bot, world };
}

/** What is so outside, and the operation as its guards are about to see it. */
export async function factsOf(
  { world, engine }: Awaited<ReturnType<typeof play>>,
  scene: Scene,
): Promise<{ view: HeroView; facts: Facts }> {
  const view = engine.view('hero-1') as HeroView | null;
  const jobId = view?.facts.oldCoordinator;
  if (view === null || jobId === undefined) throw new Error('there is no old coordinator');
  const steps = await world.read('last_step', { family: 'hero', runId: OLD_RUN, sinceMs: 0 });
  if (steps.kind === 'unknown') throw new Error(steps.detail);
  const { step, atMs, rows } = steps.value as LastStep;
  const wanted = guardNeeds(view, scene).find(({ verb }) => verb === 'series');
  const series = wanted === undefined ? null : await world.read(wanted.verb, wanted.args);
  const pace = series?.kind === 'known' ? (series.value as readonly Sample[]) : [];
  const facts: Facts = {
    oldRun: OLD_RUN,
    newRun: NEW_RUN,
    jobId,
    live: scene === 'arming',
    forked: scene === 'rearming',
    handoff: HANDOFF,
    deploy: DEPLOY,
    rollback: ROLLBACK,
    lastStep: { step: step ?? 0, atMs: atMs ?? 0, rows },
    pace,
  };
  return { view, facts };
}

/** Goes on with one reading as a bad answer left it, until the guards have said what they make of it. */
export async function playOn(
  scene: Scene,
  need: Need,
  reading: Reading<unknown>,
): Promise<{ state: string; acts: number; intents: number }> {
  const bot = await play(scene);
  const acts = bot.world.acts.length;
  const row = bot.engine.view('hero-1')?.seq ?? 0;
  bot.world.tamper(need, reading);
  for (let n = 0; n < 10 && bot.state() === scene; n++) await bot.tick();
  await bot.tick(3);
  const intents = bot.journal.history('hero-1').filter(({ seq }) => seq > row);
  return {
    state: `${bot.state()}`,
    acts: bot.world.acts.length - acts,
    intents: intents.filter(({ seq }) => bot.journal.intents.all('hero-1').at(-1)?.intent_id.endsWith(`:${seq}`)).length,
  };
}
