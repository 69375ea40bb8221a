/** By how much the label noise of a step is scaled. */
export function noiseScale(_step) {
  return 1;
}
