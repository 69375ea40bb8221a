/** JSON that can be parsed, and says more than one thing or nothing that was asked for. */
export class TwofoldJsonError extends Error {
  override readonly name = this.constructor.name;
}

/** Deeper than anything that is asked for: an answer so nested is not the one that was asked for, and would exhaust our stack. */
const DEPTH_MAX = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * One JSON value. A name that stands twice in one object is two answers, of which `JSON.parse` would take the last without a
 * word: such a text is refused, and so is one nested beyond reason. Throws TwofoldJsonError, or SyntaxError for what is no JSON.
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  checkNames(text);
  return value;
}

// The text is JSON by now, so only quotes, brackets and commas have to be told apart.
function checkNames(text: string): void {
  /** The names seen in each open object, outermost first; null for a list. */
  const open: (Set<string> | null)[] = [];
  let isNameNext = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (isNameNext) {
        const name = nameIn(text.slice(at, end + 1));
        const names = open.at(-1);
        if (names?.has(name) === true) throw new TwofoldJsonError(`${JSON.stringify(name)} stands twice in one object`);
        names?.add(name);
        isNameNext = false;
      }
      at = end;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      open.push(code === OPEN_OBJECT ? new Set() : null);
      if (open.length > DEPTH_MAX) throw new TwofoldJsonError(`nested more than ${DEPTH_MAX} deep`);
      isNameNext = code === OPEN_OBJECT;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      open.pop();
      isNameNext = false;
    } else if (code === COMMA) {
      isNameNext = open.at(-1) !== null;
    }
  }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}

// `"a"` and `"\u0061"` are one name.
function nameIn(literal: string): string {
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);
}
