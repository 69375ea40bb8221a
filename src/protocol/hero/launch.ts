import { doubtWords } from '../doubt.js';
import { isTerminal } from '../outside.js';
import { answer, evidenceOf, need } from '../read.js';
import type { Need, Readings } from '../table.js';
import type { HeroView } from './facts.js';
import { type HeroMemory, streak, twice } from './memory.js';
import { actIsOver, coordinatorsNeed } from './watcher.js';

/**
 * What became of a submit. Its exit code and its words prove nothing: exactly one live coordinator of that run id
 * does. None counts as none only when the submit's own processes are gone and two readings agree.
 */
export interface Launch {
  readonly kind: 'once' | 'absent' | 'two' | 'unclear';
  readonly jobId: string | null;
  readonly sentence: string;
  readonly memory: HeroMemory;
  readonly evidence: readonly string[];
}

export function launchNeeds(view: HeroView, effect: 'launch_new' | 'launch_old'): readonly Need[] {
  const named = view.intent?.effect === effect ? view.intent.jobId : null;
  const { family } = view.plan;
  return [coordinatorsNeed(view), ...(named === null ? [] : [need('named_job', 'job_state', { family, jobId: named })])];
}

export function assessLaunch(
  view: HeroView,
  readings: Readings,
  memory: HeroMemory,
  runId: string,
  effect: 'launch_new' | 'launch_old',
): Launch {
  const reading = answer(readings, 'coordinators', 'coordinators');
  const named = answer(readings, 'job_state', 'named_job');
  const live = reading?.kind === 'known' ? reading.value.filter((found) => found.runId === runId && !isTerminal(found.state)) : [];
  const over = actIsOver(view, effect);
  let next = streak(memory, 'absent', over ? reading : undefined, live.length === 0);
  next = streak(next, 'two', reading, live.length > 1);
  const base = { memory: next, evidence: evidenceOf(reading, named) };
  const report = reportOf(view, effect);

  const [only] = live;
  if (live.length > 1) {
    const sentence = `${live.length} coordinators of ${runId} are live: ${live.map(({ jobId }) => jobId).join(', ')}`;
    return { ...base, kind: twice(next, 'two') ? 'two' : 'unclear', jobId: null, sentence };
  }
  if (only !== undefined && over)
    return { ...base, kind: 'once', jobId: only.jobId, sentence: `exactly one live coordinator: ${only.jobId}${report}` };
  if (only !== undefined)
    return { ...base, kind: 'unclear', jobId: only.jobId, sentence: `${only.jobId} is live, the submit has not ended yet` };

  const namedJob = view.intent?.jobId ?? null;
  if (over && namedJob !== null && named?.kind === 'known' && named.value !== 'absent' && isTerminal(named.value)) {
    return { ...base, kind: 'once', jobId: namedJob, sentence: `${namedJob} was accepted and is already ${named.value}` };
  }
  if (twice(next, 'absent'))
    return { ...base, kind: 'absent', jobId: null, sentence: `no coordinator of ${runId} is live, seen twice${report}` };
  return {
    ...base,
    kind: 'unclear',
    jobId: null,
    sentence: reading?.kind === 'unknown' ? `coordinators could not be read (${doubtWords(reading.why)})` : 'not proven yet',
  };
}

/** When the submit was put on file: what the run did since then counts, however late we learn of it. */
export function submittedAt(view: HeroView, effect: 'launch_new' | 'launch_old', now: Date): string {
  return (view.intent?.effect === effect ? view.intent.recordedAt : now).toISOString();
}

function reportOf(view: HeroView, effect: string): string {
  const { intent } = view;
  if (intent === null || intent.effect !== effect) return '';
  if (intent.stage === 'expired') return '; the submit was never started';
  return intent.problem === null ? '' : `; the submit itself reported a problem: ${intent.problem}`;
}
