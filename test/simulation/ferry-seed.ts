import { Engine } from '../../src/engine/engine.js';
import { Monitor } from '../../src/engine/monitor.js';
import { type Actor, Worker } from '../../src/engine/worker.js';
import type { Database } from '../../src/journal/database.js';
import { Journal } from '../../src/journal/journal.js';
import { createFerry } from '../../src/protocol/ferry/ferry.js';
import { FERRY_FINALS, FERRY_ROWS } from '../../src/protocol/ferry/table.js';
import type { JsonObject } from '../../src/protocol/table.js';
import { BYSTANDER, DECIDER, DOCUMENTS, FERRY_POLICY, REQUESTER } from '../support/ferry-engine.js';
import { canaryBody, ferryBody, LAUNCH_COMMIT, LOG_PATH, SEAL_LABELS } from '../support/ferry-plan.js';
import { FerryWorld } from '../support/ferry-world.js';
import { emptyImage, openImage } from './database.js';
import { Prng } from './prng.js';

/** The bot's process ended here: nothing of it goes on. */
class Died extends Error {}

export interface FerrySeed {
  readonly seed: number;
  readonly broken: string | null;
  readonly states: readonly string[];
  readonly lives: number;
  readonly acts: readonly string[];
  readonly points: number;
  readonly story: readonly string[];
}

export interface FerrySeedOptions {
  readonly seed: number;
  /** Nothing goes wrong but that the bot dies at its n-th crash point; 0: never. */
  readonly dieAt?: number;
}

/** One bot over a record that outlives it. Once dead, nothing of it reaches the record or the world. */
class Life {
  dead = false;
  readonly engine: Engine;
  readonly monitor: Monitor;
  readonly worker: Worker;
  readonly journal: Journal;

  constructor(
    readonly database: Database,
    private readonly scene: Scene,
  ) {
    this.journal = new Journal(database);
    this.engine = new Engine({ journal: this.journal, protocols: [createFerry(FERRY_POLICY, DOCUMENTS)], now: scene.world.now });
    const outside: Actor & { read: FerryWorld['read'] } = {
      read: (verb, args) => scene.world.read(verb, args),
      isGone: () => scene.world.isGone(),
      act: (verb, args, { id }) => this.act(verb, args, id),
    };
    this.worker = new Worker(
      this.engine,
      outside,
      () => {},
      (intentId, fault) => {
        if (!(fault instanceof Died)) scene.breaks(`${intentId}: ${fault}`);
      },
    );
    this.monitor = new Monitor(this.engine, outside, this.worker);
  }

  private async act(verb: string, args: JsonObject, intentId: string) {
    this.scene.pass(this, 'before an act');
    if (this.scene.acted.has(intentId)) this.scene.breaks(`${intentId} acts twice: ${verb}`);
    this.scene.acted.add(intentId);
    const report = await this.scene.world.act(verb, args);
    this.scene.pass(this, 'after an act');
    return report;
  }
}

/** What outlives the bot: its record, the world, and who wants what. */
class Scene {
  readonly world = new FerryWorld();
  readonly acted = new Set<string>();
  readonly story: string[] = [];
  broken: string | null = null;
  lives = 0;
  points = 0;
  private image: Buffer = emptyImage();
  private life: Life;
  private keys = 0;
  private checks = 0;
  private calm = false;
  private readonly random: Prng;
  readonly body: JsonObject;

  constructor(private readonly options: FerrySeedOptions) {
    this.random = new Prng(options.seed);
    const daily = options.dieAt !== undefined || this.random.chance(0.6);
    this.body = daily ? ferryBody() : canaryBody();
    this.life = this.born();
  }

  breaks(what: string): void {
    this.broken ??= what;
  }

  private born(): Life {
    this.lives += 1;
    let life: Life | null = null;
    const database = openImage(this.image, { pass: (point) => (life === null ? undefined : this.pass(life, point)) });
    life = new Life(database, this);
    return life;
  }

