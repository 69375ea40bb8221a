import { HERO_ROWS, type HeroEvent, type HeroRow, type HeroState } from '../../src/protocol/hero/table.js';
import { heroCard } from '../../src/render/hero/card.js';
import { STATE_WORDS } from '../../src/render/hero/states.js';
import { toldMessage } from '../../src/render/hero/told.js';
import { waysOutOf } from '../../src/render/hero/ways-out.js';
import { MAY_DO, READINGS, toldOf, viewIn } from '../support/samples.js';
import { extremeOf, type Scale } from './extreme.js';
import { heroCardOtherwise } from './hero-card-otherwise.js';
import { heroToldOtherwise } from './hero-told-otherwise.js';
import { card, type Page, type Sample, told } from './outgoing.js';

/** A row of each event that is told: the same event is said alike from every state. */
export const HERO_TOLD: readonly HeroRow[] = [
  ...new Map(
    HERO_ROWS.filter(({ tell }) => tell.length > 0)
      .toReversed()
      .map((row) => [row.on, row]),
  ).values(),
].toReversed();

const states = Object.keys(STATE_WORDS) as HeroState[];

export function heroPage(scale: Scale): Page {
  const rows = scale === 'usual' ? HERO_TOLD : HERO_ROWS;
  return {
    file: 'hero.md',
    title: 'Hero deploys',
    parts: [
      { heading: 'Told in the thread and on the status issue, by event', samples: rows.map((row) => toldSample(row, scale)) },
      { heading: 'The card, by state', samples: states.map((state) => cardSample(state, scale)) },
      heroToldOtherwise(),
      heroCardOtherwise(),
    ],
  };
}

export function toldSample(row: HeroRow, scale: Scale): Sample {
  const { view, entry } = scaled(toldOf(row), scale);
  return told(row.on satisfies HeroEvent, toldMessage(view, entry, MAY_DO));
}

function cardSample(state: HeroState, scale: Scale): Sample {
  const { view, readings } = scaled({ view: viewIn(state), readings: READINGS }, scale);
  const ways = state === 'held' ? waysOutOf(view, readings).map(({ button }) => button) : [];
  return card(state, heroCard(view, readings, MAY_DO, ways), view);
}

export function scaled<T>(value: T, scale: Scale): T {
  return scale === 'usual' ? value : extremeOf(value);
}
