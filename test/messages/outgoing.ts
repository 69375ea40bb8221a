import type { HomeView, KnownBlock, ModalView } from '@slack/types';
import { answerText, cardBlocks, messageBlocks, type SlackMessage } from '../../src/render/blocks.js';
import type { Card, Message } from '../../src/render/message.js';
import type { Text } from '../../src/render/text.js';

/** Something as it leaves the bot: all that Slack and GitHub are ever given to show. */
export type Outgoing =
  /** In the channel or a thread, seen by all. */
  | { readonly kind: 'message'; readonly text: string; readonly blocks: readonly KnownBlock[] }
  /** Seen by whoever asked, and nobody else. */
  | { readonly kind: 'answer'; readonly text: string; readonly blocks?: readonly KnownBlock[] }
  /** Beside a field of a form. */
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'view'; readonly view: ModalView | HomeView }
  | { readonly kind: 'issue'; readonly title: string; readonly body: string }
  | { readonly kind: 'comment'; readonly body: string }
  /** A text in a file of a repository. */
  | { readonly kind: 'file'; readonly body: string };

/** One thing that can be said, by the name it has in the code. */
export interface Sample {
  readonly name: string;
  readonly outgoing: Outgoing;
}

export interface Part {
  readonly heading: string;
  readonly samples: readonly Sample[];
}

/** A page of `docs/messages/`. */
export interface Page {
  readonly file: string;
  readonly title: string;
  readonly parts: readonly Part[];
}

export function told(name: string, message: Message): Sample {
  return sent(name, messageBlocks(message));
}

export function sent(name: string, { text, blocks }: SlackMessage): Sample {
  return { name, outgoing: { kind: 'message', text, blocks } };
}

export function card(name: string, drawn: Card, view: { operationId: string; enteredAtSeq: number; planHash: string }): Sample {
  return sent(name, cardBlocks(drawn, view.operationId, view.enteredAtSeq, view.planHash));
}

export function answered(name: string, text: Text | readonly Text[]): Sample {
  const lines = text.some((each) => Array.isArray(each)) ? (text as readonly Text[]) : [text as Text];
  return { name, outgoing: { kind: 'answer', text: answerText(lines) } };
}

export function viewed(name: string, view: ModalView | HomeView): Sample {
  return { name, outgoing: { kind: 'view', view } };
}
