import { restoreTensors } from './restore.mjs';
import { listFolder, readObject, removeFolder, writeObject } from './store.mjs';

const TEMPORARY_KEPT = 2;

/** The two trees of a run. */
export function treesOf(runId, version) {
  const path = `grug/${runId}/${version}/checkpoints`;
  return { permanent: `s3://hero/${path}`, temporary: `s3://hero-checkpoints/tmp/ttl=14d/checkpoints-temp/hero/marin/${path}` };
}

/** Complete checkpoints of a tree, oldest first. Names are compared as numbers: step-9000 is older than step-54000. */
export function completeIn(tree) {
  return listFolder(tree)
    .map((name) => /^step-(\d+)$/.exec(name))
    .filter((match) => match !== null && readObject(`${tree}/${match[0]}/metadata.json`) !== null)
    .map((match) => ({ step: Number(match[1]), path: `${tree}/${match[0]}` }))
    .sort((a, b) => a.step - b.step);
}

/** The run's own newest checkpoint, permanent or temporary, or null. */
export function newestOf(trees) {
  const all = [...completeIn(trees.temporary), ...completeIn(trees.permanent)].sort((a, b) => a.step - b.step);
  return all.at(-1) ?? null;
}

/** Parameters, optimizer and data position of a complete checkpoint. Throws when it is not complete. */
export function restore(path) {
  const metadata = readJson(`${path}/metadata.json`);
  const optimizer = readJson(`${path}/optimizer.json`);
  const { next_step: step } = readJson(`${path}/data.json`);
  if (metadata.step !== step) throw new Error(`checkpoint ${path} records step ${metadata.step} but its data stands at ${step}`);
  return {
    step,
    parameters: restoreTensors(readJson(`${path}/params.json`)),
    optimizer: {
      first: restoreTensors(optimizer.first),
      second: restoreTensors(optimizer.second),
      correction: optimizer.correction,
    },
  };
}

function readJson(url) {
  const text = readObject(url);
  if (text === null) throw new Error(`FileNotFoundError: ${url}`);
  return JSON.parse(text);
}

/**
 * Begins to save `step-N`: what is to be kept is taken down at once, since training goes on over it, and its data is
 * written. It is complete only when the returned `complete` has written `metadata.json`, whose presence says so.
 */
export function beginSave(tree, state, isTemporary) {
  const { step } = state;
  const path = `${tree}/step-${step}`;
  writeObject(`${path}/params.json`, JSON.stringify(arrays(state.parameters)));
  const { first, second, correction } = state.optimizer;
  writeObject(`${path}/optimizer.json`, JSON.stringify({ first: arrays(first), second: arrays(second), correction }));
  writeObject(`${path}/data.json`, JSON.stringify({ next_step: step }));
  const complete = () => {
    const metadata = { step, timestamp: new Date().toISOString(), is_temporary: isTemporary };
    writeObject(`${path}/metadata.json`, JSON.stringify(metadata));
    if (isTemporary) for (const old of completeIn(tree).slice(0, -TEMPORARY_KEPT)) removeFolder(old.path);
  };
  return { path, step, permanent: !isTemporary, complete };
}

function arrays(tensors) {
  return Object.fromEntries(Object.entries(tensors).map(([name, values]) => [name, Array.from(values)]));
}
