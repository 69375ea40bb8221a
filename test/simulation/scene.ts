import type { Reading } from '../../src/protocol/reading.js';
import type { JsonObject } from '../../src/protocol/table.js';
import type { Agenda } from './agenda.js';
import type { Cluster } from './cluster.js';
import type { Prng } from './prng.js';
import type { Trouble } from './weather.js';

/** One process that the bot started for an intent, as the world saw it. */
export interface Spawn {
  readonly intentId: string;
  readonly verb: string;
  readonly args: JsonObject;
  readonly atMs: number;
  /** The process, or something it started, is alive. */
  alive: boolean;
}

/** The last answer that the world gave to a question, and what was true when it was taken. */
export interface Answered {
  readonly verb: string;
  readonly args: JsonObject;
  readonly kind: Reading<unknown>['kind'];
  readonly takenMs: number;
  readonly givenMs: number;
}

/** Something that a person asked for, whether or not it reached the bot. */
export interface Arrival {
  readonly id: string;
  readonly by: string;
  readonly what: string;
  readonly operationId: string | null;
  readonly askedMs: number;
  deliveredMs: number | null;
  acknowledged: boolean;
}

/** A broken invariant. It ends the seed. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** Everything that one seed is made of, and the world's own record of it. */
export class Scene {
  /** From here on nothing goes wrong any more: what is still on its way must come to rest. */
  calm = false;
  readonly spawns: Spawn[] = [];
  readonly answered = new Map<string, Answered>();
  readonly arrivals = new Map<string, Arrival>();
  readonly story: string[] = [];
  /** How far the bot's clock is from the true one. */
  skewMs = 0;
  broken: Broken | null = null;
  /** Anything that happens; while it moves, the bot is not at rest. */
  activity = 0;
  /** What people asked for and the bot is working on. */
  arriving = 0;

  constructor(
    readonly agenda: Agenda,
    readonly cluster: Cluster,
    readonly troubles: ReadonlySet<Trouble>,
    readonly dice: Prng,
    private readonly tells: boolean,
  ) {}

  /** Whether this goes wrong now. */
  strikes(trouble: Trouble, probability: number): boolean {
    return !this.calm && this.troubles.has(trouble) && this.dice.chance(probability);
  }

  tell(line: string): void {
    if (this.tells) this.story.push(`${((this.agenda.nowMs - START_MS) / 1000).toFixed(1).padStart(8)}  ${line}`);
  }

  /** An invariant that does not hold. The first one counts. */
  breaks(invariant: string): void {
    this.tell(`BROKEN: ${invariant}`);
    this.broken ??= new Broken(invariant);
  }
}

export const START_MS = Date.parse('2026-11-30T09:00:00Z');
