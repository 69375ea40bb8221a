import type { Engine } from './engine/engine.js';
import { viewOf } from './engine/view.js';
import type { Entry, JsonObject, Readings } from './protocol/table.js';
import { onlyLooked } from './render/answers.js';
import { cardBlocks, type SlackMessage } from './render/blocks.js';
import type { Glance } from './render/home.js';
import type { Card, Message } from './render/message.js';
import type { Text } from './render/text.js';
import type { ProtocolTelling } from './tellings.js';

/** What every view has that is told of. */
interface Told {
  readonly operationId: string;
  readonly enteredAtSeq: number;
  readonly planHash: string;
}

/** What is said of the operations of one protocol: a row as it was when it was recorded, the card as things are now. */
export abstract class OperationTelling<View extends Told> implements ProtocolTelling {
  constructor(
    protected readonly engine: Engine,
    private readonly protocol: string,
  ) {}

  /** A row in words, of the operation as it was when the row was recorded. */
  protected abstract words(view: View, entry: Entry<JsonObject>): Message;
  protected abstract draw(view: View): Card;
  /** An operation in a line, for the Home tab. */
  abstract glance(operationId: string): Glance;

  /** Throws for a row that is not on file. */
  message(operationId: string, seq: number): { readonly message: Message; readonly head: string; readonly at: Date } {
    const { journal } = this.engine;
    const operation = journal.operation(operationId);
    if (operation === undefined) throw new Error(`tell ${operationId} row ${seq}: it is not on file`);
    const newest = seq === operation.seq; // nearly always: a row is told as soon as it is recorded
    const view = newest ? this.engine.viewOf(operation) : viewOf(journal, this.engine.protocol(this.protocol), operation, seq);
    const head = newest ? operation.head : journal.history(operationId).find((each) => each.seq === seq)?.hash;
    const entry = view.history.at(-1);
    if (entry === undefined || head === undefined) throw new Error(`tell ${operationId} row ${seq}: it is not on file`);
    return { message: this.words(view as unknown as View, entry), head, at: entry.at };
  }

  card(operationId: string): SlackMessage {
    const view = this.view(operationId);
    return cardBlocks(this.draw(view), operationId, view.enteredAtSeq, view.planHash);
  }

  status(operationId: string): readonly Text[] {
    const { title, lines, evidence } = this.draw(this.view(operationId));
    return [title, ...lines, ...evidence, onlyLooked()];
  }

  protected view(operationId: string): View {
    const view = this.engine.view(operationId);
    if (view === null) throw new Error(`show ${operationId}: it is not on file`);
    return view as unknown as View;
  }

  protected asOf(operationId: string, seq: number): View {
    const operation = this.engine.journal.operation(operationId);
    if (operation === undefined) throw new Error(`show ${operationId} row ${seq}: it is not on file`);
    return viewOf(this.engine.journal, this.engine.protocol(this.protocol), operation, seq) as unknown as View;
  }

  /** Readings count only for the state they were read for. */
  protected readings(view: View): Readings {
    const watched = this.engine.watched.get(view.operationId);
    return watched !== undefined && watched.seq >= view.enteredAtSeq ? watched.readings : {};
  }
}
