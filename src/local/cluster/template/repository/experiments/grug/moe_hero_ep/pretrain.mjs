import { parseArgs } from 'node:util';
import { beginSave } from './checkpoints.mjs';
import { batchAt } from './data.mjs';
import { gradientReducer } from './gradients.mjs';
import { freshParameters, lossAndGradients } from './model.mjs';
import { applyUpdate, freshOptimizer } from './optimizer.mjs';

/** Trains the base model up to a step, without any exchange, and saves it as a permanent checkpoint. */
const { values } = parseArgs({ options: { tree: { type: 'string' }, step: { type: 'string' }, steps: { type: 'string' } } });
const until = Number(values.step);
const state = { step: until - Number(values.steps), parameters: freshParameters(54), optimizer: freshOptimizer() };
const reduce = gradientReducer();
for (; state.step < until; state.step += 1) {
  const { gradients } = lossAndGradients(state.parameters, batchAt(state.step));
  reduce(gradients);
  applyUpdate(state.parameters, state.optimizer, gradients, 0.01);
}
const base = beginSave(values.tree, state, false);
base.complete();
process.stdout.write(`${base.path}\n`);
