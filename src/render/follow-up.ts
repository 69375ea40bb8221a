/** What an issue says that goes on in another, and the one that follows it. `#12` is a link on GitHub: both numbers are ours. */

/** The body of an issue that the bot opens because another is full, after its marker. */
export function opensAfter(full: number): string {
  return `Continues #${full}, which takes no more comments.`;
}

export function continues(before: number): string {
  return `Continues #${before}.`;
}

export function goesOnIn(next: number): string {
  return `Goes on in #${next}.`;
}
