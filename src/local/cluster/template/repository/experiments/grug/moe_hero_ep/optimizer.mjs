import { TENSORS, zeros } from './model.mjs';

const BETA_1 = 0.9;
const BETA_2 = 0.999;
const EPSILON = 1e-8;
const WEIGHT_DECAY = 0.01;

/** AdamW. The bias corrections are kept as running products, since a power function need not round alike everywhere. */
export function freshOptimizer() {
  return { first: zeros(), second: zeros(), correction: { first: 1, second: 1 } };
}

/** Updates parameters and optimizer in place. */
export function applyUpdate(parameters, optimizer, gradients, learningRate) {
  optimizer.correction.first *= BETA_1;
  optimizer.correction.second *= BETA_2;
  const firstScale = 1 / (1 - optimizer.correction.first);
  const secondScale = 1 / (1 - optimizer.correction.second);
  for (const [name] of TENSORS) {
    const values = parameters[name];
    const first = optimizer.first[name];
    const second = optimizer.second[name];
    for (let i = 0; i < values.length; i += 1) {
      const gradient = gradients[name][i];
      first[i] = BETA_1 * first[i] + (1 - BETA_1) * gradient;
      second[i] = BETA_2 * second[i] + (1 - BETA_2) * gradient * gradient;
      const step = (first[i] * firstScale) / (Math.sqrt(second[i] * secondScale) + EPSILON);
      values[i] -= learningRate * (step + WEIGHT_DECAY * values[i]);
    }
  }
}
