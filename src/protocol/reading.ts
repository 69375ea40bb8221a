/** Why an answer from outside could not be taken as known. A closed list: each has its own sentence in `render`. */
export type UnknownReason =
  | 'not_started' // the executable could not be spawned at all
  | 'timed_out'
  | 'killed' // ended by a signal
  | 'failed' // exited with an error code
  | 'output_too_long'
  | 'unparsable' // empty, another layout, a broken frame
  | 'truncated' // as many rows as the cap: there may be more
  | 'unlisted_state' // a state or a field that the contract does not name
  | 'inconsistent' // two answers that contradict each other
  | 'unreachable'; // a network call without an answer

/**
 * An answer from outside: known, or unknown with its reason. There is no third way and no default: to get at `value`
 * a caller must first read `kind`.
 *
 * `source` is what was asked, scrubbed, in words a person can repeat. `evidence` is the scrubbed transcript (argument
 * vector, exit, both streams), kept in memory until a transition rests on it.
 */
export type Reading<T> = Known<T> | Unknown;

export interface Known<T> {
  readonly kind: 'known';
  readonly value: T;
  readonly source: string;
  readonly readAt: Date;
  readonly evidence?: string;
}

export interface Unknown {
  readonly kind: 'unknown';
  readonly why: UnknownReason;
  readonly detail: string;
  readonly source: string;
  readonly readAt: Date;
  readonly evidence?: string;
}
