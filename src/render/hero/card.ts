import { doubtWords } from '../../protocol/doubt.js';
import type { HeroView } from '../../protocol/hero/facts.js';
import type { HeroMemory } from '../../protocol/hero/memory.js';
import type { HeroState } from '../../protocol/hero/table.js';
import type { Reading } from '../../protocol/reading.js';
import type { Readings } from '../../protocol/table.js';
import type { Button, Card, MayDo } from '../message.js';
import { instant, minute, person, say, strong, type Text, words } from '../text.js';
import { awaited } from './awaited.js';
import { costLines } from './cost.js';
import { downstreamLines, rehearsalLine } from './record.js';
import { STATE_WORDS, stateWords } from './states.js';
import { briefly, shutLines, verdictLines } from './told.js';
import { trialLines } from './trial-lines.js';

/** The live card: state, what is awaited, since when, what happens by itself, and each fact with source and instant. */
export function heroCard(
  view: HeroView,
  readings: Readings,
  mayDo: MayDo,
  waysOut: readonly Button[],
  memory: HeroMemory | null = null,
): Card {
  const { mark, words: state } = stateWords(view);
  const next = awaited(view, mayDo);
  const failure = view.facts.failure ?? null;
  const judged = view.state === 'awaiting_decision' ? (view.facts.verdict ?? null) : null;
  return {
    mark,
    title: say`${strong(`${view.operationId} · ${state}`)}`,
    lines: [
      say`${view.plan.oldRun} → ${view.plan.newRun}, asked for by ${person(view.requester)}`,
      ...(failure === null || view.state !== 'awaiting_rollback' ? [] : [say`${words(failure.sentence)}`]),
      ...(view.state === 'held' ? heldLines(view) : []),
      ...(next === null ? [] : [next]),
      ...(judged === null ? [] : verdictLines(judged.overall, judged.criteria)),
      ...(view.state === 'blocked' ? shutLines(view) : []),
      ...(view.state === 'planned' ? downstreamLines(view.plan.downstream) : []),
      ...rehearsalLine(view),
      ...trialLines(view, readings, memory),
      ...costLines(view, readings),
      ...(view.facts.takenBy === undefined || view.facts.takenBy === null || isFinal(view.state)
        ? []
        : [say`${person(view.facts.takenBy)} has it.`]),
    ],
    evidence: [
      say`Since ${instant(view.enteredAt)} · row ${view.seq} · plan ${view.planVersion} ${view.planHash.slice(0, 8)}`,
      ...factLines(view, readings),
    ],
    buttons: view.state === 'held' ? [...waysOut, ...buttonsFor(view)] : buttonsFor(view),
  };
}

function heldLines(view: HeroView): readonly Text[] {
  const entered = view.history.findLast(({ from, to }) => to === 'held' && from !== 'held');
  const sentence = entered?.details.sentence;
  const origin = view.origin === null ? '' : `, out of "${STATE_WORDS[view.origin as HeroState].words}"`;
  return [say`Held${words(origin)}: ${words(typeof sentence === 'string' ? sentence : 'no reading proves what happened')}.`];
}

/** Readings that a person wants to see; ages are drawn by Slack from the instant, so a still card stays still. */
function factLines(view: HeroView, readings: Readings): readonly Text[] {
  if (isFinal(view.state)) return [];
  const shown: readonly (readonly [string, string])[] = [
    ['coordinators', 'coordinators'],
    ['job', 'job state'],
    ['pods', 'pods'],
    ['steps', 'last step'],
  ];
  return shown.flatMap(([name, label]) => {
    const reading = readings[name];
    return reading === undefined ? [] : [factLine(label, reading)];
  });
}

function factLine(label: string, reading: Reading<unknown>): Text {
  if (reading.kind === 'unknown')
    return say`❓ ${words(label)}: unknown, ${words(doubtWords(reading.why))} · ${words(briefly(reading.source))}, ${minute(reading.readAt)}`;
  return say`${words(label)}: ${words(summary(reading.value))} · ${words(briefly(reading.source))}, ${minute(reading.readAt)}`;
}

function summary(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const ids = value.map((each) => (each.jobId === undefined ? each.name : `${each.jobId} ${each.state}`));
    return ids.length === 0 ? 'none' : ids.length > 3 ? `${ids.length}: ${ids.slice(0, 2).join(', ')}, …` : ids.join(', ');
  }
  if (typeof value === 'object' && value !== null && 'step' in value) return `${value.step ?? 'none'}`;
  return '';
}

