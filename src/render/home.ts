import type { HomeView } from '@slack/types';
import type { Entry } from '../protocol/table.js';
import { byWhom } from './happened.js';
import { instant, person, say, type Text, words } from './text.js';
import { homeView } from './views.js';

/** One operation in a line or two: no plan, no reason and no evidence, which stay in its channel. */
export interface Glance {
  readonly mark: string;
  readonly title: Text;
  /** What is awaited and what happens by itself; null where nothing is any more. */
  readonly next: Text | null;
  /** What people decided, oldest first. */
  readonly decided: readonly Decided[];
}

export interface Decided {
  readonly at: Date;
  readonly by: string;
  readonly what: string;
}

/** An operation as the Home tab lists it, with where its thread is. */
export interface HomeLine {
  readonly operationId: string;
  readonly glance: Glance;
  readonly thread: Text;
}

/** Who holds a subject against all others, and since when. */
export interface HomeLock {
  readonly subject: string;
  readonly holder: string;
  readonly by: string;
  readonly since: Date;
}

/** What the Home tab of one person shows. */
export interface HomeContent {
  readonly at: Date;
  readonly open: readonly HomeLine[];
  /** Ids of the operations that wait for this person; null: Slack did not say who they are just now. */
  readonly yours: ReadonlySet<string> | null;
  readonly locks: readonly HomeLock[];
  /** Newest first. */
  readonly decided: readonly (Decided & { readonly operationId: string })[];
  readonly health: readonly { readonly name: string; readonly state: string; readonly detail: string }[];
}

/** What people did among these rows; the bot's own are not decisions. */
export function decidedIn(history: readonly Entry<object>[], named: Readonly<Record<string, string>>): readonly Decided[] {
  return history.filter(({ actor }) => actor !== 'bot').map(({ at, actor, event }) => ({ at, by: actor, what: named[event] ?? event }));
}

/** The Home tab: what waits for the reader first, since that is why it is opened. */
export function renderHome({ at, open, yours, locks, decided, health }: HomeContent): HomeView {
  return homeView([
    { heading: 'Waits for you', lines: [say`As of ${instant(at)}; opening this tab draws it anew.`, ...waiting(open, yours)] },
    {
      heading: 'Open operations',
      lines: open.length === 0 ? [say`None.`] : open.flatMap((each) => (yours?.has(each.operationId) ? [head(each)] : line(each))),
    },
    { heading: 'Locks', lines: locks.length === 0 ? [say`None: every family and lane is free.`] : locks.map(lockLine) },
    { heading: 'Last decisions', lines: decided.length === 0 ? [say`None yet.`] : decided.map(decidedLine) },
    { heading: 'Health of the bot', lines: health.map(healthLine) },
  ]);
}

/** To somebody to whom nothing is shown. */
export function renderNoHome(why: Text): HomeView {
  return homeView([{ heading: 'Harbormaster', lines: [why] }]);
}

function waiting(open: readonly HomeLine[], yours: HomeContent['yours']): readonly Text[] {
  if (yours === null) return [say`❓ Not known: Slack did not say who you are just now. Open operations are below.`];
  const own = open.filter(({ operationId }) => yours.has(operationId));
  return own.length === 0 ? [say`Nothing.`] : own.flatMap(line);
}

function line(listed: HomeLine): readonly Text[] {
  const { next } = listed.glance;
  return next === null ? [head(listed)] : [head(listed), next];
}

function head({ glance: { mark, title }, thread }: HomeLine): Text {
  return [words(`${mark} `), ...title, ...(thread.length === 0 ? [] : [words(' · '), ...thread])];
}

function lockLine({ subject, holder, by, since }: HomeLock): Text {
  return say`🔒 ${subject} is held by ${holder} since ${instant(since)} (${person(by)}).`;
}

function decidedLine({ operationId, at, by, what }: Decided & { readonly operationId: string }): Text {
  return say`${operationId}: ${byWhom(what, say`, by ${person(by)}, ${instant(at)}`)}`;
}

const HEALTH_MARKS: Readonly<Record<string, string>> = { ok: '🟢', degraded: '🟠', red: '🔴' };

function healthLine({ name, state, detail }: HomeContent['health'][number]): Text {
  return say`${words(`${HEALTH_MARKS[state] ?? '❓'} ${name}: ${detail}`)}`;
}
