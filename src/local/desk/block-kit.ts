import { Complaints, charactersOf, checkElement, checkText } from './block-kit-elements.js';
import { isRecord, type Json, textOf } from './record.js';

/**
 * What Slack refuses about blocks, in Slack's own words. Limits: @slack/types and docs.slack.dev/reference/block-kit;
 * the sum of block text is not documented, it was seen to be refused from about 12,000 characters.
 */

/** Blocks of a message, at most; a modal may hold twice as many. */
const MESSAGE_BLOCKS_MAX = 50;
const MODAL_BLOCKS_MAX = 100;
const BLOCK_TEXT_SUM_MAX = 12_000;

/** Why these blocks of a message cannot be posted: empty when they can. `pointer` is where they are in the request. */
export function complaintsAboutBlocks(blocks: unknown, surface: 'message' | 'modal', pointer = '/blocks'): readonly string[] {
  const complaints = new Complaints();
  if (!Array.isArray(blocks)) return ['[ERROR] must be an array [json-pointer:/blocks]'];
  const most = surface === 'modal' ? MODAL_BLOCKS_MAX : MESSAGE_BLOCKS_MAX;
  if (blocks.length > most) complaints.add(`no more than ${most} items allowed`, pointer);
  const seen = new Set<string>();
  blocks.forEach((block: unknown, index) => {
    const at = `${pointer}/${index}`;
    if (!isRecord(block)) {
      complaints.add('must be an object', at);
      return;
    }
    checkBlock(block, at, complaints);
    const id = textOf(block.block_id);
    if (id !== '' && seen.has(id)) complaints.add('`block_id` already exists', `${at}/block_id`);
    seen.add(id);
  });
  return complaints.all;
}

/** Whether the text of all blocks together is more than Slack takes (`msg_blocks_too_long`). */
export function isTooMuchText(blocks: unknown): boolean {
  return sumOfText(blocks) > BLOCK_TEXT_SUM_MAX;
}

/** Gives every block the id that Slack would give it, so that clicks and updates can name it. */
export function withBlockIds(blocks: readonly unknown[], random: () => string): readonly unknown[] {
  return blocks.map((block) => (isRecord(block) && textOf(block.block_id) === '' ? { ...block, block_id: random() } : block));
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  header: ['text', 'level'],
  section: ['text', 'fields', 'accessory', 'expand'],
  context: ['elements'],
  divider: [],
  actions: ['elements'],
  image: ['image_url', 'slack_file', 'alt_text', 'title'],
  markdown: ['text'],
  rich_text: ['elements'],
  input: ['label', 'element', 'dispatch_action', 'hint', 'optional'],
};

function checkBlock(block: Json, at: string, complaints: Complaints): void {
  const type = textOf(block.type);
  const known = FIELDS[type];
  if (known === undefined) {
    complaints.add(`unsupported type: ${type}`, `${at}/type`);
    return;
  }
  for (const field of Object.keys(block)) {
    if (field !== 'type' && field !== 'block_id' && !known.includes(field)) complaints.add(`invalid additional property: ${field}`, at);
  }
  if (charactersOf(textOf(block.block_id)) > 255) complaints.add('must be less than 256 characters', `${at}/block_id`);
  switch (type) {
    case 'header':
      checkText(block.text, { most: 150, only: 'plain_text' }, `${at}/text`, complaints);
      break;
    case 'section':
      checkSection(block, at, complaints);
      break;
    case 'context':
      checkItems(block.elements, 10, `${at}/elements`, complaints, (item, where) =>
        item.type === 'image' ? checkElement(item, where, complaints) : checkText(item, { most: 3000 }, where, complaints),
      );
      break;
    case 'actions':
      checkActions(block, at, complaints);
      break;
    case 'image':
      checkElement(block, at, complaints);
      break;
    case 'markdown':
      if (charactersOf(textOf(block.text)) > 12_000) complaints.add('must be less than 12001 characters', `${at}/text`);
      break;
    case 'rich_text':
      checkItems(block.elements, Number.POSITIVE_INFINITY, `${at}/elements`, complaints, () => undefined);
      break;
    case 'input':
      checkText(block.label, { most: 2000, only: 'plain_text' }, `${at}/label`, complaints);
      if (isRecord(block.element)) checkElement(block.element, `${at}/element`, complaints);
      else complaints.add('missing required field: element', at);
      break;
  }
}

function checkSection(block: Json, at: string, complaints: Complaints): void {
  if (block.text === undefined && block.fields === undefined) complaints.add('missing required field: text', at);
  if (block.text !== undefined) checkText(block.text, { most: 3000 }, `${at}/text`, complaints);
  if (block.fields !== undefined) {
    checkItems(block.fields, 10, `${at}/fields`, complaints, (field, where) => checkText(field, { most: 2000 }, where, complaints));
  }
  if (isRecord(block.accessory)) checkElement(block.accessory, `${at}/accessory`, complaints);
}

function checkActions(block: Json, at: string, complaints: Complaints): void {
  const seen = new Set<string>();
  checkItems(block.elements, 25, `${at}/elements`, complaints, (element, where) => {
    checkElement(element, where, complaints);
    const id = textOf(element.action_id);
    if (id !== '' && seen.has(id)) complaints.add(`\`action_id\` "${id}" already exists`, `${where}/action_id`);
    seen.add(id);
  });
}

function checkItems(items: unknown, most: number, at: string, complaints: Complaints, check: (item: Json, at: string) => void): void {
  if (!Array.isArray(items)) {
    complaints.add('must be an array', at);
    return;
  }
  if (items.length === 0) complaints.add('must have at least 1 item', at);
  if (items.length > most) complaints.add(`no more than ${most} items allowed`, at);
  items.forEach((item: unknown, index) => {
    if (isRecord(item)) check(item, `${at}/${index}`);
    else complaints.add('must be an object', `${at}/${index}`);
  });
}

/** Characters of every `text` that is a string, wherever it is: what a reader sees, not the JSON around it. */
export function sumOfText(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + sumOfText(item), 0);
  if (!isRecord(value)) return 0;
  return Object.entries(value).reduce((sum, [key, item]) => {
    if (key === 'text' && typeof item === 'string') return sum + charactersOf(item);
    return key === 'confirm' ? sum : sum + sumOfText(item);
  }, 0);
}
