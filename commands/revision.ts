import { difference } from '../src/protocol/hero/difference.js';
import type { HeroPlan } from '../src/protocol/hero/plan.js';
import type { JsonObject } from '../src/protocol/table.js';
import { say, type Text } from '../src/render/text.js';

/** More than this is in the record; a message is to be read. */
const SHOWN_MAX = 40;

/** What a revision changes, as it goes on file with it. */
export function changesOf(previous: HeroPlan, next: HeroPlan): readonly JsonObject[] {
  return difference(previous, next).map((change) => ({ ...change }));
}

/** The same for whoever revises. */
export function revisedLines(previous: HeroPlan, next: HeroPlan): readonly Text[] {
  const changes = difference(previous, next);
  const lines = changes.slice(0, SHOWN_MAX).map(({ field, was, now }) => say`• ${field}: ${was.slice(0, 300)} → ${now.slice(0, 300)}`);
  return changes.length > SHOWN_MAX ? [...lines, say`• and ${changes.length - SHOWN_MAX} more in the record`] : lines;
}
