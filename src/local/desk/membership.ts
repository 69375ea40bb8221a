import type { Person } from './person.js';
import type { Json } from './record.js';
import { refuse } from './slack-api.js';

/** How an account stands in the workspace; `missing` is one that Slack does not know any more. */
export type AccountKind = 'member' | 'guest' | 'deactivated' | 'other_team' | 'missing';

/** A user group: its id and the ids of its members. */
export interface UserGroup {
  readonly id: string;
  readonly users: readonly string[];
}

/** Who is what in the local workspace. The emulator knows members only: guests, leavers and user groups are kept here. */
export class Membership {
  readonly #accounts = new Map<string, AccountKind>();
  readonly #groups = new Map<string, readonly string[]>();
  readonly #people: readonly Person[];

  constructor(people: readonly Person[], groups: readonly UserGroup[]) {
    this.#people = people;
    for (const { id, users } of groups) this.#groups.set(id, users);
  }

  /** From now on this account is of that kind. */
  setAccount(userId: string, kind: AccountKind): void {
    this.#accounts.set(userId, kind);
  }

  /** From now on these are the members; an empty group is one without members, which Slack answers as such. */
  setGroup(group: UserGroup): void {
    this.#groups.set(group.id, group.users);
  }

  /** Of which workspace a delivery says that somebody is. */
  teamOf(userId: string, ownTeam: string): string {
    return this.#accounts.get(userId) === 'other_team' ? 'T0ELSEWHERE' : ownTeam;
  }

  /** `users.info` as Slack answers it of somebody whom the emulator knows. Source: docs.slack.dev/reference/objects/user-object. */
  describe(userId: string, answer: Json): Json {
    const kind = this.#accounts.get(userId) ?? 'member';
    if (answer.ok !== true || kind === 'missing') return refuse('user_not_found');
    const user = answer.user as Json;
    const person = this.#people.find(({ id }) => id === userId);
    const away = kind === 'other_team' ? { team_id: 'T0ELSEWHERE', is_stranger: true } : {};
    // Of an account that is deactivated Slack leaves the rights out.
    const rights =
      kind === 'deactivated' ? { deleted: true } : { deleted: false, is_restricted: kind === 'guest', is_ultra_restricted: false };
    return { ...answer, user: { ...user, ...rights, ...away, tz: person?.zone ?? 'UTC' } };
  }

  /** `usergroups.users.list`. */
  members(groupId: string): Json {
    const users = this.#groups.get(groupId);
    return users === undefined ? refuse('no_such_subteam') : { ok: true, users };
  }
}
