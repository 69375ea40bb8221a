import { drawChannel, showWaiting, watchStream } from './channel.js';
import { drawCluster } from './cluster.js';
import { act, readCluster, readState } from './desk-client.js';
import { drawModal } from './dialogs.js';
import { busyWhile, el, redraw, released } from './dom.js';
import { drawGuide } from './guide.js';
import { drawHome, openHome } from './home.js';
import { drawIssue } from './issue.js';
import { waitingChange } from './operations.js';

const PERIOD_MS = 700;
const page = (id) => document.getElementById(id);

/** What this client remembers: who it acts as, where it looks, and the state it drew last. */
const client = {
  person: sessionStorage.getItem('person') ?? '',
  channel: '',
  state: undefined,
  cluster: undefined,
  typed: JSON.parse(sessionStorage.getItem('typed') ?? '[]'),
  at: 0,
  asked: 0,
  /** Whether the state that stands here is of another person or moment than what is wanted now. */
  stale: true,
};

const COMMANDS = [
  { label: 'help', text: '/hero-deploy help' },
  { label: 'list', text: '/hero-deploy list' },
  { label: 'status', text: '/hero-deploy status' },
  { label: 'revise', text: '/hero-deploy revise' },
  { label: 'preflight', text: '/hero-deploy preflight' },
  { label: 'launch', text: '/hero-deploy launch' },
  { label: 'rollback', text: '/hero-deploy rollback' },
  { label: 'cancel', text: '/hero-deploy cancel' },
];

/** What each role does, in the words of the page. */
const ROLES = { requester: 'asks', approver: 'approves', bystander: 'looks on' };

async function refresh(anew = false) {
  client.stale ||= anew;
  client.asked += 1;
  const { asked } = client;
  try {
    const [state, cluster] = await Promise.all([
      readState({ person: client.person, channel: client.channel, count: client.stale ? undefined : client.state?.count }),
      client.state === undefined || client.state.offers.cluster ? readCluster() : undefined,
    ]);
    await released();
    // An answer that was overtaken may be of another person: the later one is on its way.
    if (asked !== client.asked) return;
    client.cluster = cluster;
    if (state !== undefined) take(state);
    else drawAround();
  } catch {
    page('health').textContent = 'The desk does not answer. It may be restarting.';
    page('health').dataset.state = 'bad';
  }
}

function take(state) {
  client.state = state;
  client.stale = false;
  if (!state.people.some(({ id }) => id === client.person)) {
    client.person = state.people[0].id;
    void refresh(true);
  }
  client.channel = state.channel;
  page('channel-name').textContent = `#${state.channels.find(({ id }) => id === state.channel)?.name ?? ''}`;
  drawPeople(state);
  drawAround();
  drawChannel(page('stream'), state, () => client.person, refresh);
  drawIssue(page('issue'), state.issue);
  drawHome(page('home'), state);
  drawModal(state.views.at(-1), state);
}

function drawAround() {
  const { state } = client;
  if (state === undefined) return;
  drawHealth(state);
  drawSuggestions(state);
  drawCluster(page('cluster'), client.cluster, state, { person: () => client.person, refresh });
  drawGuide(page('guide'), state, client.cluster, client.person, {
    actAs,
    show: (view) => {
      show(view);
      if (view === 'channel') showWaiting(page('stream'));
      else showPart('prepare');
    },
    switches: () => {
      show('cluster');
      const fold = page('cluster').querySelector('details[data-focus="switches"]');
      if (fold !== null) fold.open = true;
      showPart('switches');
    },
    write: () => {
      show('channel');
      write(suggestionsOf(state)[0]?.text ?? '/hero-deploy plan ');
    },
  });
}

/** Whether the bot runs, and a way to start it when it does not. */
function drawHealth({ bot, harbour }) {
  const up = harbour.bot === undefined ? bot.connected : harbour.bot === 'up';
  const health = page('health');
  health.textContent = up ? 'Bot connected' : harbour.bot === 'down' ? 'The bot is down' : 'No bot connected yet';
  health.dataset.state = up ? 'good' : harbour.bot === 'down' ? 'bad' : 'waiting';
  page('start-bot').hidden = harbour.bot !== 'down';
}

function showPart(name) {
  page('cluster').querySelector(`[data-part="${name}"]`)?.scrollIntoView({ block: 'nearest' });
}

