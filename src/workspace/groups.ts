import type { WebClient } from '@slack/web-api';
import type { Finding } from './finding.js';
import { refusal } from './slack.js';

/** A user group, and the lists of the fleet file that name it. */
export interface NamedGroup {
  readonly id: string;
  readonly lists: readonly string[];
}

/** Whether each user group that a list names can be read: one that cannot is nobody, and so may be a whole list. Never throws. */
export async function readUserGroups(client: Pick<WebClient, 'usergroups'>, named: readonly NamedGroup[]): Promise<readonly Finding[]> {
  return Promise.all(named.map((group) => readUserGroup(client, group)));
}

async function readUserGroup(client: Pick<WebClient, 'usergroups'>, { id, lists }: NamedGroup): Promise<Finding> {
  const about = `group ${id}`;
  const where = `named by ${lists.join(', ')}`;
  try {
    const { users } = await client.usergroups.users.list({ usergroup: id });
    if (users === undefined) return { side: 'slack', about, kind: 'unknown', detail: `${where}: the answer names no members` };
    // A rota may empty a group for a while: that is no reason not to start.
    const members =
      users.length === 0 ? 'no members just now, so it is nobody' : `${users.length} ${users.length === 1 ? 'member' : 'members'}`;
    return { side: 'slack', about, kind: 'right', detail: `${where}: ${members}` };
  } catch (fault) {
    return refusal(about, fault, where);
  }
}
