import { answer, evidenceOf, need } from '../read.js';
import type { Readings } from '../table.js';
import { markerKey } from './effects.js';
import type { FerryView } from './facts.js';
import { streak, twice } from './memory.js';
import { allActsOver, type FerryProposal, type FerryWatcher, nothing, one, settle } from './watcher.js';

function issueNeed(view: FerryView) {
  const { lane, labels } = view.plan;
  return need('run_issue', 'marked_issue', { lane, key: markerKey(view, 'issue'), labels: labels.proposal });
}

function filed(readings: Readings): FerryProposal | null {
  const reading = answer(readings, 'marked_issue', 'run_issue');
  if (reading?.kind !== 'known' || reading.value === null) return null;
  const { number, url } = reading.value;
  return {
    on: 'issue_filed',
    facts: { runIssue: { number, url } },
    details: { sentence: `it stands in issue ${number}`, number, url },
    evidence: evidenceOf(reading),
  };
}

/** A canary is proposed as it is. A daily's proposal is looked for in its run issue, and filed when it is not there. */
export const draft: FerryWatcher = {
  needs: (view) => (view.plan.kind === 'daily' ? [issueNeed(view)] : []),
  watch: (view, readings, memory) => {
    if (view.plan.kind === 'canary') return one(memory, { on: 'proposed' });
    const there = filed(readings);
    if (there !== null) return one(memory, there);
    const next = streak(memory, 'absent', allActsOver(view) ? answer(readings, 'marked_issue', 'run_issue') : undefined, true);
    return twice(next, 'absent') ? one(next, { on: 'issue_missing' }) : nothing(next);
  },
};

export const filing: FerryWatcher = {
  needs: (view) => [issueNeed(view)],
  watch: (view, readings, memory, now) =>
    settle(
      { view, memory, now },
      {
        effect: 'file_issue',
        reading: answer(readings, 'marked_issue', 'run_issue'),
        done: filed(readings),
        absent: { on: 'issue_absent', details: { sentence: 'no issue of ours with the marker is listed, seen twice' } },
        unknown: { on: 'issue_unknown', details: { sentence: 'whether the proposal stands in an issue is not known' } },
        limitSeconds: view.plan.limits.launchSeconds,
      },
    ),
};
