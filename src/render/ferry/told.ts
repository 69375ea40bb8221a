import type { FerryFacts, FerryView } from '../../protocol/ferry/facts.js';
import { namedFor } from '../../protocol/ferry/plan.js';
import type { FerryEvent } from '../../protocol/ferry/table.js';
import type { Entry } from '../../protocol/table.js';
import { capital, happenedText } from '../happened.js';
import type { MayDo, Message } from '../message.js';
import { utc } from '../mrkdwn.js';
import { comparedLine, restoredLine } from '../restored.js';
import { instant, people, person, say, shownLink, strong, type Text, words } from '../text.js';
import { awaitedOf } from './awaited.js';
import { FERRY_EVENT_WORDS, ferryStateWords } from './states.js';

/** One transition of a ferry as it is told; `view` is the ferry as of that row. */
export function ferryMessage(view: FerryView, entry: Entry<FerryFacts>, mayDo: MayDo): Message {
  const { mark, words: state } = ferryStateWords(view);
  const next = awaitedOf(view, mayDo);
  return {
    mark,
    title: say`${strong(`${view.operationId} · ${view.plan.lane} · ${state}`)}`,
    lines: [happened(entry), ...(next === null ? [] : [next]), ...detailLines(view, entry)],
    evidence: [[words('at '), instant(entry.at), words(` · row ${entry.seq}`)]],
  };
}

function happened({ event, actor, details }: Entry<FerryFacts>): Text {
  return happenedText(FERRY_EVENT_WORDS[event as FerryEvent], actor, details.sentence);
}

function detailLines(view: FerryView, entry: Entry<FerryFacts>): readonly Text[] {
  switch (entry.event as FerryEvent) {
    case 'proposed':
    case 'issue_filed':
    case 'fix_proposed':
      return [...proposalLines(view), ...issueLine(view)];
    case 'approved':
    case 'waived':
    case 'standing_waiver_used':
      return clearanceLines(view, entry);
    case 'launched_once':
    case 'launched_once_after_abort':
    case 'adopt':
      return launchLines(view);
    case 'canary_failed':
    case 'canary_stopped':
    case 'canary_unverified':
    case 'daily_failed':
    case 'daily_stopped':
    case 'daily_unverified':
      return [...runLines(view), ...urgentLine(view)];
    case 'daily_verified':
    case 'canary_verified':
      return runLines(view);
    case 'diagnosed_known_issue':
    case 'diagnosed_new_issue':
    case 'diagnosis_overdue':
      return (entry.facts.diagnosis ?? []).map((line) => say`• ${line}`);
    case 'failure_reported':
    case 'failure_unreported':
      return summaryLines(view);
    case 'sealed':
    case 'tag_conflict':
    case 'pull_conflict':
      return linkLine(entry);
    case 'closed_failed_again':
    case 'escalate_asked':
      return [...runLines(view), ...urgentLine(view)];
    case 'restored':
      return [restoredLine()];
    case 'compared':
      return [comparedLine()];
    case 'reminded':
      return [say`${view.facts.takenBy === undefined ? words('Nobody has it.') : say`${person(view.facts.takenBy)} has it.`}`];
    default:
      return [];
  }
}

/** What is proposed, in the words of the person and the figures of git. */
export function proposalLines({ plan }: FerryView): readonly Text[] {
  const knobs = plan.delta.slice(0, 6).map(({ name, was, is }) => say`• ${name}: ${was ?? '–'} → ${is ?? '–'}`);
  const more = plan.delta.length > 6 ? [say`• and ${plan.delta.length - 6} more in the record`] : [];
  const changed =
    plan.delta.length === 0
      ? unchanged(plan.context.lastFerry)
      : say`${plan.delta.length} ${words(plan.delta.length === 1 ? 'setting differs' : 'settings differ')} from the last ferry, by git:`;
  return [
    say`Run ${plan.run} of ${plan.lane} at ${plan.commit.slice(0, 10)}. ${words(`${capital(plan.objective).replace(/\.$/, '')}.`)}`,
    changed,
    ...knobs,
    ...more,
    say`Risk ${words(plan.risk)}.${sinceWords(plan.context)}`,
    ...(plan.scheduledFor === null ? [] : [say`Asked for by the schedule, due ${instant(plan.scheduledFor)}.`]),
  ];
}

