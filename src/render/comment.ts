import { markdownNaming, type NameOf } from './markdown.js';
import type { Message } from './message.js';
import { code, type Part, say, type Text } from './text.js';

/** The verdict keeps at most this much of a comment, so that something of what it rests on is left. */
const TITLE_SHARE = 1 / 3;
/** So much of the verdict is shown however little room there is, in characters. */
const TITLE_CHARS_MIN = 200;
/** Room for the words that say what was left out. */
const NOTE_CHARS = 200;
/** Long parts are weighed in pieces of so many characters, as they were before they were escaped. */
const PIECE_CHARS = 200;
/** What a piece may cost beside its own text where it joins its neighbours. */
const JOINT_CHARS = 6;

/** A piece of a part, and where it stood. */
interface Piece {
  readonly row: number;
  readonly place: number;
  readonly part: Part;
}

/**
 * A told row as GitHub shows it, in at most `charsMax` characters as they are sent: escaped, fenced, links and all. What does
 * not fit is left out of the middle and counted, and the comment says where the whole of it is. Nothing is cut inside
 * a fence, an entity or a pair.
 */
export function commentText(message: Message, operationId: string, charsMax: number, nameOf: NameOf): string {
  const { mark, title, lines, evidence } = message;
  const draw = (text: Text): string => markdownNaming(text, nameOf);
  const facts = evidence.map((each) => `- ${draw(each)}`).join('\n');
  const whole = `${[`${mark} ${draw(title)}`, ...lines.map(draw)].join('\n')}\n\n${facts}`;
  if (whole.length <= charsMax) return whole;

  const verdict = piecesOf([title]);
  const said = firstOf(verdict, Math.max(TITLE_CHARS_MIN, charsMax * TITLE_SHARE), draw);
  const head = `${mark} ${rowsOf(said, draw, () => '').join('')}`;
  const pieces = piecesOf([...lines, ...evidence]);
  const room = Math.max(0, charsMax - head.length - NOTE_CHARS);
  const first = firstOf(pieces, room / 2, draw);
  const last = [...firstOf(pieces.slice(first.length).reverse(), room / 2, draw)].reverse();
  const dropped = sizeOf(verdict) - sizeOf(said) + sizeOf(pieces) - sizeOf(first) - sizeOf(last);
  const bullet = (row: number): string => (row < lines.length ? '' : '- ');
  const note = say`Shortened: the full text is in the record (${code(`harbor log ${operationId}`)}); ${dropped} characters are left out here.`;
  return [head, ...rowsOf(first, draw, bullet), '', `… ${draw(note)} …`, '', ...rowsOf(last, draw, bullet)].join('\n').trimEnd();
}

function piecesOf(rows: readonly Text[]): readonly Piece[] {
  return rows.flatMap((text, row) => text.flatMap((part, place) => split(part).map((piece) => ({ row, place, part: piece }))));
}

/** Words, code and what is strong may be cut between two characters; a link, a person or a time is whole or left out. */
function split(part: Part): readonly Part[] {
  if (part.kind !== 'words' && part.kind !== 'code' && part.kind !== 'strong') return [part];
  const pieces: Part[] = [];
  for (let from = 0; from < part.text.length; ) {
    const until = from + PIECE_CHARS;
    const end = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(part.text.slice(until - 1, until + 1)) ? until + 1 : until;
    pieces.push({ ...part, text: part.text.slice(from, end) });
    from = end;
  }
  return pieces.length === 0 ? [part] : pieces;
}

/** As many of the pieces, from the first, as are drawn in so many characters. */
function firstOf(pieces: readonly Piece[], charsMax: number, draw: (text: Text) => string): readonly Piece[] {
  let chars = 0;
  const end = pieces.findIndex(({ part }) => {
    chars += draw([part]).length + JOINT_CHARS;
    return chars > charsMax;
  });
  return end === -1 ? pieces : pieces.slice(0, end);
}

/** Pieces as lines again; those of one part are one part again, so that a fence is opened once. */
function rowsOf(pieces: readonly Piece[], draw: (text: Text) => string, bullet: (row: number) => string): readonly string[] {
  const rows = new Map<number, Map<number, Part>>();
  for (const { row, place, part } of pieces) {
    const parts = rows.get(row) ?? new Map<number, Part>();
    const before = parts.get(place);
    parts.set(place, before !== undefined && 'text' in before && 'text' in part ? { ...part, text: before.text + part.text } : part);
    rows.set(row, parts);
  }
  return [...rows].map(([row, parts]) => `${bullet(row)}${draw([...parts.values()])}`);
}

function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { part }) => sum + ('text' in part ? part.text.length : 'id' in part ? part.id.length : 0), 0);
}
