import type { KnownBlock } from '@slack/types';
import type { Outgoing, Page, Sample } from './outgoing.js';

/** What leaves the bot, as a page of text shows it: evidence indented, buttons in brackets with what must be confirmed, fields with what stands in them. */

export function drawnPage({ title, parts }: Page): string {
  return [`# ${title}`, ...parts.map(({ heading, samples }) => [`## ${heading}`, ...samples.map(drawnSample)].join('\n\n')), '']
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

function drawnSample({ name, outgoing }: Sample): string {
  const text = drawn(outgoing);
  const fence = '`'.repeat(Math.max(3, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length + 1)));
  return `### ${name}\n\n${fence}text\n${text}\n${fence}`;
}

function drawn(outgoing: Outgoing): string {
  switch (outgoing.kind) {
    case 'message':
      return outgoing.blocks.map(drawnBlock).join('\n');
    case 'answer':
      return outgoing.blocks === undefined ? outgoing.text : outgoing.blocks.map(drawnBlock).join('\n');
    case 'error':
      return outgoing.text;
    case 'view': {
      const { view } = outgoing;
      const frame = view.type === 'modal' ? [`[${view.title.text}]`] : [];
      const buttons =
        view.type === 'modal' ? [[view.submit?.text, view.close?.text].flatMap((each) => (each ? [`[${each}]`] : [])).join(' ')] : [];
      return [...frame, ...view.blocks.map((block) => drawnBlock(block as KnownBlock)), ...buttons].join('\n');
    }
    case 'issue':
      return `${outgoing.title}\n\n${outgoing.body}`;
    case 'comment':
    case 'file':
      return outgoing.body;
  }
}

function drawnBlock(block: KnownBlock): string {
  switch (block.type) {
    case 'section':
      return block.text?.text ?? '';
    case 'header':
      return `— ${block.text.text} —`;
    case 'context':
      return block.elements
        .flatMap((each) => ('text' in each ? each.text.split('\n') : []))
        .map((line) => `    ${line}`)
        .join('\n');
    case 'actions':
      return block.elements.flatMap((each) => (each.type === 'button' ? [drawnButton(each)] : [])).join('\n');
    case 'input': {
      const { element } = block;
      const value = 'initial_value' in element ? `${element.initial_value ?? ''}` : '';
      const placeholder = 'placeholder' in element ? (element.placeholder?.text ?? '') : '';
      const hint = block.hint === undefined ? '' : `\n    ${block.hint.text}`;
      const must = block.optional === true ? '' : ' (must be filled in)';
      return `${block.label.text}${must}: ${value === '' && placeholder !== '' ? `(for example ${placeholder})` : value}${hint}`;
    }
    default:
      return `(${block.type})`;
  }
}

type ButtonShape = { readonly text: { readonly text: string }; readonly confirm?: { readonly text: { readonly text: string } } };

function drawnButton({ text, confirm }: ButtonShape): string {
  return `[${text.text}]${confirm === undefined ? '' : ` ${confirm.text.text}`}`;
}