  /** A point at which a process may end. What is on file then is all that the next one has. */
  pass(life: Life, point: string): void {
    if (life.dead) throw new Died();
    this.points += 1;
    const dies = this.options.dieAt === undefined ? !this.calm && this.random.chance(0.01) : this.points === this.options.dieAt;
    if (!dies) return;
    life.dead = true;
    this.story.push(`the bot dies ${point}`);
    throw new Died();
  }

  /** Does something of the bot's; a death ends it, and the next bot starts from what is on file. */
  private async living(work: (life: Life) => Promise<void> | void): Promise<void> {
    try {
      await work(this.life);
    } catch (fault) {
      if (!(fault instanceof Died)) throw fault;
    }
    if (!this.life.dead) return;
    this.image = this.life.database.serialize();
    this.life = this.born();
  }

  async run(): Promise<void> {
    await this.ask(REQUESTER, null);
    for (let step = 0; step < 150 && !this.over() && this.broken === null; step++) {
      if (this.options.dieAt === undefined) this.trouble();
      await this.wish();
      this.worldGoesOn();
      await this.step();
    }
    this.calm = true;
    this.mend();
    for (let step = 0; step < 300 && !this.over() && this.broken === null; step++) {
      await this.finish();
      this.worldGoesOn();
      await this.step();
    }
    if (!this.over()) this.breaks(`it does not come to an end: ${this.states().join()}`);
    this.check();
  }

  private async step(): Promise<void> {
    this.world.advance(this.calm || this.options.dieAt !== undefined ? 6 : this.random.between(1, 40));
    await this.living(async (life) => {
      await life.monitor.tick();
      await life.worker.idle();
    });
    this.check();
  }

  private operations() {
    return this.life.journal.ofSubject(`lane:${this.body.lane}`);
  }

  states(): readonly string[] {
    return this.operations().map(({ state }) => state);
  }

  private over(): boolean {
    const all = this.operations();
    return all.length > 0 && all.every(({ state }) => FERRY_FINALS.has(state));
  }

  private trouble(): void {
    const { world, random } = this;
    if (random.chance(0.06)) world.unknown.set(random.pick(VERBS), random.pick(['timed_out', 'failed', 'unparsable'] as const));
    if (random.chance(0.15)) world.unknown.clear();
    if (random.chance(0.03)) world.fails.set(random.pick(ACTS), random.pick(['does_nothing', 'fails_after'] as const));
    if (random.chance(0.1)) world.fails.clear();
    if (random.chance(0.02)) world.submitTwice = !world.submitTwice;
    if (random.chance(0.03)) world.orphans = random.pick(['gone', 'unknown'] as const);
    if (random.chance(0.02)) world.stopTakes = !world.stopTakes;
    if (random.chance(0.02)) world.tree = { ...world.tree, dirty: random.chance(0.5) ? ['scratch.txt'] : [] };
    if (random.chance(0.01)) world.standings.set(REQUESTER, random.pick(['deactivated', 'guest', 'not_listed'] as const));
    if (random.chance(0.2)) world.standings.clear();
    if (random.chance(0.01)) this.foreignTag();
  }

  /** Somebody else's tag where the seal's would be. */
  private foreignTag(): void {
    const name = this.world.runs.at(-1)?.name;
    if (name === undefined) return;
    const tag = `ferry/daily/${this.world.now().toISOString().slice(0, 10).replaceAll('-', '')}/${name}`;
    if (!this.world.tags.has(tag)) this.world.tags.set(tag, 'e'.repeat(40));
  }

  private mend(): void {
    const { world } = this;
    world.unknown.clear();
    world.fails.clear();
    world.standings.clear();
    Object.assign(world, { submitTwice: false, orphans: 'gone', stopTakes: true, tree: { ...world.tree, dirty: [] } });
  }

