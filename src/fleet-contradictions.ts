import { resolve } from 'node:path';
import { createScrub } from './adapters/scrub.js';
import type { CommandConfig, FamilyConfig, Fleet } from './fleet.js';

/** What cannot hold together in a fleet file whose every key is well by itself; a line a key, with its path. Nothing is read. */
export function contradictionsIn(fleet: Fleet): readonly string[] {
  const { clusters, families, lanes, adapters, slack, github, health } = fleet;
  const known = Object.keys(clusters).join(', ');
  const strangers = [...pathsOf('families', families), ...pathsOf('lanes', lanes)].flatMap(([path, { cluster }]) =>
    Object.hasOwn(clusters, cluster) ? [] : [`${path}.cluster: no cluster "${cluster}" under clusters; there are: ${known}`],
  );
  return [
    ...strangers,
    ...pathsOf('families', families).flatMap(([path, family]) => ofFamily(path, family)),
    ...pathsOf('adapters', adapters).flatMap(([path, command]) => secretsOf(path, command)),
    ...(slack.secondChannel === slack.channel ? ['slack.secondChannel: is slack.channel itself; name another, or leave it out'] : []),
    ...(github.follows === github.issue ? ['github.follows: is github.issue itself; name the issue before it, or leave it out'] : []),
    ...(slack.mode === 'http' && slack.port !== 0 && slack.port === health.port
      ? [`health.port: ${health.port} is slack.port too; give one of them another`]
      : []),
  ];
}

function pathsOf<T>(list: string, entries: Readonly<Record<string, T>>): readonly (readonly [path: string, entry: T])[] {
  return Object.entries(entries).map(([name, entry]) => [`${list}.${name}`, entry]);
}

function ofFamily(path: string, { repository, checkpoints, workingHours, alerts }: FamilyConfig): readonly string[] {
  const { deployWorktree, rollbackWorktree } = repository;
  const { from, until } = workingHours;
  return [
    ...(resolve(deployWorktree) === resolve(rollbackWorktree)
      ? [`${path}.repository.rollbackWorktree: is the deploy worktree too; a rollback needs a worktree of its own`]
      : []),
    ...(checkpoints.temporary === checkpoints.permanent
      ? [`${path}.checkpoints.temporary: is the permanent tree too; name the tree of temporary ones, or leave it out`]
      : []),
    // Both are of the form HH:MM, in which later is greater.
    ...(from < until ? [] : [`${path}.workingHours.until: ${until} is not after from, ${from}; no swap could ever start`]),
    ...alerts.flatMap(({ above, below }, index) =>
      above === undefined && below === undefined
        ? [`${path}.alerts.${index}: says neither above nor below; it could never be reported`]
        : [],
    ),
  ];
}

const scrub = createScrub([]);

/** Everybody may read the fleet file: a secret in it is told by its path, and never shown again. */
function secretsOf(path: string, { command, env }: CommandConfig): readonly string[] {
  const advice = 'put it into the environment of the bot, and its name here as $NAME under env';
  return [
    ...command.flatMap((word, index) => (scrub(word) === word ? [] : [`${path}.command.${index}: looks like a secret; ${advice}`])),
    ...Object.entries(env).flatMap(([name, value]) =>
      value.startsWith('$') || scrub(value) === value ? [] : [`${path}.env.${name}: looks like a secret; ${advice}`],
    ),
  ];
}
