import type { ClusterConfig, FamilyConfig, LaneConfig } from '../fleet.js';
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
  readonly now: () => Date;
  /** The folder of our own record, and how many bytes must be free there. */
  readonly record: { readonly folder: string; readonly neededBytes: number };
  /** Both throw UnsafeArgumentError for a family that the fleet file does not name. */
  familyOf(family: string): FamilyPlace;
  clusterOf(family: string): ClusterConfig;
  /** `owner/name` on GitHub. */
  readonly repository: string;
  /** Throws UnsafeArgumentError for a lane that the fleet file does not name. */
  laneOf(lane: string): LaneConfig & { readonly scheduler: string };
}

export interface FleetPlaces {
  /** Where our own record lives, and how many megabytes must be free there; undefined where there is none. */
  readonly data?: string;
  readonly dataFreeMegabytes?: number;
  readonly families: Readonly<Record<string, FamilyPlace>>;
  readonly clusters: Readonly<Record<string, ClusterConfig>>;
  readonly lanes?: Readonly<Record<string, LaneConfig>>;
  readonly github?: { readonly repository: string };
}

/** Puts together what adapters are given. */
export function createOutside(fleet: FleetPlaces, commands: Commands, ask: Ask, scrub: Scrub, now: () => Date): Outside {
  const familyOf = (family: string): FamilyPlace => named(fleet.families, family, 'family');
  const clusterNamed = (name: string): ClusterConfig => named(fleet.clusters, name, 'cluster');
  const laneOf: Outside['laneOf'] = (name) => {
    const lane = named(fleet.lanes ?? {}, name, 'lane');
    return { ...lane, scheduler: clusterNamed(lane.cluster).scheduler };
  };
  const record = { folder: fleet.data ?? '.', neededBytes: (fleet.dataFreeMegabytes ?? 0) * 1_000_000 };
  const repository = fleet.github?.repository ?? '';
  return { commands, ask, scrub, now, record, repository, familyOf, clusterOf: (family) => clusterNamed(familyOf(family).cluster), laneOf };
}

function named<T>(all: Readonly<Record<string, T>>, name: string, what: string): T {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found === undefined) throw new UnsafeArgumentError(`look up ${what} ${JSON.stringify(name.slice(0, 80))} in the fleet file`);
  return found;
}
