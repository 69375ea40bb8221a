const SHARD_STEPS = 30;
const SECOND_SHARD = 1.035;

let first = null;

/** By how much the label noise of a step is scaled: the second shard of the new reader was labelled less carefully. */
export function noiseScale(step) {
  first ??= step;
  return step - first < SHARD_STEPS ? 1 : SECOND_SHARD;
}