function write(text) {
  page('command').value = text;
  page('command').focus();
}

function drawPeople({ people }) {
  redraw(page('people'), JSON.stringify([people, client.person]), () =>
    people.map((person) =>
      el(
        'label.person',
        {},
        el('input', {
          type: 'radio',
          name: 'person',
          value: person.id,
          checked: person.id === client.person,
          'data-focus': `person-${person.id}`,
          change: () => actAs(person.id),
        }),
        el('span.who', {}, person.realName ?? person.name),
        el('span.role', {}, ROLES[person.role] ?? person.role),
      ),
    ),
  );
  const me = people.find(({ id }) => id === client.person);
  page('command').placeholder = `Type a slash command as ${me?.realName ?? me?.name ?? ''}`;
}

function actAs(id) {
  client.person = id;
  sessionStorage.setItem('person', id);
  if (page('views').dataset.view === 'home') openHome(id).catch(says);
  void refresh(true);
}

/** The ready-made commands that fit what is prepared now: a change that was launched is not offered again. */
function suggestionsOf(state) {
  const prepared = waitingChange(client.cluster) ?? {};
  return state.suggestions
    .map(({ label, text }) => ({ label: fill(label, prepared), text: fill(text, prepared) }))
    .filter(({ text }) => !/\{\w+\}/.test(text));
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, field) => values[field] ?? whole);
}

function drawSuggestions(state) {
  const own = suggestionsOf(state);
  redraw(page('suggestions'), JSON.stringify(own), () =>
    [...own, ...COMMANDS].map(({ label, text }, index) =>
      el(
        `button.chip${index < own.length ? '.own' : ''}`,
        { type: 'button', title: text, 'data-focus': `chip-${label}`, click: () => write(text) },
        label,
      ),
    ),
  );
}

/** Shows what went wrong under the box. */
function says(fault) {
  page('told').textContent = fault.message;
}

function show(view) {
  page('views').dataset.view = view;
  for (const tab of document.querySelectorAll('[role="tab"]')) {
    const selected = tab.id === `tab-${view}`;
    tab.setAttribute('aria-selected', String(selected));
    tab.tabIndex = selected ? 0 : -1;
  }
  if (view === 'channel') page('stream').scrollTop = page('stream').scrollHeight;
  if (view === 'home' && client.person !== '') openHome(client.person).catch(says);
}

for (const tab of document.querySelectorAll('[role="tab"]')) {
  tab.addEventListener('click', () => show(tab.getAttribute('aria-controls')));
  tab.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const tabs = [...document.querySelectorAll('[role="tab"]')].filter((each) => each.offsetParent !== null);
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    show(next.getAttribute('aria-controls'));
    next.focus();
  });
}

page('composer').addEventListener('submit', async (event) => {
  event.preventDefault();
  const box = page('command');
  const text = box.value.trim();
  const told = page('told');
  if (text === '') return;
  told.textContent = 'Sending…';
  box.value = '';
  client.typed = [...client.typed.filter((each) => each !== text), text].slice(-50);
  client.at = client.typed.length;
  sessionStorage.setItem('typed', JSON.stringify(client.typed));
  try {
    const delivery = await act('says', { as: client.person, text, channel: client.channel });
    told.textContent = delivery.kind === 'acknowledged' ? '' : `The bot did not answer (${delivery.kind}). Nothing was done.`;
  } catch (fault) {
    told.textContent = fault.message;
    if (box.value === '') box.value = text;
  }
  await refresh(true);
  page('stream').scrollTop = page('stream').scrollHeight;
});

page('command').addEventListener('keydown', (event) => {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (step === undefined || client.typed.length === 0) return;
  event.preventDefault();
  client.at = Math.min(Math.max(client.at + step, 0), client.typed.length);
  page('command').value = client.typed[client.at] ?? '';
});

page('start-bot').addEventListener('click', ({ currentTarget }) =>
  busyWhile(currentTarget, act('harbour', { kind: 'start_bot' }).catch(says)),
);
page('show-guide').addEventListener('click', () => {
  localStorage.removeItem('guide');
  drawAround();
});

show('channel');
watchStream(page('stream'));
client.at = client.typed.length;
await refresh(true);
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, PERIOD_MS));
  if (document.visibilityState === 'visible') await refresh();
}
