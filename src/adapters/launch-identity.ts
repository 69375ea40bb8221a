import type { LaunchIdentity, Reads } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import { quoted } from './frames.js';
import { readFileAt, readHead } from './git.js';
import { assignmentsOf } from './launcher.js';
import type { Outside } from './outside.js';
import { combined, doubtOf, notUnderstood, type Parsed, shortDetail, understood } from './question.js';

/** Scripts name the project by itself, or with its entity in front. */
const PROJECTS = ['WANDB_PROJECT', 'TRACKER_PROJECT'] as const;

/**
 * Under whose name, and into which tracker project, the launch script of a worktree's HEAD would launch. Old scripts
 * say neither and leave it to their caller. Source: contracts/iris-and-ferries.md 4.1.
 */
export async function readLaunchIdentity(
  outside: Outside,
  { family, dir }: Reads['launch_identity']['args'],
): Promise<Reading<LaunchIdentity>> {
  const head = await readHead(outside, dir);
  if (head.kind === 'unknown') return head;
  const { repository, user: given } = outside.familyOf(family);
  const script = await readFileAt(outside, dir, head.value, repository.launchScript);
  if (script.kind === 'unknown') return script;
  const user = plainValue(script.value, ['IRIS_USER']);
  const project = plainValue(script.value, PROJECTS);
  for (const value of [user, project]) {
    if (value.kind === 'not_understood') return doubtOf(value.why, shortDetail(value.detail, outside.scrub), head, script);
  }
  if (user.kind !== 'understood' || project.kind !== 'understood') return doubtOf('unparsable', 'the launch script', head, script);
  return combined({ user: user.value ?? given, project: project.value }, head, script);
}

// The name may be set more than once, as long as it says the same: what wins at a launch must not depend on the path taken.
function plainValue(source: string, names: readonly string[]): Parsed<string | null> {
  const values = new Set<string>();
  for (const line of names.flatMap((name) => assignmentsOf(source, name))) {
    const value = /=\s*(["']?)([A-Za-z0-9_./-]+)\1\s*(?:#.*)?$/.exec(line)?.[2];
    if (value === undefined) return notUnderstood('unparsable', `no plain value: ${quoted(line)}`);
    values.add(value.split('/').at(-1) ?? value);
  }
  const [only, ...more] = values;
  return more.length > 0
    ? notUnderstood('inconsistent', `${names.join(' or ')} is set to ${[...values].join(' and ')}`)
    : understood(only ?? null);
}
