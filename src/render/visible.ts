const C0_MAX = 0x1f;
const DELETE = 0x7f;
/** The block of the pictures of control characters, in their order. */
const PICTURES = 0x2400;
const PICTURE_OF_DELETE = '␡';

/**
 * What hides or turns text: controls, direction marks, what has no width, tags. A joiner after a picture belongs to it.
 * Source: Unicode categories Cc and Cf, and the fillers that are letters without a shape.
 */
const HIDDEN =
  /(?![\t\n])(?:(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D|(?!\u200D)(?:\u034F|[\p{Cc}\p{Cf}\u115F\u1160\u17B4\u17B5\u2028\u2029\u3164\uFFA0]))/gu;

/** A text in which nothing is hidden: what cannot be seen is shown by its picture or number. Lone surrogates become U+FFFD. */
export function visible(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, shown);
}

function shown(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (point <= C0_MAX) return String.fromCodePoint(PICTURES + point);
  if (point === DELETE) return PICTURE_OF_DELETE;
  return `‹U+${point.toString(16).toUpperCase().padStart(4, '0')}›`;
}
