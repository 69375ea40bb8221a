/** Titles and bodies inside GitHub's limits before anything is sent. Source: contracts/slack-github-platform.md, section 5. */

/** GitHub takes 256 characters. */
const TITLE_MAX = 250;
/** GitHub takes 65,536 characters; a marker of ours is put before some. */
const BODY_MAX = 60_000;
/** A line of more characters than this is nobody's to read on an issue. */
const LINE_MAX = 8_000;
/** Room for the words that say what was left out. */
const NOTE_CHARS = 200;

export function fittingTitle(title: string): string {
  return shortened(title, TITLE_MAX);
}

/** Whole lines, the first of them, as many as fit; what is left out is counted, and nothing is cut inside a fence or a pair. */
export function fittingBody(body: string): string {
  const lines = body
    .split('\n')
    .map((line) => (line.length <= LINE_MAX ? line : `(A line of ${line.length} characters is left out here; the record has it.)`));
  let size = 0;
  const end = lines.findIndex((line) => {
    size += line.length + 1;
    return size > BODY_MAX - NOTE_CHARS;
  });
  if (end === -1) return lines.join('\n');
  const kept = lines.slice(0, end);
  return [...kept, '', `… Shortened: ${lines.length - kept.length} more lines are in the record.`].join('\n');
}

/** At most so many characters, with a mark where something was cut off; no half of a pair is left. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
