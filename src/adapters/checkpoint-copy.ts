import { z } from 'zod';
import type { CheckpointCopy, Reads } from '../protocol/outside.js';
import type { Known, Reading } from '../protocol/reading.js';
import { UnsafeArgumentError } from './binding.js';
import { parseJson, quoted } from './frames.js';
import type { Outside } from './outside.js';
import { combined, doubtOf, notUnderstood, type Parsed, understood } from './question.js';

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const DIFFERENT_MAX = 20;

/** The one object that may differ: a copy that is to stay says so in it. */
const METADATA = 'metadata.json';

const Listing = z.array(z.strictObject({ key: z.string().min(1), size: z.number().min(0) }));

type Objects = ReadonlyMap<string, number>;

/** Whether a copy of a checkpoint holds every object of it, by name and size, and its own `metadata.json`. */
export async function readCheckpointCopy(
  outside: Outside,
  { from, copy }: Reads['checkpoint_copy']['args'],
): Promise<Reading<CheckpointCopy>> {
  const [original, second] = await Promise.all([list(outside, from), list(outside, copy)]);
  if (original.kind === 'unknown') return original;
  if (second.kind === 'unknown') return second;
  if (!original.value.has(METADATA)) return doubtOf('inconsistent', `${from} itself has no ${METADATA}`, original, second);
  return combined({ objects: original.value.size, different: differenceOf(original, second) }, original, second);
}

function differenceOf(original: Known<Objects>, copy: Known<Objects>): readonly string[] {
  const different = [...original.value].filter(([name, size]) =>
    name === METADATA ? !copy.value.has(name) : copy.value.get(name) !== size,
  );
  return different.map(([name]) => name).slice(0, DIFFERENT_MAX);
}

function list(outside: Outside, folder: string): Promise<Reading<Objects>> {
  if (!/^[a-z][a-z0-9]{0,9}:\/\/[A-Za-z0-9][A-Za-z0-9_./=+-]{0,900}$/.test(folder)) {
    throw new UnsafeArgumentError(`check checkpoint path: ${JSON.stringify(folder.slice(0, 80))}`);
  }
  const prefix = `${folder.replace(/\/+$/, '')}/`;
  return outside.ask({
    name: 'objectstore list copy',
    command: outside.commands.objectstore,
    args: ['list', prefix],
    outputBytesMax: OUTPUT_BYTES_MAX,
    parse: (stdout) => parseObjects(stdout, prefix),
  });
}

function parseObjects(stdout: string, prefix: string): Parsed<Objects> {
  const listing = parseJson(stdout, Listing);
  if (listing.kind === 'not_understood') return listing;
  const objects = new Map<string, number>();
  for (const { key, size } of listing.value) {
    if (!key.startsWith(prefix)) return notUnderstood('inconsistent', `asked for ${prefix}, told of ${quoted(key)}`);
    objects.set(key.slice(prefix.length), size);
  }
  return understood(objects);
}
