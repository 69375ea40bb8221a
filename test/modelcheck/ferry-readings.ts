import type { FerryJob, TrackedRun } from '../../src/protocol/ferry/outside.js';
import type { FerryPlan } from '../../src/protocol/ferry/plan.js';
import type { Reading } from '../../src/protocol/reading.js';
import type { Need } from '../../src/protocol/table.js';
import { LAUNCH_COMMIT } from '../support/ferry-plan.js';
import { type FerryNode, JOB, NOW, OTHER_JOB, runName, TAGGED_BY_OTHERS, TAGGED_BY_US } from './ferry-node.js';

/** What the needs of a state would be answered in this node; `nth` tells two looks apart. */
export function ferryReadings(
  node: FerryNode,
  plan: FerryPlan,
  needs: readonly Need[],
  silent: ReadonlySet<string>,
  nth: 1 | 2,
): Record<string, Reading<unknown>> {
  const readings: Record<string, Reading<unknown>> = {};
  for (const need of needs) {
    const base = { source: need.verb, readAt: new Date(NOW.getTime() + nth) };
    readings[need.name] = silent.has(need.verb)
      ? { ...base, kind: 'unknown', why: 'timed_out', detail: '' }
      : { ...base, kind: 'known', value: answer(node, plan, need) };
  }
  return readings;
}

function answer(node: FerryNode, plan: FerryPlan, { verb, name }: Need): unknown {
  switch (verb) {
    case 'entitled':
      return node.clearerGone ? 'deactivated' : 'member';
    case 'lane_tree':
      return { head: LAUNCH_COMMIT, dirty: [], pushed: true, hasFile: true, delta: [], commits: [] };
    case 'ferry_jobs':
      return jobs(node);
    case 'ferry_runs':
      return runs(node, plan);
    case 'ferry_artefacts':
      return { step: node.evidence === 'lacking' ? null : 200 };
    case 'ferry_analysis':
      return { metrics: {}, observations: [] };
    case 'job_logs':
      return ['Traceback'];
    case 'marked_issue': {
      const there = name === 'run_issue' ? node.issue : node.reported;
      return there ? { number: 100, url: 'https://github/100', open: true } : null;
    }
    case 'issue':
      return { number: 7, url: 'https://github/7', open: node.failureIssue === 'open' };
    case 'marked_comment':
      return node.reported ? { url: 'https://github/c' } : null;
    case 'remote_tag':
      return { commit: { none: null, ours: TAGGED_BY_US, elsewhere: TAGGED_BY_OTHERS }[node.tag] };
    case 'ferry_log':
      return {
        baseHead: 'a'.repeat(40),
        branch: node.branch
          ? { fileSha: 'f0', text: node.entry ? `## Runs\n\n${runName(plan)} ferry/daily/20261130/${runName(plan)}` : '## Runs\n' }
          : null,
      };
    case 'ferry_pull': {
      if (node.pull === 'none') return null;
      const log = plan.seal?.log ?? '';
      const files = node.pull === 'more_files' ? [log, 'src/other.py'] : [log];
      return {
        number: 900,
        url: 'https://github/900',
        open: true,
        files,
        labels: node.pull === 'labelled' ? (plan.seal?.labels ?? []) : [],
      };
    }
    default:
      throw new Error(`the model does not answer ${verb}`);
  }
}

function jobs(node: FerryNode): readonly FerryJob[] {
  const at = NOW.getTime() - 500_000;
  const base = { submittedAtMs: at, error: null };
  const twin: readonly FerryJob[] = node.twin ? [{ ...base, jobId: OTHER_JOB, state: 'running', grantedAtMs: at, finishedAtMs: null }] : [];
  if (node.job === 'none' || node.job === 'aged') return twin;
  const state = node.job === 'queued' ? 'pending' : node.job;
  const over = state !== 'pending' && state !== 'running';
  return [
    { ...base, jobId: JOB, state, grantedAtMs: node.job === 'queued' ? null : at, finishedAtMs: over ? NOW.getTime() - 1_000 : null },
    ...twin,
  ];
}

function runs(node: FerryNode, plan: FerryPlan): readonly TrackedRun[] {
  if (node.evidence === 'none') return [];
  const value = node.evidence === 'fails' ? 99 : 1;
  const summary = node.evidence === 'lacking' ? {} : Object.fromEntries(Object.keys(plan.evidence.metrics).map((key) => [key, value]));
  return [
    {
      name: runName(plan),
      url: 'https://tracker',
      state: 'finished',
      startedAtMs: NOW.getTime() - 400_000,
      updatedAtMs: NOW.getTime() - 1_000,
      lastStep: 200,
      summary,
    },
  ];
}
