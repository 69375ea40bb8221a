import { KINDS } from './kinds.js';
import { type Cell, cellKey, type Matrix } from './matrix.js';
import type { Scene } from './scene.js';

const TITLES: Readonly<Record<Scene, string>> = {
  arming: 'Before the cut: the old run is live, the candidate is not',
  rearming: 'Before another launch, while nothing is running',
};

const ORDER: readonly Cell[] = ['OPEN', 'true', 'shut', 'unknown'];

/** `docs/fail-open-matrix.md`, as the tests found it. */
export function matrixPage(scenes: readonly (readonly [Scene, Matrix])[]): string {
  return `# Fail-open matrix

Written by \`npm run matrix\`; \`npm test\` fails if it is not current. Every guard of \`src/protocol/hero/guards.ts\` is a row, every kind of bad answer a column.
Each cell was run: an executable that answers so, the real shell, the real adapter, the guard, the protocol. No cell may be open.

| in a cell | it means |
| --- | --- |
| unknown | the reading is unknown, with its reason; the guard does not open and the protocol does not act |
| shut | the answer was read as what it says, and that shuts the guard; the protocol does not act |
| true | the bytes say the same as the good answer, in another form, and were read as just that; nothing wrong was taken for good |
| – | no answer that this guard rests on can be bad in this way |
| own | the guard rests on our own record and clock, or on what Slack says of people, and asks no executable |

A guard that rests on several answers shows what became of each of them: "unknown, true" means that one is unknown and the guard with it, and that another is only written differently.

${scenes.map(([scene, matrix]) => `## ${TITLES[scene]}\n\n${tableOf(matrix)}`).join('\n\n')}
`;
}

function tableOf({ guards, inner, cells }: Matrix): string {
  const head = ['guard', ...KINDS.map(({ title }) => title)];
  const rows = guards.map((guard) => [
    guard,
    ...KINDS.map(({ title }) => (inner.includes(guard) ? 'own' : inWords(cells.get(cellKey(guard, title))))),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (words: readonly string[]): string => `| ${words.map((word, column) => word.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function inWords(cell: ReadonlySet<Cell> | undefined): string {
  return cell === undefined
    ? '–'
    : ORDER.filter((each) => cell.has(each))
        .toReversed()
        .join(', ');
}

/** A page as it reads: how wide its columns are drawn says nothing. */
export function readable(page: string): string {
  return page.replace(/ *\| */g, '|').replace(/-{3,}/g, '---');
}
