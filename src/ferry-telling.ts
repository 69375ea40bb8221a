import type { Engine } from './engine/engine.js';
import { nextInstant } from './lanes.js';
import type { FerryView } from './protocol/ferry/facts.js';
import type { LaneView } from './protocol/lane/facts.js';
import { nextDue } from './protocol/lane/lane.js';
import { cardBlocks, type SlackMessage } from './render/blocks.js';
import { awaitedOf } from './render/ferry/awaited.js';
import { ferryCard } from './render/ferry/card.js';
import { FERRY_EVENT_WORDS } from './render/ferry/states.js';
import { ferryMessage } from './render/ferry/told.js';
import { decidedIn, type Glance } from './render/home.js';
import { LANE_EVENT_WORDS, laneCard, laneMessage } from './render/lane/lane.js';
import type { Card } from './render/message.js';
import { say, type Text } from './render/text.js';
import { type ProtocolTelling, toldRow } from './telling-row.js';

/** What is said of ferries: a row as it was when it was recorded, the card as things are now. */
export class FerryTelling implements ProtocolTelling {
  constructor(private readonly engine: Engine) {}

  message(operationId: string, seq: number) {
    const { view, entry, head } = toldRow(this.engine, operationId, seq);
    return { message: ferryMessage(view as unknown as FerryView, entry), head, at: entry.at };
  }

  card(operationId: string): SlackMessage {
    const view = this.view(operationId);
    return cardBlocks(this.draw(view), operationId, view.enteredAtSeq, view.planHash);
  }

  status(operationId: string): readonly Text[] {
    return asText(this.draw(this.view(operationId)));
  }

  glance(operationId: string): Glance {
    const view = this.view(operationId);
    const { mark, title } = this.draw(view);
    return { mark, title, next: awaitedOf(view), decided: decidedIn(view.history, FERRY_EVENT_WORDS) };
  }

  /** Readings count only for the state they were read for. */
  private draw(view: FerryView): Card {
    const watched = this.engine.watched.get(view.operationId);
    return ferryCard(view, watched !== undefined && watched.seq >= view.enteredAtSeq ? watched.readings : {});
  }

  private view(operationId: string): FerryView {
    const view = this.engine.view(operationId);
    if (view === null) throw new Error(`show ${operationId}: it is not on file`);
    return view as unknown as FerryView;
  }
}

/** What is said of lanes' schedules. */
export class LaneTelling implements ProtocolTelling {
  constructor(private readonly engine: Engine) {}

  message(operationId: string, seq: number) {
    const { view, entry, head } = toldRow(this.engine, operationId, seq);
    return { message: laneMessage(view as unknown as LaneView, entry), head, at: entry.at };
  }

  card(operationId: string): SlackMessage {
    const view = this.view(operationId);
    return cardBlocks(this.draw(view), operationId, view.enteredAtSeq, view.planHash);
  }

  status(operationId: string): readonly Text[] {
    return asText(this.draw(this.view(operationId)));
  }

  glance(operationId: string): Glance {
    const view = this.view(operationId);
    const { mark, title, lines } = this.draw(view);
    return { mark, title, next: lines[0] ?? null, decided: decidedIn(view.history, LANE_EVENT_WORDS) };
  }

  private draw(view: LaneView): Card {
    return laneCard(view, nextDue(view, { nextInstant }), this.engine.now());
  }

  private view(operationId: string): LaneView {
    const view = this.engine.view(operationId);
    if (view === null) throw new Error(`show ${operationId}: it is not on file`);
    return view as unknown as LaneView;
  }
}

function asText({ title, lines, evidence }: Card): readonly Text[] {
  return [title, ...lines, ...evidence, say`This shows what the last readings said; nothing was changed.`];
}