  private worldGoesOn(): void {
    const { world, random } = this;
    const job = world.jobs.findLast(({ state }) => state === 'pending' || state === 'running');
    if (job === undefined) return;
    const steady = this.options.dieAt !== undefined || this.calm;
    if (job.state === 'pending') {
      if (steady || random.chance(0.4)) world.grants({ 'train/loss': 5 });
      return;
    }
    const run = world.runs.at(-1);
    const next = (run?.lastStep ?? 0) + 30;
    world.logs(next, { 'eval/bpb': 1.2, 'train/loss': 3 });
    if (next < 130) return;
    const fate = steady ? 0 : random.next();
    if (fate < 0.6) {
      world.logs(next, fate < 0.5 ? {} : { 'eval/bpb': 9, 'train/loss': 99 }, 'finished');
      world.ends('succeeded');
    } else if (fate < 0.8) world.ends('failed', 'Exit code 1');
    else if (fate < 0.9) world.ends('killed', 'time limit exceeded');
    else {
      if (run !== undefined) Object.assign(run, { summary: {} });
      world.logs(next, {}, 'finished');
      world.ends('succeeded');
    }
  }

  /** People want all kinds of things, some of them nothing that they may. */
  private async wish(): Promise<void> {
    if (this.options.dieAt !== undefined) return this.finish();
    const { random } = this;
    if (!random.chance(0.5)) return;
    if (random.chance(0.1)) return this.ask(random.pick([REQUESTER, DECIDER, BYSTANDER]), null);
    const by = random.pick([REQUESTER, REQUESTER, DECIDER, BYSTANDER]);
    const wanted = random.pick(WISHES);
    // Who cancels ends the story: wished for as often as all else, most stories would be over before a launch.
    if (wanted === 'cancel_asked' && !random.chance(0.1)) return;
    await this.ask(by, wanted);
  }

  /** The people who bring a ferry to its end. */
  private async finish(): Promise<void> {
    if (this.operations().length === 0) return this.ask(REQUESTER, null);
    for (const { operation_id: id, state } of this.operations()) {
      const last = this.life.journal.history(id).at(-1)?.event;
      const wish = state === 'awaiting_seal' && last === 'tag_conflict' ? ([DECIDER, 'leave_unsealed'] as const) : ON[state];
      if (wish !== undefined) await this.ask(wish[0], wish[1], id);
    }
  }

  private async ask(by: string, on: string | null, id = this.operations()[0]?.operation_id ?? 'ferry-1'): Promise<void> {
    const requestKey = `p${++this.keys}`;
    await this.living((life) => {
      const answer =
        on === null
          ? life.engine.plan({ protocol: 'ferry', body: this.body, inferred: [], by, channel: 'C1', requestKey })
          : life.engine.request(
              { operationId: id, on, by, requestKey, details: this.detailsOf(on) },
              on === 'fix_proposed' ? this.fix() : undefined,
            );
      this.story.push(`${by} ${on ?? 'propose'}: ${answer.kind === 'refused' ? answer.refusal : answer.kind}`);
    });
  }

  private fix() {
    return { body: { ...this.body, rationale: `fix ${this.keys}` }, inferred: [] };
  }

  private detailsOf(on: string): JsonObject {
    if (on !== 'adopt') return { reason: 'because' };
    return { jobId: this.world.jobs.findLast(({ state }) => state === 'running' || state === 'pending')?.jobId ?? '' };
  }

