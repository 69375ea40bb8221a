import type { HeroPlan } from '../../protocol/hero/plan.js';
import { noticeBlocks, type SlackMessage } from '../blocks.js';
import { shortened } from '../issue-text.js';
import { stateInWords } from '../state-words.js';
import { say, type Text, words } from '../text.js';

/** What stands in the forms of a plan beside its fields, and around them. */

/** Characters of one commit's subject: all commits of a plan are listed. */
const SUBJECT_MAX = 150;
/** Characters of what Slack said of a form that it did not open. */
const FAULT_MAX = 300;

/** While what the form shows is read. */
export function readingPlan(): Text {
  return say`Reading what is there: runs, checkpoints, worktrees, commits …`;
}

/** While a row's evidence is looked up. */
export function lookingUp(): Text {
  return say`Looking it up …`;
}

/** While a submitted form is read on. */
export function puttingOnFile(): Text {
  return say`Reading it, and putting it on file …`;
}

/** `state` null: it is not on file. */
export function cannotBeRevised(operationId: string | null, state: string | null): Text {
  if (operationId === null || state === null) return say`There is no such operation on file, so there is no plan to revise.`;
  return say`${operationId} now: ${words(stateInWords(operationId, state))}. Its plan cannot be revised in this state.`;
}

/** A fault that belongs to no field of the form. */
export function generalFault(fault: string): Text {
  return say`⚠️ ${words(fault)}`;
}

export function notAllRead(): Text {
  return say`Not everything could be read: what is missing stands beside its field.`;
}

export function nothingOnFile(faults: readonly string[]): readonly Text[] {
  return [say`Nothing was put on file:`, ...faults.map((fault) => say`• ${words(fault)}`)];
}

/** What was read beside the fields: pace, lineage, hours. */
export function readLines(plan: HeroPlan): readonly Text[] {
  const { from, until, zone } = plan.workingHours;
  const pace = plan.paceSecondsPerStep > 0 ? say`${plan.paceSecondsPerStep.toFixed(2)} s a step` : say`not known yet: too few rows`;
  return [
    say`Pace of ${plan.oldRun}: ${pace}. A swap and its rollback take ${Math.ceil(plan.roundTripSeconds / 60)} min, and must end between ${from} and ${until} ${zone}.`,
    plan.forkFrom === null ? say`No tracker child is forked.` : say`Lineage: the tracker is forked from ${plan.forkFrom}.`,
    say`Checkpoint: ${plan.handoffCheckpoint}`,
  ];
}

/** Every commit that the swap brings in. */
export function commitLines({ commits }: HeroPlan): readonly Text[] {
  if (commits.length === 0) return [say`No commit is between the rollback and the deploy commit.`];
  const count = commits.length === 1 ? '1 commit' : `${commits.length} commits`;
  return [
    say`${words(count)} between rollback and deploy:`,
    ...commits.map(({ sha, subject }) => say`• ${sha.slice(0, 10)} ${words(shortened(subject, SUBJECT_MAX))}`),
  ];
}

/** Where a form could not be opened: the reason, and a button with a fresh trigger. Everything can be typed too. */
export function formOffer(value: string, fault: string): SlackMessage {
  const offer = noticeBlocks(
    say`The form could not be opened (${words(shortened(fault, FAULT_MAX))}); nothing was put on file. Press for another, or type it: ${'/hero-deploy help'}.`,
  );
  const button = { type: 'button' as const, action_id: 'harbor.form', text: { type: 'plain_text' as const, text: 'Open the form' }, value };
  return { text: offer.text, blocks: [...offer.blocks, { type: 'actions', elements: [button] }] };
}