function sinceWords({ lastFerry, commits, issues, pulls }: FerryView['plan']['context']): Text {
  const found = [...(lastFerry === null ? [] : [counted(commits, 'commit')]), counted(issues, 'issue'), counted(pulls, 'pull request')];
  return lastFerry === null
    ? say` Tagged at GitHub: ${words(found.join(', '))}.`
    : say` Since the last ferry (${lastFerry}): ${words(found.join(', '))}.`;
}

/** Nothing compared is not nothing changed. */
function unchanged(lastFerry: string | null): Text {
  return lastFerry === null ? say`No earlier ferry is on record: nothing was compared.` : say`No setting differs from the last ferry.`;
}

function counted(list: readonly unknown[], noun: string): string {
  return `${list.length} ${noun}${list.length === 1 ? '' : 's'}`;
}

function issueLine({ facts }: FerryView): readonly Text[] {
  return facts.runIssue === undefined ? [] : [say`${shownLink(facts.runIssue.url, `run issue ${facts.runIssue.number}`)}`];
}

function clearanceLines({ facts }: FerryView, { details }: Entry<FerryFacts>): readonly Text[] {
  const { clearance } = facts;
  if (clearance === undefined || clearance === null) return [];
  const said = textOf(details.sentence) === null ? clearance.quote : null;
  const quote = said === null ? [] : say` “${words(said)}”.`;
  const whose = clearance.kind === 'standing' ? say` The standing waiver is ${person(clearance.by)}'s.` : [];
  return [say`Good for this run only, until ${instant(clearance.until)}.${whose}${quote}`];
}

/** One launch has one instant: in UTC in every name, and to each reader in their own zone here. */
function launchLines({ plan, facts }: FerryView): readonly Text[] {
  const at = facts.launchedAt === undefined ? [] : say`, launched ${instant(facts.launchedAt)} (${utc(new Date(facts.launchedAt))})`;
  return [
    say`Job ${facts.jobId ?? '?'} on ${plan.cluster}${at}, commit ${plan.commit.slice(0, 10)}.`,
    say`In the tracker it will be called ${`${namedFor(plan.trackerName, facts.attempt ?? 1)}…`}`,
  ];
}

function runLines({ plan, facts }: FerryView): readonly Text[] {
  const link = (facts.tracker ?? null) === null ? [] : say` · ${shownLink(facts.tracker?.url ?? '', 'tracker')}`;
  return [say`Run ${namedFor(plan.run, facts.attempt ?? 1)} · job ${facts.jobId ?? '?'} · ${plan.commit.slice(0, 10)}${link}`];
}

function urgentLine({ plan }: FerryView): readonly Text[] {
  return plan.urgent.length === 0 ? [] : [say`${people(plan.urgent)}: please look.`];
}

/** The contract's four lines. Source: contracts/iris-and-ferries.md 6.2. */
function summaryLines({ plan, facts }: FerryView): readonly Text[] {
  const { failureIssue: failed = null, tracker: run = null } = facts;
  return [
    say`${strong(`${plan.lane} failed`)}: ${words(facts.verdict ?? '')}`,
    say`${strong('Root cause:')} ${words(`${facts.category ?? 'unknown'}: ${facts.diagnosis?.at(-1) ?? 'the log says nothing of it'}`)}`,
    say`${strong('Issue:')} ${failed === null ? words('none on record') : shownLink(failed.url, `issue ${failed.number}`)}`,
    say`${strong('Run:')} ${run === null ? (facts.jobId ?? '?') : shownLink(run.url, run.name)}`,
  ];
}

function linkLine(entry: Entry<FerryFacts>): readonly Text[] {
  const url = textOf(entry.details.url);
  return url === null ? [] : [say`${shownLink(url, 'pull request')}`];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
