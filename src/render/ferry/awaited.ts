import type { FerryView } from '../../protocol/ferry/facts.js';
import { FERRY_FINALS, type FerryState } from '../../protocol/ferry/table.js';
import type { MayDo } from '../message.js';
import { awaitedAfterRestore } from '../restored.js';
import { instant, people, person, say, strong, type Text, words } from '../text.js';

/** What is awaited and from whom, and what happens by itself if nobody does anything. Null in a final state. */
export function awaitedOf(view: FerryView, mayDo: MayDo): Text | null {
  const { operationId: id, plan, facts } = view;
  const restored = awaitedAfterRestore(view.history, mayDo.duty ?? []);
  if (restored !== null && !FERRY_FINALS.has(view.state)) return restored;
  const from = (role: string): Text => {
    const may = mayDo[role] ?? [];
    return may.length === 0 ? say` (nobody: the list "${words(role)}" of the lane is empty)` : say` (${people(may)})`;
  };
  const nobodyActs = words(' If nobody does anything, nothing happens.');
  switch (view.state as FerryState) {
    case 'draft':
    case 'filing':
      return say`Next: by itself, when the proposal is read back from its issue.`;
    case 'unfiled':
      return say`Next: ${`/ferry file-again ${id}`} (it looks first) or cancel${from('ask')}.${nobodyActs}`;
    case 'proposed':
      if (facts.clearerLeft === plan.clears)
        return say`Next: ${`/ferry cancel ${id}`}. ${person(plan.clears)} is gone, and nobody else can clear this run.${nobodyActs}`;
      return say`Next: ${person(plan.clears)} approves this run, or waives that here in the thread. Nobody else can.${nobodyActs}`;
    case 'cleared':
      return facts.clearance?.kind === 'standing' && view.history.at(-1)?.event === 'standing_waiver_used'
        ? say`Next: by itself, the launch.`
        : say`Next: the launch, ${`/ferry launch ${id}`}${from('duty')}.${nobodyActs}`;
    case 'arming':
      return say`Next: by itself, when the guards are read, at the latest ${instant(after(view, plan.limits.guardsSeconds))}.`;
    case 'launching':
      return say`Next: by itself, when exactly one job is proven. At ${instant(after(view, plan.limits.launchSeconds))} what is not proven is held for a person.`;
    case 'running':
      return say`Next: by itself, its end. It is watched however long it takes, and nothing restarts it by itself.`;
    case 'stopping':
      return say`Next: by itself, when it is proven over. At ${instant(after(view, plan.limits.cancelSeconds))} what is not proven is held for a person.`;
    case 'verifying':
      return say`Next: by itself, when the evidence is there; at ${instant(after(view, plan.limits.evidenceSeconds))} it counts as unverified.`;
    case 'triage':
    case 'reporting':
      return say`Next: by itself, what can be found out. Nothing is restarted by itself.`;
    case 'concluding':
    case 'commenting':
      return say`Next: by itself, its end on its issue.`;
    case 'awaiting_fix':
      return facts.fixUsed === true
        ? say`Next: its one fix is used, so ${`/ferry escalate ${id}`}${from('duty')}.${nobodyActs}`
        : say`Next: one fix, ${`/ferry fix ${id} commit=… rationale="…"`}, or ${`/ferry escalate ${id}`}${from('duty')}.${nobodyActs}`;
    case 'awaiting_seal':
      return say`Next: ${`/ferry seal ${id}`}, or ${`/ferry leave-unsealed ${id}`}${from('decide')}.${nobodyActs}`;
    case 'sealing':
    case 'tagging':
    case 'branching':
    case 'logging':
    case 'opening':
    case 'labelling':
      return say`Next: by itself, each step read back.`;
    case 'held':
      return say`Next: readings are repeated, and what they prove goes on by itself. ${strong('Only a person chooses another way out')}${from('duty')}.`;
    case 'succeeded':
    case 'failed':
    case 'stopped':
    case 'unverified':
    case 'escalated':
    case 'sealed':
    case 'unsealed':
    case 'cancelled':
    case 'abandoned':
      return null;
  }
}

function after(view: FerryView, seconds: number): Date {
  return new Date(view.enteredAt.getTime() + seconds * 1000);
}
