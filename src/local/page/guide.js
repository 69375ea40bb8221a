import { el, redraw } from './dom.js';
import { LESSONS, nextStep } from './lessons.js';
import { lessonOf, openOperation, operationsOf, waitingChange } from './operations.js';

const FREE_PLAY =
  'You have made a swap and a rollback. Now break something: shut a guard before a preflight, take Slack away in the middle, kill the bot while it launches.';

/**
 * Draws the guide with its current step. It ticks nothing by hand: a step is over when the cards and the cluster say so.
 * @param {{ show: (view: string) => void, write: () => void, actAs: (id: string) => void, switches: () => void }} hands
 */
export function drawGuide(place, state, cluster, person, hands) {
  const operations = operationsOf(state.messages, state.states);
  const lesson = lessonOf(operations);
  const operation = openOperation(operations);
  const next = lesson < LESSONS.length ? nextStep({ lesson, operation, waiting: waitingChange(cluster) }) : undefined;
  const me = state.people.find(({ id }) => id === person);
  const hidden = localStorage.getItem('guide') === 'closed';
  place.hidden = hidden;
  document.getElementById('show-guide').hidden = !hidden;
  redraw(place, JSON.stringify([lesson, next, me?.role, hidden]), () =>
    next === undefined ? freePlay(hands) : lessonParts(LESSONS[lesson], next, state, me, hands),
  );
}

function lessonParts({ title, steps }, next, state, me, hands) {
  return [
    el('div.guide-head', {}, el('h2', {}, title), el('span.quiet', {}, `${next.step} of ${steps.length}`), hide()),
    el('ol.steps', {}, ...steps.map((step, index) => mark(step, index, next.step))),
    el('p.guide-hint', {}, el('span', {}, next.words), action(next, state, me, hands)),
  ];
}

function mark(title, index, current) {
  const done = index < current;
  return el(
    `li${done ? '.done' : ''}${index === current ? '.current' : ''}`,
    { 'aria-current': index === current ? 'step' : undefined },
    el('span.mark', { 'aria-hidden': 'true' }, done ? '✓' : String(index + 1)),
    el('span.title', {}, title),
    done ? el('span.unseen', {}, ' (done)') : null,
  );
}

/** One button that goes on: be the right person, have the command written, or look at the right place. */
function action(next, state, me, hands) {
  const actor = state.people.find(({ role }) => role === next.role);
  if (actor !== undefined && me?.role !== next.role) return button(`Act as ${actor.realName ?? actor.name}`, () => hands.actAs(actor.id));
  if (next.does === 'write') return button('Write the command', hands.write);
  return button(next.view === 'cluster' ? 'Show the cluster' : 'Show the card', () => hands.show(next.view));
}

function freePlay(hands) {
  return [
    el('div.guide-head', {}, el('h2', {}, 'The harbour is yours'), hide()),
    el('p.guide-hint', {}, el('span', {}, FREE_PLAY), button('Show the switches', hands.switches)),
  ];
}

function button(words, click) {
  return el('button.button.small', { type: 'button', 'data-focus': 'guide-go', click }, words);
}

function hide() {
  const click = () => {
    localStorage.setItem('guide', 'closed');
    document.getElementById('guide').hidden = true;
    document.getElementById('show-guide').hidden = false;
  };
  return el('button.link', { type: 'button', click }, 'Hide');
}
