import type { Engine } from './engine/engine.js';
import { viewOf } from './engine/view.js';
import type { HeroPeopleConfig } from './fleet.js';
import type { Telling } from './outbox/deliver.js';
import type { HeroView } from './protocol/hero/facts.js';
import { cardBlocks, type SlackMessage } from './render/blocks.js';
import type { MayDo } from './render/hero/awaited.js';
import { heroCard } from './render/hero/card.js';
import { toldMessage } from './render/hero/told.js';
import type { Message } from './render/message.js';
import { say, type Text } from './render/text.js';

/** What is said of hero deploys: a row as it was when it was recorded, the card as things are now. */
export class HeroTelling implements Telling {
  private readonly mayDo: MayDo;

  constructor(
    private readonly engine: Engine,
    people: HeroPeopleConfig,
  ) {
    const duty = [...new Set([...people.ask, ...people.decide, ...people.approve, ...people.onCall])];
    this.mayDo = { ...people, duty };
  }

  message(operationId: string, seq: number): { readonly message: Message; readonly head: string; readonly at: Date } {
    const { journal } = this.engine;
    const operation = journal.operation(operationId);
    const row = journal.history(operationId).find((each) => each.seq === seq);
    if (operation === undefined || row === undefined) throw new Error(`tell ${operationId} row ${seq}: it is not on file`);
    const view: HeroView = viewOf(journal, this.engine.protocol('hero'), operation, seq) as unknown as HeroView;
    const entry = view.history.at(-1);
    if (entry === undefined) throw new Error(`tell ${operationId} row ${seq}: it is not on file`);
    return { message: toldMessage(view, entry, this.mayDo), head: row.hash, at: entry.at };
  }

  card(operationId: string): SlackMessage {
    const view = this.view(operationId);
    return cardBlocks(heroCard(view, this.readings(view), this.mayDo), operationId, view.enteredAtSeq, view.planHash);
  }

  status(operationId: string): readonly Text[] {
    const view = this.view(operationId);
    const { title, lines, evidence } = heroCard(view, this.readings(view), this.mayDo);
    return [title, ...lines, ...evidence, say`This shows what the last readings said; nothing was changed.`];
  }

  private view(operationId: string): HeroView {
    const view = this.engine.view(operationId);
    if (view === null) throw new Error(`show ${operationId}: it is not on file`);
    return view as unknown as HeroView;
  }

  /** Readings count only for the row they were read for. */
  private readings(view: HeroView) {
    const watched = this.engine.watched.get(view.operationId);
    return watched !== undefined && watched.seq >= view.enteredAtSeq ? watched.readings : {};
  }
}
