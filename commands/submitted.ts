import { PLAN_FIELDS } from './plan-entry.js';
import { withoutFence } from './typed-text.js';

/** A form as it was submitted. */
export interface Submitted {
  readonly viewId: string;
  readonly metadata: string;
  readonly values: ReadonlyMap<string, string>;
}

/** What a form carries along, and gives back with its submission; Slack takes 3,000 characters of it. */
export interface Meta {
  readonly operationId: string | null;
  /** First eight digits of the plan that is revised. */
  readonly hash8: string | null;
  readonly channel: string;
  /** What was read, by field: a value that is still so is labelled as read. */
  readonly read: Readonly<Record<string, string>>;
  /** Fields that stood filled and may be emptied: one that comes back empty was taken back. */
  readonly filled: readonly string[];
  /** The operation whose downstream rows stood in the form; null: none did. */
  readonly rowsOf: string | null;
}

/** Fields of which `none` is a value. */
export const MAY_BE_EMPTIED = ['copy', 'unseen', 'dump', 'downstream', 'dri', 'reviewer'] as const;

/** A form of an earlier build carries less along. */
export function metaOf({ metadata }: Submitted): Meta {
  return { filled: [], rowsOf: null, ...JSON.parse(metadata) };
}

/** The fields as if they had been typed: all that stood in the form, so that what people saw is what is meant. */
export function typedIn({ values }: Submitted, { filled }: Meta): ReadonlyMap<string, string> {
  const known = [...values].filter(([name, value]) => PLAN_FIELDS.some((field) => field === name) && value.trim() !== '');
  const emptied = filled.filter((name) => values.get(name)?.trim() === '');
  return new Map([
    ...known.map(([name, value]) => [name, cleaned(name, value)] as const),
    ...emptied.map((name) => [name, 'none'] as const),
  ]);
}

const LISTS: ReadonlySet<string> = new Set(['unseen', 'downstream']);

/** Blanks as they were meant. A list keeps its lines, and is one of lines even when it has only one. */
function cleaned(name: string, value: string): string {
  if (name === 'gate') return withoutFence(value.trim());
  if (!LISTS.has(name)) return withoutFence(value.trim().replace(/\s+/g, ' '));
  const lines = withoutFence(value.trim()).split(/\r?\n/);
  return `${lines.map((line) => line.trim().replace(/\s+/g, ' ')).join('\n')}\n`;
}

/** What stands in the fields when the form is drawn once more. */
export function drawnAgain(typed: ReadonlyMap<string, string>, { filled }: Meta): ReadonlyMap<string, string> {
  const standing = [...typed].filter(([name, value]) => !(value === 'none' && filled.includes(name)));
  return new Map(standing.map(([name, value]) => [name, value.trim()]));
}
