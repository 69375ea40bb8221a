/** What somebody typed after a command: words and fields. Nothing that is not understood is left out. */
export type Typed =
  | { readonly kind: 'typed'; readonly verb: string; readonly operationId: string | null; readonly fields: ReadonlyMap<string, string> }
  | { readonly kind: 'fault'; readonly message: string };

const OPERATION = /^[a-z]+-[1-9][0-9]{0,8}$/;

/** Controls, and marks that turn the direction of what follows: what is read on a card would not be what is there. */
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

/**
 * Reads `verb [operation] key=value key="several words"`. Phones turn quotes into curly ones and spaces into
 * non-breaking ones: those are read as what was meant. A dash that is not one is refused by name.
 */
export function readTyped(raw: string): Typed {
  const text = unescapeSlack(raw)
    .replace(/[“”„‟«»]/g, '"')
    .replace(/[‘’‚]/g, "'")
    .replace(/[\u00a0\u2007\u202f\t\r\n]/g, ' ')
    .trim();
  const odd = /[–—−‐‑]/.exec(text.replace(/"[^"]*"/g, ''));
  if (odd !== null) {
    return { kind: 'fault', message: `The character "${odd[0]}" (U+${codePoint(odd[0])}) is a long dash. Type a plain hyphen instead.` };
  }
  const unseen = UNSEEN.exec(text);
  if (unseen !== null) {
    return { kind: 'fault', message: `There is a character in it that cannot be seen, U+${codePoint(unseen[0])}. Take it out.` };
  }
  const tokens = tokenize(text);
  if (typeof tokens === 'string') return { kind: 'fault', message: tokens };

  const [verb = '', ...rest] = tokens;
  const fields = new Map<string, string>();
  let operationId: string | null = null;
  for (const token of rest) {
    const field = /^([a-z][a-z_-]*)=([\s\S]*)$/.exec(token);
    if (field !== null) {
      const [, key = '', value = ''] = field;
      if (fields.has(key)) return { kind: 'fault', message: `"${key}" is there twice. Nothing was done.` };
      fields.set(key, value);
    } else if (operationId === null && OPERATION.test(token)) operationId = token;
    else return { kind: 'fault', message: `"${token.slice(0, 80)}" is not understood here. Nothing was done.` };
  }
  return { kind: 'typed', verb: verb.toLowerCase(), operationId, fields };
}

/** Words, with `key="a b"` as one; a message where a quote is not closed. */
function tokenize(text: string): readonly string[] | string {
  const tokens: string[] = [];
  let rest = text;
  while (rest !== '') {
    const match = /^([^\s"]*)"([^"]*)"(?=\s|$)/.exec(rest) ?? /^([^\s"]+)(?=\s|$)/.exec(rest);
    if (match === null) return `A quote is not closed, or stands inside a word, at "${rest.slice(0, 30)}". Nothing was done.`;
    tokens.push(`${match[1] ?? ''}${match[2] ?? ''}`);
    rest = rest.slice(match[0].length).trimStart();
  }
  return tokens;
}

/** Slack escapes three characters of what was typed. Source: contracts/slack-github-platform.md, 4.1. */
function unescapeSlack(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
