import type { Effect } from '../table.js';
import { type FerryFacts, type FerryView, logBranch } from './facts.js';
import { type FerryPlan, namedFor, sealTag } from './plan.js';
import type { FerryEffect } from './table.js';

/** A command that was put on file is started at once or, after a crash, within this time; later it counts as never started. */
const ACT_WITHIN_MS = 60_000;

/** What a ferry writes on GitHub: prose, and so not the protocol's. Each text begins with the marker it is found by. */
export interface FerryDocuments {
  proposal(view: FerryView): { readonly title: string; readonly body: string };
  terminal(view: FerryView): string;
  failure(view: FerryView): { readonly title: string; readonly body: string };
  logEntry(view: FerryView, tag: string): string;
  pull(view: FerryView, tag: string): { readonly title: string; readonly body: string };
}

/** Markers: what is written once is found by them, never by a title. `n` tells one attempt's text from another's. */
export function markerKey(view: FerryView, what: 'issue' | 'end' | 'failure'): string {
  const n = what === 'issue' ? 1 : (view.facts.attempt ?? 1);
  return `${view.operationId}:${what}:${n}`;
}

/** The tag of this ferry, once its launch is on record. */
export function tagOf(view: FerryView): string {
  const { plan, facts } = view;
  return sealTag(
    plan.seal?.tag ?? '',
    known(view, facts.launchedAt, 'a recorded launch'),
    known(view, facts.tracker?.name, 'a tracker run'),
  );
}

export function ferryEffects(documents: FerryDocuments): Readonly<Record<FerryEffect, Effect<FerryPlan, FerryFacts> | 'reads'>> {
  const effect = (verb: string, proof: string, args: Effect<FerryPlan, FerryFacts>['args']): Effect<FerryPlan, FerryFacts> => ({
    verb,
    args,
    proof,
    actWithinMs: ACT_WITHIN_MS,
  });
  return {
    read_guards: 'reads',
    file_issue: effect('file_issue', 'our own issue with the marker is listed', (view) => ({
      lane: view.plan.lane,
      ...documents.proposal(view),
      labels: view.plan.labels.proposal,
    })),
    launch: effect('ferry_launch', 'exactly one job of that name', ({ plan, facts }) => ({
      lane: plan.lane,
      dir: plan.dir,
      name: namedFor(plan.jobName, facts.attempt ?? 1),
      run: namedFor(plan.run, facts.attempt ?? 1),
    })),
    cancel: effect('ferry_cancel', 'the job is terminal, seen twice', (view) => ({
      lane: view.plan.lane,
      jobId: known(view, view.facts.jobId, 'a recorded job'),
    })),
    comment_run: effect('comment_issue', 'our own comment with the marker is listed', (view) => ({
      lane: view.plan.lane,
      number: known(view, view.facts.runIssue?.number, 'a run issue'),
      body: documents.terminal(view),
    })),
    comment_failure: effect('comment_issue', 'our own comment with the marker is listed', (view) => ({
      lane: view.plan.lane,
      number: known(view, view.plan.failureIssue ?? undefined, 'a failure issue'),
      body: documents.failure(view).body,
    })),
    file_failure: effect('file_issue', 'our own issue with the marker is listed', (view) => ({
      lane: view.plan.lane,
      ...documents.failure(view),
      labels: view.plan.labels.failure,
    })),
    push_tag: effect('push_tag', 'the remote has the tag at the launch commit', (view) => ({
      lane: view.plan.lane,
      dir: view.plan.dir,
      commit: view.plan.commit,
      tag: tagOf(view),
    })),
    make_branch: effect('make_branch', 'GitHub lists the branch', (view) => ({
      lane: view.plan.lane,
      branch: logBranch(view),
      head: known(view, view.facts.sealBase, 'the head of the base branch'),
    })),
    write_log: effect('write_log', 'the log on the branch holds the entry', (view) => ({
      lane: view.plan.lane,
      branch: logBranch(view),
      path: view.plan.seal?.log ?? '',
      fileSha: known(view, view.facts.sealFileSha, 'the log as it was read'),
      text: withEntry(known(view, view.facts.sealText, 'the log as it was read'), documents.logEntry(view, tagOf(view))),
      message: `Log ferry ${known(view, view.facts.tracker?.name, 'a tracker run')}`,
    })),
    open_pull: effect('open_pull', 'GitHub lists a pull request of the branch', (view) => ({
      lane: view.plan.lane,
      branch: logBranch(view),
      ...documents.pull(view, tagOf(view)),
    })),
    label_pull: effect('label_pull', 'the pull request carries all labels', (view) => ({
      lane: view.plan.lane,
      number: known(view, view.facts.sealPull?.number, 'a pull request'),
      labels: view.plan.seal?.labels ?? [],
    })),
  };
}

/** The newest entry stands first under `## Runs`. A log without that heading is given one, at its end. */
export function withEntry(log: string, entry: string): string {
  const heading = /^## Runs[ \t]*\r?\n/m.exec(log);
  if (heading === null) return `${log.replace(/\n*$/, '\n\n')}## Runs\n\n${entry.trimEnd()}\n`;
  const at = heading.index + heading[0].length;
  return `${log.slice(0, at)}\n${entry.trimEnd()}\n${log.slice(at)}`;
}

/** A row that would act without what it acts on is a fault in the table, and must not act. */
function known<T>(view: FerryView, value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${view.operationId} in ${view.state}: there is no ${what}`);
  return value;
}
