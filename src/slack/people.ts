import { WebAPIPlatformError, WebAPIRateLimitedError, type WebClient } from '@slack/web-api';
import { type AccountState, type Entitlement, expand, type Groups, isGroup, type PeopleReads, type Standing } from '../protocol/people.js';
import type { Reading } from '../protocol/reading.js';

/** The methods of the Web API that tell of people. Scopes: `users:read`, `usergroups:read`. */
export type PeopleClient = Pick<WebClient, 'auth' | 'users' | 'usergroups'>;

/** An account as Slack describes it, no more of it than is needed. */
export interface Account {
  readonly state: AccountState;
  readonly name: string | null;
  /** IANA zone of the person's own clock. */
  readonly zone: string | null;
}

/** How long an answer is an answer of now. */
const FRESH_MS = 60_000;
/** How long one is good for what is watched all the time. */
const WATCHED_MS = 5 * 60_000;
/** How long one still tells something of somebody who asks while Slack does not answer. */
const EARLIER_MS = 15 * 60_000;
/** Everybody that the fleet file names is asked about so often, to be known when it matters. */
const WARM_MS = 2 * 60_000;
/** What Slack says of an account that is not there, or that nobody may see. */
const NO_SUCH_ACCOUNT: ReadonlySet<string> = new Set(['user_not_found', 'users_not_found', 'user_not_visible']);

/** Lists of the fleet file by protocol and role. */
export type RoleLists = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/**
 * Who people are, as Slack says it: asked once a minute at most, and what cannot be read is nobody. Nothing here knows
 * what anybody may do.
 */
export class People {
  private readonly answers = new Map<string, Reading<unknown>>();
  private readonly asking = new Map<string, Promise<Reading<unknown>>>();
  private readonly groupIds: readonly string[];
  private warmedAt: Date | null = null;

  constructor(
    private readonly client: PeopleClient,
    private readonly lists: RoleLists,
    private readonly now: () => Date,
  ) {
    const all = Object.values(lists).flatMap((roles) => Object.values(roles).flat());
    this.groupIds = [...new Set(all.filter(isGroup))];
  }

  /** How somebody stands who asks for something now. `teamId` is what the delivery itself says of them. */
  async standing(userId: string, teamId: string | undefined): Promise<Standing> {
    const [team, account, groups] = await Promise.all([this.team(), this.fresh(userId), this.groups(this.groupIds)]);
    if (account.kind === 'known' && account.value.state !== 'member') return { kind: 'refused', account: account.value.state };
    const foreign = team.kind === 'known' && teamId !== undefined && !team.value.includes(teamId);
    if (foreign) return { kind: 'refused', account: 'other_team' };
    if (account.kind === 'known' && team.kind === 'known') return { kind: 'member', groups };
    const before = this.lately<Account>(`account ${userId}`, EARLIER_MS);
    const was = before.kind === 'known' && before.value.state === 'member';
    return was ? { kind: 'earlier', groups: this.groupsLately(EARLIER_MS) } : { kind: 'unread' };
  }

  /** Asks for everybody that the fleet file names, now and then and behind what goes on: when they ask they are known. */
  async keepWarm(): Promise<void> {
    const now = this.now();
    if (this.warmedAt !== null && Math.abs(now.getTime() - this.warmedAt.getTime()) < WARM_MS) return;
    this.warmedAt = now;
    const named = Object.values(this.lists).flatMap((roles) => Object.values(roles).flat());
    await Promise.all([
      this.team(),
      this.groups(this.groupIds),
      ...[...new Set(named)].filter((id) => !isGroup(id)).map((id) => this.fresh(id)),
    ]);
  }

  /** Answers a verb of `PeopleReads` from what is known, and asks anew behind it: a Slack that hangs holds nobody up. */
  read(verb: string, args: Readonly<Record<string, unknown>>): Reading<unknown> | null {
    if (verb === 'account') return this.watched(`${args.userId}`);
    if (verb === 'entitled') return this.entitled(`${args.protocol}`, `${args.role}`, `${args.userId}`);
    if (verb !== 'somebody') return null;
    return this.somebody(`${args.protocol}`, `${args.role}`, args.besides === null ? null : `${args.besides}`);
  }

