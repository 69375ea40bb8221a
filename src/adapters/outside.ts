import type { ClusterConfig, FamilyConfig, Fleet } from '../fleet.js';
import { UnsafeArgumentError } from './binding.js';
import type { Commands } from './command.js';
import type { Ask } from './question.js';
import type { Scrub } from './scrub.js';

/** What every adapter is given: the executables, a way to ask them, and the fleet's families. */
export interface Outside {
  readonly commands: Commands;
  readonly ask: Ask;
  readonly scrub: Scrub;
  readonly now: () => Date;
  /** The folder of our own record, and how many bytes must be free there. */
  readonly record: { readonly folder: string; readonly neededBytes: number };
  /** Both throw UnsafeArgumentError for a family that the fleet file does not name. */
  familyOf(family: string): FamilyConfig;
  clusterOf(family: string): ClusterConfig;
}

/** Puts together what adapters are given. */
export function createOutside(fleet: Fleet, commands: Commands, ask: Ask, scrub: Scrub, now: () => Date): Outside {
  const familyOf = (family: string): FamilyConfig => named(fleet.families, family, 'family');
  const clusterOf = (family: string): ClusterConfig => named(fleet.clusters, familyOf(family).cluster, 'cluster');
  const record = { folder: fleet.data, neededBytes: fleet.dataFreeMegabytes * 1_000_000 };
  return { commands, ask, scrub, now, record, familyOf, clusterOf };
}

function named<T>(all: Readonly<Record<string, T>>, name: string, what: string): T {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found === undefined) throw new UnsafeArgumentError(`look up ${what} ${JSON.stringify(name.slice(0, 80))} in the fleet file`);
  return found;
}
