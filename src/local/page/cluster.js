import { act } from './desk-client.js';
import { busyWhile, el, redraw } from './dom.js';
import { drawLanes, isFerryRun } from './lanes.js';
import { waitingChange } from './operations.js';
import { drawEarlier, drawRuns, noteSteps } from './runs.js';
import { drawSwitches } from './switches.js';

/** The changes that can be prepared on main, and what each really does. */
const CHANGES = [
  { change: 'fast-a2a', what: 'The good one: steps get faster, the loss stays equal.' },
  { change: 'silent-hang', what: 'Steps stop after a while; everything still says RUNNING.' },
  { change: 'nan', what: 'The loss overflows and the trainer dies, again and again.' },
  { change: 'late-shift', what: 'The loss shifts, but only in the second half of the window.' },
  { change: 'noisy-labels', what: 'The loss scatters more than the margin: neither a pass nor a fail.' },
  { change: 'flaky-collective', what: 'A collective fails after a while; the scheduler starts another attempt.' },
  { change: 'slow-compile', what: 'Compiling takes longer than a hang may: nothing is wrong.' },
  { change: 'garbage-restore', what: 'The checkpoint is restored wrongly; the loss jumps at once.' },
];

/** The change that is being prepared right now: it can take as long as a checkpoint is saved. */
let preparing = '';

/** What the last order to the cluster came to. */
let told = { text: '', wrong: false };

/** Draws the cluster as it says it is. A field it does not have is left out. */
export function drawCluster(panel, cluster, state, { person, refresh }) {
  const { offers } = state;
  if (!offers.cluster || cluster === undefined) {
    const words = offers.cluster ? 'The cluster does not answer.' : 'No cluster is connected to this page.';
    redraw(panel, words, () => [head(), el('p.empty', {}, words)]);
    return;
  }
  const all = cluster.runs ?? [];
  const heroes = { ...cluster, runs: all.filter((run) => !isFerryRun(run)) };
  const lanes = state.harbour?.lanes ?? [];
  noteSteps(heroes.runs);
  const order = (kind, more = {}) => tell(() => act('cluster', { kind, as: person(), ...more }), refresh, done(kind));
  const prepare = async (change) => {
    preparing = change;
    void refresh(true);
    await order('prepare', { change });
    preparing = '';
    await refresh(true);
  };
  const harbour = (kind, more = {}) => tell(() => act('harbour', { kind, ...more }), refresh);
  const outage = (sink, on) => tell(() => act('outage', { sink, on }), refresh);
  const { main, coordinators = [], pods = [], worktrees = [], switches = {}, ledger = [] } = cluster;
  drawParts(panel, {
    head: [[main, told], () => [head(main)]],
    runs: [[heroes.runs, cluster.checkpoints], () => [el('h3', {}, 'Live run'), ...drawRuns(heroes, order)]],
    lanes: [[lanes, all.filter(isFerryRun)], () => drawLanes(lanes, all, order)],
    prepare: [[waitingChange(cluster), newestPermanent(cluster), preparing], () => prepareList(cluster, prepare)],
    switches: [[switches, state.outages, state.harbour, offers], () => drawSwitches(switches, state, { order, harbour, outage })],
    coordinators: [
      coordinators,
      () => [el('h3', {}, 'Coordinators'), rowsOf(coordinators.slice(-8).reverse(), (row) => coordinatorRow(row, order))],
    ],
    pods: [pods, () => [el('h3', {}, 'Pods'), rowsOf(pods, podRow)]],
    worktrees: [worktrees, () => [el('h3', {}, 'Worktrees'), rowsOf(worktrees, (tree) => worktreeRow(tree, order))]],
    earlier: [[heroes.runs, cluster.checkpoints], () => drawEarlier(heroes)],
    ledger: [ledger, () => record(ledger)],
  });
}

/** Gives an order and says what it came to; true when it was done. */
async function tell(work, refresh, words = () => '') {
  told = { text: '', wrong: false };
  let isDone = false;
  try {
    told = { text: words(await work()), wrong: false };
    isDone = true;
  } catch (fault) {
    told = { text: fault.message, wrong: true };
  }
  await refresh(true);
  return isDone;
}

function done(kind) {
  return ({ result }) => {
    if (kind === 'permanent_checkpoint') return `Saved step-${result?.step} for good. A change is prepared from the newest one.`;
    return '';
  };
}

/** Each part is drawn anew only when it changed, so that a run that trains does not disturb a hand on a switch. */
function drawParts(panel, parts) {
  if (panel.querySelector(':scope > .panel-body') === null) {
    delete panel.dataset.sign;
    panel.replaceChildren(el('div.sticky', { 'data-part': 'head' }), el('div.panel-body'));
    for (const name of Object.keys(parts).slice(1)) panel.lastElementChild.append(el('section', { 'data-part': name }));
  }
  for (const [name, [signed, draw]] of Object.entries(parts)) {
    redraw(panel.querySelector(`[data-part="${name}"]`), JSON.stringify(signed ?? null), draw);
  }
}

