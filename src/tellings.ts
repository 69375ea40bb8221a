import type { Engine } from './engine/engine.js';
import type { Telling } from './outbox/deliver.js';
import type { Glance } from './render/home.js';
import type { Text } from './render/text.js';

/** What a protocol says of its operations: told rows, the live card, the card as text, and a line of it. */
export interface ProtocolTelling extends Telling {
  status(operationId: string): readonly Text[];
  glance(operationId: string): Glance;
}

/** Says each operation in the words of its own protocol. */
export class Tellings implements ProtocolTelling {
  constructor(
    private readonly engine: Engine,
    private readonly byProtocol: Readonly<Record<string, ProtocolTelling>>,
  ) {}

  message(operationId: string, seq: number) {
    return this.of(operationId).message(operationId, seq);
  }

  card(operationId: string) {
    return this.of(operationId).card(operationId);
  }

  status(operationId: string): readonly Text[] {
    return this.of(operationId).status(operationId);
  }

  glance(operationId: string): Glance {
    return this.of(operationId).glance(operationId);
  }

  private of(operationId: string): ProtocolTelling {
    const protocol = this.engine.journal.operation(operationId)?.protocol;
    const telling = protocol === undefined ? undefined : this.byProtocol[protocol];
    if (telling === undefined) throw new Error(`tell ${operationId}: nobody tells of ${protocol ?? 'what is not on file'}`);
    return telling;
  }
}
