/**
 * What is read of people. Source: contracts/slack-github-platform.md 4.8 and docs.slack.dev/reference/objects/user-object.
 * Matching is by id only, never by a name.
 */

/** What Slack says of an account. Only a full member of our own workspace counts for anything. */
export type AccountState = 'member' | 'guest' | 'deactivated' | 'other_team' | 'bot' | 'no_such_account';

/** Whether what somebody may do is still theirs: a full member, and still named by the list that it rests on. */
export type Entitlement = AccountState | 'not_listed';

/** Members of user groups, by the group's id. A group that is not here could not be read, and is nobody. */
export type Groups = Readonly<Record<string, readonly string[]>>;

/** How somebody who asks stands, as it was read when they asked. */
export type Standing =
  | { readonly kind: 'member'; readonly groups: Groups }
  /** Slack does not answer now; a few minutes ago it called them a member. Good for what makes things safer, no more. */
  | { readonly kind: 'earlier'; readonly groups: Groups }
  | { readonly kind: 'unread' }
  | { readonly kind: 'refused'; readonly account: Exclude<AccountState, 'member'> };

/** The verbs that read people, beside those of `outside.ts`. */
export interface PeopleReads {
  account: { args: { userId: string }; value: AccountState };
  /** Whether somebody whose word is on file would still be heard: to leave a list, or its user group, is to leave. */
  entitled: { args: { protocol: string; role: string; userId: string }; value: Entitlement };
  /** One member of a role's list other than `besides`, or null: there is nobody. */
  somebody: { args: { protocol: string; role: string; besides: string | null }; value: string | null };
}

/** A list of the fleet file as people: ids stay, a group is its members, and one that is not known is nobody. */
export function expand(list: readonly string[], standing: Standing | undefined): readonly string[] {
  const groups = standing?.kind === 'member' || standing?.kind === 'earlier' ? standing.groups : {};
  return [...new Set(list.flatMap((id) => (isGroup(id) ? (groups[id] ?? []) : [id])))];
}

/** Whether an id of the fleet file names a user group. */
export function isGroup(id: string): boolean {
  return id.startsWith('S');
}

/** How somebody stands, to follow "whoever approved". */
export const ENTITLEMENT_WORDS: Readonly<Record<Entitlement, string>> = {
  member: 'is a member of the workspace',
  guest: 'is only a guest of the workspace now',
  deactivated: 'has left: the account is deactivated',
  other_team: 'is not of this workspace',
  bot: 'is a bot',
  no_such_account: 'has left: there is no such account any more',
  not_listed: "is not on the fleet file's list for it any more",
};
