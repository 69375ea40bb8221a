import type { HeroView } from '../../protocol/hero/facts.js';
import { HERO_FINALS, type HeroState } from '../../protocol/hero/table.js';
import type { MayDo } from '../message.js';
import { awaitedAfterRestore } from '../restored.js';
import { instant, people, say, strong, type Text, words } from '../text.js';

/** What is awaited and from whom, and what happens by itself if nobody does anything. Null in a final state. */
export function awaited(view: HeroView, mayDo: MayDo): Text | null {
  const { operationId: id } = view;
  const restored = awaitedAfterRestore(view.history, mayDo.duty ?? []);
  if (restored !== null && !HERO_FINALS.has(view.state)) return restored;
  const others = (role: string): Text => {
    const may = mayDo[role] ?? [];
    const listed = view.plan.requesterMayApprove ? may : may.filter((user) => user !== view.requester);
    return listed.length === 0 ? say`nobody: the list "${words(role)}" of the fleet file names nobody else` : people(listed);
  };
  const nobodyActs = words(' If nobody does anything, nothing happens.');
  switch (view.state as HeroState) {
    case 'planned':
      return say`Next: agree to the plan (${others('agree')}).${nobodyActs}`;
    case 'agreed':
      return say`Next: the preflight, ${`/hero-deploy preflight ${id}`} (${people(mayDo.duty ?? [])}).${nobodyActs}`;
    case 'blocked':
      return say`Next: mend what is shut or unknown, then ${`/hero-deploy preflight ${id}`} again (${people(mayDo.duty ?? [])}).${nobodyActs}`;
    case 'ready':
      return view.facts.approval
        ? say`Next: by itself, the swap, when the control has covered the window; it was approved ahead.`
        : say`Next: by itself, the launch gate when the control has covered the window.`;
    case 'awaiting_launch':
      return say`Next: approve or reject the launch (${others('approve')}).${nobodyActs}`;
    case 'preflighting':
    case 'arming':
    case 'rearming':
      return say`Next: by itself, when all guards are read, at the latest ${instant(after(view, view.plan.limits.guardsSeconds))}.`;
    case 'forking':
    case 'launching':
    case 'relaunching_old':
      return say`Next: by itself, when it is proven. ${heldAt(view, view.plan.limits.launchSeconds)}`;
    case 'stopping_old':
    case 'stopping_new':
      return say`Next: by itself, when it is proven gone. ${heldAt(view, view.plan.limits.cancelSeconds)}`;
    case 'anchoring':
      return say`Next: by itself, when the checkpoint is known. ${heldAt(view, view.plan.limits.guardsSeconds)}`;
    case 'replaying':
      return say`Next: by itself, when the replayed steps are compared. ${heldAt(view, view.plan.limits.startUpSeconds)}`;
    case 'starting':
      if (view.facts.phase === 'first_steps') return say`Next: by itself, the trial.`;
      return say`Next: by itself, the trial; without a step by ${instant(after(view, view.plan.limits.startUpSeconds))} the trial has failed.`;
    case 'trial':
      return say`Next: by itself, a verdict at step ${view.plan.handoffStep + view.plan.windowSteps}, or at once if the gate fails.`;
    case 'nothing_running':
      return say`Next: launch again, roll back, or leave down (${people(mayDo.duty ?? [])}). ${strong('Nothing trains until somebody decides.')}`;
    case 'awaiting_rollback':
      return view.plan.onFailure.kind === 'ask_then_automatic'
        ? say`Next: roll back (${people(mayDo.duty ?? [])}). By itself at ${instant(after(view, view.plan.onFailure.afterSeconds))}.`
        : say`Next: roll back (${people(mayDo.duty ?? [])}). By itself nothing happens: the cluster stays as it is.`;
    case 'awaiting_decision':
      return view.facts.verdict?.overall === 'PASS'
        ? say`Next: go or no-go (${people(mayDo.decide ?? [])}). By itself nothing happens; the new run trains on.`
        : say`Next: no-go (${people(mayDo.duty ?? [])}); a go needs a PASS. By itself nothing happens; the new run trains on.`;
    case 'watching':
      return say`Next: by itself, closed after ${view.plan.limits.watchSeconds} s of healthy steps. A rollback stays one click away while no other operation holds the family.`;
    case 'awaiting_anchor':
      return say`Next: confirm the anchor (${people(mayDo.decide ?? [])}) or leave down. ${strong('Nothing trains until then.')}`;
    case 'held':
      return say`Next: readings are repeated, and what they prove goes on by itself. ${strong('Only a person chooses another way out')} (${people(mayDo.duty ?? [])}).`;
    case 'closed':
    case 'rolled_back':
    case 'cancelled':
    case 'left_down':
    case 'abandoned':
      return null;
  }
}

function after(view: HeroView, seconds: number): Date {
  return new Date(view.enteredAt.getTime() + seconds * 1000);
}

function heldAt(view: HeroView, seconds: number): Text {
  return say`At ${instant(after(view, seconds))} what is not proven is held for a person.`;
}
