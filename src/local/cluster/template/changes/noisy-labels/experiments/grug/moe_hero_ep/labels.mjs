const SPREAD = 0.08;

/** By how much the label noise of a step is scaled: readers of two qualities take turns, and level out on average. */
export function noiseScale(step) {
  return step % 2 === 0 ? 1 + SPREAD : 1 - SPREAD;
}
