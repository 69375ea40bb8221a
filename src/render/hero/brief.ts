import type { HeroView } from '../../protocol/hero/facts.js';
import type { HeroEvent } from '../../protocol/hero/table.js';
import { instant, person, say, type Text, words } from '../text.js';
import { EVENT_WORDS, stateWords } from './states.js';

/** What somebody who takes over has to know, in ten lines. */
export function brief(view: HeroView): readonly Text[] {
  const { plan, facts } = view;
  const state = stateWords(view);
  const recent = view.history
    .slice(-4)
    .map(
      ({ event, actor, at }) =>
        say`${instant(at)} ${words(EVENT_WORDS[event as HeroEvent].replace('{phase}', 'goes on'))} (${person(actor)})`,
    );
  return [
    say`${words(`${state.mark} ${view.operationId}: ${state.words}`)}, since ${instant(view.enteredAt)}.`,
    say`${plan.oldRun} → ${plan.newRun}, because: ${words(plan.reason)}`,
    say`Handoff step ${plan.handoffStep}, judged to step ${plan.handoffStep + plan.windowSteps}; deploy ${plan.deploy.commit.slice(0, 10)}, back to ${plan.rollback.commit.slice(0, 10)}.`,
    say`Old coordinator ${facts.oldCoordinator ?? 'not known yet'}, new ${facts.newCoordinator ?? 'none yet'}.`,
    say`Asked for by ${person(view.requester)}, agreed to by ${facts.agreedBy ? person(facts.agreedBy) : words('nobody')}, launch approved by ${facts.approval ? person(facts.approval.by) : words('nobody now')}.`,
    say`${words(facts.failure ? `Trouble: ${facts.failure.sentence}` : 'No trouble on file.')}`,
    ...recent,
  ].slice(0, 10);
}
