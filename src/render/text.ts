/**
 * Prose as data. A string that is put into prose is inert: it cannot mention, link, format or break a fence, in Slack
 * or on GitHub. Only the parts below mean anything, and only this product's own words make them.
 */
export type Part =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong'; readonly text: string }
  | { readonly kind: 'person'; readonly id: string }
  /** A Slack user group of the fleet file. */
  | { readonly kind: 'group'; readonly id: string }
  | { readonly kind: 'instant'; readonly at: Date }
  /** An address that a platform itself gave us, or that we made. */
  | { readonly kind: 'link'; readonly url: string; readonly text: string }
  /** To the minute, on what is drawn again and again: a card changes once a minute at most by it. */
  | { readonly kind: 'minute'; readonly at: Date };
export type Text = readonly Part[];

type Value = string | number | Part | Text;

/** Builds prose. A bare string or number becomes code: an id or a figure, shown as it is. */
export function say(strings: TemplateStringsArray, ...values: readonly Value[]): Text {
  return strings.flatMap((own, index) => {
    const value = values[index];
    const head: Text = own === '' ? [] : [{ kind: 'words', text: own }];
    return value === undefined ? head : [...head, ...partsOf(value)];
  });
}

function partsOf(value: Value): Text {
  if (typeof value === 'string' || typeof value === 'number') return [code(`${value}`)];
  return 'kind' in value ? [value] : value;
}

/** An id, a path, a figure. */
export function code(text: string): Part {
  return { kind: 'code', text };
}

/** A sentence from elsewhere, to be read as prose. */
export function words(text: string): Part {
  return { kind: 'words', text };
}

export function strong(text: string): Part {
  return { kind: 'strong', text };
}

/** A Slack user or user group; the bot itself is named by its word. */
export function person(id: string): Part {
  if (/^S[A-Z0-9]+$/.test(id)) return { kind: 'group', id };
  return id === 'bot' ? { kind: 'words', text: 'the bot' } : { kind: 'person', id };
}

/** Anything that is not plainly an address is only its words. */
export function link(url: string, text: string): Part {
  return isAddress(url) ? { kind: 'link', url, text } : { kind: 'words', text };
}

/** Whether it is plainly an address, with nothing in it that a platform reads as anything else. */
export function isAddress(url: string): boolean {
  return /^https?:\/\/[^\s<>|()[\]"'`\\]{1,2000}$/.test(url);
}

/** A link whose host is shown: whoever clicks it knows where it leads. */
export function shownLink(url: string, label: string): Part {
  return link(url, `${label}, ${/^https?:\/\/([^/]+)/.exec(url)?.[1] ?? url}`);
}

export function people(ids: readonly string[]): Text {
  return ids.flatMap((id, index) => (index === 0 ? [person(id)] : [words(', '), person(id)]));
}

export function minute(at: Date): Part {
  return { kind: 'minute', at: new Date(Math.floor(at.getTime() / 60_000) * 60_000) };
}

export function instant(at: Date | string): Part {
  return { kind: 'instant', at: new Date(at) };
}
