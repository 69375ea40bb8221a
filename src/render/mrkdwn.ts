import type { Part, Text } from './text.js';
import { visible } from './visible.js';

/** Slack's text. Outside text is escaped and its formatting characters are replaced by look-alikes. */
export function mrkdwn(text: Text): string {
  return text.map(mrkdwnPart).join('');
}

function mrkdwnPart(part: Part): string {
  switch (part.kind) {
    case 'words':
      return withoutFormat(escapeSlack(part.text));
    case 'code':
      return `\`${escapeSlack(part.text).replaceAll('`', 'ˋ').replaceAll('\n', ' ')}\``;
    case 'strong':
      return `*${escapeSlack(part.text).replaceAll('*', '∗').replaceAll('\n', ' ')}*`;
    case 'person':
      return `<@${part.id}>`;
    case 'group':
      return `<!subteam^${part.id}>`;
    case 'link':
      return `<${part.url}|${escapeSlack(part.text).replaceAll('\n', ' ')}>`;
    case 'minute':
      return `<!date^${Math.floor(part.at.getTime() / 1000)}^{time}|${utc(part.at).slice(11, 16)}Z>`;
    case 'instant':
      return `<!date^${Math.floor(part.at.getTime() / 1000)}^{date_short_pretty} {time_secs}|${utc(part.at)}>`;
  }
}

/** On one line, so that nobody writes lines of ours; look-alikes of what formats. An underscore inside a word formats nothing, and stays. */
function withoutFormat(escaped: string): string {
  return escaped
    .replaceAll('\n', ' ')
    .replaceAll('`', 'ˋ')
    .replaceAll('*', '∗')
    .replaceAll('~', '∼')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, 'ˍ');
}

/** The three characters that mean something to Slack before any formatting does; and nothing is hidden. */
export function escapeSlack(text: string): string {
  return visible(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** `2026-11-29 17:04:05Z` */
export function utc(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}
