import type { HeroFacts, HeroView } from '../../protocol/hero/facts.js';
import type { Moved } from '../../protocol/hero/moved.js';
import type { HeroEvent } from '../../protocol/hero/table.js';
import type { Entry } from '../../protocol/table.js';
import { instant, person, say, shownLink, strong, type Text, words } from '../text.js';
import { figure } from './measured.js';

/** What stands beside a verdict, so that it can be decided on: what was deployed, what was not tried, what else moved. */

/** Commits that are listed; the rest is counted. */
const COMMITS_MAX = 5;
const UNTRIED_MAX = 6;
/** Characters of what people wrote; the whole of it is in the plan. */
const WRITTEN_MAX = 90;

export function decisionLines(view: HeroView): readonly Text[] {
  const { commits, notExercised } = view.plan;
  const more = notExercised.length > UNTRIED_MAX ? `; and ${notExercised.length - UNTRIED_MAX} more in the plan` : '';
  const untried = notExercised.length === 0 ? 'nothing was named in the plan' : notExercised.slice(0, UNTRIED_MAX).map(short).join('; ');
  return [
    say`Deployed ${view.plan.deploy.commit.slice(0, 10)}, ${words(commits.length === 1 ? '1 commit' : `${commits.length} commits`)}:`,
    ...commits.slice(0, COMMITS_MAX).map(({ sha, subject }) => say`• ${sha.slice(0, 10)} ${words(short(subject))}`),
    ...(commits.length > COMMITS_MAX ? [say`• and ${commits.length - COMMITS_MAX} more in the record`] : []),
    say`Not exercised by this window: ${words(`${untried}${more}`)}.`,
    reportLine(view),
  ];
}

function short(text: string): string {
  return text.length <= WRITTEN_MAX ? text : `${text.slice(0, WRITTEN_MAX - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function reportLine({ facts: { report } }: HeroView): Text {
  if (report === undefined) return say`The tracker's comparison report is not there yet.`;
  return report === null
    ? say`The tracker's comparison report was not published.`
    : say`Both runs side by side: ${shownLink(report, 'comparison report')}.`;
}

/** What else moved, as a hint where to look. */
export function movedLines({ details }: Entry<HeroFacts>): readonly Text[] {
  if (typeof details.looked !== 'number') return [];
  const moved = (details.moved ?? []) as unknown as readonly Moved[];
  const more = Number(details.more) - moved.length;
  const left = Number(details.left);
  const looked = `${details.looked} metrics that both runs log were looked at${left > 0 ? `, ${left} more were not` : ''}`;
  if (moved.length === 0) return [say`Nothing else moved: ${words(looked)}.`];
  return [
    say`${words(looked)}; beside the gate these moved:`,
    ...moved.map((each) => say`• ${each.metric} ${words(movedWords(each))}`),
    ...(more > 0 ? [say`• and ${more} more in the record`] : []),
  ];
}

function movedWords({ control, candidate, errors, pairs }: Moved): string {
  const change = control === 0 ? '' : `, ${candidate > control ? '+' : '−'}${figure(Math.abs((candidate - control) / control) * 100)}%`;
  const far = errors > 99 ? 'over 99' : figure(errors);
  return `${figure(control)} → ${figure(candidate)}${change} (${far} standard errors over ${pairs} steps)`;
}

/** Notes beside the course: a ping, an eye that shut, something that was published. */
export function noteLines(view: HeroView, entry: Entry<HeroFacts>): readonly Text[] {
  const { details } = entry;
  const url = typeof details.url === 'string' ? details.url : null;
  switch (entry.event as HeroEvent) {
    case 'phase_reached':
      return phaseLines(view, entry);
    case 'stall_suspected':
      return [
        say`${person(view.facts.takenBy ?? view.plan.dri ?? view.requester)}: it has stood since ${instant(`${details.since}`)}. Nothing is done by itself before the agreed ${view.plan.limits.hangSeconds} s; a rollback is one click away.`,
      ];
    case 'monitor_blind':
      return [say`Blind since ${instant(`${details.since}`)}. No verdict is made and no hang is counted meanwhile.`];
    case 'monitor_sees':
      return [say`It was blind from ${instant(`${details.since}`)} to ${instant(entry.at)}.`];
    case 'chart_posted':
      return url === null ? [] : [say`Both runs and their difference, with the interval and what was agreed: ${shownLink(url, 'chart')}.`];
    case 'failure_filed':
      return url === null ? [] : [say`What failed, with its evidence: ${shownLink(url, 'failure issue')}.`];
    default:
      return [];
  }
}

function phaseLines(view: HeroView, { details, at }: Entry<HeroFacts>): readonly Text[] {
  const until = Number(details.untilSeconds);
  if (!Number.isFinite(until)) return [];
  const usual = `Usually takes ${span(Number(details.fromSeconds))} to ${span(until)} (attempt ${details.attempt}, ${Number(details.attempt) === 0 ? 'cold' : 'warm'})`;
  const limit = new Date(view.enteredAt.getTime() + view.plan.limits.startUpSeconds * 1000);
  const minutes = Math.round((at.getTime() - view.enteredAt.getTime()) / 60_000);
  return [
    say`${words(usual)}; start-up is at ${words(`${minutes} of ${Math.round(view.plan.limits.startUpSeconds / 60)} min`)}, its limit comes at ${instant(limit)}. Until then nothing is rolled back for being slow.`,
  ];
}

function span(seconds: number): string {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

/** Why a tracker shows nothing after a rollback, and until when. */
export function trackerSilence(view: HeroView): Text {
  return say`The tracker stays silent until step ${view.facts.controlLastStep ?? '?'} (expected): it drops rows below its old counter.`;
}

/** What people changed for this swap elsewhere, and how each is undone. */
export function undoLines({ plan: { downstream } }: HeroView): readonly Text[] {
  if (downstream.length === 0) return [];
  return [
    say`${strong('To undo by hand')}:`,
    ...downstream.map(({ what, link: where, undo }) => say`• ${words(what)} (${words(where)}): ${words(undo)}`),
  ];
}
