import { FERRY_PROJECT, type FerryRuns } from '../ferries.js';
import type { Switches } from '../switches.js';
import { type Answer, type Call, failed, ok, usageError } from './call.js';
import { parseOptions } from './options.js';

const KEYS = ['eval/paloma/c4_en/bpb', 'eval/bpb', 'eval/uncheatable_eval/bpb'];

/** The daily's analysis script: `--run entity/project/run --format json`. Source: contracts/iris-and-ferries.md 6.3. */
export function analysis(context: { readonly runs: FerryRuns; readonly switches: Switches }, call: Call): Answer {
  const parsed = parseOptions(call.argv, { '--run': 'value', '--format': 'value' });
  if (typeof parsed === 'string') return usageError('daily_analysis.py', parsed);
  const path = parsed.values.get('--run') ?? '';
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (context.switches.isOn('tracker_down')) return failed(`Failed to analyze run: ${path}: The API cannot be reached`);
  const run = context.runs.list(name).find((each) => each.name === name);
  if (!path.startsWith(`${FERRY_PROJECT}/`) || run === undefined) return failed(`Failed to analyze run: ${path}: not found`);
  const metrics = Object.fromEntries(KEYS.map((key) => [key, run.summary[key] ?? null]));
  const report = {
    run_path: path,
    run_name: name,
    run_url: run.url,
    metrics,
    learning_dynamics: { last_step: run.last_step },
    recent_ferries: [],
    analysis_observations: [`trained to step ${run.last_step ?? 'none'}`],
  };
  return ok(`${JSON.stringify(report)}\n`);
}