  /** What must hold at any time. */
  private check(): void {
    const { world, life } = this;
    for (const operation of this.operations()) {
      const id = operation.operation_id;
      if (++this.checks % 20 === 0 || FERRY_FINALS.has(operation.state)) life.journal.verify(id);
      const rows = life.journal.history(id);
      for (const row of rows) {
        const known = FERRY_ROWS.some(
          ({ from, on, to }) => from === row.from_state && on === row.event && (to === row.to_state || to === '@origin'),
        );
        if (!known) this.breaks(`${id} ${row.seq}: ${row.from_state} ${row.event} ${row.to_state} is in no table`);
        if (row.event === 'guards_open') this.checkLaunch(id, rows.slice(0, row.seq - 1));
      }
      const view = life.engine.viewOf(operation);
      const succeeded = ['succeeded', 'awaiting_seal', 'sealed', 'unsealed'].includes(view.state);
      const sound = world.runs.some(
        (run) => run.state === 'finished' && Object.keys(run.summary).length > 0 && (run.summary['train/loss'] ?? 0) < 8,
      );
      if (succeeded && !sound) this.breaks(`${id} is ${view.state}, and no run of it is sound`);
      if (view.state === 'sealed') this.checkSeal(id, `${view.facts.sealedTag}`);
    }
    for (const name of world.acts.filter((act) => act.startsWith('ferry_launch'))) {
      if (world.acts.filter((act) => act === name).length > 1) this.breaks(`${name} was submitted twice`);
    }
    const markers = world.issues.flatMap(({ body, comments }) => [body, ...comments]).flatMap((text) => /key=(\S+)/.exec(text)?.[1] ?? []);
    if (new Set(markers).size !== markers.length) this.breaks(`something stands twice on GitHub: ${markers.join(', ')}`);
    if (world.pulls.length > this.operations().length) this.breaks(`${world.pulls.length} pull requests`);
  }

  /** A launch goes on file only under a clearance by the one person who may give it, given since the last launch or fix. */
  private checkLaunch(id: string, before: readonly { readonly event: string; readonly actor: string }[]): void {
    const cleared = before.findLast(({ event }) =>
      ['approved', 'waived', 'launch_absent', 'fix_proposed', 'clearance_expired', 'approver_left'].includes(event),
    );
    const fine = cleared !== undefined && ['approved', 'waived'].includes(cleared.event) && cleared.actor === REQUESTER;
    if (!fine) this.breaks(`${id} is launched without a clearance of its requester`);
  }

  private checkSeal(id: string, tag: string): void {
    const { world } = this;
    if (world.tags.get(tag) !== LAUNCH_COMMIT) this.breaks(`${id} is sealed, and ${tag} is elsewhere`);
    const pull = world.pulls.find(({ branch }) => branch === `ferry-log/${id}`)?.pull;
    if (pull?.files.join() !== LOG_PATH || !SEAL_LABELS.every((label) => pull.labels.includes(label)))
      this.breaks(`${id} is sealed without its pull request`);
  }
}

const ON: Readonly<Record<string, readonly [string, string]>> = {
  unfiled: [REQUESTER, 'file_again'],
  proposed: [REQUESTER, 'approved'],
  cleared: [REQUESTER, 'launch_asked'],
  awaiting_fix: [DECIDER, 'escalate_asked'],
  awaiting_seal: [DECIDER, 'seal_asked'],
  held: [DECIDER, 'abandon'],
};
const WISHES = [
  'approved',
  'waived',
  'launch_asked',
  'launch_asked',
  'cancel_asked',
  'abort_asked',
  'stop_asked',
  'seal_asked',
  'leave_unsealed',
  'escalate_asked',
  'fix_proposed',
  'file_again',
  'recheck_asked',
  'adopt',
  'retry_stop',
  'taken',
  'standing_waiver_used',
  'launched_once',
  'sealed',
] as const;
const VERBS = [
  'entitled',
  'lane_tree',
  'ferry_jobs',
  'ferry_runs',
  'ferry_artefacts',
  'ferry_analysis',
  'job_logs',
  'marked_issue',
  'issue',
  'marked_comment',
  'remote_tag',
  'ferry_log',
  'ferry_pull',
] as const;
const ACTS = [
  'ferry_launch',
  'ferry_cancel',
  'file_issue',
  'comment_issue',
  'push_tag',
  'make_branch',
  'write_log',
  'open_pull',
  'label_pull',
] as const;

/** Runs one seed to its end, or to the first thing that must not be. */
export async function runFerrySeed(options: FerrySeedOptions): Promise<FerrySeed> {
  const scene = new Scene(options);
  await scene.run();
  const { broken, lives, points, story, world } = scene;
  return { seed: options.seed, broken, states: scene.states(), lives, points, acts: world.acts, story };
}
