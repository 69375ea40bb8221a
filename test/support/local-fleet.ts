import { type Fleet, parseFleet } from '../../src/fleet.js';
import { type LocalWorld, localFleet } from '../../src/local/fleet.js';

/** The local fleet file over folders that need not be there. */
export function localFleetWith(changes: Partial<LocalWorld> = {}): Fleet {
  const world: LocalWorld = {
    data: '/nowhere/data',
    bin: '/nowhere/bin',
    deployWorktree: '/nowhere/deploy',
    rollbackWorktree: '/nowhere/rollback',
    lanesWorktree: '/nowhere/lanes',
    slackApiUrl: 'http://127.0.0.1:1',
    githubApiUrl: 'http://127.0.0.1:2',
    issueNumber: 1,
    pace: 1,
    hoursShut: false,
    rehearsalAsked: false,
    trackerKey: 'key',
    ...changes,
  };
  return parseFleet(localFleet(world), 'the local fleet');
}
