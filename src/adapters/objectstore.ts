import { z } from 'zod';
import type { Checkpoint, Reads } from '../protocol/outside.js';
import type { Known, Reading } from '../protocol/reading.js';
import { checkedRunId, checkedTree } from './binding.js';
import { parseJson, quoted } from './frames.js';
import type { Outside } from './outside.js';
import { combined, notUnderstood, type Parsed, understood } from './question.js';

/** A checkpoint of a large run is thousands of objects. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** S3's own page. A program that forgets to turn it prints exactly this many. */
const STORE_PAGE_KEYS = 1_000;

const Listing = z.array(z.strictObject({ key: z.string().min(1), size: z.number().min(0) }));

/** Source: contracts/iris-and-ferries.md 4.3. */
const Metadata = z.strictObject({ step: z.int().min(0), timestamp: z.string(), is_temporary: z.boolean() });

interface Folder {
  readonly step: number;
  readonly path: string;
  /** Null while the checkpoint is being written: it is the object that is written last. */
  readonly metadataKey: string | null;
}

/**
 * All `step-N` folders of a run's trees, permanent and temporary, by the number of the step. An empty list is an answer;
 * printing nothing is none.
 */
export function readCheckpoints(
  outside: Outside,
  { family, runId }: Reads['checkpoints']['args'],
): Promise<Reading<readonly Checkpoint[]>> {
  const { permanent, temporary } = outside.familyOf(family).checkpoints;
  const trees = [permanent, temporary].filter((tree) => tree !== undefined);
  return readTrees(
    outside,
    trees.map((tree) => tree.replaceAll('{run}', checkedRunId(runId))),
  );
}

/** All `step-N` folders of these trees, each given by its URL. */
export async function readTrees(outside: Outside, trees: readonly string[]): Promise<Reading<readonly Checkpoint[]>> {
  const listed = await Promise.all(trees.map((tree) => listFolders(outside, checkedTree(tree))));
  const described = await Promise.all(listed.map((tree) => (tree.kind === 'unknown' ? tree : describeAll(outside, tree))));
  const [first, ...more] = described;
  if (first === undefined || first.kind === 'unknown') return first ?? Promise.reject(new TypeError('a family has no checkpoint tree'));
  const others: Known<readonly Checkpoint[]>[] = [];
  for (const tree of more) {
    if (tree.kind === 'unknown') return tree;
    others.push(tree);
  }
  const checkpoints = [first, ...others].flatMap((tree) => tree.value);
  return combined(
    checkpoints.toSorted((a, b) => a.step - b.step || (a.path < b.path ? -1 : 1)),
    first,
    ...others,
  );
}

function listFolders(outside: Outside, tree: string): Promise<Reading<readonly Folder[]>> {
  // With its slash, or the tree of `checkpoints-old` would be listed as well.
  const prefix = `${tree.replace(/\/+$/, '')}/`;
  return outside.ask({
    name: 'objectstore list checkpoints',
    command: outside.commands.objectstore,
    args: ['list', prefix],
    outputBytesMax: OUTPUT_BYTES_MAX,
    parse: (stdout) => parseFolders(stdout, prefix),
  });
}

function parseFolders(stdout: string, prefix: string): Parsed<readonly Folder[]> {
  const listing = parseJson(stdout, Listing);
  if (listing.kind === 'not_understood') return listing;
  if (listing.value.length === STORE_PAGE_KEYS) {
    return notUnderstood('truncated', `exactly ${STORE_PAGE_KEYS} objects, which is one page of an object store: there may be more`);
  }
  const folders = new Map<string, Folder>();
  for (const { key } of listing.value) {
    if (!key.startsWith(prefix)) return notUnderstood('inconsistent', `asked for ${prefix}, told of ${quoted(key)}`);
    const inTree = key.slice(prefix.length);
    const [, name = '', digits = '', object = ''] = /^(step-(\d{1,15}))\/(.*)$/.exec(inTree) ?? [];
    // A step in a form that we do not know may be one that is resumed: a tree that holds it is not empty.
    if (name === '' && inTree.startsWith('step')) return notUnderstood('unlisted_state', `in the tree is ${quoted(inTree)}`);
    if (name === '') continue;
    const known = folders.get(name);
    const metadataKey = object === 'metadata.json' ? key : (known?.metadataKey ?? null);
    folders.set(name, { step: Number(digits), path: `${prefix}${name}`, metadataKey });
  }
  return understood([...folders.values()]);
}

async function describeAll(outside: Outside, tree: Known<readonly Folder[]>): Promise<Reading<readonly Checkpoint[]>> {
  const readings = await Promise.all(tree.value.map((folder) => describe(outside, folder, tree)));
  const known: Known<Checkpoint>[] = [];
  for (const reading of readings) {
    if (reading.kind === 'unknown') return reading;
    known.push(reading);
  }
  const checkpoints = known.map((reading) => reading.value);
  const read = known.filter((reading) => reading.value.complete);
  return combined(checkpoints, tree, ...read);
}

async function describe(outside: Outside, { step, path, metadataKey }: Folder, tree: Known<unknown>): Promise<Reading<Checkpoint>> {
  if (metadataKey === null) return { ...tree, value: { step, path, complete: false, permanent: false, recordedStep: null } };
  const metadata = await outside.ask({
    name: `objectstore read step-${step} metadata`,
    command: outside.commands.objectstore,
    args: ['read', metadataKey],
    parse: (stdout) => parseJson(stdout, Metadata),
  });
  if (metadata.kind === 'unknown') return metadata;
  const { is_temporary: isTemporary, step: recordedStep } = metadata.value;
  return { ...metadata, value: { step, path, complete: true, permanent: isTemporary === false, recordedStep } };
}
