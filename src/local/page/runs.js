import { busyWhile, el } from './dom.js';

/** Steps seen a run, for the small chart; newest last. */
const seen = new Map();
const POINTS = 90;

/** Notes where each live run stands, once a reading of the cluster. */
export function noteSteps(runs) {
  for (const run of runs) {
    if (run.live && typeof run.step === 'number') seen.set(run.runId, [...(seen.get(run.runId) ?? []), run.step].slice(-POINTS));
  }
}

/** The live run as a card, and what else is live beside it. */
export function drawRuns({ runs = [], checkpoints = {} }, order) {
  const live = runs.filter((run) => run.live);
  if (live.length === 0) return [el('p.warn', {}, 'Nothing is running.')];
  return live.map((run) => card(run, checkpoints[run.runId] ?? [], order));
}

/** The runs that have ended, newest first. */
export function drawEarlier({ runs = [], checkpoints = {} }) {
  const ended = runs.filter((run) => !run.live).reverse();
  if (ended.length === 0) return [];
  return [el('h3', {}, 'Earlier runs'), ...ended.map((run) => card(run, checkpoints[run.runId] ?? []))];
}

function card(run, checkpoints, order) {
  const facts = [
    typeof run.secondsPerStep === 'number'
      ? `${run.secondsPerStep.toFixed(2)} s a step${run.live ? ' (a real hero takes 18 s)' : ''}`
      : null,
    typeof run.attempt === 'number' && run.attempt > 0 ? `attempt ${run.attempt}` : null,
    run.change ? `change ${run.change}` : null,
    run.commit ? `commit ${String(run.commit).slice(0, 10)}` : null,
  ].filter((fact) => fact !== null);
  return el(
    `article.run${run.live ? '.live' : ''}`,
    {},
    el(
      'p.run-id',
      {},
      el('span.dot', { 'aria-hidden': 'true' }),
      el('code', {}, run.runId),
      el('span.state', {}, run.live ? (run.phase ?? 'live') : (run.phase ?? 'ended')),
    ),
    el('p.step', {}, el('span.quiet', {}, 'step '), el('strong', {}, typeof run.step === 'number' ? run.step.toLocaleString('en') : '–')),
    run.live ? chart(run.runId) : null,
    el('p.quiet', {}, facts.join(' · ')),
    checkpointList(checkpoints, run.runId),
    run.live && order !== undefined
      ? el(
          'button.button.small',
          {
            type: 'button',
            'data-focus': `keep-${run.runId}`,
            click: (event) => busyWhile(event.currentTarget, order('permanent_checkpoint', { runId: run.runId })),
          },
          'Request a permanent checkpoint',
        )
      : null,
  );
}

function checkpointList(checkpoints, runId) {
  if (checkpoints.length === 0) return null;
  const rows = [...checkpoints].sort((a, b) => b.step - a.step);
  const kept = rows.find(({ permanent, complete }) => permanent && complete);
  return el(
    'details.checkpoints',
    { 'data-focus': `checkpoints-${runId}` },
    el(
      'summary',
      { 'data-focus': `checkpoints-${runId}-summary` },
      `${rows.length} ${rows.length === 1 ? 'checkpoint' : 'checkpoints'}`,
      kept === undefined ? '' : `, newest permanent step-${kept.step}`,
    ),
    el(
      'ul',
      {},
      ...rows
        .slice(0, 12)
        .map(({ step, permanent, complete }) =>
          el(
            'li',
            {},
            el('code', {}, `step-${step}`),
            permanent ? ' permanent' : ' temporary',
            complete === false ? ', still being saved' : '',
          ),
        ),
    ),
  );
}

/** Steps over time as a line: flat is a run that does not move. */
function chart(runId) {
  const points = seen.get(runId) ?? [];
  if (points.length < 2) return null;
  const low = points[0];
  const span = Math.max(points.at(-1) - low, 1);
  const path = points.map(
    (step, index) => `${((index / (points.length - 1)) * 240).toFixed(1)},${(34 - ((step - low) / span) * 30).toFixed(1)}`,
  );
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 240 38');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('class', 'spark');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${points.at(-1) - low} steps while you watched`);
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
  line.setAttribute('points', path.join(' '));
  svg.append(line);
  return svg;
}
