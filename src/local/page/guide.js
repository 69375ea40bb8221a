import { el, redraw } from './dom.js';

/** The first swap, step by step. A step is done when something seen says so; nothing is ticked by hand. */
const STEPS = [
  {
    title: 'Prepare a change',
    hint: 'Under Cluster, choose fast-a2a: it is committed to main with its launch record.',
    role: 'requester',
    view: 'cluster',
    place: 'Show the cluster',
    did: (act) => act.kind === 'cluster' && act.text.startsWith('prepare'),
  },
  {
    title: 'Ask for a plan',
    hint: 'Type the plan command, or take the ready-made one above the box. It gets a thread of its own.',
    role: 'requester',
    view: 'channel',
    place: 'Show the channel',
    did: (act) => act.kind === 'command' && /^\/hero-deploy\s+plan\b/.test(act.text),
  },
  {
    title: 'Agree, as somebody else',
    hint: 'Switch to the approver and press Agree on the card. The one who asked cannot.',
    role: 'approver',
    view: 'channel',
    place: 'Show the card',
    did: (act) => says(act, 'agree'),
  },
  {
    title: 'Run the preflight',
    hint: 'Every guard is read. One that is shut or does not answer stops the swap here.',
    role: 'requester',
    view: 'channel',
    place: 'Show the card',
    did: (act) => says(act, 'preflight'),
  },
  {
    title: 'Approve the launch',
    hint: 'As the approver, press Approve. From here on the bot acts: it stops the old run and launches the new one.',
    role: 'approver',
    view: 'channel',
    place: 'Show the card',
    did: (act) => says(act, 'approve') || says(act, 'launch'),
  },
  {
    title: 'Watch the trial',
    hint: 'The new run trains the same steps as the old one did. The card says what happens by itself.',
    role: 'approver',
    view: 'channel',
    place: 'Show the card',
    seen: (state) => offered(state, 'go'),
  },
  {
    title: 'Say go, or roll back',
    hint: 'With a pass, Go keeps the new run. No-go brings the old one back.',
    role: 'approver',
    view: 'channel',
    place: 'Show the card',
    did: (act) => ['go', 'no-go', 'no_go', 'rollback'].some((word) => says(act, word)),
  },
];

/** Draws the guide, its current step open. `go` takes a person to where the step is done. */
export function drawGuide(place, state, person, go) {
  const done = doneSteps(state);
  const current = STEPS.findIndex((_, index) => !done[index]);
  const role = state.people.find(({ id }) => id === person)?.role;
  place.hidden = localStorage.getItem('guide') === 'closed';
  redraw(place, JSON.stringify([done, role, place.hidden]), () => [
    el(
      'div.guide-head',
      {},
      el('h2', {}, current === -1 ? 'Your first swap is made' : 'Make your first swap'),
      el('span.quiet', {}, `${done.filter(Boolean).length} of ${STEPS.length}`),
      el(
        'button.link',
        {
          type: 'button',
          click: () => {
            localStorage.setItem('guide', 'closed');
            place.hidden = true;
          },
        },
        'Hide',
      ),
    ),
    el('ol.steps', {}, ...STEPS.map((step, index) => stepMark(step, index, done[index], index === current))),
    current === -1
      ? el('p.guide-hint', {}, 'Next: prepare silent-hang, swap again, and watch the rollback being proposed.')
      : hint(STEPS[current], state, role, go),
  ]);
}

function doneSteps(state) {
  let from = 0;
  let open = true;
  return STEPS.map((step) => {
    if (!open) return false;
    if (step.seen !== undefined) {
      // What was once offered is gone after it was taken: a later act says that it had been there.
      const later = state.acts.slice(from).some((act) => STEPS.at(-1).did(act));
      open = later || step.seen(state);
      return open;
    }
    const at = state.acts.findIndex((act, index) => index >= from && act.taken && step.did(act));
    open = at !== -1;
    if (open) from = at + 1;
    return open;
  });
}

function stepMark(step, index, done, current) {
  return el(
    `li${done ? '.done' : ''}${current ? '.current' : ''}`,
    { 'aria-current': current ? 'step' : undefined },
    el('span.mark', { 'aria-hidden': 'true' }, done ? '✓' : String(index + 1)),
    el('span.title', {}, step.title),
    done ? el('span.unseen', {}, ' (done)') : null,
  );
}

function hint(step, state, role, go) {
  const actor = state.people.find((each) => each.role === step.role);
  const other = actor !== undefined && role !== step.role;
  return el(
    'p.guide-hint',
    {},
    `${step.hint} `,
    el(
      'button.button.small',
      { type: 'button', 'data-focus': 'guide-go', click: () => go(step.view, other ? actor.id : undefined) },
      other ? `Act as ${actor.realName ?? actor.name}` : step.place,
    ),
  );
}

/** Whether an act is this word: a sub-command, or the action in a button's value `operation:seq:action:hash`. */
function says(act, word) {
  if (act.kind === 'command') return act.text.split(/\s+/)[1] === word;
  return act.kind === 'click' && act.text.split(/[:_\s]/).includes(word);
}

function offered(state, word) {
  return state.messages.some((message) =>
    (message.blocks ?? []).some((block) =>
      (block.elements ?? []).some((element) =>
        String(element.value ?? '')
          .split(':')
          .includes(word),
      ),
    ),
  );
}
