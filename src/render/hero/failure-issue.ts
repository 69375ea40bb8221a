import type { HeroFacts, HeroView } from '../../protocol/hero/facts.js';
import type { HeroEvent } from '../../protocol/hero/table.js';
import type { Entry } from '../../protocol/table.js';
import { capital } from '../happened.js';
import { fittingBody, fittingTitle } from '../issue-text.js';
import { markdown } from '../markdown.js';
import { instant, person, say, shownLink, type Text, words } from '../text.js';
import { decisionLines, trackerSilence, undoLines } from './decision.js';
import { EVENT_WORDS, stateWords } from './states.js';
import { verdictLines } from './told.js';

/** The failure issue: what was tried, what failed, by which figures, and what has to be undone by hand. */
export function failureIssue(
  view: HeroView,
  statusIssue: number,
  evidence: readonly string[],
): { readonly title: string; readonly body: string } {
  const { plan, facts } = view;
  const why = facts.failure?.event ?? view.history.findLast(({ event }) => BY_HAND.has(event))?.event ?? 'rollback_asked';
  const entered = view.history.find(({ event }) => event === why);
  const sections: readonly (readonly [string, readonly Text[]])[] = [
    ['What happened', [...whyLines(view, entered), say`${words(capital(stateWords(view).words))}, ${instant(view.enteredAt)}.`]],
    ['Verdict', facts.verdict === undefined ? [say`No verdict was reached.`] : verdictLines(facts.verdict.overall, facts.verdict.criteria)],
    [
      'What was tried',
      [say`${plan.oldRun} → ${plan.newRun}, from step ${plan.handoffStep}. Why: ${words(plan.reason)}`, ...decisionLines(view)],
    ],
    ['The way back', [...replayLines(view), trackerSilence(view), ...undoLines(view)]],
    [
      'Record',
      [
        ...(facts.chart === undefined || facts.chart === null ? [] : [say`${shownLink(facts.chart, 'chart')}`]),
        ...recordLines(view, evidence),
      ],
    ],
  ];
  const body = sections.map(([title, lines]) => `### ${title}\n\n${lines.map(markdown).join('\n')}`).join('\n\n');
  const title = `[hero] ${plan.newRun} rolled back: ${EVENT_WORDS[why as HeroEvent] ?? why}`;
  // Our own repository's number is the link that GitHub shows on both issues.
  return { title: fittingTitle(title), body: fittingBody(`Every step of ${view.operationId} is on #${statusIssue}.\n\n${body}`) };
}

const BY_HAND: ReadonlySet<string> = new Set(['no_go', 'rollback_asked', 'rollback_asked_nothing_live']);

function whyLines(view: HeroView, entry: Entry<HeroFacts> | undefined): readonly Text[] {
  const { failure } = view.facts;
  if (failure !== undefined && failure !== null) return [say`${words(`${capital(failure.sentence)}.`)}`];
  return entry === undefined
    ? []
    : [say`${words(EVENT_WORDS[entry.event as HeroEvent])}, by ${person(entry.actor)} at ${instant(entry.at)}.`];
}

function replayLines(view: HeroView): readonly Text[] {
  const replay = view.history.findLast(({ event }) => event.startsWith('replay_') || event === 'close_unverified');
  const sentence = replay?.details.sentence;
  const said = typeof sentence === 'string' ? say`${words(sentence)}.` : [];
  const marked = view.facts.unverified === true ? [say`The replay is unverified: look at the first steps before you trust it.`] : [];
  return [...(said.length === 0 ? [] : [said]), ...marked];
}

function recordLines(view: HeroView, evidence: readonly string[]): readonly Text[] {
  return [
    say`Operation ${view.operationId}, row ${view.seq}, plan ${view.planVersion} ${view.planHash.slice(0, 8)}; ${`harbor log ${view.operationId}`} prints all of it.`,
    say`Evidence on file by digest: ${evidence
      .slice(0, 12)
      .map((digest) => digest.slice(0, 16))
      .join(' ')}`,
  ];
}
