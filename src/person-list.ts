import { z } from 'zod';
import { isGroup } from './protocol/people.js';

/**
 * People in the fleet file: user ids and user groups, by protocol and role. Every protocol's lists are read alike, and are
 * looked up in Slack alike.
 */

/** One person: what rests on one person's word cannot rest on a group's. */
export const PersonId = z
  .string()
  .regex(
    /^[UW][A-Z0-9]{2,}$/,
    'one person: a Slack user id such as U012ABCDEF (no user group, and no name: those can be taken by anybody)',
  );

const ListedId = z
  .string()
  .regex(
    /^[UWS][A-Z0-9]{2,}$/,
    'a Slack user id such as U012ABCDEF, or a user group id such as S012ABCDEF (ids only: names can be taken by anybody)',
  );

/** A list that is not there, or holds nothing, is nobody. */
export const PersonList = z.preprocess(
  (list) => (typeof list === 'string' ? list.split(/[\s,]+/).filter((id) => id !== '') : (list ?? [])),
  z.array(ListedId).default([]),
);

type Lists = Readonly<Record<string, readonly string[]>>;

/** All lists of a fleet file, by protocol and role. A lane's are those of `lane:<its name>`. */
export function roleListsOf(fleet: {
  readonly people: { readonly hero: Lists };
  readonly lanes: Readonly<Record<string, { readonly people: Lists; readonly schedule?: { readonly owner: string } | undefined }>>;
}): Readonly<Record<string, Lists>> {
  const lanes = Object.entries(fleet.lanes).map(([name, { people, schedule }]) => [
    `lane:${name}`,
    { ...people, ...(schedule === undefined ? {} : { owner: [schedule.owner] }) },
  ]);
  return { hero: { ...fleet.people.hero }, ...Object.fromEntries(lanes) };
}

/** Each user group that a fleet file names, with the lists that name it, such as `people.hero.approve`. */
export function groupsNamedIn(
  lists: Readonly<Record<string, Lists>>,
): readonly { readonly id: string; readonly lists: readonly string[] }[] {
  const named = Object.entries(lists).flatMap(([protocol, roles]) =>
    Object.entries(roles).flatMap(([role, ids]) => ids.filter(isGroup).map((id) => ({ id, list: pathOf(protocol, role) }))),
  );
  return [...new Set(named.map(({ id }) => id))].map((id) => ({
    id,
    lists: named.filter((each) => each.id === id).map(({ list }) => list),
  }));
}

function pathOf(protocol: string, role: string): string {
  const [, lane] = /^lane:(.+)$/.exec(protocol) ?? [];
  return lane === undefined ? `people.${protocol}.${role}` : `lanes.${lane}.people.${role}`;
}