function isFinal(state: string): boolean {
  return ['closed', 'rolled_back', 'cancelled', 'left_down', 'abandoned'].includes(state);
}

/** The ways on from a state, the likeliest first. What is not drawn can still be typed. */
function buttonsFor(view: HeroView): readonly Button[] {
  const { plan, facts } = view;
  const cancel: Button = { action: 'cancel', label: 'Cancel', confirm: `${view.operationId} ends here. No run is touched.` };
  const abort: Button = {
    action: 'abort',
    label: 'Abort',
    style: 'danger',
    confirm: 'Stops as soon as it is known what has happened so far.',
  };
  const rollback: Button = {
    action: 'rollback',
    label: 'Roll back',
    style: 'danger',
    confirm: `Cancels ${facts.newCoordinator ?? plan.newRun} and launches ${plan.oldRun} again from its newest checkpoint.`,
  };
  const leaveDown: Button = {
    action: 'leave_down',
    label: 'Leave down',
    confirm: `${plan.family} stays down. ${plan.oldRun} can be launched by hand from ${plan.rollback.worktree}.`,
  };
  const byHand: Button = { action: 'hand', label: 'By hand' };
  const take: Button = { action: 'take', label: 'I have it' };
  const rehearse: Button = { action: 'rehearse', label: 'Rehearse' };
  switch (view.state as HeroState) {
    case 'planned':
      return [
        {
          action: 'agree',
          label: 'Agree',
          style: 'primary',
          confirm: `You agree to plan ${view.planVersion} of ${view.operationId}. Nothing is started.`,
        },
        rehearse,
        cancel,
      ];
    case 'agreed':
    case 'blocked':
      return [{ action: 'preflight', label: 'Run preflight', style: 'primary' }, rehearse, cancel];
    case 'ready':
      return facts.approval ? [cancel] : [{ action: 'approve', label: 'Approve ahead', confirm: approvalWords(view) }, cancel];
    case 'awaiting_launch':
      return [
        { action: 'approve', label: 'Approve launch', style: 'primary', confirm: approvalWords(view) },
        { action: 'reject', label: 'Reject' },
        cancel,
      ];
    case 'arming':
      return [abort];
    case 'forking':
    case 'stopping_old':
    case 'launching':
      return facts.abortAsked === true ? [byHand] : [abort, byHand];
    case 'stopping_new':
    case 'relaunching_old':
      return [byHand];
    case 'nothing_running':
      return [
        { action: 'launch_again', label: 'Launch new run again', confirm: `Reads the guards again, then launches ${plan.newRun}.` },
        { ...rollback, confirm: `Launches ${plan.oldRun} again from its newest checkpoint.` },
        leaveDown,
        byHand,
        take,
      ];
    case 'starting':
    case 'trial':
    case 'watching':
      return [rollback];
    case 'awaiting_rollback':
      return [rollback, take];
    case 'awaiting_decision':
      return facts.verdict?.overall === 'PASS'
        ? [
            { action: 'go', label: 'Go', style: 'primary', confirm: `${plan.newRun} becomes the hero.` },
            { ...rollback, action: 'no_go', label: 'No-go' },
          ]
        : [{ ...rollback, action: 'no_go', label: 'No-go' }];
    case 'awaiting_anchor':
      return [
        { action: 'confirm_anchor', label: 'Confirm anchor', confirm: `Launches ${plan.oldRun} from step ${facts.anchor?.step}.` },
        leaveDown,
      ];
    case 'replaying':
      return [{ action: 'close_unverified', label: 'Close unverified', confirm: `Ends ${view.operationId} without a compared replay.` }];
    case 'held':
      return [
        { action: 'recheck', label: 'Recheck', style: 'primary' },
        take,
        byHand,
        leaveDown,
        {
          action: 'abandon',
          label: 'Abandon',
          style: 'danger',
          confirm: 'Releases the lock. What is live or unknown stays as it is, and a person has it.',
        },
      ];
    default:
      return [];
  }
}

function approvalWords(view: HeroView): string {
  const { plan } = view;
  return `Cancels ${view.facts.oldCoordinator ?? plan.oldRun}, launches ${plan.newRun} at ${plan.deploy.commit.slice(0, 10)} from step ${plan.handoffStep}.`;
}
