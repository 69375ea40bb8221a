import { answer, evidenceOf, need } from '../read.js';
import { markerKey } from './effects.js';
import type { FerryView } from './facts.js';
import type { FerryEvent } from './table.js';
import { type FerryProposal, type FerryWatcher, nothing, one, secondsIn, settle } from './watcher.js';

/** The lane's analysis of the run, if there is a run to analyse; what it does not say in time is left out, and said to be. */
export const concluding: FerryWatcher = {
  needs: (view) => {
    const run = view.facts.tracker?.name;
    return run === undefined ? [] : [need('analysis', 'ferry_analysis', { lane: view.plan.lane, run })];
  },
  watch: (view, readings, memory, now) => {
    const reading = answer(readings, 'ferry_analysis', 'analysis');
    if (reading?.kind === 'known') {
      const { metrics, observations } = reading.value;
      return one(memory, {
        on: 'analysed',
        facts: { metrics: { ...view.facts.metrics, ...metrics }, observations },
        evidence: evidenceOf(reading),
      });
    }
    const none = (view.facts.tracker ?? null) === null;
    if (!none && secondsIn(view, now) <= view.plan.limits.diagnosisSeconds) return nothing(memory);
    const observation = none ? 'no run of this launch is in the tracker' : `the analysis could not be read (${reading?.why ?? 'not read'})`;
    return one(memory, { on: 'analysed', facts: { observations: [observation] }, evidence: evidenceOf(reading) });
  },
};

/** The comment at the end is read back; whether it is there or not, the ferry goes where its outcome says. */
export const commenting: FerryWatcher = {
  needs: (view) => {
    const issue = view.facts.runIssue;
    if (issue === undefined) return [];
    return [need('comment', 'marked_comment', { lane: view.plan.lane, number: issue.number, key: markerKey(view, 'end') })];
  },
  watch: (view, readings, memory, now) => {
    const reading = answer(readings, 'marked_comment', 'comment');
    const on = closedBy(view);
    return settle(
      { view, memory, now },
      {
        effect: 'comment_run',
        reading,
        done:
          reading?.kind === 'known' && reading.value !== null
            ? { on, details: { url: reading.value.url }, evidence: evidenceOf(reading) }
            : null,
        absent: { on, details: { sentence: 'the comment at the end is not in the run issue, seen twice' } },
        unknown: { on, details: { sentence: 'whether the comment at the end is in the run issue is not known' } },
        limitSeconds: view.plan.limits.launchSeconds,
      },
    );
  },
};

function closedBy(view: FerryView): FerryEvent {
  const outcome = view.facts.outcome ?? 'unverified';
  switch (outcome) {
    case 'succeeded':
      return 'closed_succeeded';
    case 'failed':
      return view.facts.fixUsed === true ? 'closed_failed_again' : 'closed_failed';
    case 'stopped':
      return 'closed_stopped';
    case 'unverified':
      return 'closed_unverified';
  }
}

/** The failure was told when it was seen; what is found out follows, within its own limit. */
export const triage: FerryWatcher = {
  needs: (view) => {
    const { lane, failureIssue } = view.plan;
    return [
      need('logs', 'job_logs', { lane, jobId: view.facts.jobId ?? '' }),
      ...(failureIssue === null ? [] : [need('issue', 'issue', { lane, number: failureIssue })]),
    ];
  },
  watch: (view, readings, memory, now) => {
    const logs = answer(readings, 'job_logs', 'logs');
    const issue = answer(readings, 'issue', 'issue');
    const late = secondsIn(view, now) > view.plan.limits.diagnosisSeconds;
    if (logs?.kind !== 'known' && !late) return nothing(memory);
    const diagnosis = logs?.kind === 'known' ? tellingLines(logs.value) : [`the log could not be read (${logs?.why ?? 'not read'})`];
    const evidence = evidenceOf(logs, issue);
    const facts = { diagnosis, category: categoryOf(view, diagnosis) };
    const details = { sentence: diagnosis.at(-1) ?? 'the log says nothing of it', category: facts.category };
    if (view.plan.failureIssue === null) return one(memory, { on: 'diagnosed_new_issue', facts, details, evidence });
    if (issue?.kind === 'known') {
      return issue.value.open
        ? one(memory, { on: 'diagnosed_known_issue', facts, details, evidence })
        : one(memory, { on: 'diagnosed_new_issue', facts: { ...facts, closedIssue: issue.value.number }, details, evidence });
    }
    if (!late) return nothing(memory);
    const sentence = `whether issue ${view.plan.failureIssue} is open could not be read (${issue?.why ?? 'not read'}), so nothing was filed`;
    return one(memory, { on: 'diagnosis_overdue', facts, details: { ...details, sentence }, evidence });
  },
};

const SPEAKS = /error|exception|traceback|fatal|failed|killed|out of memory|oom|non-finite|nan\b/i;
const LINES_KEPT = 8;

/** The lines that speak of trouble, the last of them; without any, the last lines there are. */
function tellingLines(lines: readonly string[]): readonly string[] {
  const telling = lines.filter((line) => SPEAKS.test(line));
  return (telling.length > 0 ? telling : lines).slice(-LINES_KEPT).map((line) => line.slice(0, 300));
}

/** One of the five categories. Source: contracts/iris-and-ferries.md 6.2. */
function categoryOf(view: FerryView, diagnosis: readonly string[]): string {
  if (view.facts.category !== 'training crash') return view.facts.category ?? 'training crash';
  const text = diagnosis.join('\n');
  if (/no space|permission denied|storage|bucket|s3:\/\/|gs:\/\/|cache/i.test(text)) return 'data/storage';
  return /controller|connecterror/i.test(text) ? 'controller bug' : 'training crash';
}

/** Whether the failure stands on GitHub: added to the lane's open issue, or in a new one. */
export const reporting: FerryWatcher = {
  needs: (view) => {
    const { lane, labels, failureIssue } = view.plan;
    const key = markerKey(view, 'failure');
    return isNew(view)
      ? [need('filed', 'marked_issue', { lane, key, labels: labels.failure })]
      : [need('added', 'marked_comment', { lane, number: failureIssue ?? 0, key })];
  },
  watch: (view, readings, memory, now) => {
    const filed = answer(readings, 'marked_issue', 'filed');
    const added = answer(readings, 'marked_comment', 'added');
    const issue =
      filed?.kind === 'known' && filed.value !== null
        ? { number: filed.value.number, url: filed.value.url }
        : added?.kind === 'known' && added.value !== null
          ? { number: view.plan.failureIssue ?? 0, url: added.value.url }
          : null;
    const done: FerryProposal | null =
      issue === null
        ? null
        : { on: 'failure_reported', facts: { failureIssue: issue }, details: { url: issue.url }, evidence: evidenceOf(filed, added) };
    return settle(
      { view, memory, now },
      {
        effect: isNew(view) ? 'file_failure' : 'comment_failure',
        reading: filed ?? added,
        done,
        absent: { on: 'failure_unreported', details: { sentence: 'it stands on no issue, seen twice' } },
        unknown: { on: 'failure_unreported', details: { sentence: 'whether it stands on an issue is not known' } },
        limitSeconds: view.plan.limits.launchSeconds,
      },
    );
  },
};

function isNew(view: FerryView): boolean {
  return view.history.find(({ seq }) => seq === view.enteredAtSeq)?.event === 'diagnosed_new_issue';
}
