import { person, say, type Text, words } from './text.js';

/** What happened and by whom, then why or how in the words of whoever or whatever made it so. */
export function happenedText(event: string, actor: string, sentence: unknown): Text {
  const [, clause = event, rest = ''] = /^([^;:,]*)([;:,].*)$/.exec(event) ?? [];
  const by = actor === 'bot' ? [] : say`, by ${person(actor)}`;
  const what = rest === '' ? say`${words(clause)}${by}.` : say`${words(clause)}${by}${words(rest)}.`;
  if (typeof sentence !== 'string' || sentence === '') return what;
  return say`${what} ${words(`${capital(sentence).replace(/\.$/, '')}.`)}`;
}

/** A sentence begins with a capital; an id stays as it is. */
export function capital(sentence: string): string {
  return /^[a-z]+[ ,]/.test(sentence) ? `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}` : sentence;
}
