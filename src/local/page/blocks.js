import { confirmed } from './dialogs.js';
import { el } from './dom.js';
import { link, mrkdwn, plainText } from './mrkdwn.js';

/**
 * Block Kit as nodes.
 * @param {readonly object[]} blocks
 * @param {{ directory: object, click?: (button: object) => Promise<void>, key: string }} context
 */
export function drawBlocks(blocks, context) {
  return blocks.map((block) => (DRAW[block.type] ?? unknownBlock)(block, context)).filter((node) => node !== null);
}

/** A text object, `mrkdwn` or `plain_text`. */
export function drawText(text, { directory }) {
  if (text === undefined || text === null) return [];
  return text.type === 'mrkdwn' ? mrkdwn(text.text, directory) : withBreaks(plainText(text.text));
}

const DRAW = {
  header: (block, context) => el('h3.b-header', {}, ...drawText(block.text, context)),
  divider: () => el('hr.b-divider'),
  section: (block, context) =>
    el(
      'div.b-section',
      {},
      el(
        'div.b-body',
        {},
        block.text === undefined ? null : el('div.b-text', {}, ...drawText(block.text, context)),
        block.fields === undefined
          ? null
          : el('div.b-fields', {}, ...block.fields.map((field) => el('div', {}, ...drawText(field, context)))),
      ),
      block.accessory === undefined ? null : drawElement(block.accessory, context),
    ),
  context: (block, context) =>
    el(
      'div.b-context',
      {},
      ...block.elements.map((element) =>
        element.type === 'image' ? drawElement(element, context) : el('span', {}, ...drawText(element, context)),
      ),
    ),
  actions: (block, context) => el('div.b-actions', {}, ...block.elements.map((element) => drawElement(element, context))),
  image: (block, context) => drawElement(block, context),
  markdown: (block, context) => el('div.b-text', {}, ...drawText({ type: 'plain_text', text: block.text }, context)),
  rich_text: (block, context) => el('div.b-text', {}, ...block.elements.map((element) => richElement(element, context))),
  input: () => null,
};

function unknownBlock(block) {
  return el('p.quiet', {}, `[a ${block.type} block]`);
}

function drawElement(element, context) {
  if (element.type === 'button') return drawButton(element, context);
  if (element.type === 'image') return el('span.b-image', {}, element.alt_text ?? 'image');
  return el('span.quiet', {}, `[${element.type}]`);
}

function drawButton(button, context) {
  if (typeof button.url === 'string') {
    const anchor = link(button.url, plainText(button.text.text));
    anchor.className = 'button';
    return anchor;
  }
  const node = el(`button.button${button.style === undefined ? '' : `.${button.style}`}`, {
    type: 'button',
    'data-focus': `${context.key}/${button.action_id}`,
    'aria-label': button.accessibility_label,
    disabled: context.click === undefined,
  });
  node.append(plainText(button.text.text));
  node.addEventListener('click', async () => {
    if (button.confirm !== undefined && !(await confirmed(button.confirm, context.directory))) return;
    node.disabled = true;
    node.classList.add('busy');
    try {
      await context.click(button);
    } finally {
      // The card is drawn anew when the bot has moved it; until then the button is as it was.
      node.disabled = false;
      node.classList.remove('busy');
    }
  });
  return node;
}

function richElement(element, context) {
  const parts = (element.elements ?? []).flatMap((part) => richPart(part, context));
  switch (element.type) {
    case 'rich_text_preformatted':
      return el('pre', {}, el('code', {}, ...parts));
    case 'rich_text_quote':
      return el('blockquote', {}, ...parts);
    case 'rich_text_list':
      return el(element.style === 'ordered' ? 'ol' : 'ul', {}, ...element.elements.map((item) => el('li', {}, richElement(item, context))));
    default:
      return el('span', {}, ...parts);
  }
}

function richPart(part, { directory }) {
  switch (part.type) {
    case 'text': {
      const style = part.style ?? {};
      const node = el(style.code ? 'code' : style.bold ? 'strong' : style.italic ? 'em' : style.strike ? 's' : 'span');
      node.append(...withBreaks(part.text));
      return [node];
    }
    case 'link':
      return [link(part.url, part.text ?? part.url)];
    case 'user':
      return mrkdwn(`<@${part.user_id}>`, directory);
    case 'channel':
      return mrkdwn(`<#${part.channel_id}>`, directory);
    case 'emoji':
      return [plainText(`:${part.name}:`)];
    case 'date':
      return mrkdwn(`<!date^${part.timestamp}^${part.format ?? '{date_num} {time}'}|${part.fallback ?? ''}>`, directory);
    default:
      return [];
  }
}

function withBreaks(text) {
  return text.split('\n').flatMap((row, index) => (index === 0 ? [row] : [el('br'), row]));
}
