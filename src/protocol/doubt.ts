import type { UnknownReason } from './reading.js';

const WORDS: Readonly<Record<UnknownReason, string>> = {
  not_started: 'the program could not be started',
  timed_out: 'it did not answer in time',
  killed: 'the program was ended by a signal',
  failed: 'the program reported an error',
  output_too_long: 'it printed more than may be read',
  unparsable: 'the answer has another form than agreed',
  truncated: 'the answer was cut off',
  unlisted_state: 'the answer holds a word that no contract names',
  inconsistent: 'two answers contradict each other',
  unreachable: 'nobody answered on the network',
};

/** Why a reading is unknown, as a tired person would say it. */
export function doubtWords(why: UnknownReason): string {
  return WORDS[why];
}
