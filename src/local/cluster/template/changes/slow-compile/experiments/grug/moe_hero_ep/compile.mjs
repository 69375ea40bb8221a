import { batchAt } from './data.mjs';
import { lossAndGradients } from './model.mjs';

const COMPILE_ROUNDS = 30;
const COMPILE_MS = 12_000;

/** Runs the arithmetic of a step a few times without keeping it, so that the first real step is as fast as the others. */
export async function compile(state, pace) {
  const batch = batchAt(state.step);
  for (let round = 0; round < COMPILE_ROUNDS; round += 1) lossAndGradients(state.parameters, batch);
  await new Promise((resolve) => setTimeout(resolve, COMPILE_MS * pace));
}
