import { beginSave, newestOf, restore, treesOf } from './checkpoints.mjs';
import { compile } from './compile.mjs';
import { batchAt } from './data.mjs';
import { allToAll } from './exchange.mjs';
import { gradientReducer } from './gradients.mjs';
import { lossAndGradients } from './model.mjs';
import { applyUpdate } from './optimizer.mjs';
import { log, reportMetrics, reportPhase, reportSaved } from './report.mjs';

const FINAL_STEP = 600_000;
const LEARNING_RATE = 0.001;
const SAVE_EVERY = 20;
/** So many steps pass until what was begun to be saved is complete: saving goes on beside the training. */
const SAVE_TAKES = 4;
const PERMANENT_EVERY = 30_000;
const PHASE_EVERY_MS = 10_000;
const COMPUTE_MS = 40;
/** Model FLOPs utilisation, in percent, of a step of the reference duration. */
const REFERENCE = { mfu: 20.5, stepSeconds: 0.15 };

/** Trains until the final step. Resumes the run's own newest checkpoint, else the one it is to be initialised from. */
export async function train({ runId, version, initializeFrom, pace, saveAsked }) {
  reportPhase(0);
  const trees = treesOf(runId, version);
  const own = newestOf(trees);
  const from = own === null ? initializeFrom : own.path;
  log('I', `Loading checkpoint from ${from}`);
  const state = restore(from);
  await pause(500 * pace);
  log('I', `Loaded checkpoint from ${from}`);
  log('I', 'Compiling train_step with XLA');
  await compile(state, pace);
  log('I', `Starting training at step ${state.step}`);

  const run = {
    trees,
    state,
    pace,
    exchange: allToAll(pace),
    reduce: gradientReducer(),
    saveAsked,
    savesPermanentNext: own === null,
    saving: [],
  };
  reportPhase(1);
  let phaseAt = Date.now();
  while (state.step < FINAL_STEP) {
    await trainStep(run);
    if (Date.now() - phaseAt >= PHASE_EVERY_MS) {
      reportPhase(1);
      phaseAt = Date.now();
    }
  }
  for (const save of [...run.saving, beginSave(trees.permanent, state, false)]) completeSave(save);
  reportPhase(2);
}

async function trainStep(run) {
  const { state } = run;
  const { step } = state;
  const startedAt = performance.now();
  const { loss, gradients, dropFraction } = lossAndGradients(state.parameters, batchAt(step));
  const { norm, skipped } = run.reduce(gradients);
  await pause(COMPUTE_MS * run.pace);
  await run.exchange();
  if (!skipped) applyUpdate(state.parameters, state.optimizer, gradients, LEARNING_RATE);
  const seconds = (performance.now() - startedAt) / 1000;

  const metrics = { train_loss: { value: loss, unit: 'nats' }, progress_time_seconds: { value: seconds, unit: 's' } };
  if (step % 10 === 0) Object.assign(metrics, everyTenth({ loss, seconds, dropFraction, norm, skipped, pace: run.pace }));
  reportMetrics(step, metrics);
  if (!Number.isFinite(loss)) throw new Error(`Non-finite loss (${String(loss).toLowerCase()}) at step ${step}.`);

  state.step = step + 1;
  saveIfDue(run);
}

function everyTenth({ loss, seconds, dropFraction, norm, skipped, pace }) {
  return {
    train_cross_entropy_loss: { value: loss, unit: 'nats' },
    throughput_mfu: { value: (REFERENCE.mfu * REFERENCE.stepSeconds * pace) / seconds, unit: 'percent' },
    throughput_duration: { value: seconds, unit: 's' },
    moe_drop_fraction: { value: dropFraction, unit: 'fraction' },
    grad_norm_total: { value: norm, unit: '' },
    memory_peak_gib: { value: 61.4, unit: 'GiB' },
    optim_skipped_step: { value: skipped ? 1 : 0, unit: '' },
  };
}

/** The first save of a run that came from a handoff is permanent: from then on the run stands on its own feet. */
function saveIfDue(run) {
  const { state, trees, saving } = run;
  while (saving.length > 0 && state.step >= saving[0].step + SAVE_TAKES) completeSave(saving.shift());
  const asked = run.saveAsked();
  const due = state.step % SAVE_EVERY === 0;
  if (!asked && !due) return;
  const permanent = asked || run.savesPermanentNext || state.step % PERMANENT_EVERY === 0;
  if (due) run.savesPermanentNext = false;
  saving.push(beginSave(permanent ? trees.permanent : trees.temporary, state, !permanent));
}

function completeSave({ path, step, permanent, complete }) {
  complete();
  log('I', `Saved checkpoint to ${path}`);
  reportSaved(path, step, permanent);
}

function pause(durationMs) {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
