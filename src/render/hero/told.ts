import { printCriterion } from '../../protocol/gate/print.js';
import type { Sanity } from '../../protocol/gate/sanity.js';
import type { CriterionResult } from '../../protocol/gate/verdict.js';
import type { Change } from '../../protocol/hero/difference.js';
import type { HeroFacts, HeroView } from '../../protocol/hero/facts.js';
import type { GuardAnswer } from '../../protocol/hero/guards.js';
import type { HeroEvent } from '../../protocol/hero/table.js';
import type { Entry } from '../../protocol/table.js';
import { happenedText } from '../happened.js';
import type { MayDo, Message } from '../message.js';
import { comparedLine, restoredLine } from '../restored.js';
import { code, instant, people, person, say, strong, type Text, words } from '../text.js';
import { awaited } from './awaited.js';
import { changeLines } from './change.js';
import { decisionLines, movedLines, noteLines, trackerSilence, undoLines } from './decision.js';
import { coverageWords, figure, measuredWords } from './measured.js';
import { recordLines } from './record.js';
import { EVENT_WORDS, stateWords } from './states.js';

/** One transition as it is told in the thread and on the status issue; `view` is the operation as of that row. */
export function toldMessage(view: HeroView, entry: Entry<HeroFacts>, mayDo: MayDo): Message {
  const { mark, words: state } = stateWords(view);
  const next = awaited(view, mayDo);
  return {
    mark,
    title: say`${strong(`${view.operationId} · ${state}`)}`,
    lines: [happened(entry), ...(next === null ? [] : [next]), ...detailLines(view, entry, mayDo), ...guardLines(entry)],
    evidence: [...sanityLines(entry), ...everyGuardLine(entry), [words('at '), instant(entry.at), words(` · row ${entry.seq}`)]],
  };
}

const PHASE_WORDS: Readonly<Record<string, string>> = {
  queued: 'is queued',
  restoring: 'restores the handoff checkpoint',
  compiling: 'compiles',
  first_steps: 'trains its first steps',
};

function happened({ event, actor, details }: Entry<HeroFacts>): Text {
  const words = EVENT_WORDS[event as HeroEvent].replace('{phase}', PHASE_WORDS[`${details.phase}`] ?? '');
  return happenedText(words, actor, details.sentence);
}

function detailLines(view: HeroView, entry: Entry<HeroFacts>, mayDo: MayDo): readonly Text[] {
  switch (entry.event as HeroEvent) {
    case 'plan_made':
      return planLines(view);
    case 'plan_revised':
      return [say`Agreement and approval are void.`, ...changedLines(entry), ...planLines(view)];
    case 'launch_approved': {
      const { approval } = entry.facts;
      return approval === undefined || approval === null ? [] : [say`Good for this plan only, until ${instant(approval.until)}.`];
    }
    case 'relaunched_once':
    case 'adopt_old':
      return [trackerSilence(view), ...undoLines(view)];
    case 'replay_not_comparable':
    case 'close_unverified':
      return [say`${strong('Unverified')}: look at the first steps yourself before you trust it.`];
    case 'reminded':
      return [ownerLine(view, mayDo)];
    case 'owner_left':
      return [say`It goes on as it is. Who takes it (${people(stillHere(view, mayDo))})? ${`/hero-deploy take ${view.operationId}`}`];
    case 'restored':
      return [restoredLine()];
    case 'compared':
      return [comparedLine()];
    case 'window_closed':
      return [...verdictLines(entry.facts.verdict?.overall ?? 'UNKNOWN', entry.facts.verdict?.criteria ?? []), ...decisionLines(view)];
    case 'gate_failed':
    case 'gate_failed_automatic':
      return entry.facts.verdict === undefined ? [] : verdictLines(entry.facts.verdict.overall, entry.facts.verdict.criteria);
    case 'looked_around':
      return movedLines(entry);
    default:
      return noteLines(view, entry);
  }
}

/** What a revision changed, as it went on file with it. */
function changedLines({ details }: Entry<HeroFacts>): readonly Text[] {
  const changes = Array.isArray(details.changes) ? (details.changes as unknown as readonly Change[]) : [];
  return changeLines(changes, { changes: 12, chars: 120 });
}

function stillHere({ facts }: HeroView, mayDo: MayDo): readonly string[] {
  return (mayDo.duty ?? []).filter((id) => id !== facts.ownerLeft);
}

/** Whom a reminder is for: whoever has it, or everybody on duty once they have left. */
function ownerLine(view: HeroView, mayDo: MayDo): Text {
  const { facts, operationId } = view;
  const { takenBy, ownerLeft } = facts;
  if (takenBy !== undefined && takenBy !== null) return say`${person(takenBy)} has it.`;
  if (ownerLeft === undefined) return say`Nobody has it.`;
  return say`Nobody has it: ${person(ownerLeft)} has left. Who takes it (${people(stillHere(view, mayDo))})? ${`/hero-deploy take ${operationId}`}`;
}

