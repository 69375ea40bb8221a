import { FERRY_PROJECT, type FerryRuns } from '../ferries.js';
import type { Switches } from '../switches.js';
import type { Tracker } from '../tracker.js';
import { type Answer, type Call, failed, ok, traceback, usageError } from './call.js';
import { parseOptions } from './options.js';

/** `tracker show PATH`, `tracker runs PROJECT BEGINNING`, `tracker report …` and `tracker fork PATH --from PARENT?_step=K --config KEY VALUE …`. */
export function tracker(
  context: { readonly tracker: Tracker; readonly ferries: FerryRuns; readonly switches: Switches },
  call: Call,
): Answer {
  if (call.argv[0] === 'report') return report(context, call.argv.slice(1));
  const parsed = parseOptions(call.argv, { '--from': 'value', '--config': 'pair' });
  if (typeof parsed === 'string') return usageError('tracker', parsed);
  const [command, path, ...more] = parsed.rest;
  if (command === 'runs' && path !== undefined && more.length === 1) {
    if (context.switches.isOn('tracker_down')) return traceback('wandb.errors.CommError: The API cannot be reached');
    return ok(`${JSON.stringify(path === FERRY_PROJECT ? context.ferries.list(more[0] ?? '') : [])}\n`);
  }
  if (path === undefined || !/^[^/\s]+\/[^/\s]+\/[^/\s]+$/.test(path)) return usageError('tracker', 'expected <entity>/<project>/<run>');
  if (context.switches.isOn('tracker_down')) return traceback('wandb.errors.CommError: The API cannot be reached');
  if (command === 'show') {
    const run = context.tracker.show(path);
    return ok(`${JSON.stringify(run === null ? { exists: false } : { exists: true, config: run.config, last_step: run.lastStep })}\n`);
  }
  const from = parsed.values.get('--from');
  if (command !== 'fork' || from === undefined || more.length % 2 !== 0) return usageError('tracker', 'expected show, or fork with --from');
  const pairs = [...(parsed.pairs.get('--config') ?? [])];
  for (let at = 0; at < more.length; at += 2) pairs.push([more[at] ?? '', more[at + 1] ?? '']);
  if (context.tracker.show(path) !== null) return failed(`run ${path} exists already`);
  if (!context.tracker.fork(path, from, Object.fromEntries(pairs))) return failed(`no such run to fork from: ${from}`);
  return ok(`${path}\n`);
}

/** `tracker report show PROJECT --title T` and `tracker report create PROJECT --title T --run-set RUN … --from N --to M --panel METRIC …`. */
function report(context: { readonly tracker: Tracker; readonly switches: Switches }, argv: readonly string[]): Answer {
  const [command, project = '', ...options] = argv;
  const given = (name: string): readonly string[] => options.flatMap((option, at) => (option === name ? (options[at + 1] ?? '') : []));
  const [title] = given('--title');
  if (!/^[^/\s]+\/[^/\s]+$/.test(project) || title === undefined)
    return usageError('tracker report', 'expected <entity>/<project> --title TITLE');
  if (context.switches.isOn('tracker_down')) return traceback('wandb.errors.CommError: The API cannot be reached');
  if (command === 'show') {
    const found = context.tracker.report(project, title);
    return ok(`${JSON.stringify(found === null ? { exists: false } : { exists: true, url: found.url })}\n`);
  }
  const [runSets, panels] = [given('--run-set'), given('--panel')];
  const [from, to] = [given('--from')[0], given('--to')[0]].map(Number);
  if (command !== 'create' || runSets.length !== 2 || panels.length === 0 || !Number.isInteger(from) || !Number.isInteger(to))
    return usageError('tracker report', 'expected show, or create with two --run-set, --from, --to and --panel');
  return ok(`${context.tracker.createReport(project, title, { runSets, from, to, panels })}\n`);
}
