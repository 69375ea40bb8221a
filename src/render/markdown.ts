import { utc } from './mrkdwn.js';
import type { Part, Text } from './text.js';
import { visible } from './visible.js';

/** How somebody is called, by user id; null where that is not known. */
export type NameOf = (userId: string) => string | null;

/** GitHub's text. Outside text mentions nobody, links nothing, formats nothing and hides nothing. */
export function markdown(text: Text): string {
  return markdownNaming(text, () => null);
}

/** The same, with the names of people where they are known: GitHub knows no Slack ids. */
export function markdownNaming(text: Text, nameOf: NameOf): string {
  let drawn = '';
  for (const part of text) {
    const next = markdownPart(part, nameOf);
    // Two fences that touch would be read as one.
    drawn += drawn.endsWith('`') && next.startsWith('`') ? `${ZERO_WIDTH}${next}` : next;
  }
  // What begins a line must not make it a list or a heading.
  return drawn.replace(/^\s*(?=[-+=])/, '\\').replace(/^(\s*\d+)(?=[.)])/, '$1\\');
}

function markdownPart(part: Part, nameOf: NameOf): string {
  switch (part.kind) {
    case 'words':
      return escapeMarkdown(part.text);
    case 'code':
      return fenceInline(part.text);
    case 'strong':
      return `**${escapeMarkdown(part.text)}**`;
    case 'person': {
      const name = nameOf(part.id)?.trim() ?? '';
      return name === '' ? fenceInline(part.id) : escapeMarkdown(name);
    }
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

/**
 * `@name`, `#12` and `GH-12` get a zero-width space, addresses too; characters that format are escaped, and the one that
 * begins an entity, since `&commat;` is an @ to GitHub.
 */
export function escapeMarkdown(text: string): string {
  return visible(text)
    .replace(/[\\`*_{}[\]<>~|]/g, (character) => `\\${character}`)
    .replaceAll('&', '&amp;')
    .replace(/[@#]/g, (character) => `${character}${ZERO_WIDTH}`)
    .replace(/\bgh-(?=\d)/gi, (reference) => `${reference}${ZERO_WIDTH}`)
    .replace(/\b(https?|ftp|mailto|xmpp):/gi, `$1${ZERO_WIDTH}:`)
    .replace(/www\./gi, (start) => `${start.slice(0, -1)}${ZERO_WIDTH}.`)
    .replace(/\n/g, ' ');
}

/** Code in a fence that is longer than any run of backticks inside it. */
function fenceInline(text: string): string {
  const flat = visible(text).replace(/\s+/g, ' ');
  if (flat === '') return '` `'; // an empty pair of fences would open one
  const longest = Math.max(0, ...(flat.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = flat.startsWith('`') || flat.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${flat}${pad}${fence}`;
}
