import type { Database } from '../../src/journal/database.js';
import { OLD_RUN } from '../support/plan.js';
import { Agenda } from './agenda.js';
import { Bot } from './bot.js';
import { Cluster } from './cluster.js';
import { emptyImage, openImage } from './database.js';
import { calm, strike } from './events.js';
import { wayToAnEnd } from './finish.js';
import { Github } from './github.js';
import { Invariants } from './invariants.js';
import { Died, Life } from './life.js';
import { rewriteHistory } from './meddler.js';
import { APPROVER } from './mentions.js';
import { Outside } from './outside.js';
import { Ownership } from './ownership.js';
import { People } from './people.js';
import { Prng } from './prng.js';
import { type Arrival, Scene, START_MS } from './scene.js';
import type { SeedOptions, SeedResult } from './seed.js';
import { Slack } from './slack.js';
import { type Trouble, troublesOf } from './weather.js';

/** How long people and faults go on: some seeds are short, so that there are many of them, and some play a whole swap. */
const RESTLESS_SECONDS = [40, 70, 100, 130, 300] as const;
const REST_SECONDS = 1_800;

/** One seed: a bot that lives several lives, in a world that goes on. */
export class Harbour {
  private readonly dice: Prng;
  private readonly scene: Scene;
  private readonly slack: Slack;
  private readonly github: Github;
  private readonly people: People;
  private readonly invariants: Invariants;
  private image: Buffer = emptyImage();
  private database: Database | null = null;
  private bot: Bot | null = null;
  private life: Life | null = null;
  private lives = 0;
  private steps = 0;
  private points = 0;
  private readonly ownership: Ownership | null;

  constructor(private readonly options: SeedOptions) {
    const prng = new Prng(options.seed);
    const agenda = new Agenda(START_MS);
    const drawn = troublesOf(prng);
    this.dice = prng.fork();
    const troubles =
      options.straight !== undefined ? new Set<Trouble>() : options.troubles === undefined ? drawn : new Set(options.troubles);
    this.scene = new Scene(agenda, new Cluster(agenda), troubles, prng.fork(), options.tells === true);
    this.slack = new Slack(this.scene, (key) => this.invariants.lineArrived(key));
    this.github = new Github(this.scene, (key) => this.invariants.lineArrived(key));
    this.invariants = new Invariants(this.scene, this.slack.answers);
    this.ownership = troubles.has('second_bot') ? new Ownership(options.mutant?.noOwner === true) : null;
    this.people = new People(this.scene, this.slack, (arrival, body) => this.carry(arrival, body));
  }

  async run(): Promise<void> {
    const { scene } = this;
    scene.tell(`seed ${this.options.seed}: ${[...scene.troubles].join(', ') || 'no trouble'}`);
    scene.cluster.submit(OLD_RUN, 'control', null);
    this.boot();
    this.schedulePeople();
    this.scheduleWeather();
    if (this.options.straight === undefined) {
      await this.goOn(START_MS + this.dice.pick(RESTLESS_SECONDS) * 1000, () => false);
      calm(scene);
      if (this.bot === null) this.boot();
      this.scheduleFinish();
    }
    await this.goOn(scene.agenda.nowMs + REST_SECONDS * 1000, () => this.atRest());
    if (scene.broken !== null) return;
    const stuck = this.invariants.open().map(({ operationId, state }) => `${operationId} in ${state}`);
    if (stuck.length > 0) scene.breaks(`no way to an end was found: ${stuck.join(', ')}`);
    this.invariants.atRest((sink, id) => (sink === 'thread' ? this.slack.linesOf(id) : this.github.linesOf(id)));
  }

  result(): SeedResult {
    const { scene, invariants } = this;
    this.database?.close();
    this.ownership?.end();
    const operations = [...invariants.operations.values()];
    return {
      seed: this.options.seed,
      broken: scene.broken?.message ?? null,
      story: scene.story,
      troubles: [...scene.troubles],
      states: operations.map(({ state }) => state),
      events: operations.flatMap(({ rows }) => rows.map(({ from_state, event }) => `${from_state} ${event}`)),
      lives: this.lives,
      steps: this.steps,
      points: this.points,
      acts: scene.spawns.map(({ verb, args }) => `${verb} ${args.jobId ?? args.dir}`),
    };
  }

  private async goOn(untilMs: number, done: () => boolean): Promise<void> {
    const { scene } = this;
    for (let next = scene.agenda.nextMs; next !== null && next <= untilMs; next = scene.agenda.nextMs) {
      scene.agenda.step();
      this.steps++;
      await this.settle();
      this.invariants.check();
      if (scene.broken !== null || done()) return;
    }
  }

  /** Lets everything that can go on without time going on do so. */
  private async settle(): Promise<void> {
    for (let quiet = 0; quiet < (this.scene.arriving > 0 ? 2 : 1); ) {
      const before = this.scene.activity;
      await new Promise(setImmediate);
      quiet = this.scene.activity === before ? quiet + 1 : 0;
    }
  }

  private boot(): void {
    const { scene, options } = this;
    const mutant = options.mutant ?? {};
    const life = new Life(
      ++this.lives,
      () => scene.agenda.nowMs,
      () => scene.skewMs,
      (point) => this.diesAt(point),
      (point) => this.died(point),
    );
    this.life = life;
    const points = {
      pass: (point: string) => {
        scene.activity++;
        if (point === 'after a commit') this.invariants.check(); // before anything else can follow from it
        life.pass(point);
      },
    };
    this.ownership?.take();
    this.database = openImage(this.image, points, mutant.sabotage);
    this.invariants.attach(this.database);
    this.bot = this.startBot(life, this.database);
  }

