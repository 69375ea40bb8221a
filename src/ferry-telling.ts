import type { Engine } from './engine/engine.js';
import type { Fleet } from './fleet.js';
import { nextInstant } from './lanes.js';
import { OperationTelling } from './operation-telling.js';
import type { FerryView } from './protocol/ferry/facts.js';
import type { LaneView } from './protocol/lane/facts.js';
import { nextDue } from './protocol/lane/lane.js';
import type { Entry, JsonObject } from './protocol/table.js';
import { awaitedOf } from './render/ferry/awaited.js';
import { ferryCard } from './render/ferry/card.js';
import { FERRY_EVENT_WORDS } from './render/ferry/states.js';
import { ferryMessage } from './render/ferry/told.js';
import { decidedIn, type Glance } from './render/home.js';
import { LANE_EVENT_WORDS, laneCard, laneMessage } from './render/lane/lane.js';
import type { Card, MayDo, Message } from './render/message.js';

/** What is said of ferries. */
export class FerryTelling extends OperationTelling<FerryView> {
  constructor(
    engine: Engine,
    private readonly lanes: Fleet['lanes'],
  ) {
    super(engine, 'ferry');
  }

  glance(operationId: string): Glance {
    const view = this.view(operationId);
    const { mark, title } = this.draw(view);
    return { mark, title, next: awaitedOf(view, this.mayDo(view)), decided: decidedIn(view.history, FERRY_EVENT_WORDS) };
  }

  protected words(view: FerryView, entry: Entry<JsonObject>): Message {
    return ferryMessage(view, entry, this.mayDo(view));
  }

  protected draw(view: FerryView): Card {
    return ferryCard(view, this.readings(view), this.mayDo(view));
  }

  /** Who may do what for its lane, as the fleet file has it today; nobody, where the lane is no longer in it. */
  private mayDo({ plan }: FerryView): MayDo {
    const people = Object.hasOwn(this.lanes, plan.lane) ? this.lanes[plan.lane]?.people : undefined;
    if (people === undefined) return {};
    const { ask, decide, onCall } = people;
    return { ask, decide, duty: [...new Set([...ask, ...decide, ...onCall])] };
  }
}

/** What is said of lanes' schedules. */
export class LaneTelling extends OperationTelling<LaneView> {
  constructor(engine: Engine) {
    super(engine, 'lane');
  }

  glance(operationId: string): Glance {
    const view = this.view(operationId);
    const { mark, title, lines } = this.draw(view);
    return { mark, title, next: lines[0] ?? null, decided: decidedIn(view.history, LANE_EVENT_WORDS) };
  }

  protected words(view: LaneView, entry: Entry<JsonObject>): Message {
    return laneMessage(view, entry);
  }

  protected draw(view: LaneView): Card {
    return laneCard(view, nextDue(view, { nextInstant }), this.engine.now());
  }
}
