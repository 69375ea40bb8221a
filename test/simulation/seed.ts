import type { Sabotage } from './database.js';
import type { Trouble } from './weather.js';

/** A safety that is turned off, in one run, to see that its absence is noticed. */
export interface Mutant {
  readonly sabotage?: Sabotage;
  readonly orphansGone?: boolean;
  readonly unknownIsKnown?: boolean;
  readonly everyDeliveryIsNew?: boolean;
  readonly noOwner?: boolean;
}

export interface SeedOptions {
  readonly seed: number;
  readonly tells?: boolean;
  readonly mutant?: Mutant;
  readonly troubles?: readonly Trouble[];
  /** People who want the swap, or its rollback, and nothing else, in a world without trouble but this: the bot dies at its n-th crash point. */
  readonly straight?: { readonly wants: 'swap' | 'rollback'; readonly dieAt: number };
}

export interface SeedResult {
  readonly seed: number;
  readonly broken: string | null;
  readonly story: readonly string[];
  readonly troubles: readonly Trouble[];
  readonly states: readonly string[];
  readonly events: readonly string[];
  readonly lives: number;
  readonly steps: number;
  readonly points: number;
  readonly acts: readonly string[];
}
