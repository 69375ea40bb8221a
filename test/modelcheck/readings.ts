import type { HeroPlan } from '../../src/protocol/hero/plan.js';
import type { Checkpoint, Coordinator, Sample } from '../../src/protocol/outside.js';
import type { Need, Readings } from '../../src/protocol/table.js';
import { DEPLOY, HANDOFF, NEW_RUN, OLD_RUN, ROLLBACK } from '../support/plan.js';
import { CHECKPOINT, JOBS, jobIdOf, type Node, nameOfJob, runOf } from './node.js';
import { NOW } from './view.js';

/** A look at the outside: which verbs do not answer, and which of two looks in a row it is. */
export interface Look {
  readonly silent: ReadonlySet<string>;
  readonly nth: 1 | 2;
}

/** What the needs of a state are answered with, as the node has it. */
export function readingsFor(node: Node, plan: HeroPlan, needs: readonly Need[], { silent, nth }: Look): Readings {
  const readAt = new Date(NOW.getTime() - (nth === 1 ? 10_000 : 0));
  const readings: Record<string, Readings[string]> = {
    hours: { kind: 'known', value: plan.workingHours, source: 'fleet file', readAt },
  };
  for (const need of needs) {
    const base = { source: need.verb, readAt };
    readings[need.name] = silent.has(need.verb)
      ? { ...base, kind: 'unknown', why: 'timed_out', detail: '' }
      : { ...base, kind: 'known', value: answer(node, plan, need, nth) };
  }
  return readings;
}

function answer(node: Node, plan: HeroPlan, { verb, args }: Need, nth: 1 | 2): unknown {
  const named = nameOfJob(`${args.jobId ?? ''}`);
  const standing = named === null ? 'none' : node[named];
  switch (verb) {
    case 'coordinators':
      return JOBS.filter((name) => node[name] === 'live').map(
        (name): Coordinator => ({ jobId: jobIdOf(name), user: 'marin', runId: runOf(node, name), state: 'running' }),
      );
    case 'job_state':
      return { none: 'absent', live: 'running', dying: 'killed', gone: 'killed', aged: 'absent' }[standing];
    case 'pods':
      return standing === 'live' || standing === 'dying' ? [{ name: `pod-${named}`, phase: 'Running', terminating: false }] : [];
    case 'last_step':
      return args.runId === OLD_RUN ? lastOfOld(node, nth) : lastOfNew(node, nth);
    case 'series':
      return args.runId === OLD_RUN ? seriesOfOld(node) : seriesOfNew(node);
    case 'stored':
      return SERIES.good;
    case 'shared_series':
      return { metrics: [], left: 0, control: [], candidate: [] };
    case 'markers':
    case 'commits':
      return [];
    case 'checkpoints':
      return args.runId === OLD_RUN || plan.kind === 'recover' ? [HANDED_OVER] : [];
    case 'worktree':
      return { dir: args.dir, head: args.dir === 'deploy' ? DEPLOY : ROLLBACK, dirty: [], remoteHead: DEPLOY };
    case 'launch_record':
      return { runId: NEW_RUN, handoffCheckpoint: CHECKPOINT, trackerForkFrom: `${OLD_RUN}?_step=${HANDOFF - 1}`, placeholders: [] };
    case 'run_pods': {
      // The extra coordinator has pods of its own; which run leads it is the node's to say.
      const own = JOBS.filter((name) => runOf(node, name) === args.runId && (node[name] === 'live' || node[name] === 'dying'));
      return own.map((name) => ({ name: `pod-${name}`, phase: 'Running', terminating: false }));
    }
    case 'nodes':
      return [{ name: 'node-0', ready: true, schedulable: true, diskPressure: false, devices: 64 }];
    case 'free_space':
      return { folder: 'data', freeBytes: 2, neededBytes: 1 };
    case 'launch_identity':
      return { user: 'marin', project: 'marin_moe' };
    case 'tracker_child':
      if (args.runId === OLD_RUN) return { exists: true, handoffCheckpoint: null, forkFrom: null, launchCommit: null };
      return node.child
        ? { exists: true, handoffCheckpoint: CHECKPOINT, forkFrom: `${OLD_RUN}?_step=${HANDOFF - 1}`, launchCommit: DEPLOY }
        : { exists: false, handoffCheckpoint: null, forkFrom: null, launchCommit: null };
    case 'account':
    case 'entitled':
      return 'member';
    case 'somebody':
      return 'U0APPROVE';
    case 'credentials':
      return [{ name: 'iris', ok: true, detail: 'ok' }];
    default:
      throw new Error(`the model does not answer ${verb}`);
  }
}

const HANDED_OVER: Checkpoint = { step: HANDOFF, path: CHECKPOINT, complete: true, permanent: true, recordedStep: HANDOFF };

function steps(from: number, to: number, attempt: number, value: (step: number) => Sample['value'] = (step) => 2 + step / 1_000): Sample[] {
  const atMs = NOW.getTime() - (attempt === 0 ? 500_000 : 10_000);
  return Array.from({ length: to - from + 1 }, (_none, index) => ({
    step: HANDOFF + from + index,
    metric: 'train_loss',
    value: value(from + index),
    attempt,
    atMs,
    seq: attempt * 1_000 + from + index,
  }));
}

function lastOfOld(node: Node, nth: 1 | 2) {
  const moves = node.old === 'live' || node.back === 'live';
  return { step: HANDOFF + 25 + (moves ? nth : 0), atMs: NOW.getTime(), rows: 26 };
}

function lastOfNew(node: Node, nth: 1 | 2) {
  if (node.trained === 'none') return { step: null, atMs: null, rows: 0 };
  const moves = node.fresh === 'live' ? nth : 0;
  return { step: HANDOFF + (node.trained === 'good' ? 40 : 5) + moves, atMs: NOW.getTime(), rows: 5 };
}

/** What runs have logged, made once: a walk asks for them a million times. */
const SERIES = {
  none: [],
  steps: steps(0, 5, 0),
  good: steps(0, 20, 0),
  bad: steps(0, 5, 0, () => 'NaN'),
  old: steps(0, 25, 0),
  replayedSame: [...steps(0, 25, 0), ...steps(0, 30, 1, (step) => 2 + step / 1_000)],
  replayedOther: [...steps(0, 25, 0), ...steps(0, 30, 1, () => 9)],
} as const;

function seriesOfOld(node: Node): readonly Sample[] {
  if (node.replayed === 'none') return SERIES.old;
  return node.replayed === 'same' ? SERIES.replayedSame : SERIES.replayedOther;
}

function seriesOfNew(node: Node): readonly Sample[] {
  return SERIES[node.trained];
}