export function planLines(view: HeroView): readonly Text[] {
  const { plan } = view;
  const discarded = `${plan.windowSteps}`;
  return [
    say`${plan.oldRun} → ${plan.newRun}, from step ${plan.handoffStep}, judged over ${discarded} steps.`,
    say`Why: ${words(plan.reason)}`,
    say`Deploy ${plan.deploy.commit.slice(0, 10)}, roll back to ${plan.rollback.commit.slice(0, 10)}; ${words(plan.commits.length === 1 ? '1 commit' : `${plan.commits.length} commits`)} between:`,
    ...plan.commits.slice(0, 8).map(({ sha, subject }) => say`• ${sha.slice(0, 10)} ${words(subject)}`),
    ...(plan.commits.length > 8 ? [say`• and ${plan.commits.length - 8} more in the record`] : []),
    say`Gate: ${plan.gate.map((criterion) => printCriterion(criterion)).join(' · ')}`,
    ...recordLines(view),
    say`If the trial fails: ${words(onFailure(view))}. Plan ${view.planVersion}, hash ${view.planHash.slice(0, 8)}.`,
  ];
}

function onFailure({ plan }: HeroView): string {
  switch (plan.onFailure.kind) {
    case 'ask':
      return 'a person is asked';
    case 'ask_then_automatic':
      return `a person is asked, after ${plan.onFailure.afterSeconds} s it is rolled back by itself`;
    case 'automatic':
      return 'it is rolled back by itself';
  }
}

export function verdictLines(overall: string, criteria: readonly CriterionResult[]): readonly Text[] {
  return [say`Verdict ${strong(overall)}`, ...criteria.map(criterionLine)];
}

function criterionLine(result: CriterionResult): Text {
  const reported = result.required ? '' : ' (report only)';
  const coverage = result.expected === 0 ? [] : say`, coverage ${code(coverageWords(result))}`;
  return say`• ${result.id}${words(reported)} ${strong(result.verdict)} ${words(measuredWords(result))}${coverage}`;
}

/** Before the launch gate: whether each agreed margin can pass in this window at all, and what losing rows would do. */
function sanityLines(entry: Entry<HeroFacts>): readonly Text[] {
  return ((entry.details.sanity ?? []) as unknown as readonly Sanity[]).map((each) => {
    const said = {
      likely: 'can reach PASS in this window',
      rarely: rarely(each),
      never: 'can never reach PASS in this window',
      unknown: 'cannot be told yet whether PASS can be reached',
    }[each.reach];
    const lost =
      each.expected === 0 || each.lostMax < 0
        ? ''
        : `; more than ${each.lostMax} of ${each.expected} rows lost, or ${each.gapMax} in a row, make it UNKNOWN`;
    return say`• ${each.id} ${words(`${said}${lost}`)}`;
  });
}

/** The control's noise is not the pairs': on the same batches most of it is common to both runs. */
function rarely({ margin, marginNeeded }: Sanity): string {
  const share = Math.ceil(100 * (1 - (margin ?? 0) / (marginNeeded ?? 1)));
  return `reaches PASS only if pairing takes out ${share}% of the control's noise (agreed ${figure(margin ?? 0)}, needed without pairing ${figure(marginNeeded ?? 0)})`;
}

/** The guards of the row that a view stands at, for the card of what is blocked. */
export function shutLines(view: HeroView): readonly Text[] {
  const entry = view.history.findLast(({ details }) => details.guards !== undefined);
  return entry === undefined ? [] : guardLines(entry);
}

/** What has to be done stands out: guards that are not open, each with its source; the open ones by name in one line. */
function guardLines(entry: Entry<HeroFacts>): readonly Text[] {
  const guards = (entry.details.guards ?? []) as unknown as readonly GuardAnswer[];
  const open = guards.filter(({ answer }) => answer === 'open');
  const lines = guards.filter(({ answer }) => answer !== 'open').map(guardLine);
  if (open.length === 0) return lines;
  return [...lines, say`${words(`🟢 ${open.length} open: ${open.map(({ guard }) => guard).join(', ')}`)}`];
}

/** Each guard as it answered, with its source and when it was read: what the row rests on. */
function everyGuardLine(entry: Entry<HeroFacts>): readonly Text[] {
  return ((entry.details.guards ?? []) as unknown as readonly GuardAnswer[]).map(guardLine);
}

const ANSWER_MARKS: Readonly<Record<GuardAnswer['answer'], string>> = { open: '🟢', shut: '⛔', unknown: '❓' };

function guardLine({ guard, answer, sentence, source, readAt }: GuardAnswer): Text {
  const from = source === '' ? [] : say` (${words(briefly(source))}, ${instant(readAt)})`;
  return say`${words(`${ANSWER_MARKS[answer]} ${guard}: ${sentence}`)}${from}`;
}

/** A source without its sizes and timings: what was asked is enough on a phone, the rest is in the record. */
export function briefly(source: string): string {
  return source.replace(/ \(exit \d+[^)]*\)/g, '');
}
