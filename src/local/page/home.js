import { drawBlocks } from './blocks.js';
import { act } from './desk-client.js';
import { el, redraw } from './dom.js';

/** Tells the bot that this person opened its Home tab; it draws it then, and not before. */
export function openHome(person) {
  return act('home', { as: person });
}

/** Draws the bot's Home tab as this person finds it. */
export function drawHome(panel, state) {
  const view = state.home;
  redraw(panel, JSON.stringify(view ?? null), () => [
    el('header.panel-head', {}, el('h2', {}, 'Home'), el('p.quiet', {}, 'What the bot shows to this person alone.')),
    el(
      'div.panel-body.home',
      {},
      ...(view === undefined
        ? [el('p.empty', {}, 'The bot has drawn nothing here yet.')]
        : drawBlocks(view.blocks, { directory: state, key: 'home' })),
    ),
  ]);
}
