import type { Change } from '../../protocol/hero/difference.js';
import { say, type Text, words } from '../text.js';

/** How much of a revision a message shows: so many changes, and so many characters of each value. */
export interface Shown {
  readonly changes: number;
  readonly chars: number;
}

/** More than this is in the record; a message is to be read. */
const FOR_WHO_ASKED: Shown = { changes: 40, chars: 300 };

/** What a revision changes, field by field. */
export function changeLines(changes: readonly Change[], shown: Shown = FOR_WHO_ASKED): readonly Text[] {
  const lines = changes
    .slice(0, shown.changes)
    .map(({ field, was, now }) => say`• ${words(fieldWords(field))}: ${was.slice(0, shown.chars)} → ${now.slice(0, shown.chars)}`);
  const left = changes.length - shown.changes;
  return left > 0 ? [...lines, say`• and ${left} more in the record`] : lines;
}

/** A field by its path, in words: `limits.hangSeconds` is "limits, hang seconds". */
function fieldWords(field: string): string {
  return field.replaceAll('.', ', ').replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
