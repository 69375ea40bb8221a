import type { DownstreamRow } from '../../protocol/hero/downstream.js';
import type { HeroView } from '../../protocol/hero/facts.js';
import { instant, person, say, type Text, words } from '../text.js';

/** What is written down of the run, and what stands beside the swap: for those who agree to it. */
export function recordLines({ plan, requester }: HeroView): readonly Text[] {
  const { record, tracker, user, finalStep, discardedStepsMax, windowSteps, dri, reviewer, statusIssue } = plan;
  const { permanentWaiver, coreDump } = plan;
  return [
    say`Launched as ${user}: ${record.command.join(' ')}, in ${plan.deploy.worktree}. Logs to ${`${tracker.entity}/${tracker.project}`}, writes to ${record.outputRoot}.`,
    say`The run ends at step ${finalStep}. The control may run ${discardedStepsMax - windowSteps} steps past the window.${words(record.retention === null ? '' : ` Checkpoints: ${record.retention}.`)}`,
    say`${person(dri ?? requester)} answers for it${reviewer === null ? words(', nobody is named as reviewer') : say`, reviewed by ${person(reviewer)}`}. Status issue ${statusIssue}.`,
    ...(permanentWaiver === null ? [] : [say`The handoff is temporary, as agreed, with a copy at ${permanentWaiver.copy}.`]),
    say`Not seen in the window: ${words(plan.notExercised.length === 0 ? 'nothing is named' : plan.notExercised.join('; '))}. Core dump: ${words(coreDump ?? 'none armed')}.`,
    ...downstreamLines(plan.downstream),
  ];
}

/** Reports that follow the run elsewhere, a line a row. */
export function downstreamLines(rows: readonly DownstreamRow[]): readonly Text[] {
  return rows.map(
    ({ what, link, done, undo }) =>
      say`• Downstream ${words(what)} (${link}): ${words(done ? 'done' : 'open')}; on a rollback: ${words(undo)}`,
  );
}

const BEFORE_THE_CUT: ReadonlySet<string> = new Set(['planned', 'agreed', 'blocked', 'ready', 'awaiting_launch']);

/** The last rehearsal, for as long as one may still be asked for. */
export function rehearsalLine({ state, facts: { rehearsal }, planHash }: HeroView): readonly Text[] {
  if (rehearsal === undefined || !BEFORE_THE_CUT.has(state)) return [];
  const ofThis = rehearsal.planHash === planHash ? '' : ', of an earlier version of the plan';
  return [
    say`Last rehearsal ${instant(rehearsal.at)} by ${person(rehearsal.by)}: ${words(`${rehearsal.isGood ? 'good' : 'not good'}${ofThis}`)}.`,
  ];
}
