import type { ClusterConfig, FamilyConfig, Fleet, LaneConfig } from '../fleet.js';
import { UnsafeArgumentError } from './binding.js';
import type { Commands } from './command.js';
import type { Ask } from './question.js';
import type { Scrub } from './scrub.js';

/** What every adapter is given: the executables, a way to ask them, and the fleet's families. */
export interface Outside {
  readonly commands: Commands;
  readonly ask: Ask;
  readonly scrub: Scrub;
  /** Both throw UnsafeArgumentError for a family that the fleet file does not name. */
  familyOf(family: string): FamilyConfig;
  clusterOf(family: string): ClusterConfig;
  /** `owner/name` on GitHub. */
  readonly repository: string;
  /** Throws UnsafeArgumentError for a lane that the fleet file does not name. */
  laneOf(lane: string): LaneConfig & { readonly scheduler: string };
}

/** Puts together what adapters are given. */
export function createOutside(fleet: Fleet, commands: Commands, ask: Ask, scrub: Scrub): Outside {
  const familyOf = (family: string): FamilyConfig => named(fleet.families, family, 'family');
  const clusterNamed = (name: string): ClusterConfig => named(fleet.clusters, name, 'cluster');
  const laneOf: Outside['laneOf'] = (name) => {
    const lane = named(fleet.lanes, name, 'lane');
    return { ...lane, scheduler: clusterNamed(lane.cluster).scheduler };
  };
  const { repository } = fleet.github;
  return { commands, ask, scrub, familyOf, clusterOf: (family) => clusterNamed(familyOf(family).cluster), repository, laneOf };
}

function named<T>(all: Readonly<Record<string, T>>, name: string, what: string): T {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found === undefined) throw new UnsafeArgumentError(`look up ${what} ${JSON.stringify(name.slice(0, 80))} in the fleet file`);
  return found;
}
