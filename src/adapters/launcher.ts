import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Acts, LaunchRecord, Reads } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import type { Deed } from './act.js';
import { checkedDir } from './binding.js';
import { quoted } from './frames.js';
import { readFileAt, readHead } from './git.js';
import type { Outside } from './outside.js';
import { combined, doubtOf, notUnderstood, type Parsed, shortDetail, understood } from './question.js';

/** Source: contracts/iris-and-ferries.md 4.2. */
const PLACEHOLDER = 'REPLACE_BEFORE_DEPLOYMENT';

/**
 * What the launch script of the worktree's HEAD would launch. Read from one commit and not from the files, which may be
 * changed between this look and the launch; that they equal the commit is the worktree's guard.
 */
export async function readLaunchRecord(outside: Outside, { family, dir }: Reads['launch_record']['args']): Promise<Reading<LaunchRecord>> {
  const { launchScript, runIdFile } = outside.familyOf(family).repository;
  const head = await readHead(outside, dir);
  if (head.kind === 'unknown') return head;
  const script = await readFileAt(outside, dir, head.value, launchScript);
  if (script.kind === 'unknown') return script;
  const inline = inlineRunId(script.value);
  const runIdSource = inline === null ? await readFileAt(outside, dir, head.value, runIdFile) : script;
  if (runIdSource.kind === 'unknown') return runIdSource;

  const runId = inline ?? assignedIn(runIdSource.value, 'CURRENT_HERO_RUN_ID', ' = ');
  const handoff = assignedIn(script.value, 'HANDOFF_CHECKPOINT', '=');
  const forkFrom = assignedIn(script.value, 'WANDB_FORK_FROM', '=');
  for (const value of [runId, handoff, forkFrom]) {
    if (value.kind === 'not_understood') return doubtOf(value.why, shortDetail(value.detail, outside.scrub), head, script, runIdSource);
  }
  if (runId.kind !== 'understood' || handoff.kind !== 'understood' || forkFrom.kind !== 'understood') {
    return doubtOf('unparsable', 'the launch record', head, script, runIdSource);
  }
  const values = { [inline === null ? 'CURRENT_HERO_RUN_ID' : 'RUN_ID']: runId, HANDOFF_CHECKPOINT: handoff, WANDB_FORK_FROM: forkFrom };
  const placeholders = Object.entries(values)
    .filter(([, { value }]) => value.includes(PLACEHOLDER))
    .map(([name]) => name);
  const record = { runId: runId.value, handoffCheckpoint: handoff.value, trackerForkFrom: forkFrom.value, placeholders };
  return combined(record, head, script, runIdSource);
}

// The intermediate generation of the script names the run itself, once; the current one asks a file for it, and null
// says so. Source: contracts/iris-and-ferries.md 4.1.
function inlineRunId(script: string): Parsed<string> | null {
  if ([...script.matchAll(/\bRUN_ID=/g)].length !== 1) return null;
  const assigned = assignedIn(script, 'RUN_ID', '=');
  return assigned.kind === 'understood' && assigned.value !== '' ? assigned : null;
}

/** Makes the run's page in the tracker, as the worktree's own script does it. */
export function forkTracker(outside: Outside, { family, dir }: Acts['fork_tracker']): Deed {
  return launchDeed(outside, family, dir, 'fork-wandb');
}

/** Submits the coordinator, as the worktree's own script does it: scripts of old revisions take no argument. */
export function launch(outside: Outside, { family, dir }: Acts['launch']): Deed {
  const path = join(checkedDir(dir), outside.familyOf(family).repository.launchScript);
  return launchDeed(outside, family, dir, takesNoArgument(path) ? null : 'launch');
}

/**
 * The first generation counts its arguments, allows none, and knows nothing of forks. Source:
 * contracts/iris-and-ferries.md 4.1. A script that cannot be read here cannot be run either, whatever it is given.
 */
function takesNoArgument(path: string): boolean {
  let script: string;
  try {
    script = readFileSync(path, 'utf8');
  } catch {
    return false;
  }
  return /\$#|\$\{#/.test(script) && !script.includes('fork-wandb');
}

// Scripts of old revisions leave the user to whoever calls them: it is always named.
function launchDeed(outside: Outside, family: string, dir: string, subCommand: string | null): Deed {
  const { user, repository } = outside.familyOf(family);
  return {
    command: outside.commands.launcher,
    args: [repository.launchScript, ...(subCommand === null ? [] : [subCommand])],
    cwd: checkedDir(dir),
    env: { IRIS_USER: user },
  };
}

// One plain literal at the start of a line, and no second assignment that would win over it.
function assignedIn(source: string, name: string, equals: string): Parsed<string> {
  const assignments = assignmentsOf(source, name);
  const [line = '', ...more] = assignments;
  if (line === '' || more.length > 0) return notUnderstood('unparsable', `${assignments.length} assignments of ${name}`);
  const literal = new RegExp(`^${name}${equals}"([^"\\\\$\`]*)"\\s*$`).exec(line)?.[1];
  return literal === undefined ? notUnderstood('unparsable', `no plain value: ${quoted(line)}`) : understood(literal);
}

/** The lines of a script that give a name a value, or take it away; whatever stands before that on the line. */
export function assignmentsOf(source: string, name: string): readonly string[] {
  const lead = String.raw`(?:^|[;&|({!]|\b(?:then|do|else|if|while|until|export|readonly|declare|local|typeset)\b(?:\s+-\w+)*)\s*`;
  const ways = [
    String.raw`${lead}${name}\s*(?::[^=]*)?\+?=(?!=)`,
    String.raw`${lead}(?:IFS=\S*\s+)?(?:unset|read|mapfile|readarray|printf\s+-v)\b[^;&|]*\b${name}\b`,
    String.raw`\bfor\s+${name}\b`,
    String.raw`\$\{${name}:?=`,
  ];
  const isOne = new RegExp(ways.join('|'));
  return source.split(/\r?\n/).filter((line) => !/^\s*#/.test(line) && isOne.test(line));
}
