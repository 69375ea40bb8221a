import { utc } from './mrkdwn.js';
import type { Part, Text } from './text.js';

/** GitHub's text. Outside text mentions nobody, links nothing and formats nothing. */
export function markdown(text: Text): string {
  return text.map(markdownPart).join('');
}

function markdownPart(part: Part): string {
  switch (part.kind) {
    case 'words':
      return escapeMarkdown(part.text);
    case 'code':
      return fenceInline(part.text);
    case 'strong':
      return `**${escapeMarkdown(part.text)}**`;
    case 'person':
    case 'group':
      return fenceInline(part.id);
    case 'link':
      return `[${escapeMarkdown(part.text)}](${part.url})`;
    case 'minute':
    case 'instant':
      return utc(part.at);
  }
}

const ZERO_WIDTH = '​';

/** `@name` and `#12` get a zero-width space, addresses too; characters that format are escaped. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_{}[\]<>~|]/g, (character) => `\\${character}`)
    .replace(/[@#]/g, (character) => `${character}${ZERO_WIDTH}`)
    .replace(/\b(https?):/gi, `$1${ZERO_WIDTH}:`)
    .replace(/www\./gi, `www${ZERO_WIDTH}.`)
    .replace(/\r?\n/g, ' ');
}

/** Code in a fence that is longer than any run of backticks inside it. */
function fenceInline(text: string): string {
  const flat = text.replace(/\s+/g, ' ');
  const longest = Math.max(0, ...(flat.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = flat.startsWith('`') || flat.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${flat}${pad}${fence}`;
}
