import { dashIn, normalised, shown, strangeIn, unseenIn, withoutFence } from './typed-text.js';

/** What somebody typed after a command: words and fields. Nothing that is not understood is left out. */
export type Typed =
  | { readonly kind: 'typed'; readonly verb: string; readonly operationId: string | null; readonly fields: ReadonlyMap<string, string> }
  | { readonly kind: 'fault'; readonly message: string };

/** Fields of which each line is one: a criterion, a row. In all others a line's end is a blank. */
const LINED: ReadonlySet<string> = new Set(['gate', 'unseen', 'downstream']);
const OPERATION = /^[a-z]+-[1-9][0-9]{0,8}$/;

/**
 * Reads `verb [operation] key=value key="several words"`. What phones and Slack make of it is read as what was meant; a
 * character that cannot be meant is refused by name, and so is a word that is not understood.
 */
export function readTyped(raw: string): Typed {
  const text = normalised(raw);
  const odd = dashIn(text) ?? unseenIn(text.replaceAll('\n', ' '));
  if (odd !== null) return { kind: 'fault', message: odd };
  const tokens = tokenize(text);
  if (typeof tokens === 'string') return { kind: 'fault', message: tokens };

  const [verb = '', ...rest] = tokens.map(withoutFence);
  const strange = strangeIn(verb);
  if (strange !== null) return { kind: 'fault', message: strange };
  const fields = new Map<string, string>();
  let operationId: string | null = null;
  for (const token of rest) {
    const field = /^([a-z][a-z_-]*)=([\s\S]*)$/.exec(token);
    if (field !== null) {
      const [, key = '', value = ''] = field;
      if (fields.has(key)) return { kind: 'fault', message: `"${key}" is there twice. Nothing was done.` };
      fields.set(key, LINED.has(key) ? withoutFence(value) : withoutFence(value).replace(/\s*\n\s*/g, ' '));
    } else if (operationId === null && OPERATION.test(token)) operationId = token;
    else return { kind: 'fault', message: strangeIn(token) ?? `"${shown(token)}" is not understood here. Nothing was done.` };
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
