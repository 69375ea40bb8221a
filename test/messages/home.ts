import { awaitedOf } from '../../src/render/ferry/awaited.js';
import { ferryCard } from '../../src/render/ferry/card.js';
import { awaited } from '../../src/render/hero/awaited.js';
import { EVENT_WORDS, stateWords } from '../../src/render/hero/states.js';
import { decidedIn, type HomeContent, type HomeLine, renderHome, renderNoHome } from '../../src/render/home.js';
import { refusalText } from '../../src/render/refusal.js';
import { link, say, strong } from '../../src/render/text.js';
import { ferryViewIn, LANE_MAY_DO } from '../support/ferry-samples.js';
import { AT, MAY_DO, toldOf, viewIn } from '../support/samples.js';
import type { Scale } from './extreme.js';
import { HERO_TOLD, scaled } from './hero.js';
import { type Page, type Sample, viewed } from './outgoing.js';

const THREAD = [link('https://example.slack.com/archives/C0HERO/p1', 'thread')];

function heroLine(operationId: string, state: Parameters<typeof viewIn>[0]): HomeLine {
  const agreed = HERO_TOLD.find(({ on }) => on === 'plan_agreed');
  const view = viewIn(state, { operationId, history: agreed === undefined ? [] : [toldOf(agreed).entry] });
  const { mark, words } = stateWords(view);
  const decided = decidedIn(view.history, EVENT_WORDS);
  return {
    operationId,
    glance: { mark, title: say`${strong(`${operationId} · ${words}`)}`, next: awaited(view, MAY_DO), decided },
    thread: THREAD,
  };
}

function ferryLine(): HomeLine {
  const view = ferryViewIn('proposed');
  const { mark, title } = ferryCard(view, {}, LANE_MAY_DO);
  return { operationId: view.operationId, glance: { mark, title, next: awaitedOf(view, LANE_MAY_DO), decided: [] }, thread: [] };
}

const EMPTY: HomeContent = {
  at: AT,
  open: [],
  yours: new Set(),
  locks: [],
  decided: [],
  health: [
    { name: 'monitor', state: 'ok', detail: 'the last pass finished 3 s ago' },
    { name: 'slack door', state: 'ok', detail: 'Socket Mode, connection 1' },
  ],
};

function contentOf(open: readonly HomeLine[], yours: HomeContent['yours']): HomeContent {
  const locks = open.map(({ operationId }) => ({
    subject: operationId.startsWith('ferry') ? 'lane:daily' : 'family:hero',
    holder: operationId,
    by: 'U0ASK',
    since: AT,
  }));
  const decided = open.flatMap(({ operationId, glance }) => glance.decided.map((each) => ({ ...each, operationId })));
  return { ...EMPTY, open, yours, locks, decided };
}

/** The Home tab in each way in which it may be found. */
const HOMES: Readonly<Record<string, HomeContent>> = {
  'nothing is open': EMPTY,
  'something waits for you': contentOf([heroLine('hero-12', 'awaiting_launch'), ferryLine()], new Set(['hero-12'])),
  'something is held': contentOf([heroLine('hero-12', 'held')], new Set(['hero-12'])),
  'nothing waits for you': contentOf([heroLine('hero-12', 'trial')], new Set()),
  'Slack does not say who you are': contentOf([heroLine('hero-12', 'awaiting_launch')], null),
  'the bot does not do well': {
    ...EMPTY,
    health: [
      { name: 'monitor', state: 'red', detail: 'the last pass finished 900 s ago' },
      { name: 'issue', state: 'degraded', detail: '3 lines wait, the oldest for 90 s (github: 503)' },
      { name: 'workspace at start', state: 'not known', detail: 'not answered: slack scopes' },
    ],
  },
};

/** More than a Home tab can hold. */
function crowded(): HomeContent {
  const lines = Array.from({ length: 200 }, (_none, n) => heroLine(`hero-${n + 1}`, 'awaiting_launch'));
  const content = contentOf(lines, new Set(lines.map(({ operationId }) => operationId)));
  return { ...content, health: scaled(Array.from({ length: 20 }, () => EMPTY.health).flat(), 'extreme') };
}

export function homePage(scale: Scale): Page {
  const homes = Object.entries(scale === 'usual' ? HOMES : { ...HOMES, crowded: crowded() });
  const refused: Sample = viewed('an account that is refused', renderNoHome(refusalText('', 'account_refused', { account: 'guest' })));
  return {
    file: 'home.md',
    title: 'The Home tab',
    parts: [{ heading: 'As it is found', samples: [...homes.map(([name, content]) => viewed(name, renderHome(content))), refused] }],
  };
}
