import { busyWhile, el } from './dom.js';

/** The run that a lane launched last, if the cluster still knows one. */
function newestRun(runs, lane) {
  return runs.findLast(({ runId }) => new RegExp(`^ferry-\\d{8}-\\d{6}-${lane}-ferry`).test(runId));
}

/** Whether a run belongs to a ferry: heroes are shown by themselves. */
export function isFerryRun({ runId }) {
  return runId.startsWith('ferry-');
}

/** The lanes of the fleet file: what each is, when it is due, and how its newest run stands. */
export function drawLanes(lanes, runs, order) {
  if (lanes.length === 0) return [];
  return [
    el('h3', {}, 'Ferry lanes'),
    el('p.quiet', {}, 'A ferry is one run of a lane: /ferry propose lane=daily objective="…". Each really trains a small model.'),
    ...lanes.map((lane) => laneRow(lane, newestRun(runs, lane.name))),
    el(
      'button.button.small',
      {
        type: 'button',
        'data-focus': 'change-daily',
        click: (event) =>
          busyWhile(event.currentTarget, order('change_daily', { setting: 'SEED', value: 100 + runs.filter(isFerryRun).length })),
      },
      'Change a setting of the daily',
    ),
  ];
}

function laneRow({ name, kind, due }, run) {
  const newest =
    run === undefined ? 'no run yet' : `${run.live ? 'running' : 'ended'}${typeof run.step === 'number' ? ` at step ${run.step}` : ''}`;
  return el(
    `article.run${run?.live ? '.live' : ''}`,
    {},
    el('p.run-id', {}, el('span.dot', { 'aria-hidden': 'true' }), el('code', {}, name), el('span.state', {}, newest)),
    el(
      'p.quiet',
      {},
      [kind, due === null ? 'no schedule' : `due ${due} in UTC`, run?.runId].filter((part) => part !== undefined).join(' · '),
    ),
  );
}
