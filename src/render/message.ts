import type { Text } from './text.js';

/** What is told of one transition: state first, then what is awaited and from whom, then evidence with age and source. */
export interface Message {
  readonly mark: string;
  readonly title: Text;
  readonly lines: readonly Text[];
  readonly evidence: readonly Text[];
}

/** Who may do what now, by role, as the fleet file has it. */
export type MayDo = Readonly<Record<string, readonly string[]>>;

/** A button that asks for an event; the words that must be confirmed name the exact ids. */
export interface Button {
  readonly action: string;
  readonly label: string;
  readonly style?: 'primary' | 'danger';
  readonly confirm?: string;
  /** A job id, or pods: what exactly the button is about, where the operation has more than one of them. */
  readonly argument?: string;
}

/** The live root of a thread. */
export interface Card extends Message {
  readonly buttons: readonly Button[];
}

/** Identifies what a button was drawn for: `op:seq:action:hash8`, and the exact id that its confirm names, if it names one. */
export function buttonValue(operationId: string, enteredAtSeq: number, button: Button, planHash: string): string {
  const argument = button.argument === undefined ? '' : `:${button.argument}`;
  return `${operationId}:${enteredAtSeq}:${button.action}:${planHash.slice(0, 8)}${argument}`;
}

export interface ButtonValue {
  readonly operationId: string;
  readonly seq: number;
  readonly action: string;
  readonly hash8: string;
  readonly argument: string | null;
}

/** Null for anything that this product did not write. */
export function parseButtonValue(value: string): ButtonValue | null {
  const match = /^([a-z]+-[1-9][0-9]*):([1-9][0-9]*):([a-z_]+):([0-9a-f]{8})(?::([A-Za-z0-9_./,-]{1,1500}))?$/.exec(value);
  if (match === null) return null;
  const [, operationId = '', seq = '', action = '', hash8 = '', argument = null] = match;
  return { operationId, seq: Number(seq), action, hash8, argument };
}
