import { APPROVER, ASKER } from './fleet.js';
import type { Player } from './player.js';
import type { Scenario } from './scenarios.js';

/** Proposes a run of a lane; resolves once it stands at its gate. */
async function proposes(player: Player, lane: string, fields = ''): Promise<string> {
  await player.says(ASKER.id, `/ferry propose lane=${lane} objective="does the setting hold" ${fields}`);
  const operationId = 'ferry-1';
  await player.reaches(operationId, 'proposed');
  return operationId;
}

/** A run that its own requester cleared, up to its one job. */
async function sails(player: Player, lane: string): Promise<string> {
  const operationId = await proposes(player, lane);
  await player.clicks(ASKER.id, operationId, 'approve');
  await player.clicks(ASKER.id, operationId, 'launch');
  await player.happens(operationId, 'launched_once');
  return operationId;
}

/** What the cluster itself was asked to launch for the lanes. */
async function submits(player: Player): Promise<number> {
  return (await player.ledger()).filter(({ kind, jobId }) => kind === 'submit' && jobId?.startsWith('/marin/ferry-') === true).length;
}

async function toldEvents(player: Player, operationId: string): Promise<readonly string[]> {
  const { told } = await player.told(operationId);
  const rows = player.history(operationId);
  return told.map((seq) => rows.find((row) => `${row.seq}` === seq)?.event ?? '');
}

function facts(player: Player, operationId: string): Readonly<Record<string, unknown>> {
  return Object.assign({}, ...player.history(operationId).map((row) => JSON.parse(row.facts) as object));
}

export const FERRY_SCENARIOS = {
  /** A daily from its proposal to its seal: tag and log entry are read back. */
  async 'ferry-daily'(player) {
    await player.harbour.cluster({ kind: 'change_daily', setting: 'LEARNING_RATE', value: 0.006 });
    const operationId = await sails(player, 'daily');
    await player.reaches(operationId, 'awaiting_seal');
    await player.clicks(APPROVER.id, operationId, 'seal');
    await player.reaches(operationId, 'sealed');
    const { sealedTag } = facts(player, operationId);
    const tagged = await player.harbour.cluster({ kind: 'tagged', name: sealedTag });
    const { commit } = player.planOf(operationId);
    // Exactly these are told: whatever else happens is recorded only.
    const told = await toldEvents(player, operationId);
    const wanted = ['issue_filed', 'approved', 'launched_once', 'evaluated', 'daily_verified', 'sealed'];
    return { operationId, asExpected: tagged === commit && (await submits(player)) === 1 && told.join() === wanted.join() };
  },

  /** A canary crashes: said at once, then what the log says, then where it is kept. */
  async 'ferry-canary-fails'(player) {
    await player.switches('ferry_crashes', true);
    const operationId = await sails(player, 'canary-tpu');
    await player.reaches(operationId, 'failed');
    const { category, failureIssue } = facts(player, operationId);
    const kept = category === 'data/storage' && failureIssue !== undefined;
    return { operationId, asExpected: kept && player.passed(operationId, ['canary_failed', 'diagnosed_new_issue', 'failure_reported']) };
  },

  /** Somebody else presses, somebody else passes a waiver on: nothing is launched. */
  async 'ferry-not-approved'(player) {
    const operationId = await proposes(player, 'canary-tpu');
    await player.clicks(APPROVER.id, operationId, 'approve');
    await player.says(APPROVER.id, `/ferry waive ${operationId} reason="Ada said to go on without her"`);
    await player.says(APPROVER.id, `/ferry launch ${operationId}`);
    await player.clicks(ASKER.id, operationId, 'cancel');
    await player.reaches(operationId, 'cancelled');
    const events = player.history(operationId).map(({ event }) => event);
    const untouched = (await submits(player)) === 0 && !events.includes('approved') && !events.includes('waived');
    return { operationId, asExpected: untouched && player.passed(operationId, ['proposed', 'cancel_asked']) };
  },

  /** A canary that did nothing of its own ends as a success for the scheduler, and counts as missed here. */
  async 'ferry-unverified'(player) {
    await player.switches('ferry_reuses_output', true);
    const operationId = await sails(player, 'canary-tpu');
    await player.reaches(operationId, 'unverified');
    return { operationId, asExpected: player.passed(operationId, ['launched_once', 'ended_well', 'canary_unverified']) };
  },

  /** A due run is proposed and asks; nobody answers, and the lane is said to be overdue. */
  async 'ferry-overdue'(player) {
    await player.harbour.reschedule({ cron: '* * * * *', overdueSeconds: 1 });
    await player.happens('lane-1', 'overdue');
    await player.reaches('ferry-1', 'proposed');
    const overdue = player.passed('lane-1', ['due_came', 'ferry_proposed']) && player.passed('lane-1', ['due_came', 'overdue']);
    await player.says(ASKER.id, '/ferry off lane=canary-gpu reason="seen"');
    await player.reaches('lane-1', 'off');
    await player.clicks(ASKER.id, 'ferry-1', 'cancel');
    await player.reaches('ferry-1', 'cancelled');
    return { operationId: 'lane-1', asExpected: overdue && (await submits(player)) === 0 };
  },

  /** The tag is elsewhere already: the seal stops, the tag is not moved, a person leaves the run unsealed. */
  async 'ferry-tag-conflict'(player) {
    const operationId = await sails(player, 'daily');
    await player.reaches(operationId, 'awaiting_seal');
    const { launchedAt, tracker } = facts(player, operationId) as { launchedAt: string; tracker: { name: string } };
    const tag = `ferry/daily/${launchedAt.slice(0, 10).replaceAll('-', '')}/${tracker.name}`;
    await player.harbour.cluster({ kind: 'tag', name: tag });
    const before = await player.harbour.cluster({ kind: 'tagged', name: tag });
    await player.clicks(APPROVER.id, operationId, 'seal');
    await player.happens(operationId, 'tag_conflict');
    const after = await player.harbour.cluster({ kind: 'tagged', name: tag });
    await player.clicks(APPROVER.id, operationId, 'leave_unsealed');
    await player.reaches(operationId, 'unsealed');
    const { commit } = player.planOf(operationId);
    return {
      operationId,
      asExpected: before === after && after !== commit && player.passed(operationId, ['tag_conflict', 'leave_unsealed']),
    };
  },
} satisfies Readonly<Record<string, Scenario>>;
