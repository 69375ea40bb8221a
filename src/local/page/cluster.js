import { act } from './desk-client.js';
import { el, redraw } from './dom.js';
import { drawSwitches } from './switches.js';

/** The changes that can be prepared on main, and what each really does. */
const CHANGES = [
  { change: 'fast-a2a', label: 'fast-a2a', what: 'The good one: steps get faster, the loss stays equal.' },
  { change: 'silent-hang', label: 'silent-hang', what: 'Steps stop after a while; everything still says RUNNING.' },
  { change: 'nan', label: 'nan', what: 'The loss overflows and the trainer dies, again and again.' },
  { change: 'garbage-restore', label: 'garbage-restore', what: 'The checkpoint is restored wrongly; the loss jumps at once.' },
];

/** Steps seen a run, for the small chart; newest last. */
const seen = new Map();
const POINTS = 90;

let told = '';

/** Draws the cluster as it says it is. A field it does not have is left out. */
export function drawCluster(panel, cluster, offers, { person, refresh }) {
  if (!offers.cluster) {
    redraw(panel, 'none', () => [head(), el('p.empty', {}, 'No cluster is connected to this page.')]);
    return;
  }
  if (cluster === undefined) {
    redraw(panel, 'away', () => [head(), el('p.empty', {}, 'The cluster does not answer.')]);
    return;
  }
  note(cluster.runs ?? []);
  const order = async (kind, more) => {
    try {
      const answer = await act('cluster', { kind, as: person, ...more });
      told = kind === 'prepare' ? `${more.change} is on main${answer?.runId ? `, as ${answer.runId}` : ''}.` : '';
    } catch (fault) {
      told = fault.message;
    }
    await refresh(true);
  };
  redraw(panel, JSON.stringify([cluster, told, [...seen.values()].map((points) => points.at(-1))]), () => [
    head(cluster.main),
    el(
      'div.panel-body',
      {},
      el('section', {}, el('h3', {}, 'Runs'), ...runs(cluster, order)),
      prepare(order),
      el('section', {}, el('h3', {}, 'Coordinators'), coordinators(cluster.coordinators ?? [])),
      el('section', {}, el('h3', {}, 'Pods'), pods(cluster.pods ?? [])),
      el('section', {}, el('h3', {}, 'Worktrees'), worktrees(cluster)),
      drawSwitches(cluster.switches ?? {}, order),
      ledger(cluster.ledger ?? []),
    ),
  ]);
}

function head(main) {
  return el(
    'header.panel-head',
    {},
    el('h2', {}, 'Cluster'),
    main === undefined ? null : el('p.quiet', {}, 'main ', el('code', {}, short(main.head)), ` ${main.subject ?? ''}`),
  );
}

function prepare(order) {
  return el(
    'section.prepare',
    {},
    el('h3', {}, 'Prepare a change'),
    el('p.quiet', {}, 'Commits the change and its launch record to main, and checks both worktrees out.'),
    ...CHANGES.map(({ change, label, what }) =>
      el(
        'button.choice',
        {
          type: 'button',
          'data-focus': `prepare-${change}`,
          click: (event) => busyWhile(event.currentTarget, order('prepare', { change })),
        },
        el('strong', {}, label),
        el('span', {}, what),
      ),
    ),
    told === '' ? null : el('p.note', { role: 'status' }, told),
  );
}

async function busyWhile(button, work) {
  button.disabled = true;
  await work;
  button.disabled = false;
}

function runs({ runs: all = [], checkpoints = {} }, order) {
  if (all.length === 0) return [el('p.quiet', {}, 'No run.')];
  return [...all].sort((a, b) => Number(isLive(b)) - Number(isLive(a))).map((run) => runCard(run, checkpoints, order));
}

function runCard(run, checkpoints, order) {
  const id = idOf(run);
  const pace = run.secondsPerStep ?? run.stepSeconds ?? run.pace;
  const facts = [
    pace === undefined || pace === null ? null : `${Number(pace).toFixed(2)} s a step`,
    run.attempt === undefined || run.attempt === null ? null : `attempt ${run.attempt}`,
    run.phase === undefined || run.phase === null ? null : String(run.phase),
    run.change ? `change ${run.change}` : null,
    run.commit ? `at ${short(run.commit)}` : null,
  ].filter((fact) => fact !== null);
  return el(
    `article.run${isLive(run) ? '.live' : ''}`,
    {},
    el(
      'p.run-id',
      {},
      el('span.dot', { 'aria-hidden': 'true' }),
      el('code', {}, id),
      el('span.state', {}, isLive(run) ? 'live' : (run.state ?? 'not live')),
    ),
    el(
      'p.step',
      {},
      el('strong', {}, run.step === undefined || run.step === null ? '–' : Number(run.step).toLocaleString('en')),
      el('span.quiet', {}, ' step'),
    ),
    isLive(run) ? chart(id) : null,
    el('p.quiet', {}, facts.join(' · ')),
    checkpointList(checkpoints[id] ?? run.checkpoints ?? [], id),
    isLive(run)
      ? el(
          'button.button.small',
          {
            type: 'button',
            'data-focus': `keep-${id}`,
            click: (event) => busyWhile(event.currentTarget, order('permanent_checkpoint', { runId: id })),
          },
          'Request a permanent checkpoint',
        )
      : null,
  );
}