function head(main) {
  const at = main === undefined ? null : el('p.quiet', {}, 'main ', el('code', {}, short(main.head)), ` ${main.subject ?? ''}`);
  const note = told.text === '' ? null : el(`p.${told.wrong ? 'error' : 'note'}`, { role: 'status' }, told.text);
  return el('header.panel-head', {}, el('h2', {}, 'Cluster'), at, note);
}

function prepareList(cluster, prepare) {
  return [
    el('h3', {}, 'Prepare a change'),
    el('p.quiet', {}, 'Commits the change and its launch record to main, and checks both worktrees out.'),
    ...(preparing === '' ? waiting(cluster) : []),
    ...CHANGES.map(({ change, what }) =>
      el(
        'button.choice',
        {
          type: 'button',
          'data-focus': `prepare-${change}`,
          disabled: preparing !== '',
          click: () => prepare(change),
        },
        el('strong', {}, change, preparing === change ? ' …' : ''),
        el('span', {}, what),
      ),
    ),
  ];
}

/** What stands prepared, and what has overtaken it: then a guard would be shut, and it has to be prepared again. */
function waiting(cluster) {
  const prepared = waitingChange(cluster);
  if (prepared === undefined) return [];
  const newest = newestPermanent(cluster, prepared.controlRunId);
  const overtaken = newest !== undefined && newest > prepared.handoffStep;
  return [
    el(
      'div.prepared',
      {},
      el('p', {}, el('strong', {}, prepared.change), ' is prepared: ', el('code', {}, prepared.runId)),
      el('p.quiet', {}, 'goes on from ', el('code', {}, `step-${prepared.handoffStep}`), ' of ', el('code', {}, prepared.controlRunId)),
      overtaken
        ? el('p.warn', {}, `A newer permanent checkpoint is there, step-${newest}. Press ${prepared.change} again to start from it.`)
        : null,
    ),
  ];
}

function newestPermanent({ checkpoints = {}, runs = [] }, runId = runs.find(({ live }) => live)?.runId) {
  return (checkpoints[runId] ?? []).findLast(({ permanent, complete }) => permanent && complete)?.step;
}

function rowsOf(rows, draw) {
  return rows.length === 0 ? el('p.quiet', {}, 'None.') : el('ul.rows', {}, ...rows.map(draw));
}

function coordinatorRow(row, order) {
  const state = String(row.state).toLowerCase();
  const live = row.finishedAtMs === null && !/killed|failed|succeeded/.test(state);
  const tone = live ? 'good' : /killed|failed/.test(state) ? 'bad' : 'plain';
  return el(
    'li',
    {},
    el('code', {}, row.jobId),
    el(`span.state.${tone}`, {}, state.replace(/^job_state_/, '')),
    live
      ? byHand(`cancel-${row.jobId}`, 'Cancel', `Cancel ${row.jobId} by hand`, () => order('cancel_by_hand', { jobId: row.jobId }))
      : null,
  );
}

function podRow(pod) {
  const terminating = pod.deletedAtMs !== null && pod.deletedAtMs !== undefined;
  return el('li', {}, el('code', {}, pod.name), el('span.state', {}, terminating ? 'Terminating' : pod.phase));
}

function worktreeRow(tree, order) {
  const changed = tree.clean === false;
  return el(
    'li',
    {},
    el('span', {}, `${tree.role} `, el('code', {}, short(tree.head))),
    el(`span.state.${changed ? 'bad' : 'good'}`, { title: (tree.dirty ?? []).join('\n') }, changed ? 'changed' : 'clean'),
    byHand(`launch-${tree.role}`, 'Launch', `Run the launch script of the ${tree.role} worktree by hand`, () =>
      order('launch_by_hand', { dir: tree.dir }),
    ),
  );
}

/** What a person could do past the bot: small, since it is for seeing how the bot takes it. */
function byHand(focus, words, title, work) {
  return el('button.link', { type: 'button', title, 'data-focus': focus, click: (event) => busyWhile(event.currentTarget, work()) }, words);
}

function record(entries) {
  if (entries.length === 0) return [];
  const rows = entries.slice(-40).reverse();
  return [
    el(
      'details.fold',
      { 'data-focus': 'ledger' },
      el('summary', { 'data-focus': 'ledger-summary' }, "The cluster's own record"),
      el(
        'ol.ledger',
        {},
        ...rows.map((row) =>
          el(
            'li',
            {},
            el('time', {}, new Date(row.atMs).toLocaleTimeString(undefined, { hour12: false })),
            el('strong', {}, String(row.kind).replaceAll('_', ' ')),
            el('code', {}, row.jobId ?? row.runId ?? ''),
            row.detail ? el('span.quiet', {}, String(row.detail)) : null,
          ),
        ),
      ),
    ),
  ];
}

function short(commit) {
  return String(commit ?? '').slice(0, 10);
}