  /** How somebody is called, as far as that is known now; never asked for. */
  nameOf(userId: string): string | null {
    const known = this.answers.get(`account ${userId}`) as Reading<Account> | undefined;
    return known?.kind === 'known' ? known.value.name : null;
  }

  /** The zone in which somebody writes times; UTC, and said to be a guess, where it cannot be read. */
  async zoneOf(userId: string): Promise<{ readonly zone: string; readonly own: boolean }> {
    const account = await this.fresh(userId);
    const zone = account.kind === 'known' ? account.value.zone : null;
    return zone === null ? { zone: 'UTC', own: false } : { zone, own: true };
  }

  private watched(userId: string): Reading<AccountState> {
    void this.fresh(userId);
    const reading = this.lately<Account>(`account ${userId}`, WATCHED_MS);
    return reading.kind === 'unknown' ? reading : { ...reading, value: reading.value.state };
  }

  /** One of a list is enough. Whoever could not be looked up is nobody, and leaves it open whether there is somebody. */
  private somebody(protocol: string, role: string, besides: string | null): Reading<PeopleReads['somebody']['value']> {
    const base = { source: `fleet file people.${protocol}.${role}, and Slack`, readAt: this.now() };
    const list = this.lists[protocol]?.[role] ?? [];
    const ids = list.filter(isGroup);
    void this.groups(ids);
    const groups = this.groupsLately(WATCHED_MS);
    const accounts = expand(list, { kind: 'member', groups })
      .filter((userId) => userId !== besides)
      .map((userId) => ({ userId, account: this.watched(userId) }));
    const member = accounts.find(({ account }) => account.kind === 'known' && account.value === 'member');
    if (member !== undefined) return { ...base, kind: 'known', value: member.userId };
    const unread = ids.find((id) => groups[id] === undefined) ?? accounts.find(({ account }) => account.kind === 'unknown')?.userId;
    if (unread === undefined) return { ...base, kind: 'known', value: null };
    return { ...base, kind: 'unknown', why: 'unreachable', detail: `approver list empty or unreadable: ${unread} could not be looked up` };
  }

  /** Whether somebody is a member and still listed. Listed by id is listed; else each group must be known to say no. */
  private entitled(protocol: string, role: string, userId: string): Reading<Entitlement> {
    const account = this.watched(userId);
    if (account.kind === 'unknown' || account.value !== 'member') return account;
    const list = this.lists[protocol]?.[role] ?? [];
    const ids = list.filter(isGroup);
    void this.groups(ids);
    const groups = this.groupsLately(WATCHED_MS);
    if (expand(list, { kind: 'member', groups }).includes(userId)) return account;
    const unread = ids.find((id) => groups[id] === undefined);
    if (unread === undefined) return { ...account, value: 'not_listed' };
    const base = { source: `fleet file, ${protocol} ${role}, and Slack`, readAt: this.now() };
    return { ...base, kind: 'unknown', why: 'unreachable', detail: `user group ${unread} could not be looked up` };
  }

  private fresh(userId: string): Promise<Reading<Account>> {
    return this.once(`account ${userId}`, async () => {
      try {
        const [{ user }, team] = await Promise.all([this.client.users.info({ user: userId }), this.team()]);
        return team.kind === 'unknown' ? 'the workspace of the bot is not known' : accountOf(user, team.value);
      } catch (fault) {
        const code = fault instanceof WebAPIPlatformError ? `${fault.data.error}` : '';
        if (NO_SUCH_ACCOUNT.has(code)) return { value: { state: 'no_such_account', name: null, zone: null } };
        throw fault;
      }
    });
  }

  /** Ids under which our own workspace is named: its own, and its organisation's. */
  private team(): Promise<Reading<readonly string[]>> {
    return this.once('team', async () => {
      const { team_id: teamId, enterprise_id: enterpriseId } = await this.client.auth.test();
      if (teamId === undefined) return 'auth.test named no workspace';
      return { value: enterpriseId === undefined ? [teamId] : [teamId, enterpriseId] };
    });
  }

  private async groups(ids: readonly string[]): Promise<Groups> {
    const read = await Promise.all(ids.map(async (id) => [id, await this.members(id)] as const));
    return Object.fromEntries(read.flatMap(([id, reading]) => (reading.kind === 'known' ? [[id, reading.value]] : [])));
  }

