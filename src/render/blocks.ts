import type { KnownBlock } from '@slack/types';
import { type Button, buttonValue, type Card, type Message } from './message.js';
import { mrkdwn } from './mrkdwn.js';
import type { Text } from './text.js';
import { visible } from './visible.js';

/**
 * Messages as Block Kit, inside Slack's limits before anything is sent. Source: contracts/slack-github-platform.md, 4.4.
 * What does not fit is said to be left out; the full text is in the record.
 */
const SECTION_MAX = 2_900;
const CONTEXT_MAX = 1_900;
const BLOCKS_TEXT_MAX = 9_500;
const FALLBACK_MAX = 3_000;

export interface SlackMessage {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/** Evidence of more than this many lines is folded behind a button. */
const EVIDENCE_SHOWN_MAX = 2;

/** A told row. `fold` is the value of the button behind which longer evidence is found; without one it is all shown. */
export function messageBlocks(message: Message, fold?: string): SlackMessage {
  if (fold === undefined || message.evidence.length <= EVIDENCE_SHOWN_MAX) return compose(message, []);
  const text = { type: 'plain_text' as const, text: `Evidence (${message.evidence.length})` };
  const button = { type: 'button' as const, action_id: 'harbor.evidence', text, value: fold };
  return compose({ ...message, evidence: message.evidence.slice(-1) }, [{ type: 'actions', elements: [button] }]);
}

/** The value of the button that shows what a row rests on: `op:seq:evidence:` and the first digits of the row's hash. */
export function evidenceValue(operationId: string, seq: number, head: string): string {
  return `${operationId}:${seq}:evidence:${head.slice(0, 8)}`;
}

/** A message with a word before it. */
export function preceded(before: Text, { text, blocks }: SlackMessage): SlackMessage {
  const first = mrkdwn(before);
  return {
    text: cut(`${first}\n${text}`, FALLBACK_MAX),
    blocks: [{ type: 'context', elements: [{ type: 'mrkdwn', text: first }] }, ...blocks],
  };
}

/** The card with its buttons, each bound to the row that entered the present state and to the plan. */
export function cardBlocks(card: Card, operationId: string, enteredAtSeq: number, planHash: string): SlackMessage {
  if (card.buttons.length === 0) return compose(card, []);
  const elements = card.buttons.map((button) => buttonElement(button, buttonValue(operationId, enteredAtSeq, button, planHash)));
  // A new block id with every row: Slack keeps the state of a block whose id stays.
  return compose(card, [{ type: 'actions', block_id: `${operationId}:${enteredAtSeq}:${planHash.slice(0, 8)}`, elements }]);
}

function buttonElement(button: Button, value: string) {
  return {
    type: 'button' as const,
    action_id: `harbor.${button.action}`,
    text: { type: 'plain_text' as const, text: cut(button.label, 75) },
    value,
    ...(button.style === undefined ? {} : { style: button.style }),
    ...(button.confirm === undefined
      ? {}
      : {
          confirm: {
            title: { type: 'plain_text' as const, text: cut(`${button.label}?`, 100) },
            text: { type: 'plain_text' as const, text: cut(visible(button.confirm), 300) },
            confirm: { type: 'plain_text' as const, text: cut(button.label, 30) },
            deny: { type: 'plain_text' as const, text: 'Not now' },
          },
        }),
  };
}

function compose(message: Message, actions: KnownBlock[]): SlackMessage {
  const title = `${message.mark} ${mrkdwn(message.title)}`;
  const lines = message.lines.map(mrkdwn);
  const blocks: KnownBlock[] = [section([title, ...lines].join('\n'))];
  let spent = textOf(blocks);
  let dropped = 0;
  for (const text of contextTexts(message.evidence)) {
    if (spent + text.length > BLOCKS_TEXT_MAX) {
      dropped += 1;
      continue;
    }
    spent += text.length;
    blocks.push({ type: 'context', elements: [{ type: 'mrkdwn', text }] });
  }
  if (dropped > 0) blocks.push({ type: 'context', elements: [{ type: 'mrkdwn', text: `Shortened: ${dropped} more are in the record.` }] });
  return { text: cut([title, ...lines].join('\n'), FALLBACK_MAX), blocks: [...blocks, ...actions] };
}

/** Evidence lines, as few context blocks as they fit in. */
function contextTexts(evidence: readonly Text[]): readonly string[] {
  const texts: string[] = [];
  for (const line of evidence.map((each) => cut(mrkdwn(each), CONTEXT_MAX))) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + line.length + 1 <= CONTEXT_MAX) texts[texts.length - 1] = `${last}\n${line}`;
    else texts.push(line);
  }
  return texts.slice(0, 40);
}

function section(text: string): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: cut(text, SECTION_MAX) } };
}

function textOf(blocks: readonly KnownBlock[]): number {
  return JSON.stringify(blocks).length;
}

/** Never inside an entity, a link or a surrogate pair; a fence that was cut is closed. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text
    .slice(0, max - 2)
    .replace(/&[a-z]{0,4}$/, '')
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/<[^>]*$/, '');
  const fences = head.split('`').length - 1;
  return fences % 2 === 0 ? `${head}…` : `${head}…\``;
}
