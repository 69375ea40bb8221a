import type { FamilyConfig, Fleet } from '../src/fleet.js';
import type { HeroView } from '../src/protocol/hero/facts.js';
import type { HeroPlan } from '../src/protocol/hero/plan.js';
import { isTerminal, type Reads } from '../src/protocol/outside.js';
import { type Ask, limitsOf } from './plan-entry.js';

/** A run id that nobody has: asked about where the one that would be meant is not known, so that the question is asked all the same. */
const NOBODY = 'hero-nobody-step0';

/** What the next swap of a family would be as things stand, without anybody's plan. */
export interface Draft {
  readonly view: HeroView;
  /** The id of the one live coordinator, if it could be read. */
  readonly coordinator: string | null;
  /** What is taken for granted, in sentences. */
  readonly remarks: readonly string[];
}

/**
 * Made of the one live run and of the launch records in both worktrees. What cannot be read leaves its guards unknown,
 * whatever stands in its place here.
 */
export async function draftView(fleet: Fleet, familyName: string, ask: Ask, now: () => Date): Promise<Draft> {
  const family = fleet.families[familyName];
  if (family === undefined) throw new TypeError(`draft a swap of ${familyName}: the fleet file has no such family`);
  const { deployWorktree, rollbackWorktree } = family.repository;
  const known = async <V extends keyof Reads>(verb: V, args: Reads[V]['args']): Promise<Reads[V]['value'] | null> => {
    const reading = await ask(verb, args);
    return reading.kind === 'known' ? reading.value : null;
  };
  const inFamily = { family: familyName };
  const [coordinators, deploy, rollback, ahead, back] = await Promise.all([
    known('coordinators', inFamily),
    known('worktree', { ...inFamily, dir: deployWorktree }),
    known('worktree', { ...inFamily, dir: rollbackWorktree, remote: false }),
    known('launch_record', { ...inFamily, dir: deployWorktree }),
    known('launch_record', { ...inFamily, dir: rollbackWorktree }),
  ]);
  const live = coordinators?.filter(({ state }) => !isTerminal(state)) ?? [];
  const [only] = live.length === 1 ? live : [];
  const oldRun = only?.runId ?? runIdOf(back?.runId) ?? NOBODY;
  const isPrepared = ahead !== null && ahead.runId !== oldRun;
  const newRun = runIdOf(ahead?.runId) ?? NOBODY;
  const handoff = ahead?.handoffCheckpoint ?? '';
  const plan = draftPlan(fleet, family, {
    family: familyName,
    oldRun,
    newRun,
    handoffStep: Number(/step-([0-9]{1,9})\/?$/.exec(handoff)?.[1] ?? 0),
    handoffCheckpoint: handoff,
    deploy: { worktree: deployWorktree, commit: deploy?.head ?? '' },
    rollback: { worktree: rollbackWorktree, commit: rollback?.head ?? '' },
    forkFrom: ahead?.trackerForkFrom ?? null,
  });
  const remarks = [
    ...(only === undefined ? [`no single live run is known; asked about ${oldRun}, which the rollback worktree would launch`] : []),
    ...(ahead !== null && !isPrepared
      ? [`no change is prepared: the launch record names ${ahead.runId}, the live run itself, so its tree and page are not free`]
      : []),
  ];
  return { view: viewOf(plan, now()), coordinator: only?.jobId ?? null, remarks };
}

function runIdOf(runId: string | undefined): string | undefined {
  return runId !== undefined && /^[A-Za-z0-9][A-Za-z0-9_.-]{0,100}$/.test(runId) ? runId : undefined;
}

type Known = Pick<HeroPlan, 'family' | 'oldRun' | 'newRun' | 'handoffStep' | 'handoffCheckpoint' | 'deploy' | 'rollback' | 'forkFrom'>;

function draftPlan(fleet: Fleet, family: FamilyConfig, known: Known): HeroPlan {
  const limits = limitsOf(family, fleet);
  return {
    ...known,
    kind: 'swap',
    permanentWaiver: null,
    windowSteps: family.windowSteps,
    // A family without one leaves it to each plan: then no step is the last.
    finalStep: family.finalStep ?? Number.MAX_SAFE_INTEGER,
    discardedStepsMax: family.discardedSteps,
    commits: [],
    tracker: family.tracker,
    user: family.user,
    gate: [],
    onFailure: { kind: 'ask' },
    limits,
    workingHours: family.workingHours,
    // Measured by the guard itself.
    roundTripSeconds: 1,
    paceSecondsPerStep: 0,
    gang: family.gang,
    requesterMayApprove: fleet.policy.hero.requesterMayApprove,
    reason: 'a look at all guards',
    record: { command: [], outputRoot: family.checkpoints.permanent, retention: family.retention ?? null },
    notExercised: [],
    coreDump: null,
    downstream: [],
    dri: null,
    reviewer: null,
    statusIssue: `${fleet.github.repository}#${fleet.github.issue}`,
  };
}

function viewOf(plan: HeroPlan, now: Date): HeroView {
  return {
    operationId: 'the next swap',
    state: 'planned',
    seq: 0,
    enteredAtSeq: 0,
    enteredAt: now,
    lastAt: now,
    plan,
    planVersion: 0,
    planHash: '',
    requester: '',
    origin: null,
    facts: {},
    history: [],
    intent: null,
    asides: [],
    acting: [],
  };
}
