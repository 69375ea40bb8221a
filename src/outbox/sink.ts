import type { Message } from '../render/message.js';
import type { BlockedWhy } from '../render/notices.js';

/** One told transition on its way to a sink. `key` is what a look-up finds it by. */
export interface Line {
  readonly operationId: string;
  readonly seq: number;
  readonly key: string;
  /** Hash of the transition: the head of the chain as of this line. */
  readonly head: string;
  readonly message: Message;
}

/** What became of a send. `unclear` is looked up before it is sent again; of the others it is known that nothing was. */
export type Sent =
  | { readonly kind: 'sent'; readonly id: string }
  | { readonly kind: 'not_sent'; readonly error: string; readonly waitMs: number }
  /** Nothing more may be sent to this sink for a while, by whatever way. */
  | { readonly kind: 'limited'; readonly error: string; readonly waitMs: number }
  /** It may have arrived, or not. */
  | { readonly kind: 'unclear'; readonly error: string }
  /** What it was to be put under is gone. */
  | { readonly kind: 'root_lost'; readonly error: string }
  /** The card is there, and cannot be redrawn. */
  | { readonly kind: 'frozen'; readonly error: string }
  /** The channel takes no posts of ours: a person must act, and waiting alone mends nothing. */
  | { readonly kind: 'channel_lost'; readonly error: string; readonly waitMs: number }
  /** Nothing was sent: the issue is full, and what waits follows in another. */
  | { readonly kind: 'moved'; readonly error: string; readonly waitMs: number; readonly from: number; readonly to: number }
  /** The issue takes no comments of ours: as above. */
  | { readonly kind: 'blocked'; readonly why: BlockedWhy; readonly error: string; readonly waitMs: number };

export type Found =
  | { readonly kind: 'found'; readonly id: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unclear'; readonly error: string };
