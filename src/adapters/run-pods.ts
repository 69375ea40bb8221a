import type { Pod, Reads } from '../protocol/outside.js';
import type { Reading } from '../protocol/reading.js';
import { checkedRunId } from './binding.js';
import { askPods } from './kubernetes.js';
import type { Outside } from './outside.js';

/** Labels are cut at 63 characters, and what a cut leaves at their end may be trimmed. */
const CUT_LABEL_CHARS_MIN = 60;

/**
 * The pods of every coordinator of a run and of their children, in whoever's namespace: those of a run that died, whose
 * job ids nobody has any more, too. Source: contracts/iris-and-ferries.md 2 and 9.9.
 */
export function readRunPods(outside: Outside, { family, runId }: Reads['run_pods']['args']): Promise<Reading<readonly Pod[]>> {
  checkedRunId(runId);
  return askPods(outside, family, (name, label) => (label === undefined ? isPodNameOfRun(name, runId) : isLabelOfRun(label, runId)));
}

/** `<user>.<run>-coord…`; a user, and a run, may hold a `.` too. */
export function isLabelOfRun(label: string, runId: string): boolean {
  const coordinator = `${runId}-coord`;
  for (let dot = label.indexOf('.'); dot !== -1; dot = label.indexOf('.', dot + 1)) {
    const tail = label.slice(dot + 1);
    if (tail === coordinator || tail.startsWith(`${coordinator}-`) || tail.startsWith(`${coordinator}.`)) return true;
  }
  const rest = label.slice(label.indexOf('.') + 1);
  return label.length >= CUT_LABEL_CHARS_MIN && coordinator.startsWith(rest);
}

/** `iris-<user>-<run>-coord…`, made of small letters, digits and single hyphens, cut, then `-<hash>-<attempt>`. */
export function isPodNameOfRun(name: string, runId: string): boolean {
  const readable = name.replace(/-[0-9a-f]{8}-\d+$/, '');
  const coordinator = `${runId}-coord`
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '-')
    .replace(/-+/g, '-');
  const rest = readable.replace(/^iris-/, '');
  if (readable.endsWith(`-${coordinator}`) || readable.includes(`-${coordinator}-`)) return true;
  const at = rest.indexOf('-hero-');
  return at !== -1 && coordinator.startsWith(rest.slice(at + 1));
}
