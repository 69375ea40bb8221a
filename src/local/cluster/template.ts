import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The changes to the trainer that can be prepared: good ones and bad ones. Each replaces files of the trainer. */
export const Change = z.enum([
  'fast-a2a',
  'silent-hang',
  'nan',
  'garbage-restore',
  'late-shift',
  'noisy-labels',
  'flaky-collective',
  'slow-compile',
]);
export type Change = z.infer<typeof Change>;

/** Commit subject of each change, as its author would put it. Nothing in them tells good from bad. */
export const SUBJECTS: Readonly<Record<Change, string>> = {
  'late-shift': 'Read labels from two shards',
  'noisy-labels': 'Let two readers take turns',
  'flaky-collective': 'Keep the slots of the communicator',
  'slow-compile': 'Compile with every fusion on',
  'fast-a2a': 'Overlap all-to-all rounds over two lanes',
  'silent-hang': 'Overlap all-to-all rounds over two credited lanes',
  nan: 'Pass gradients through single precision with a growing scale',
  'garbage-restore': 'Restore checkpoints from one flat buffer',
};

/** Files of the simulated repository at its first commit. */
export function repositoryTemplate(): string {
  return join(templateRoot(), 'repository');
}

/** Files that a change replaces. */
export function changeTemplate(change: Change): string {
  return join(templateRoot(), 'changes', change);
}

/** The templates are plain files that no compiler copies: they are found from the package's own folder, built or not. */
function templateRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('find the package folder: no package.json above the cluster');
    folder = dirname(folder);
  }
  return join(folder, 'src', 'local', 'cluster', 'template');
}
