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
/** What happened and what is awaited, without the evidence. */
const LINES_MAX = 5_600;
/** All blocks of a message together, before buttons and what may be put before it. */
const BLOCKS_TEXT_MAX = 8_500;
const PRECEDED_MAX = 700;
const FALLBACK_MAX = 3_000;
const SHORT_MAX = 2_000;
const ANSWER_MAX = 3_800;
const BUTTONS_MAX = 25;
const VALUE_MAX = 2_000;

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

/** What only the person who asked is told, as one text; lines that do not fit are counted. */
export function answerText(lines: readonly Text[]): string {
  const { kept, left } = fitting(
    lines.map((line) => cut(mrkdwn(line), SECTION_MAX)),
    ANSWER_MAX,
  );
  return [...kept, ...(left === 0 ? [] : [`Shortened: ${left} more ${left === 1 ? 'line' : 'lines'} did not fit.`])].join('\n');
}

/** What is left of a message that Slack finds too large whatever we counted: what became of the operation, and the buttons. */
export function shortMessage({ text: whole, blocks }: SlackMessage): SlackMessage {
  const text = `${cut(whole, SHORT_MAX)}\n(Shortened: Slack takes no more. The full text is in the record.)`;
  return { text, blocks: [section(text), ...blocks.filter(({ type }) => type === 'actions')] };
}

/** Something about the telling itself, in a line or two. */
export function noticeBlocks(notice: Text): SlackMessage {
  const text = cut(mrkdwn(notice), SECTION_MAX);
  return { text, blocks: [section(text)] };
}

/** The value of the button that shows what a row rests on: `op:seq:evidence:` and the first digits of the row's hash. */
export function evidenceValue(operationId: string, seq: number, head: string): string {
  return `${operationId}:${seq}:evidence:${head.slice(0, 8)}`;
}

/** A message with a word before it. */
export function preceded(before: Text, { text, blocks }: SlackMessage): SlackMessage {
  const first = cut(mrkdwn(before), PRECEDED_MAX);
  return {
    text: cut(`${first}\n${text}`, FALLBACK_MAX),
    blocks: [context(first), ...blocks],
  };
}

/** The card with its buttons, each bound to the row that entered the present state and to the plan. */
export function cardBlocks(card: Card, operationId: string, enteredAtSeq: number, planHash: string): SlackMessage {
  if (card.buttons.length === 0) return compose(card, []);
  const valued = card.buttons.map((button) => ({ button, value: buttonValue(operationId, enteredAtSeq, button, planHash) }));
  // A value that was cut would be about something else: then it must be typed.
  const drawn = valued.filter(({ value }) => value.length <= VALUE_MAX).slice(0, BUTTONS_MAX);
  const elements = drawn.map(({ button, value }, index) => {
    const before = drawn.slice(0, index).filter((each) => each.button.action === button.action).length;
    return buttonElement(button, value, before === 0 ? '' : `.${before + 1}`);
  });
  // A new block id with every row: Slack keeps the state of a block whose id stays.
  return compose(card, [{ type: 'actions', block_id: `${operationId}:${enteredAtSeq}:${planHash.slice(0, 8)}`, elements }]);
}

/** `nth` tells buttons of one action apart: Slack takes no two of the same id in a row. */
function buttonElement(button: Button, value: string, nth: string) {
  return {
    type: 'button' as const,
    action_id: `harbor.${button.action}${nth}`,
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
  const lines = [`${message.mark} ${mrkdwn(message.title)}`, ...message.lines.map(mrkdwn)].map((line) => cut(line, SECTION_MAX));
  const evidence = message.evidence.map((each) => cut(mrkdwn(each), CONTEXT_MAX));
  const said = fitting(lines, LINES_MAX);
  // The last of it says when, and of which row: it is never what is left out.
  const last = evidence.slice(-1);
  const facts = fitting(evidence.slice(0, -1), BLOCKS_TEXT_MAX - charsOf(said.kept) - charsOf(last));
  const left = said.left + facts.left;
  const note = left === 0 ? [] : [`Shortened: ${left} more are in the record.`];
  const contexts = packed([...facts.kept, ...note, ...last], CONTEXT_MAX).map(context);
  return { text: cut(lines.join('\n'), FALLBACK_MAX), blocks: [...packed(said.kept, SECTION_MAX).map(section), ...contexts, ...actions] };
}

/** The lines that fit, in order; one that does not is passed over, and those after it may still. */
function fitting(lines: readonly string[], charsMax: number): { readonly kept: readonly string[]; readonly left: number } {
  let room = charsMax;
  const kept = lines.filter((line) => {
    const fits = line.length < room;
    if (fits) room -= line.length + 1;
    return fits;
  });
  return { kept, left: lines.length - kept.length };
}

/** Lines in as few texts as they fit in. */
export function packed(lines: readonly string[], charsMax: number): readonly string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + line.length + 1 <= charsMax) texts[texts.length - 1] = `${last}\n${line}`;
    else texts.push(line);
  }
  return texts;
}

function charsOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function context(text: string): KnownBlock {
  return { type: 'context', elements: [{ type: 'mrkdwn', text }] };
}

function section(text: string): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: cut(text, SECTION_MAX) } };
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
