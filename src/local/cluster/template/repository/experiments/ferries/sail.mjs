import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beginSave } from '../grug/moe_hero_ep/checkpoints.mjs';
import { batchAt } from '../grug/moe_hero_ep/data.mjs';
import { freshParameters, lossAndGradients } from '../grug/moe_hero_ep/model.mjs';
import { applyUpdate, freshOptimizer } from '../grug/moe_hero_ep/optimizer.mjs';
import { log, reportMetrics, reportPhase, reportSaved } from '../grug/moe_hero_ep/report.mjs';

const STEP_MS = 30;
const BITS_A_NAT = Math.LOG2E;
/** Steps whose batches the training never sees. */
const HELD_OUT = [9_000_001, 9_000_002];

/** Trains a small model from nothing to its last step, evaluates it on the way, and saves it. */
export async function sail({ settings: file, name, lossName }) {
  // Its end means that the machine is gone, and so are we.
  process.stdin.on('end', () => process.exit(143)).resume();
  const settings = read(file);
  const fault = process.env.SIMULATED_FERRY_FAULT;
  if (fault === 'reuse') {
    log('I', `Output of ${name} exists already; nothing to do`);
    process.exit(0);
  }
  reportPhase(0);
  const state = { step: 0, parameters: freshParameters(settings.SEED), optimizer: freshOptimizer() };
  const pace = Number(process.env.SIMULATED_PACE ?? '1');
  reportPhase(1);
  for (; state.step < settings.STEPS; state.step += 1) {
    const { loss, gradients } = lossAndGradients(state.parameters, batchAt(state.step));
    applyUpdate(state.parameters, state.optimizer, gradients, settings.LEARNING_RATE);
    report(state, settings, lossName, loss, fault);
    if (fault === 'crash' && state.step === 10) {
      log('C', 'Fatal error in ferry training loop; RuntimeError: could not read shard 3 of the data cache');
      process.exit(1);
    }
    await new Promise((resolve) => setTimeout(resolve, STEP_MS * pace));
  }
  const save = beginSave(`s3://ferries/${name}/checkpoints`, state, false);
  save.complete();
  reportSaved(save.path, state.step, true);
  reportPhase(2);
  process.exit(0);
}

function report(state, { EVAL_EVERY, STEPS }, lossName, loss, fault) {
  const step = state.step + 1;
  const metrics = { train_loss: { value: loss, unit: 'nats' } };
  if (fault !== 'silent') metrics[lossName] = { value: loss, unit: 'nats' };
  if (fault !== 'silent' && (step % EVAL_EVERY === 0 || step === STEPS)) {
    const held = HELD_OUT.reduce((sum, at) => sum + lossAndGradients(state.parameters, batchAt(at)).loss, 0) / HELD_OUT.length;
    metrics['eval/bpb'] = { value: held * BITS_A_NAT, unit: 'bits' };
  }
  reportMetrics(step, metrics);
}

/** `NAME = number` lines. */
function read(file) {
  const text = readFileSync(join(dirname(fileURLToPath(import.meta.url)), file), 'utf8');
  return Object.fromEntries([...text.matchAll(/^([A-Z_]+) = ([0-9.]+)$/gm)].map(([, key, value]) => [key, Number(value)]));
}
