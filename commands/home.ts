import type { Middleware, SlackEventMiddlewareArgs } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Engine } from '../src/engine/engine.js';
import type { Standing } from '../src/protocol/people.js';
import { type Glance, type HomeContent, type HomeLine, type HomeLock, renderHome, renderNoHome } from '../src/render/home.js';
import { refusalText } from '../src/render/refusal.js';
import { link, type Text } from '../src/render/text.js';
import type { WhoAsks } from '../src/slack/ingress.js';
import { type Listed, waitsFor } from './waiting.js';

/** What the Home tab is drawn from. */
export interface HomeDesk {
  readonly engine: Engine;
  readonly client: Pick<WebClient, 'views' | 'chat'>;
  readonly people: WhoAsks;
  readonly glance: (operationId: string) => Glance;
  /** Where the card of an operation is; null while it is not posted. */
  readonly cardOf: (operationId: string) => { readonly channel: string; readonly ts: string } | null;
  readonly health: () => HomeContent['health'];
}

const DECIDED_SHOWN = 8;
/** Operations that ended last and may hold one of the last decisions. */
const ENDED_LOOKED_AT = 5;
/** More links than this are not asked for; without one an operation is listed all the same. */
const LINKS_MAX = 20;

/**
 * Draws the Home tab of whoever opens it, anew each time. It only reads, so nothing of it goes on file. An account that
 * Slack does not call a full member is shown nothing.
 */
export function home(desk: HomeDesk): Middleware<SlackEventMiddlewareArgs<'app_home_opened'>> {
  return async ({ event, body }) => {
    if (event.tab !== 'home') return;
    const standing = await desk.people.standing(event.user, body.team_id);
    const view =
      standing.kind === 'refused'
        ? renderNoHome(refusalText('', 'account_refused', { account: standing.account }))
        : renderHome(await contentFor(desk, event.user, standing));
    await desk.client.views.publish({ user_id: event.user, view });
  };
}

async function contentFor(desk: HomeDesk, userId: string, standing: Standing): Promise<HomeContent> {
  const { engine } = desk;
  const open = listed(engine);
  const threads = await Promise.all(open.map((each, index) => (index < LINKS_MAX ? threadOf(desk, each) : [])));
  // From here to the end nothing is waited for: what is shown is of one moment.
  const now = listed(engine);
  const lines = now.map((each): HomeLine => {
    const at = open.findIndex(({ operation_id: id }) => id === each.operation_id);
    return { operationId: each.operation_id, glance: desk.glance(each.operation_id), thread: threads[at] ?? [] };
  });
  const yours = now.filter((each) => waitsFor(engine, each, userId, standing)).map(({ operation_id: id }) => id);
  const ended = engine.journal.lastEnded(ENDED_LOOKED_AT).map(({ operation_id: id }) => ({ operationId: id, glance: desk.glance(id) }));
  const decided = [...lines, ...ended].flatMap(({ operationId, glance }) => glance.decided.map((each) => ({ ...each, operationId })));
  return {
    at: engine.now(),
    open: lines,
    yours: standing.kind === 'member' ? new Set(yours) : null,
    locks: now.flatMap((each) => lockOf(engine, each)),
    decided: decided.sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, DECIDED_SHOWN),
    health: desk.health(),
  };
}

/** What is open, in order; schedules, which are always open, come last. */
function listed({ journal }: Engine): readonly Listed[] {
  const open = journal.openOperations();
  return [...open.filter(({ protocol }) => protocol !== 'lane'), ...open.filter(({ protocol }) => protocol === 'lane')];
}

/** A link to the thread, or nothing: an operation without one is shown all the same. */
async function threadOf({ client, cardOf }: HomeDesk, { operation_id: id }: Listed): Promise<Text> {
  const card = cardOf(id);
  if (card === null) return [];
  try {
    const { permalink } = await client.chat.getPermalink({ channel: card.channel, message_ts: card.ts });
    return permalink === undefined ? [] : [link(permalink, 'thread')];
  } catch {
    return [];
  }
}

/** The lock that an operation holds, from the row that took it. A schedule holds only itself, which keeps nobody out. */
function lockOf(engine: Engine, operation: Listed): readonly HomeLock[] {
  if (operation.locked === 0 || operation.protocol === 'lane') return [];
  const { locked } = engine.protocol(operation.protocol);
  const taken = engine.viewOf(operation).history.findLast(({ from, to }) => locked.has(to) && (from === null || !locked.has(from)));
  if (taken === undefined) return [];
  return [{ subject: operation.subject, holder: operation.operation_id, by: taken.actor, since: taken.at }];
}
