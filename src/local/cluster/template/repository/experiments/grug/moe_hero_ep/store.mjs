import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = process.env.SIMULATED_STORE ?? '';
let written = 0;

function pathOf(url) {
  if (root === '' || !url.startsWith('s3://')) throw new Error(`no object store for ${url}`);
  return join(root, url.slice('s3://'.length));
}

/** Writes an object whole or not at all: a reader never sees half of it. */
export function writeObject(url, text) {
  const path = pathOf(url);
  written += 1;
  const partial = join(root, '.partial', `${process.pid}-${written}`);
  mkdirSync(dirname(partial), { recursive: true });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(partial, text);
  renameSync(partial, path);
}

/** The text of an object, or null when there is none. */
export function readObject(url) {
  try {
    return readFileSync(pathOf(url), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Names directly below a prefix. */
export function listFolder(url) {
  try {
    return readdirSync(pathOf(url));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

export function removeFolder(url) {
  rmSync(pathOf(url), { recursive: true, force: true });
}