  private members(groupId: string): Promise<Reading<readonly string[]>> {
    return this.once(`group ${groupId}`, async () => {
      const { users } = await this.client.usergroups.users.list({ usergroup: groupId });
      return users === undefined ? 'it named no members' : { value: users };
    });
  }

  /** A known answer for a minute, one question at a time, asked twice where none came; a question that failed leaves the earlier answer where it is. */
  private once<T>(key: string, ask: () => Promise<{ readonly value: T } | string>): Promise<Reading<T>> {
    const known = this.answers.get(key) as Reading<T> | undefined;
    if (known?.kind === 'known' && this.age(known) <= FRESH_MS) return Promise.resolve(known);
    const pending = this.asking.get(key) as Promise<Reading<T>> | undefined;
    if (pending !== undefined) return pending;
    const base = { source: `Slack ${key}`, readAt: this.now() };
    const asked = ask()
      .catch((fault) => (fault instanceof WebAPIPlatformError || fault instanceof WebAPIRateLimitedError ? Promise.reject(fault) : ask()))
      .then((found): Reading<T> => {
        if (typeof found === 'string') return { ...base, kind: 'unknown', why: 'unparsable', detail: found };
        const reading: Reading<T> = { ...base, kind: 'known', value: found.value };
        this.answers.set(key, reading);
        return reading;
      })
      .catch((fault): Reading<T> => ({ ...base, kind: 'unknown', why: 'unreachable', detail: describe(fault) }))
      .finally(() => this.asking.delete(key));
    this.asking.set(key, asked);
    return asked;
  }

  private lately<T>(key: string, maxMs: number): Reading<T> {
    const known = this.answers.get(key) as Reading<T> | undefined;
    if (known?.kind === 'known' && this.age(known) <= maxMs) return known;
    return { kind: 'unknown', why: 'unreachable', detail: 'Slack has not answered', source: `Slack ${key}`, readAt: this.now() };
  }

  private groupsLately(maxMs: number): Groups {
    const all = this.groupIds.map((id) => [id, this.lately<readonly string[]>(`group ${id}`, maxMs)] as const);
    return Object.fromEntries(all.flatMap(([id, reading]) => (reading.kind === 'known' ? [[id, reading.value]] : [])));
  }

  private age(reading: Reading<unknown>): number {
    const ms = this.now().getTime() - reading.readAt.getTime();
    return ms < 0 ? Number.POSITIVE_INFINITY : ms; // a clock that went back says nothing about an age
  }
}

interface SlackUser {
  readonly team_id?: string;
  readonly deleted?: boolean;
  readonly is_bot?: boolean;
  readonly is_restricted?: boolean;
  readonly is_ultra_restricted?: boolean;
  readonly is_stranger?: boolean;
  readonly real_name?: string;
  readonly tz?: string;
  readonly enterprise_user?: { readonly teams?: readonly string[] };
}

/** A full member only where Slack says each thing that makes one: a field that is missing is not a no. */
function accountOf(user: SlackUser | undefined, team: readonly string[]): { readonly value: Account } | string {
  if (user === undefined) return 'it named nobody';
  const base = { name: user.real_name ?? null, zone: zoneOf(user.tz) };
  if (user.deleted === true) return { value: { ...base, state: 'deactivated' } };
  const ours = [user.team_id ?? '', ...(user.enterprise_user?.teams ?? [])].some((id) => team.includes(id));
  if (user.team_id === undefined) return 'it named no workspace';
  if (!ours || user.is_stranger === true) return { value: { ...base, state: 'other_team' } };
  if (user.is_restricted === true || user.is_ultra_restricted === true) return { value: { ...base, state: 'guest' } };
  if (user.is_bot === true) return { value: { ...base, state: 'bot' } };
  if (user.deleted === undefined || user.is_restricted === undefined || user.is_ultra_restricted === undefined) {
    return 'it did not say whether this is a guest or has left';
  }
  return { value: { ...base, state: 'member' } };
}

function zoneOf(tz: string | undefined): string | null {
  try {
    return tz === undefined ? null : new Intl.DateTimeFormat('en', { timeZone: tz }).resolvedOptions().timeZone;
  } catch {
    return null; // a zone this machine does not know is none
  }
}

function describe(fault: unknown): string {
  if (fault instanceof WebAPIPlatformError) return `${fault.data.error}`;
  return fault instanceof Error ? fault.message : 'an unknown fault';
}
