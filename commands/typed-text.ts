/**
 * What phones, desktops and Slack itself make of typed text, turned back into what was meant.
 * Source: contracts/slack-github-platform.md 4.1 (escaping), docs.slack.dev/messaging/formatting-message-text.
 */

/**
 * Reads a command's text: Slack's own markup, curly quotes, odd spaces, and code that was pasted with its backticks. Only
 * inside quotes does a line's end stay one.
 */
export function normalised(raw: string): string {
  const text = unescapeSlack(raw.replace(/<([^<>]*)>/g, (whole, inner: string) => meantBy(inner) ?? whole))
    .replace(/[“”„‟«»″＂]/g, '"')
    .replace(/[‘’‚‛′＇]/g, "'")
    .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\t]/g, ' ')
    .replace(/\r\n?/g, '\n')
    .trim();
  const quoted = withoutFence(text).split('"').map(quotesForCode).join('"');
  return quoted
    .split('"')
    .map((segment, index) => (index % 2 === 1 ? segment : segment.replaceAll('\n', ' ')))
    .join('"');
}

/** A word or value that was pasted as code, without its backticks. */
export function withoutFence(text: string): string {
  return /^(`{1,3})([^`]+)\1$/.exec(text)?.[2]?.trim() ?? text;
}

/**
 * Controls, marks that turn the direction of what follows, and letters that draw nothing: what is read on a card would not
 * be what is there. The two joiners are left out, since emoji and some scripts need them.
 */
const UNSEEN = /\p{Cc}|\p{Co}|\p{Cs}|(?![\u200c\u200d])\p{Cf}|[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]/u;

/** What is wrong with a text that holds a character which cannot be seen; null for one that holds none. */
export function unseenIn(text: string): string | null {
  const unseen = UNSEEN.exec(text);
  return unseen === null ? null : `There is a character in it that cannot be seen, ${codePoint(unseen[0])}. Take it out.`;
}

const DASH = /[‐‑‒–—―−﹘﹣－]/;

/** What is wrong with words outside quotes that hold a dash which is none: `—dry-run` must never become a launch. */
export function dashIn(text: string): string | null {
  const dash = DASH.exec(text.replace(/"[^"]*"/g, ''));
  return dash === null ? null : `The character "${dash[0]}" (${codePoint(dash[0])}) is a long dash. Type a plain hyphen instead.`;
}

/** What is wrong with a word of ours that holds a foreign letter, however alike it looks, or a backtick that is left over. */
export function strangeIn(word: string): string | null {
  const strange = /[^\x20-\x7e]|`/u.exec(word);
  if (strange === null) return null;
  return `The character "${strange[0]}" (${codePoint(strange[0])}) does not belong in ${shown(word)}. Nothing was done.`;
}

/** What somebody typed, safe to show and not too long: a character that is not plain ASCII is named. */
export function shown(text: string): string {
  const plain = [...text].slice(0, 60).map((character) => (/^[\x20-\x7e]$/.test(character) ? character : `[${codePoint(character)}]`));
  return plain.join('').slice(0, 120);
}

/** How much of a reason is put on file. */
const REASON_MAX = 1_000;

/** A reason as it is quoted: what is left out of a long one is counted, and no character is cut in two. */
export function quoted(reason: string): string {
  const all = [...reason];
  return all.length <= REASON_MAX ? reason : `${all.slice(0, REASON_MAX).join('')} … (${all.length - REASON_MAX} characters left out)`;
}

/** `U+2014`. */
function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** What stands between `<` and `>`; null: Slack did not write it. Who is mentioned is the id, since a name is anybody's. */
function meantBy(inner: string): string | null {
  const [target = '', ...labels] = inner.split('|');
  const label = labels.join('|');
  if (/^@[UW][A-Z0-9]+$/.test(target)) return `<${target}>`;
  if (/^#C[A-Z0-9]+$/.test(target)) return label === '' ? `<${target}>` : `#${label}`;
  if (/^!subteam\^S[A-Z0-9]+$/.test(target)) return label === '' ? `<${target}>` : label;
  if (/^!(here|channel|everyone)$/.test(target)) return `@${target.slice(1)}`;
  if (!/^(https?:\/\/|mailto:|tel:)/.test(target)) return null;
  // Slack links what only looks like an address, such as `plan.md`: then what was typed is the label.
  return label !== '' && target.replace(/^(https?:\/\/|mailto:|tel:)/, '') === label ? label : target;
}

/** Outside quotes, a value that was pasted as code is one value: its backticks do what quotes do. */
function quotesForCode(segment: string, index: number): string {
  return index % 2 === 1 ? segment : segment.replace(/(^|\s)([a-z][a-z_-]*=)(`{1,3})([^`]+)\3(?=\s|$)/g, '$1$2"$4"');
}

/** Slack escapes three characters of what was typed. */
function unescapeSlack(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
