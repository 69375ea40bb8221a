import type { WebClient } from '@slack/web-api';
import type { Fleet } from '../fleet.js';
import type { Github } from '../github.js';
import { readGithubWorkspace } from './github.js';
import { type NamedGroup, readUserGroups } from './groups.js';
import { type LabelledLane, readLaneIssues } from './lanes.js';
import { readSlackClock, readSlackWorkspace } from './slack.js';
import type { Probe } from './workspace.js';

/** The parts of the start-up table of a fleet. */
export function probesOf(parts: {
  readonly fleet: Pick<Fleet, 'slack' | 'github'> & { readonly lanes?: Readonly<Record<string, LabelledLane>> };
  /** The user groups that its lists of people name. */
  readonly groups: readonly NamedGroup[];
  readonly client: WebClient;
  readonly github: Github;
  readonly now: () => Date;
  readonly limitMs: number;
}): readonly Probe[] {
  const { fleet, groups, client, github, now, limitMs } = parts;
  const { channel, secondChannel, apiUrl } = fleet.slack;
  const [owner = '', repo = ''] = fleet.github.repository.split('/');
  const target = { owner, repo, issue_number: fleet.github.issue };
  return [
    { side: 'slack', about: 'workspace', read: () => readSlackWorkspace({ client, channel, secondChannel }) },
    { side: 'slack', about: 'user groups', read: () => readUserGroups(client, groups) },
    { side: 'slack', about: 'clock', read: async () => [await readSlackClock(apiUrl, now, limitMs)] },
    {
      side: 'github',
      about: 'status issue',
      read: () => readGithubWorkspace({ client: github.octokit, target, login: () => github.login(), now }),
    },
    { side: 'github', about: 'lanes', read: () => readLaneIssues(github.octokit, { owner, repo }, fleet.lanes ?? {}) },
  ];
}
