import { BATCH, generator, INPUTS, NOISE, normal, squash } from './data.mjs';

/** One hidden layer. Tensors are named, and this is the order in which they are declared. */
export const UNITS = 32;
export const TENSORS = [
  ['hidden_weights', UNITS * INPUTS],
  ['hidden_bias', UNITS],
  ['output_weights', UNITS],
  ['output_bias', 1],
];

const EXPERTS = 8;
const EXPERT_CAPACITY = 12;
const LOG_NORMALISER = 0.9189385332046727 + 0.4054651081081644;

/** Fresh parameters, the same for the same seed. */
export function freshParameters(seed) {
  const next = generator(seed);
  return tensors((name, length) => Float64Array.from({ length }, () => (name.endsWith('bias') ? 0 : normal(next) * 0.3)));
}

/** All-zero tensors of the model's shape. */
export function zeros() {
  return tensors((_name, length) => new Float64Array(length));
}

function tensors(make) {
  return Object.fromEntries(TENSORS.map(([name, length]) => [name, make(name, length)]));
}

/** Loss in nats, its gradients, and the fraction of examples beyond the capacity of their expert. */
export function lossAndGradients(parameters, { inputs, targets }) {
  const gradients = zeros();
  const active = new Float64Array(UNITS);
  const slope = new Float64Array(UNITS);
  const load = new Uint32Array(EXPERTS);
  let squares = 0;
  for (let row = 0; row < BATCH; row += 1) {
    const at = row * INPUTS;
    const predicted = forward(parameters, inputs, at, active, slope);
    const error = predicted - targets[row];
    squares += error * error;
    load[strongest(active) % EXPERTS] += 1;
    backward(parameters, gradients, inputs, at, active, slope, error / (BATCH * NOISE * NOISE));
  }
  const overflow = load.reduce((sum, count) => sum + Math.max(0, count - EXPERT_CAPACITY), 0);
  const crossEntropy = squares / (2 * BATCH * NOISE * NOISE) + LOG_NORMALISER;
  return { loss: crossEntropy, gradients, dropFraction: overflow / BATCH };
}

function forward(parameters, inputs, at, active, slope) {
  let predicted = parameters.output_bias[0];
  for (let unit = 0; unit < UNITS; unit += 1) {
    let sum = parameters.hidden_bias[unit];
    for (let i = 0; i < INPUTS; i += 1) sum += parameters.hidden_weights[unit * INPUTS + i] * inputs[at + i];
    const width = 1 + Math.abs(sum);
    active[unit] = squash(sum);
    slope[unit] = 1 / (width * width);
    predicted += parameters.output_weights[unit] * active[unit];
  }
  return predicted;
}

function backward(parameters, gradients, inputs, at, active, slope, error) {
  gradients.output_bias[0] += error;
  for (let unit = 0; unit < UNITS; unit += 1) {
    gradients.output_weights[unit] += error * active[unit];
    const inner = error * parameters.output_weights[unit] * slope[unit];
    gradients.hidden_bias[unit] += inner;
    for (let i = 0; i < INPUTS; i += 1) gradients.hidden_weights[unit * INPUTS + i] += inner * inputs[at + i];
  }
}

function strongest(active) {
  let best = 0;
  for (let unit = 1; unit < UNITS; unit += 1) if (active[unit] > active[best]) best = unit;
  return best;
}
