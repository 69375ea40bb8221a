import { complaintsAboutBlocks, sumOfText } from '../../src/local/desk/block-kit.js';
import { charactersOf } from '../../src/local/desk/block-kit-elements.js';
import { isRecord, textOf } from '../../src/local/desk/record.js';
import type { Outgoing } from './outgoing.js';

/**
 * The one checker of what leaves the bot: every limit of both platforms, by the rules that the desk refuses by.
 * Source: contracts/slack-github-platform.md 4.4 and 5.
 */

/** Slack cuts a text past 40,000 characters; past some 4,000 it is split or hidden behind a click. */
const TEXT_MAX = 4_000;
/** Where Slack begins to refuse is not documented; it was seen from some 12,000 on. */
const BLOCKS_TEXT_MAX = 10_000;
const MODAL_TITLE_MAX = 24;
const CALLBACK_ID_MAX = 255;
const METADATA_MAX = 3_000;
const VIEW_BLOCKS_MAX = 100;
const VIEW_BYTES_MAX = 250_000;
const INPUT_VALUE_MAX = 3_000;
const PLACEHOLDER_MAX = 150;
const HINT_MAX = 2_000;
const GITHUB_BODY_MAX = 65_536;
const GITHUB_TITLE_MAX = 256;

/** Why Slack or GitHub would refuse this, or would not show all of it; empty when neither would. */
export function complaintsAbout(outgoing: Outgoing): readonly string[] {
  switch (outgoing.kind) {
    case 'message':
      return [...within('text', outgoing.text, TEXT_MAX), ...aboutBlocks(outgoing.blocks)];
    case 'answer':
      return [...within('text', outgoing.text, TEXT_MAX), ...(outgoing.blocks === undefined ? [] : aboutBlocks(outgoing.blocks))];
    case 'error':
      return within('error', outgoing.text, HINT_MAX);
    case 'view':
      return aboutView(outgoing.view);
    case 'issue':
      return [...within('title', outgoing.title, GITHUB_TITLE_MAX), ...within('body', outgoing.body, GITHUB_BODY_MAX)];
    case 'comment':
      return within('body', outgoing.body, GITHUB_BODY_MAX);
    case 'file':
      return torn('file', outgoing.body);
  }
}

function aboutBlocks(blocks: readonly unknown[]): readonly string[] {
  return [
    ...complaintsAboutBlocks(blocks, 'message'),
    ...(sumOfText(blocks) > BLOCKS_TEXT_MAX ? [`all blocks together have ${sumOfText(blocks)} characters`] : []),
    ...torn('blocks', JSON.stringify(blocks)),
  ];
}

function aboutView(view: Extract<Outgoing, { kind: 'view' }>['view']): readonly string[] {
  const { blocks } = view;
  const modal =
    view.type === 'modal'
      ? [
          ...within('title', view.title.text, MODAL_TITLE_MAX),
          ...(view.submit === undefined ? [] : within('submit', view.submit.text, MODAL_TITLE_MAX)),
          ...(view.close === undefined ? [] : within('close', view.close.text, MODAL_TITLE_MAX)),
        ]
      : [];
  return [
    ...modal,
    ...(view.callback_id === undefined ? [] : within('callback_id', view.callback_id, CALLBACK_ID_MAX)),
    ...(view.private_metadata === undefined ? [] : within('private_metadata', view.private_metadata, METADATA_MAX)),
    ...(blocks.length === 0 || blocks.length > VIEW_BLOCKS_MAX ? [`${blocks.length} blocks`] : []),
    ...complaintsAboutBlocks(blocks, 'modal'),
    ...blocks.flatMap(aboutInput),
    ...(Buffer.byteLength(JSON.stringify(view)) > VIEW_BYTES_MAX ? ['the view is too large'] : []),
    ...torn('view', JSON.stringify(view)),
  ];
}

function aboutInput(block: unknown): readonly string[] {
  if (!isRecord(block) || block.type !== 'input' || !isRecord(block.element)) return [];
  const { block_id: id, element, hint } = block;
  const placeholder = isRecord(element.placeholder) ? [textOf(element.placeholder.text)] : [];
  return [
    ...(element.initial_value === undefined ? [] : within(`${id} value`, textOf(element.initial_value), INPUT_VALUE_MAX)),
    ...placeholder.flatMap((text) => within(`${id} placeholder`, text, PLACEHOLDER_MAX)),
    ...(isRecord(hint) ? within(`${id} hint`, textOf(hint.text), HINT_MAX) : []),
  ];
}

/** Nothing that is said is empty, too long, or cut between the halves of one character. */
function within(what: string, text: string, most: number): readonly string[] {
  const length = charactersOf(text);
  return [
    ...(text.trim() === '' ? [`${what} is empty`] : []),
    ...(length > most ? [`${what} has ${length} characters, more than ${most}`] : []),
    ...torn(what, text),
  ];
}

function torn(what: string, text: string): readonly string[] {
  return /\p{Surrogate}|\\u[dD][89a-fA-F]/u.test(text) ? [`${what} holds half a character`] : [];
}
