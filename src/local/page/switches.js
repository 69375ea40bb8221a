import { act } from './desk-client.js';
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
      hide_restored_marker: 'The “checkpoint loaded” line never comes',
    },
  },
];

/** The switches as toggles; those that are on are counted, so that none is forgotten. */
export function drawSwitches(states, order, { outages, offers }) {
  const names = Object.keys(states);
  if (names.length === 0) return [];
  const on = [...Object.values(states), ...Object.values(outages)].filter((value) => value === true).length;
  const known = new Set(GROUPS.flatMap(({ switches }) => Object.keys(switches)));
  const others = Object.fromEntries(names.filter((name) => !known.has(name)).map((name) => [name, name.replaceAll('_', ' ')]));
  const outage = (_kind, { name, on: down }) => act('outage', { sink: name, on: down });
  const dies = el(
    'button.button.small',
    { type: 'button', 'data-focus': 'control-dies', click: (event) => busyWhile(event.currentTarget, order('control_dies')) },
    'Let the live run die now',
  );
  const fold = el(
    'details.fold',
    { 'data-focus': 'switches' },
    el('summary', { 'data-focus': 'switches-summary' }, 'Make something go wrong', on === 0 ? null : el('span.count', {}, `${on} on`)),
    ...[...GROUPS, { title: 'Others', switches: others }].map(({ title, switches }) => {
      const shown = Object.entries(switches).filter(([name]) => name in states);
      if (shown.length === 0) return null;
      return el(
        'fieldset',
        {},
        el('legend', {}, title),
        ...shown.map(([name, words]) => toggle(name, words, states[name] === true, order)),
      );
    }),
    el(
      'fieldset',
      {},
      el('legend', {}, 'Slack and GitHub'),
      toggle('slack', 'Slack does not answer the bot', outages.slack, outage),
      toggle('github', 'GitHub does not answer the bot', outages.github, outage),
    ),
    el('p.once', {}, dies, ...(offers.harbour ? [harbour('kill_bot', 'Kill the bot'), harbour('start_bot', 'Start the bot')] : [])),
  );
  return [fold];
}

function harbour(kind, words) {
  return el(
    'button.button.small',
    { type: 'button', 'data-focus': kind, click: (event) => busyWhile(event.currentTarget, act('harbour', { kind })) },
    words,
  );
}

function toggle(name, words, on, order) {
  const box = el('input', { type: 'checkbox', role: 'switch', checked: on, 'data-focus': `switch-${name}` });
  box.addEventListener('change', () => order('switch', { name, on: box.checked }));
  return el('label.switch', { title: name }, box, el('span', {}, words));
}
