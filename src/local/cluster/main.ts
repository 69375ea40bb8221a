import { z } from 'zod';
import { startCluster } from './cluster.js';

/** The cluster as a process of its own: options as one JSON argument, one JSON line when ready, ends on SIGTERM or with its parent. */
const Options = z.strictObject({
  home: z.string().min(1),
  pace: z.number().positive().exactOptional(),
  retentionSeconds: z.number().positive().exactOptional(),
  slowReplySeconds: z.number().positive().exactOptional(),
  gangTasks: z.int().positive().exactOptional(),
  github: z.strictObject({ apiUrl: z.url(), token: z.string(), repository: z.string(), issue: z.int() }).exactOptional(),
});

const PARENT_CHECK_MS = 500;

const parent = process.ppid;
const options = Options.safeParse(JSON.parse(process.argv[2] ?? '{}'));
if (!options.success) {
  process.stderr.write(`cluster options: ${z.prettifyError(options.error)}\n`);
  process.exit(2);
}
// A parent that was killed could not say so: its child is then handed to another process. Trainers end with this one.
const watch = setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, PARENT_CHECK_MS);
const cluster = await startCluster(options.data);
clearInterval(watch);
let stopping = false;

async function end(): Promise<void> {
  if (stopping) return;
  stopping = true;
  await cluster.stop();
  process.exit(0);
}

process.once('SIGTERM', () => void end());
process.once('SIGINT', () => void end());
setInterval(() => {
  if (process.ppid !== parent) void end();
}, PARENT_CHECK_MS);

const { controlUrl, token, bin, origin, deployWorktree, rollbackWorktree, lanesWorktree, database } = cluster;
process.stdout.write(`${JSON.stringify({ controlUrl, token, bin, origin, deployWorktree, rollbackWorktree, lanesWorktree, database })}\n`);
