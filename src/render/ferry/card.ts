import { doubtWords } from '../../protocol/doubt.js';
import type { FerryView } from '../../protocol/ferry/facts.js';
import type { FerryJob, TrackedRun } from '../../protocol/ferry/outside.js';
import { namedFor } from '../../protocol/ferry/plan.js';
import type { FerryState } from '../../protocol/ferry/table.js';
import { answer } from '../../protocol/read.js';
import type { Reading } from '../../protocol/reading.js';
import type { Readings } from '../../protocol/table.js';
import { capital } from '../happened.js';
import type { Button, Card, MayDo } from '../message.js';
import { instant, minute, person, say, shownLink, strong, type Text, words } from '../text.js';
import { awaitedOf } from './awaited.js';
import { ferryStateWords } from './states.js';
import { proposalLines } from './told.js';

/** The live card of a ferry: state, what is awaited, what happens by itself, and each fact with source and instant. */
export function ferryCard(view: FerryView, readings: Readings, mayDo: MayDo): Card {
  const { mark, words: state } = ferryStateWords(view);
  const { plan, facts } = view;
  const next = awaitedOf(view, mayDo);
  const entered = view.history.find(({ seq }) => seq === view.enteredAtSeq);
  const why = typeof entered?.details.sentence === 'string' ? [say`${words(entered.details.sentence)}.`] : [];
  return {
    mark,
    title: say`${strong(`${view.operationId} · ${plan.lane} · ${state}`)}`,
    lines: [
      ...why,
      ...(next === null ? [] : [next]),
      ...(PROPOSAL.has(view.state)
        ? proposalLines(view)
        : [
            say`Run ${namedFor(plan.run, facts.attempt ?? 1)} of ${plan.lane} at ${plan.commit.slice(0, 10)}. ${words(`${capital(plan.objective).replace(/\.$/, '')}.`)}`,
          ]),
      ...(facts.jobId === undefined ? [] : [say`Job ${facts.jobId}, launched ${instant(facts.launchedAt ?? view.enteredAt)}`]),
      ...((facts.tracker ?? null) === null ? [] : [say`${shownLink(facts.tracker?.url ?? '', 'Tracker')}`]),
      ...(facts.runIssue === undefined ? [] : [say`${shownLink(facts.runIssue.url, `Run issue ${facts.runIssue.number}`)}`]),
      ...(facts.takenBy === undefined || next === null ? [] : [say`${person(facts.takenBy)} has it.`]),
    ],
    evidence: [
      say`Since ${instant(view.enteredAt)} · row ${view.seq} · plan ${view.planVersion} ${view.planHash.slice(0, 8)}`,
      ...(next === null ? [] : factLines(readings)),
    ],
    buttons: buttonsFor(view, readings),
  };
}

const PROPOSAL: ReadonlySet<string> = new Set<FerryState>(['draft', 'filing', 'unfiled', 'proposed', 'cleared', 'arming']);

function factLines(readings: Readings): readonly Text[] {
  const jobs = answer(readings, 'ferry_jobs', 'jobs');
  const runs = answer(readings, 'ferry_runs', 'runs');
  return [
    ...factLine('job', jobs, (value: readonly FerryJob[]) => value.map(({ jobId, state }) => `${jobId} ${state}`).join(', ') || 'none'),
    ...factLine(
      'tracker',
      runs,
      (value: readonly TrackedRun[]) =>
        value.map(({ name, lastStep }) => `${name} at step ${lastStep ?? 'none'}`).join(', ') || 'no run yet',
    ),
  ];
}

function factLine<T>(label: string, reading: Reading<T> | undefined, summary: (value: T) => string): readonly Text[] {
  if (reading === undefined) return [];
  const source = reading.source.replace(/ \(exit \d+[^)]*\)/g, '');
  const said = reading.kind === 'unknown' ? `❓ ${label}: unknown, ${doubtWords(reading.why)}` : `${label}: ${summary(reading.value)}`;
  return [say`${words(said)} · ${words(source)}, ${minute(reading.readAt)}`];
}

/** The ways on from a state, the likeliest first. What is not drawn can still be typed. */
function buttonsFor(view: FerryView, readings: Readings): readonly Button[] {
  const { plan, facts, operationId } = view;
  const cancel: Button = { action: 'cancel', label: 'Cancel', confirm: `${operationId} ends here. Nothing is launched.` };
  const stop: Button = {
    action: 'stop',
    label: 'Stop the run',
    style: 'danger',
    confirm: `Stops ${facts.jobId ?? 'its job'} and its children, and nothing else.`,
  };
  const take: Button = { action: 'take', label: 'I have it' };
  switch (view.state as FerryState) {
    case 'draft':
      return [cancel];
    case 'unfiled':
      return [{ action: 'file_again', label: 'File again' }, cancel, take];
    case 'proposed':
      if (facts.clearerLeft === plan.clears) return [cancel];
      return [{ action: 'approve', label: 'Approve this run', style: 'primary', confirm: launchWords(view) }, cancel];
    case 'cleared':
      return [{ action: 'launch', label: 'Launch', style: 'primary', confirm: launchWords(view) }, cancel];
    case 'arming':
      return [cancel];
    case 'launching':
      return facts.abortAsked === true
        ? []
        : [{ action: 'abort', label: 'Abort', style: 'danger', confirm: 'Stops the run as soon as its job is known.' }];
    case 'running':
      return [stop, take];
    case 'awaiting_fix':
      return [
        { action: 'escalate', label: 'Escalate', style: 'danger', confirm: `${operationId} goes to a person. Nothing is launched again.` },
        take,
      ];
    case 'awaiting_seal':
      return [
        {
          action: 'seal',
          label: 'Seal',
          style: 'primary',
          confirm: `Pushes a tag on ${plan.commit.slice(0, 10)} and opens a pull request that changes ${plan.seal?.log ?? 'the log'} alone.`,
        },
        { action: 'leave_unsealed', label: 'Leave unsealed', confirm: `${operationId} ends without a tag and a log entry.` },
      ];
    case 'held':
      return [
        { action: 'recheck', label: 'Recheck', style: 'primary' },
        ...adoptable(readings),
        ...(facts.jobId === undefined || view.origin === 'launching' ? [] : [{ ...stop, action: 'retry_stop', label: 'Stop again' }]),
        take,
        {
          action: 'abandon',
          label: 'Abandon',
          style: 'danger',
          confirm: 'Frees the lane. What is live or unknown stays as it is, and a person has it.',
        },
      ];
    default:
      return [];
  }
}

/** The one job that lives under the name: a person may say that it is this ferry. */
function adoptable(readings: Readings): readonly Button[] {
  const jobs = answer(readings, 'ferry_jobs', 'jobs');
  const live =
    jobs?.kind === 'known' ? jobs.value.filter(({ state }) => state === 'running' || state === 'pending' || state === 'building') : [];
  const [only, ...more] = live;
  if (only === undefined || more.length > 0) return [];
  return [{ action: 'adopt', label: 'Adopt the job', confirm: `${only.jobId} is this ferry from now on.`, argument: only.jobId }];
}

function launchWords({ plan, facts }: FerryView): string {
  return `${plan.lane} is launched once at ${plan.commit.slice(0, 10)}, as ${namedFor(plan.jobName, (facts.attempt ?? 0) + 1)}.`;
}
