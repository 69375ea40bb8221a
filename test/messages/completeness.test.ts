import { expect, test } from 'vitest';
import { FERRY_ROWS } from '../../src/protocol/ferry/table.js';
import { HERO_ROWS } from '../../src/protocol/hero/table.js';
import { LANE_ROWS } from '../../src/protocol/lane/table.js';
import type { Row } from '../../src/protocol/table.js';
import { drawnPage } from './drawn.js';
import { pagesOf } from './pages.js';
import { functionsOf, importedFrom, saysSomething, sentencesIn, sourcesIn } from './sources.js';

const pages = pagesOf('usual');
const OUTSIDE = ['commands', 'src'] as const;
const outside = sourcesIn(...OUTSIDE).filter((file) => !file.startsWith('src/render/') && !file.startsWith('src/local/'));

test.each<readonly [string, readonly Row[]]>([
  ['hero.md', HERO_ROWS],
  ['ferry.md', FERRY_ROWS],
  ['schedule.md', LANE_ROWS],
])('every event that the table tells of stands on %s', (file, rows) => {
  const told = new Set(rows.filter(({ tell }) => tell.length > 0).map(({ on }) => on));
  const shown = pages.find((page) => page.file === file)?.parts[0]?.samples.map(({ name }) => name) ?? [];

  expect(new Set(shown)).toEqual(told);
});

test('nobody writes prose but the renderers', () => {
  expect(outside.filter(saysSomething)).toEqual([]);
});

test('every renderer that the bot calls is called for the pages', () => {
  const called = new Set(sourcesIn('test/messages').flatMap((file) => importedFrom('src/render', file)));
  const known = new Set(sourcesIn('src/render').flatMap(functionsOf));
  const uncalled = outside
    .flatMap((file) => importedFrom('src/render', file))
    .filter((name) => known.has(name) && !called.has(name) && !called.has(name.replace(/:.*/, ':*')));

  expect([...new Set(uncalled)].filter((name) => !/^src\/render\/(text|mrkdwn|markdown|visible|message)\.ts:/.test(name)).sort()).toEqual(
    [],
  );
});

/** Those who say what is wrong with what was typed. */
const READERS = [
  'commands/arguments.ts',
  'commands/ferry-entry.ts',
  'commands/plan-entry.ts',
  'commands/plan-faults.ts',
  'commands/plan-record.ts',
  'commands/typed-text.ts',
  'src/protocol/gate/parse.ts',
  'src/protocol/typed-time.ts',
];

test('every sentence that the renderers and the readers hold stands on a page', () => {
  const shown = lettersOf(pages.map(drawnPage).join('\n'));
  const missing = [...sourcesIn('src/render'), ...READERS].flatMap((file) =>
    sentencesIn(file)
      .flatMap((sentence) => sentence.split(/[.;:,{}()]/))
      .filter((clause) => /\p{L}{2,} \p{L}{2,}/u.test(clause) && !shown.includes(lettersOf(clause)))
      .map((sentence) => `${file}: ${sentence.trim()}`),
  );

  expect(missing).toEqual([]);
});

/** Whatever was escaped, and however: what is left is what is read. */
function lettersOf(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, '').replace(/[^\p{L}\p{N}]/gu, '');
}
