import type { ClusterConfig, FamilyConfig } from '../fleet.js';
import { UnsafeArgumentError } from './binding.js';
import type { Commands } from './command.js';
import type { Ask } from './question.js';
import type { Scrub } from './scrub.js';

/** What adapters need to know of a family. */
export type FamilyPlace = Pick<FamilyConfig, 'cluster' | 'user' | 'repository' | 'checkpoints' | 'tracker'>;

/** What every adapter is given: the executables, a way to ask them, and the fleet's families. */
export interface Outside {
  readonly commands: Commands;
  readonly ask: Ask;
  readonly scrub: Scrub;
  /** Both throw UnsafeArgumentError for a family that the fleet file does not name. */
  familyOf(family: string): FamilyPlace;
  clusterOf(family: string): ClusterConfig;
}

export interface FleetPlaces {
  readonly families: Readonly<Record<string, FamilyPlace>>;
  readonly clusters: Readonly<Record<string, ClusterConfig>>;
}

/** Puts together what adapters are given. */
export function createOutside(fleet: FleetPlaces, commands: Commands, ask: Ask, scrub: Scrub): Outside {
  const familyOf = (family: string): FamilyPlace => named(fleet.families, family, 'family');
  return { commands, ask, scrub, familyOf, clusterOf: (family) => named(fleet.clusters, familyOf(family).cluster, 'cluster') };
}

function named<T>(all: Readonly<Record<string, T>>, name: string, what: string): T {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found === undefined) throw new UnsafeArgumentError(`look up ${what} ${JSON.stringify(name.slice(0, 80))} in the fleet file`);
  return found;
}
