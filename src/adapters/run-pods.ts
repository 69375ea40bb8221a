import type { Pod } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import { checkedRunId } from './binding.js';
import { podNamed, readablePart, trimmed } from './job-name.js';
import { askPods } from './kubernetes.js';
import type { Outside } from './outside.js';

/**
 * The pods of every coordinator of a run and of their children, in whoever's namespace: those of a run that died, whose
 * job ids nobody has any more, too. Source: contracts/iris-and-ferries.md 2 and 9.9.
 */
export function readRunPods(
  outside: Outside,
  { family, runId }: { readonly family: string; readonly runId: string },
): Promise<Reading<readonly Pod[]>> {
  checkedRunId(runId);
  return askPods(outside, family, (name, label) => (label === undefined ? isPodNameOfRun(name, runId) : isLabelOfRun(label, runId)));
}

/** `<user>.<run>-coord…`; a user, and a run, may hold a `.` too. A cut label that may be one is meant as well. */
export function isLabelOfRun(label: string, runId: string): boolean {
  return holdsCoordinator(trimmed(label), `${runId}-coord`, '.');
}

/** `iris-<user>-<run>-coord…`, or without the first two, made of small letters, digits and single hyphens; cut. */
export function isPodNameOfRun(name: string, runId: string): boolean {
  return holdsCoordinator(readablePart(name), podNamed(`${runId}-coord`), '-');
}

// A label or a pod's readable part that is shorter than this was not cut: the limit is 63, less the hash and the attempt.
const CUT_CHARS_MIN = 40;

function holdsCoordinator(text: string, lead: string, boundary: string): boolean {
  for (let at = 0; at !== -1; at = after(text, boundary, at)) {
    const rest = text.slice(at);
    if (rest === lead || rest.startsWith(`${lead}-`) || rest.startsWith(`${lead}.`)) return true;
    if (text.length >= CUT_CHARS_MIN && rest !== '' && lead.startsWith(rest)) return true;
  }
  return false;
}

function after(text: string, boundary: string, at: number): number {
  const found = text.indexOf(boundary, at);
  return found === -1 ? -1 : found + 1;
}
