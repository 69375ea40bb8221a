import { doubtWords } from '../doubt.js';
import { isTerminal } from '../outside.js';
import { answer, evidenceOf, need } from '../read.js';
import type { Need, Readings } from '../table.js';
import type { HeroView } from './facts.js';
import { type HeroMemory, noteStep, streak, twice } from './memory.js';

/**
 * Gone = a terminal state seen twice *and* a witness: no pod of the job or its children, seen twice. A row that aged
 * out is only absent: with no pods and stopped steps it needs a person's word (`declare_gone`).
 */
export interface Gone {
  readonly kind: 'gone' | 'live' | 'unclear';
  readonly sentence: string;
  readonly memory: HeroMemory;
  readonly evidence: readonly string[];
  readonly lastStep: number | null;
}

export function goneNeeds(view: HeroView, jobId: string, runId: string): readonly Need[] {
  const { family } = view.plan;
  return [
    need('job', 'job_state', { family, jobId }),
    need('pods', 'pods', { family, jobId }),
    need('steps', 'last_step', { family, runId, sinceMs: 0 }),
  ];
}

export function assessGone(view: HeroView, readings: Readings, memory: HeroMemory, jobId: string, runId: string, now: Date): Gone {
  const job = answer(readings, 'job_state', 'job');
  const pods = answer(readings, 'pods', 'pods');
  const steps = answer(readings, 'last_step', 'steps');

  const terminal = job?.kind === 'known' && job.value !== 'absent' && isTerminal(job.value);
  const podless = pods?.kind === 'known' && pods.value.length === 0;
  let next = streak(memory, 'terminal', job, terminal);
  next = streak(next, 'podless', pods, podless);
  const lastStep = steps?.kind === 'known' ? steps.value.step : null;
  if (lastStep !== null) next = noteStep(next, runId, lastStep, '', now);
  const base = { memory: next, evidence: evidenceOf(job, pods, steps), lastStep };

  const declared = view.facts.declaredGone?.jobId === jobId ? view.facts.declaredGone : null;
  if (declared !== null) return { ...base, kind: 'gone', sentence: `${jobId} was declared gone by ${declared.by}` };
  if (twice(next, 'terminal') && twice(next, 'podless')) {
    return { ...base, kind: 'gone', sentence: `${jobId} is ${job?.kind === 'known' ? job.value : ''} and has no pods, each seen twice` };
  }
  if (job?.kind === 'known' && job.value !== 'absent' && !isTerminal(job.value)) {
    return { ...base, kind: 'live', sentence: `${jobId} is still ${job.value}` };
  }
  return { ...base, kind: 'unclear', sentence: doubt(jobId, job, pods) };
}

function doubt(jobId: string, job: ReturnType<typeof answer<'job_state'>>, pods: ReturnType<typeof answer<'pods'>>): string {
  if (job === undefined || job.kind === 'unknown')
    return `the state of ${jobId} could not be read (${job === undefined ? 'not read yet' : doubtWords(job.why)})`;
  if (job.value === 'absent') return `the scheduler has no row of ${jobId}: it may have aged out, which proves nothing`;
  if (pods === undefined || pods.kind === 'unknown')
    return `${jobId} is ${job.value}, its pods could not be read (${pods === undefined ? 'not read yet' : doubtWords(pods.why)})`;
  const running = pods.value.filter(({ phase, terminating }) => phase === 'Running' && !terminating).length;
  return pods.value.length > 0
    ? `${jobId} is ${job.value}, but ${pods.value.length} pods are not gone (${running} running): ${pods.value
        .slice(0, 3)
        .map(({ name }) => name)
        .join(', ')}`
    : `${jobId} is ${job.value} without pods, seen once so far`;
}
