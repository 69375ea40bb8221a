import type { Json } from './record.js';

/** A message that only one person sees. Slack forgets it; the desk keeps it so that tests and the page can read it. */
export interface Ephemeral {
  readonly ts: string;
  readonly userId: string;
  readonly channel: string;
  readonly text: string;
  readonly blocks: readonly unknown[];
  readonly threadTs?: string;
  /** `app`: the bot said it. `slack`: Slack itself did, about a command that failed. */
  readonly from: 'app' | 'slack';
}

/** Which message an ephemeral one is, before it has a `ts`. */
export type EphemeralDraft = Omit<Ephemeral, 'ts'>;

/** The ephemeral messages of everybody, in the order they came. */
export class Ephemerals {
  #all: Ephemeral[] = [];
  #count = 0;
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  add(draft: EphemeralDraft): Ephemeral {
    this.#count += 1;
    const ts = `${Math.floor(this.#now().getTime() / 1000)}.9${String(this.#count).padStart(5, '0')}`;
    const added = { ...draft, ts };
    this.#all.push(added);
    return added;
  }

  of(userId: string): readonly Ephemeral[] {
    return this.#all.filter((message) => message.userId === userId);
  }

  find(userId: string, ts: string): Ephemeral | undefined {
    return this.#all.find((message) => message.userId === userId && message.ts === ts);
  }

  replace(ts: string, said: { readonly text: string; readonly blocks: readonly unknown[] }): void {
    this.#all = this.#all.map((message) => (message.ts === ts ? { ...message, ...said } : message));
  }

  remove(ts: string): void {
    this.#all = this.#all.filter((message) => message.ts !== ts);
  }
}

/** An ephemeral message in the shape of a Slack message. */
export function asMessage(ephemeral: Ephemeral): Json {
  const { ts, text, blocks, threadTs } = ephemeral;
  return { type: 'message', is_ephemeral: true, ts, text, blocks, ...(threadTs === undefined ? {} : { thread_ts: threadTs }) };
}
