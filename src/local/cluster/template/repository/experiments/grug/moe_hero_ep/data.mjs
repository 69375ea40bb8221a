import { noiseScale } from './labels.mjs';

/**
 * Seeded teacher-student data. The batch is decided by the step number alone, so a replayed step sees the same examples.
 * Only additions, multiplications and divisions are used: they give the same bits on each run and each machine.
 */

export const INPUTS = 12;
export const BATCH = 64;
/** Standard deviation of the label noise; the loss is a likelihood under it, so it has a floor of about 1.82 nats. */
export const NOISE = 1.5;

const TEACHER_UNITS = 16;
const TEACHER_SEED = 8506;

/** A small generator of numbers in [0, 1): 32 bits of state, integer arithmetic only. */
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Close to a normal value: the sum of six uniform ones, with variance 1. */
export function normal(next) {
  let sum = 0;
  for (let i = 0; i < 6; i += 1) sum += next();
  return (sum - 3) * Math.SQRT2;
}

/** Bounded like tanh, but made of exact operations only. */
export function squash(value) {
  return value / (1 + Math.abs(value));
}

const teacher = makeTeacher();

function makeTeacher() {
  const next = generator(TEACHER_SEED);
  const hidden = Float64Array.from({ length: TEACHER_UNITS * INPUTS }, () => normal(next));
  const output = Float64Array.from({ length: TEACHER_UNITS }, () => normal(next) * 2);
  return { hidden, output };
}

/** The examples of one step. */
export function batchAt(step) {
  const noise = NOISE * noiseScale(step);
  const next = generator(Math.imul(step + 1, 0x9e3779b1) ^ 0x5bf03635);
  const inputs = new Float64Array(BATCH * INPUTS);
  const targets = new Float64Array(BATCH);
  for (let row = 0; row < BATCH; row += 1) {
    const at = row * INPUTS;
    for (let i = 0; i < INPUTS; i += 1) inputs[at + i] = normal(next);
    let target = 0;
    for (let unit = 0; unit < TEACHER_UNITS; unit += 1) {
      let sum = 0;
      for (let i = 0; i < INPUTS; i += 1) sum += teacher.hidden[unit * INPUTS + i] * inputs[at + i];
      target += teacher.output[unit] * squash(sum);
    }
    targets[row] = target + noise * normal(next);
  }
  return { inputs, targets };
}