function checkpointList(list, id) {
  if (list.length === 0) return null;
  const rows = list
    .map((entry) => (typeof entry === 'object' ? entry : { step: entry }))
    .map((entry) => ({
      step: entry.step ?? entry.name,
      kind: (entry.permanent ?? !(entry.temporary ?? entry.isTemporary)) ? 'permanent' : 'temporary',
    }))
    .sort((a, b) => Number(b.step) - Number(a.step));
  return el(
    'details.checkpoints',
    { 'data-focus': `checkpoints-${id}` },
    el(
      'summary',
      { 'data-focus': `checkpoints-${id}-summary` },
      `${rows.length} ${rows.length === 1 ? 'checkpoint' : 'checkpoints'}, newest step-${rows[0].step}`,
    ),
    el('ul', {}, ...rows.slice(0, 12).map(({ step, kind }) => el('li', {}, el('code', {}, `step-${step}`), ` ${kind}`))),
  );
}

/** Steps over time as a line: flat is a run that does not move. */
function chart(id) {
  const points = seen.get(id) ?? [];
  if (points.length < 2) return null;
  const low = points[0];
  const span = Math.max(points.at(-1) - low, 1);
  const path = points
    .map((step, index) => `${((index / (POINTS - 1)) * 240).toFixed(1)},${(34 - ((step - low) / span) * 30).toFixed(1)}`)
    .join(' ');
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 240 38');
  svg.setAttribute('class', 'spark');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${points.at(-1) - low} steps in the last ${points.length} seconds`);
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
  line.setAttribute('points', path);
  svg.append(line);
  return svg;
}

function note(all) {
  for (const run of all) {
    if (!isLive(run) || typeof run.step !== 'number') continue;
    const points = seen.get(idOf(run)) ?? [];
    seen.set(idOf(run), [...points, run.step].slice(-POINTS));
  }
}

function coordinators(rows) {
  if (rows.length === 0) return el('p.quiet', {}, 'None.');
  return el(
    'ul.rows',
    {},
    ...rows.map((row) =>
      el(
        'li',
        {},
        el('code', {}, row.jobId ?? row.job_id ?? row.id ?? ''),
        el(`span.state.${stateClass(row)}`, {}, String(row.stateName ?? row.state ?? '')),
      ),
    ),
  );
}

function stateClass(row) {
  const state = String(row.stateName ?? row.state ?? '').toLowerCase();
  if (/running|^3$/.test(state)) return 'good';
  return /fail|killed|^5$|^6$/.test(state) ? 'bad' : 'plain';
}

function pods(rows) {
  if (rows.length === 0) return el('p.quiet', {}, 'None.');
  return el(
    'ul.rows',
    {},
    ...rows.map((pod) => {
      const phase = pod.deletionTimestamp || pod.terminating ? 'Terminating' : (pod.phase ?? pod.status?.phase ?? '');
      return el('li', {}, el('code', {}, pod.name ?? pod.metadata?.name ?? ''), el('span.state', {}, phase));
    }),
  );
}

function worktrees({ worktrees: given = [] }) {
  const list = Array.isArray(given) ? given : Object.entries(given).map(([name, tree]) => ({ name, ...tree }));
  if (list.length === 0) return el('p.quiet', {}, 'None.');
  return el(
    'ul.rows',
    {},
    ...list.map((tree) =>
      el(
        'li',
        {},
        el('span', {}, `${tree.name ?? tree.role ?? ''} `, el('code', {}, short(tree.head ?? tree.commit))),
        el(`span.state.${tree.clean === false ? 'bad' : 'good'}`, {}, tree.clean === false ? 'changed' : 'clean'),
      ),
    ),
  );
}

function ledger(rows) {
  if (rows.length === 0) return null;
  return el(
    'details.fold',
    { 'data-focus': 'ledger' },
    el('summary', { 'data-focus': 'ledger-summary' }, "The cluster's own record"),
    el(
      'ol.ledger',
      {},
      ...rows
        .slice(-40)
        .reverse()
        .map((row) =>
          el(
            'li',
            {},
            el('time', {}, new Date(row.atMs ?? row.at ?? 0).toISOString().slice(11, 19)),
            el('strong', {}, String(row.kind ?? '').replaceAll('_', ' ')),
            el('code', {}, row.jobId ?? row.runId ?? ''),
            row.detail ? el('span.quiet', {}, String(row.detail)) : null,
          ),
        ),
    ),
  );
}

function idOf(run) {
  return run.id ?? run.runId ?? run.run_id ?? '';
}

function isLive(run) {
  return run.live === true;
}

function short(commit) {
  return String(commit ?? '').slice(0, 10);
}