  private startBot(life: Life, database: Database): Bot | null {
    const { scene, slack, github } = this;
    const outside = new Outside(scene, life, (spawn) => this.invariants.spawned(spawn), this.options.mutant);
    scene.tell(`the bot starts, life ${life.number}`);
    try {
      const bot = new Bot({ scene, life, database, outside, slack, github });
      bot.start();
      return life.dead ? null : bot;
    } catch (fault) {
      if (fault instanceof Died) return null;
      throw fault;
    }
  }

  /** Somebody starts a second bot beside the first, on the same data. It is refused by the lock, if there is one. */
  private startSecond(): void {
    const { scene, database } = this;
    if (database === null || this.ownership === null) return;
    if (!this.ownership.take()) {
      scene.tell('a second bot is refused');
      return;
    }
    const life = new Life(
      ++this.lives,
      () => scene.agenda.nowMs,
      () => scene.skewMs,
      () => this.life?.dead === true,
      () => {},
    );
    this.startBot(life, database);
  }

  private diesAt(point: string): boolean {
    const dies = ++this.points === this.options.straight?.dieAt || this.scene.strikes('crash_points', 0.004);
    if (dies) this.scene.tell(`the bot dies ${point}`);
    return dies;
  }

  /** Memory is lost, what is committed is not; what was started goes on. */
  private died(_point: string): void {
    const { scene, database } = this;
    if (database === null) return;
    this.invariants.check();
    this.image = database.serialize();
    this.ownership?.release();
    this.invariants.detach();
    this.bot = null;
    this.database = null;
    scene.arriving = 0;
    setImmediate(() => database.close());
    const away = this.dice.chance(0.15) ? this.dice.between(30_000, 300_000) : this.dice.between(1_000, 12_000);
    scene.agenda.after(away, () => {
      if (this.bot === null) this.boot();
    });
  }

  private schedulePeople(): void {
    const { scene } = this;
    scene.agenda.after(this.dice.between(1_500, 12_000), () => {
      if (scene.calm) return;
      if (this.options.straight === undefined) this.people.act();
      else this.people.goStraight(this.options.straight.wants);
      this.schedulePeople();
    });
  }

  private scheduleWeather(): void {
    const { scene } = this;
    scene.agenda.after(this.dice.between(4_000, 30_000), () => {
      if (scene.calm) return;
      strike(scene, this.slack, this.github);
      if (scene.strikes('kills', 0.25)) {
        scene.tell('the bot is killed');
        this.life?.end('killed');
      }
      if (scene.strikes('second_bot', 0.3)) this.startSecond();
      if (scene.strikes('meddler', 0.2) && this.database !== null) rewriteHistory(this.database);
      this.scheduleWeather();
    });
  }

  /** Somebody sees every operation through, by the shortest way to an end. */
  private scheduleFinish(): void {
    const { scene } = this;
    scene.agenda.after(20_000, () => {
      for (const { operationId, state, rows } of this.invariants.open()) {
        const sinceMs = scene.agenda.nowMs - Date.parse(rows.findLast(({ from_state, to_state }) => from_state !== to_state)?.at ?? '');
        const verb = wayToAnEnd(state, sinceMs);
        if (verb !== null) this.people.type(APPROVER, `${verb} ${operationId}`);
      }
      this.scheduleFinish();
    });
  }

  private atRest(): boolean {
    if (this.invariants.operations.size === 0 || this.invariants.open().length > 0 || this.scene.arriving > 0) return false;
    const { scene, database } = this;
    if (database === null || scene.spawns.some(({ alive }) => alive)) return false;
    const following = database
      .prepare<[], { left: number }>(
        "SELECT (SELECT count(*) FROM operation WHERE open = 1) + (SELECT count(*) FROM intent WHERE stage IN ('recorded', 'starting', 'acting')) AS left",
      )
      .get()?.left;
    if (following !== 0) return false;
    const left = database.prepare<[], { left: number }>("SELECT count(*) AS left FROM outbox WHERE stage <> 'delivered'").get()?.left ?? 0;
    return left === 0;
  }

  /** Brings what a person did to the bot, if it is there: late, or twice, as it happens. */
  private carry(arrival: Arrival, body: Record<string, unknown>): void {
    const { scene } = this;
    const late = scene.strikes('late_deliveries', 0.15) ? scene.dice.between(1_000, 200_000) : scene.dice.between(20, 400);
    scene.agenda.after(late, () => this.hand(arrival, body, ''));
    if (scene.strikes('doubled_deliveries', 0.3)) {
      scene.agenda.after(late + (scene.dice.chance(0.5) ? 0 : scene.dice.between(10, 20_000)), () => this.hand(arrival, body, '~2'));
    }
  }

  private hand(arrival: Arrival, body: Record<string, unknown>, again: string): void {
    const { scene, bot, life } = this;
    if (bot === null || life === null) {
      scene.tell(`${arrival.id} finds nobody`);
      return;
    }
    arrival.deliveredMs ??= scene.agenda.nowMs;
    const triggerId = this.options.mutant?.everyDeliveryIsNew === true ? `${arrival.id}${again}` : arrival.id;
    const requestKey = `${body.type === 'block_actions' ? 'click' : 'command'}:${triggerId}`;
    bot
      .receive({ ...body, trigger_id: triggerId }, (answer) => {
        scene.activity++;
        if (life.dead) return;
        if (!JSON.stringify(answer ?? '').includes('Not taken')) this.invariants.acknowledged(arrival, requestKey);
      })
      .catch((fault) => {
        if (!life.dead) scene.breaks(`handing in ${arrival.id}: ${fault}`);
      });
  }
}
