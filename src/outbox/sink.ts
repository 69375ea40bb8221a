import type { Message } from '../render/message.js';

/** One told transition on its way to a sink. `key` is what a look-up finds it by. */
export interface Line {
  readonly operationId: string;
  readonly seq: number;
  readonly key: string;
  /** Hash of the transition: the head of the chain as of this line. */
  readonly head: string;
  readonly message: Message;
}

/** What became of a send. Only `not_sent` may be sent again without a look-up. */
export type Sent =
  | { readonly kind: 'sent'; readonly id: string }
  | { readonly kind: 'not_sent'; readonly error: string; readonly waitMs: number }
  /** It may have arrived, or not. */
  | { readonly kind: 'unclear'; readonly error: string }
  /** What it was to be put under is gone. */
  | { readonly kind: 'root_lost'; readonly error: string };

export type Found =
  | { readonly kind: 'found'; readonly id: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unclear'; readonly error: string };
