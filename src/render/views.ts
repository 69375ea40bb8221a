import type { HomeView, InputBlock, KnownBlock, ModalView } from '@slack/types';
import { cut, packed } from './blocks.js';
import { mrkdwn } from './mrkdwn.js';
import type { Text } from './text.js';

/** Modals and the Home tab, inside Slack's limits. Source: contracts/slack-github-platform.md 4.4. */

const SECTION_MAX = 2_900;
const HINT_MAX = 1_900;
const BLOCKS_MAX = 95;
/** Sections of text in one view: Slack refuses one of more than 250 kB. */
const SECTIONS_MAX = 50;
const VALUE_MAX = 2_900;

/** One field of a form: what it is called, what stands in it, and what is to be known of that. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** Where the value is from, or what is wrong with it. */
  readonly hint: string;
  readonly optional: boolean;
  readonly multiline: boolean;
  readonly placeholder: string;
}

export interface Form {
  readonly title: string;
  readonly submit: string;
  readonly callbackId: string;
  /** What comes back with the submission; no secrets. */
  readonly metadata: string;
  /** What was read, above the fields. */
  readonly before: readonly Text[];
  readonly fields: readonly FormField[];
  /** Longer lists, below them. */
  readonly after: readonly Text[];
}

/** A modal that only says something. */
export function saying(title: string, lines: readonly Text[]): ModalView {
  return {
    type: 'modal',
    title: { type: 'plain_text', text: cut(title, 24) },
    close: { type: 'plain_text', text: 'Close' },
    blocks: sections(lines, SECTIONS_MAX),
  };
}

export function formView(form: Form): ModalView {
  const { title, submit, callbackId, metadata, before, fields, after } = form;
  const inputs = fields.map(input);
  const above = sections(before, 10);
  const below = sections(after, Math.min(SECTIONS_MAX, BLOCKS_MAX - above.length - inputs.length));
  return {
    type: 'modal',
    callback_id: callbackId,
    private_metadata: metadata,
    title: { type: 'plain_text', text: cut(title, 24) },
    submit: { type: 'plain_text', text: cut(submit, 24) },
    close: { type: 'plain_text', text: 'Not now' },
    blocks: [...above, ...inputs, ...below],
  };
}

/** The Home tab: each part under a heading of its own. */
export function homeView(parts: readonly { readonly heading: string; readonly lines: readonly Text[] }[]): HomeView {
  const blocks = parts.flatMap(({ heading, lines }): KnownBlock[] => [
    { type: 'header', text: { type: 'plain_text', text: cut(heading, 150) } },
    ...sections(lines, Math.floor(SECTIONS_MAX / parts.length)),
  ]);
  return { type: 'home', blocks };
}

function input({ name, label, value, hint, optional, multiline, placeholder }: FormField): InputBlock {
  return {
    type: 'input',
    block_id: name,
    optional,
    label: { type: 'plain_text', text: cut(label, 150) },
    ...(hint === '' ? {} : { hint: { type: 'plain_text' as const, text: cut(hint, HINT_MAX) } }),
    element: {
      type: 'plain_text_input',
      action_id: 'typed',
      multiline,
      ...(value === '' ? {} : { initial_value: cut(value, VALUE_MAX) }),
      ...(placeholder === '' ? {} : { placeholder: { type: 'plain_text' as const, text: cut(placeholder, 150) } }),
    },
  };
}

/** Lines in as few sections as they fit in; what does not fit is counted. */
function sections(lines: readonly Text[], blocksMax: number): KnownBlock[] {
  const texts = packed(
    lines.map((each) => cut(mrkdwn(each), SECTION_MAX)),
    SECTION_MAX,
  );
  const shown = texts.length <= blocksMax ? texts : [...texts.slice(0, blocksMax - 1), 'Shortened: the rest is in the record.'];
  return shown.map((text) => ({ type: 'section', text: { type: 'mrkdwn', text } }));
}
