import { person, say, type Text, words } from './text.js';

/** What happened and by whom, then why or how in the words of whoever or whatever made it so. */
export function happenedText(event: string, actor: string, sentence: unknown): Text {
  const what = say`${byWhom(event, actor === 'bot' ? [] : say`, by ${person(actor)}`)}.`;
  if (typeof sentence !== 'string' || sentence === '') return what;
  return say`${what} ${words(`${capital(sentence).replace(/\.$/, '')}.`)}`;
}

/** Who did it stands after what was done, and before what follows from it. */
export function byWhom(event: string, by: Text): Text {
  const [, clause = event, rest = ''] = /^([^;:,]*)([;:,].*)$/.exec(event) ?? [];
  return rest === '' ? say`${words(clause)}${by}` : say`${words(clause)}${by}${words(rest)}`;
}

/** A sentence begins with a capital; an id stays as it is. */
export function capital(sentence: string): string {
  return /^[a-z]+[ ,]/.test(sentence) ? `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}` : sentence;
}
