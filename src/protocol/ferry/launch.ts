import { isTerminal } from '../outside.js';
import { answer, evidenceOf, need } from '../read.js';
import type { Reading } from '../reading.js';
import { type FerryView, validClearance } from './facts.js';
import { streak, twice } from './memory.js';
import type { FerryJob, LaneTree } from './outside.js';
import { clearerNeed, isHeard, whoLeft, whyNotHeard } from './people.js';
import { namedFor } from './plan.js';
import { allActsOver, type FerryWatcher, nothing, one, secondsIn, settle } from './watcher.js';

/** The name of the launch that is on its way, or of the next one. */
export function jobNameOf(view: FerryView): string {
  const before = view.facts.attempt ?? 0;
  return namedFor(view.plan.jobName, view.state === 'arming' || view.state === 'cleared' ? before + 1 : Math.max(1, before));
}

export function jobsNeed(view: FerryView) {
  return need('jobs', 'ferry_jobs', { lane: view.plan.lane, name: jobNameOf(view) });
}

/** The gate waits for one person: it is said when there is nobody to wait for any more. */
export const proposed: FerryWatcher = {
  needs: ({ plan }) => [clearerNeed(plan.lane, plan.clears)],
  watch: (view, readings, memory) => {
    const left = whoLeft(view, readings);
    return left === null ? nothing(memory) : one(memory, left);
  },
};

/** A scheduled canary under a standing waiver is launched by itself, once: whatever brings it back here waits for a person. */
export const cleared: FerryWatcher = {
  needs: proposed.needs,
  watch: (view, readings, memory) => {
    const left = whoLeft(view, readings);
    if (left !== null) return one(memory, left);
    const entered = view.history.find(({ seq }) => seq === view.enteredAtSeq);
    return entered?.event === 'standing_waiver_used' ? one(memory, { on: 'launch_due' }) : nothing(memory);
  },
};

/** The last look before the launch, all of it known: the commit, its checkout, the name, and that whoever cleared it is still heard. */
export const arming: FerryWatcher = {
  needs: (view) => {
    const { lane, dir, commit, clears } = view.plan;
    return [clearerNeed(lane, clears), need('tree', 'lane_tree', { lane, dir, commit, since: null }), jobsNeed(view)];
  },
  watch: (view, readings, memory, now) => {
    const tree = answer(readings, 'lane_tree', 'tree');
    const jobs = answer(readings, 'ferry_jobs', 'jobs');
    const evidence = evidenceOf(tree, jobs);
    const expired = validClearance(view, now) === null ? ['the clearance has expired'] : [];
    const gone = whyNotHeard(readings);
    const left = gone === null ? [] : [`whoever cleared it ${gone}`];
    const shut = [...expired, ...left, ...treeShut(view, tree), ...nameShut(view, jobs)];
    if (shut.length > 0) {
      // A name that was used once stays used: the next launch has the next one.
      const used = jobs?.kind === 'known' && jobs.value.length > 0;
      const facts = used ? { attempt: (view.facts.attempt ?? 0) + 1 } : {};
      return one(memory, { on: 'guards_shut', facts, details: { sentence: shut.join('; ') }, evidence });
    }
    if (tree?.kind === 'known' && jobs?.kind === 'known' && isHeard(readings)) {
      return one(memory, { on: 'guards_open', facts: { attempt: (view.facts.attempt ?? 0) + 1 }, evidence });
    }
    if (secondsIn(view, now) <= view.plan.limits.guardsSeconds) return nothing(memory);
    const unread = [tree, jobs, answer(readings, 'entitled', 'clearer')].flatMap((reading) =>
      reading?.kind === 'unknown' ? [`${reading.source}: ${reading.why}`] : [],
    );
    return one(memory, { on: 'guards_unknown', details: { sentence: unread.join('; ') || 'nothing was read' }, evidence });
  },
};

function treeShut(view: FerryView, tree: Reading<LaneTree> | undefined): readonly string[] {
  if (tree?.kind !== 'known') return [];
  const { commit, file } = view.plan;
  const { head, dirty, pushed, hasFile } = tree.value;
  return [
    ...(head === commit ? [] : [`the checkout is at ${head.slice(0, 10)}, agreed was ${commit.slice(0, 10)}`]),
    ...(dirty.length === 0 ? [] : [`the checkout is not clean: ${dirty.slice(0, 3).join(', ')}`]),
    ...(pushed ? [] : [`${commit.slice(0, 10)} is on no branch of the remote`]),
    ...(hasFile ? [] : [`${commit.slice(0, 10)} does not have ${file}`]),
  ];
}

function nameShut(view: FerryView, jobs: Reading<readonly FerryJob[]> | undefined): readonly string[] {
  if (jobs?.kind !== 'known') return [];
  return jobs.value.map(({ jobId, state }) =>
    isTerminal(state)
      ? `${jobId} had that name and is ${state}; the next launch is called ${namedFor(view.plan.jobName, (view.facts.attempt ?? 0) + 2)}`
      : `${jobId} has that name and is ${state}`,
  );
}

/** What an earlier attempt left on file is not this one's. */
const FRESH = { tracker: null, metrics: {}, lastStep: null, grantedAt: null, observations: [], diagnosis: [] } as const;

/** Exactly one job of the name, whatever the submit itself said; one that has ended already counts too. */
export const launching: FerryWatcher = {
  needs: (view) => [jobsNeed(view)],
  watch: (view, readings, memory, now) => {
    const reading = answer(readings, 'ferry_jobs', 'jobs');
    const jobs = reading?.kind === 'known' ? reading.value : [];
    const evidence = evidenceOf(reading);
    const counted = streak(memory, 'two', reading, jobs.length > 1);
    if (twice(counted, 'two')) {
      const ids = jobs.map(({ jobId, state }) => `${jobId} (${state})`).join(', ');
      return one(counted, { on: 'launch_two', details: { sentence: `two jobs have the name: ${ids}` }, evidence });
    }
    const [only] = jobs;
    const aborted = view.facts.abortAsked === true;
    const once =
      only === undefined || jobs.length > 1 || !allActsOver(view)
        ? null
        : ({
            on: aborted ? 'launched_once_after_abort' : 'launched_once',
            facts: { jobId: only.jobId, launchedAt: launchInstant(view, now), abortAsked: false, ...FRESH },
            details: { sentence: `exactly one job of that name: ${only.jobId}`, jobId: only.jobId },
            evidence,
          } as const);
    return settle(
      { view, memory: counted, now },
      {
        effect: 'launch',
        reading: jobs.length > 1 ? undefined : reading,
        done: once,
        absent: {
          on: 'launch_absent',
          facts: { clearance: null, abortAsked: false },
          details: { sentence: `no job is called ${jobNameOf(view)}, seen twice` },
          evidence,
        },
        unknown: { on: 'launch_unknown', details: { sentence: `whether ${jobNameOf(view)} runs is not known` }, evidence },
        limitSeconds: view.plan.limits.launchSeconds,
      },
    );
  },
};

/** When the launch was put on file: names, tags and ages go by it, however late we learn what became of it. */
export function launchInstant(view: FerryView, now: Date): string {
  const filed = view.history.findLast(({ event }) => event === 'guards_open')?.at;
  return (filed ?? now).toISOString();
}
