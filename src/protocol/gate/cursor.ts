/** Where a gate's text is wrong: line and column from 1, in characters as a person counts them. */
export interface GateFault {
  readonly kind: 'fault';
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

interface Token {
  readonly text: string;
  /** Offset in the whole text. */
  readonly at: number;
}

/** One criterion's words, read from left to right. The first fault stays; what is read after it is nothing. */
export class Cursor {
  fault: GateFault | null = null;
  private readonly tokens: readonly Token[];
  private next = 0;

  /** The criterion stands in `text` at from..until. */
  constructor(
    private readonly text: string,
    private readonly from: number,
    private readonly until: number,
  ) {
    const line = text.slice(from, until);
    this.tokens = [...line.matchAll(/[(),]|[^\s(),]+/g)].map((match) => ({ text: match[0], at: from + match.index }));
  }

  get isEmpty(): boolean {
    return this.tokens.length === 0;
  }

  get isAtEnd(): boolean {
    return this.next >= this.tokens.length;
  }

  /** Takes the words if they all come next. */
  take(...words: readonly string[]): boolean {
    if (!words.every((word, index) => this.tokens[this.next + index]?.text === word)) return false;
    this.next += words.length;
    return true;
  }

  /** Takes the words, or says at the first that is another one what should stand there. */
  need(...words: readonly string[]): boolean {
    for (const word of words) {
      if (!this.take(word)) return this.failHere(`expected "${word}"`);
    }
    return true;
  }

  peek(): string | undefined {
    return this.tokens[this.next]?.text;
  }

  /** The next word, whatever it is; null at the end, with a fault that says what was expected. */
  word(expected: string): string | null {
    const token = this.tokens[this.next];
    if (token === undefined) {
      this.failHere(`expected ${expected}`);
      return null;
    }
    this.next++;
    return token.text;
  }

  /** A fault at the next word, or just behind the last one. */
  failHere(message: string): false {
    const token = this.tokens[this.next];
    const last = this.tokens.at(-1);
    const end = last === undefined ? this.from : last.at + last.text.length;
    const found = token === undefined ? 'the line ends here' : `found "${token.text}"`;
    return this.failAt(token?.at ?? Math.min(end, this.until), `${message}; ${found}`);
  }

  /** A fault at the word that was taken last. */
  failBack(message: string): false {
    return this.failAt(this.tokens[this.next - 1]?.at ?? this.from, message);
  }

  private failAt(at: number, message: string): false {
    this.fault ??= { ...positionOf(this.text, at), kind: 'fault', message };
    return false;
  }
}

function positionOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: [...(before.at(-1) ?? '')].length + 1 };
}
