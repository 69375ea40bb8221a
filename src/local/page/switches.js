import { busyWhile, el } from './dom.js';

/** Every switch of the cluster, in groups, in words. One that is not listed here is shown under its own name. */
const GROUPS = [
  {
    title: 'Shut a guard',
    switches: {
      main_moved: 'Main moved on after the change was prepared',
      deploy_worktree_dirty: 'The deploy worktree has uncommitted changes',
      rollback_worktree_dirty: 'The rollback worktree has uncommitted changes',
      launch_record_placeholder: 'The launch record still has a placeholder',
      checkpoint_incomplete: 'The handoff checkpoint has no metadata',
      tree_not_empty: 'The new run’s checkpoint tree is not empty',
      foreign_coordinator: 'Somebody else runs a coordinator of this family',
      no_credentials: 'The scheduler’s login has expired',
      gh_logged_out: 'gh is logged out',
      old_command_line: 'The scheduler’s command line is an old one, without --exact',
      tracker_child_foreign: 'Somebody took the new run’s name in the tracker',
      launch_user_other: 'The launch script names another user (plan or revise after it)',
      tracker_project_other: 'The launch script logs to another project (plan or revise after it)',
      control_stands_still: 'The live run stands still, though it is listed as running',
      pods_unseen: 'Kubernetes answers, but shows no pods',
      node_down: 'A node of the gang is down',
      node_disk_full: 'The disk of a node is full',
    },
  },
  {
    title: 'Nobody answers',
    switches: {
      scheduler_down: 'Scheduler (iris)',
      telemetry_down: 'Telemetry (finelog)',
      kubernetes_down: 'Kubernetes',
      objectstore_down: 'Object store',
      tracker_down: 'Tracker',
      slow_replies: 'Everything answers slowly',
    },
  },
  {
    title: 'Acts that go wrong',
    switches: {
      cancel_not_taken: 'A cancel is accepted and nothing stops',
      pods_stuck: 'Pods outlive their coordinator',
      submit_fails_after_acceptance: 'A launch fails, yet the job runs',
      submit_prints_nothing: 'A launch prints no job id',
      submit_refused: 'A launch is refused',
      submit_twice: 'One launch starts two coordinators',
      unlisted_state: 'A job state that no contract names',
      telemetry_clock_behind: 'The trainers’ clock is half a minute behind',
      hide_restored_marker: 'The “checkpoint loaded” line never comes',
    },
  },
];

/**
 * The switches as toggles; those that are on are counted, so that none is forgotten.
 * @param {{ order: Function, harbour: Function, outage: Function }} hands each resolves to whether it was done
 */
export function drawSwitches(states, { outages, offers, harbour }, hands) {
  const names = Object.keys(states);
  if (names.length === 0) return [];
  const hoursShut = harbour.hoursShut === true;
  const rehearsalAsked = harbour.rehearsalAsked === true;
  const on = [...Object.values(states), ...Object.values(outages), hoursShut, rehearsalAsked].filter((value) => value === true).length;
  const known = new Set(GROUPS.flatMap(({ switches }) => Object.keys(switches)));
  const others = Object.fromEntries(names.filter((name) => !known.has(name)).map((name) => [name, name.replaceAll('_', ' ')]));
  const turn = (name) => (wanted) => hands.order('switch', { name, on: wanted });
  const groups = [...GROUPS, { title: 'Others', switches: others }].map(({ title, switches }, index) => {
    const shown = Object.entries(switches).filter(([name]) => name in states);
    const toggles = shown.map(([name, words]) => toggle(name, words, states[name] === true, turn(name)));
    if (index === 0 && offers.harbour) toggles.push(hours(hoursShut, hands), rehearsals(rehearsalAsked, hands));
    return toggles.length === 0 ? null : el('fieldset', {}, el('legend', {}, title), ...toggles);
  });
  return [
    el(
      'details.fold',
      { 'data-focus': 'switches' },
      el('summary', { 'data-focus': 'switches-summary' }, 'Make something go wrong', on === 0 ? null : el('span.count', {}, `${on} on`)),
      ...groups,
      el(
        'fieldset',
        {},
        el('legend', {}, 'Slack and GitHub'),
        toggle('slack', 'Slack does not answer the bot', outages.slack, (wanted) => hands.outage('slack', wanted)),
        toggle('github', 'GitHub does not answer the bot', outages.github, (wanted) => hands.outage('github', wanted)),
      ),
      el(
        'p.once',
        {},
        once('control_dies', 'Let the live run die now', () => hands.order('control_dies')),
        bot(harbour, offers, hands),
      ),
    ),
  ];
}

function hours(shut, hands) {
  return toggle('shut_hours', 'Working hours are over (restarts the bot)', shut, (wanted) => hands.harbour('shut_hours', { on: wanted }));
}

function rehearsals(asked, hands) {
  const words = 'No swap without a rehearsal (restarts the bot)';
  return toggle('ask_rehearsal', words, asked, (wanted) => hands.harbour('ask_rehearsal', { on: wanted }));
}

function bot({ bot: is }, offers, hands) {
  if (!offers.harbour) return null;
  return is === 'down'
    ? once('start_bot', 'Start the bot', () => hands.harbour('start_bot'))
    : once('kill_bot', 'Kill the bot (SIGKILL)', () => hands.harbour('kill_bot'));
}

function once(focus, words, work) {
  return el(
    'button.button.small',
    { type: 'button', 'data-focus': focus, click: (event) => busyWhile(event.currentTarget, work()) },
    words,
  );
}

/** A switch that goes back where it was when it could not be turned. */
function toggle(name, words, on, turn) {
  const box = el('input', { type: 'checkbox', role: 'switch', checked: on, 'data-focus': `switch-${name}` });
  box.addEventListener('change', async () => {
    box.disabled = true;
    const isDone = await turn(box.checked);
    box.disabled = false;
    if (!isDone) box.checked = on;
  });
  return el('label.switch', { title: name }, box, el('span', {}, words));
}
