import { quoted } from '../../commands/typed-text.js';
import { answerText, messageBlocks, shortMessage } from '../../src/render/blocks.js';
import { commentText } from '../../src/render/comment.js';
import { fittingBody } from '../../src/render/issue-text.js';
import type { Message } from '../../src/render/message.js';
import { type Text, words } from '../../src/render/text.js';
import { saying } from '../../src/render/views.js';
import { type Page, sent, viewed } from './outgoing.js';

/** How what is too long is said to be: the words around the cut, not the length of it. */

const line = (name: string, chars: number): Text => [words(`${name} ${'.'.repeat(chars)}`)];
const lines = (count: number, chars: number): readonly Text[] => Array.from({ length: count }, (_none, n) => line(`${n}`, chars));
const MESSAGE: Message = { mark: '⚖️', title: [words('hero-12 · trial')], lines: lines(9, 900), evidence: lines(9, 900) };

/** Runs of dots are drawn short: how long they were is not the point. */
function brief(text: string): string {
  return text.replace(/\.{20,}/g, ' … ').replace(/(?:^\d+ +… *\n?)+/gm, '(lines that fit)\n');
}

export function shorteningPage(): Page {
  const body = fittingBody(
    [...lines(12, 7_000), line('long', 9_000)].map((each) => each.map((part) => ('text' in part ? part.text : '')).join('')).join('\n'),
  );
  const long = fittingBody(`first\n${'.'.repeat(9_000)}\nlast`);
  const comment = commentText(MESSAGE, 'hero-12', 2_000, () => null);
  const { text, blocks } = shortMessage(messageBlocks(MESSAGE));
  const view = saying('Evidence', lines(60, 2_800));
  const last = view.blocks.at(-1);
  return {
    file: 'shortening.md',
    title: 'What is too long',
    parts: [
      {
        heading: 'In Slack',
        samples: [
          sent('a message', shownBrief(messageBlocks(MESSAGE))),
          sent('a message that Slack finds too large all the same', shownBrief({ text, blocks })),
          { name: 'a reason', outgoing: { kind: 'answer', text: brief(quoted('.'.repeat(1_400))) } },
          { name: 'an answer', outgoing: { kind: 'answer', text: brief(answerText(lines(9, 900))) } },
          viewed('the end of a modal', { ...view, blocks: last === undefined ? [] : [last] }),
        ],
      },
      {
        heading: 'On GitHub',
        samples: [
          { name: 'a comment', outgoing: { kind: 'comment', body: brief(comment) } },
          { name: 'the body of an issue', outgoing: { kind: 'comment', body: brief(body) } },
          { name: 'one line that nobody reads', outgoing: { kind: 'comment', body: long } },
        ],
      },
    ],
  };
}

function shownBrief({ text, blocks }: ReturnType<typeof messageBlocks>): ReturnType<typeof messageBlocks> {
  return {
    text: brief(text),
    blocks: JSON.parse(JSON.stringify(blocks), (_key, value) => (typeof value === 'string' ? brief(value) : value)),
  };
}
