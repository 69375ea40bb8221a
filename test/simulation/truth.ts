import type { TransitionRow } from '../../src/journal/journal.js';
import type { HeroFacts } from '../../src/protocol/hero/facts.js';
import { HANDOFF, NEW_RUN, OLD_RUN } from '../support/plan.js';
import type { Told } from './invariants.js';
import type { Scene } from './scene.js';

const GUARDS = ['worktree', 'launch_record', 'checkpoints', 'last_step', 'coordinators', 'tracker_child', 'credentials'] as const;
/** A conclusion rests on answers of one pass; slow ones take some seconds. */
const ONE_PASS_MS = 30_000;
const WINDOW = 20;

/** What a row concludes is so in the world, and rests on nothing that was not known. */
export function checkTruth(scene: Scene, told: Told, row: TransitionRow, before: Partial<HeroFacts>): void {
  const name = `${row.operation_id} row ${row.seq} (${row.event})`;
  switch (row.event) {
    case 'guards_open':
    case 'guards_open_fork_wanted':
    case 'guards_open_recover':
      checkGuards(scene, name);
      return;
    case 'old_gone':
    case 'old_gone_after_abort':
      checkGone(scene, told, row, told.facts.oldCoordinator, name);
      return;
    case 'new_gone':
      checkGone(scene, told, row, told.facts.newCoordinator, name);
      return;
    case 'control_died':
    case 'control_finished':
      if (scene.cluster.byId(before.oldCoordinator ?? '')?.live === true) scene.breaks(`${name}: the control is live`);
      return;
    case 'launched_once':
      checkLaunched(scene, told.facts.newCoordinator, NEW_RUN, name);
      return;
    case 'relaunched_once':
      checkLaunched(scene, told.facts.relaunchedCoordinator, OLD_RUN, name);
      return;
    case 'window_closed':
      if (told.facts.verdict?.overall === 'PASS') checkPass(scene, name);
      return;
    case 'closed':
      checkAlive(scene, told.facts.newCoordinator, name);
      return;
    case 'go_approved':
      if (before.verdict?.overall !== 'PASS') scene.breaks(`${name} without a pass`);
      checkAlive(scene, told.facts.newCoordinator, name);
      return;
    case 'called_off':
      checkAlive(scene, told.facts.oldCoordinator, name);
      return;
    default:
  }
}

function checkGuards(scene: Scene, name: string): void {
  const recent = [...scene.answered.values()].filter(({ givenMs }) => givenMs >= scene.agenda.nowMs - ONE_PASS_MS);
  for (const verb of GUARDS) {
    const answers = recent.filter((answer) => answer.verb === verb && (verb !== 'last_step' || answer.args.sinceMs === 0));
    if (answers.length === 0) scene.breaks(`${name}: ${verb} was not asked`);
    const newest = Math.max(...answers.map(({ givenMs }) => givenMs));
    if (answers.some(({ kind, givenMs }) => kind === 'unknown' && givenMs === newest)) scene.breaks(`${name}: ${verb} was unknown`);
  }
}

function checkGone(scene: Scene, told: Told, row: TransitionRow, jobId: string | undefined, name: string): void {
  const job = scene.cluster.byId(jobId ?? '');
  if (job === undefined) {
    scene.breaks(`${name}: ${jobId} was never there`);
    return;
  }
  if (job.live) {
    scene.breaks(`${name}: ${jobId} is live`);
    return;
  }
  const declared = told.facts.declaredGone?.jobId === jobId && row.details.includes('declared gone');
  if (!declared && job.pods(scene.agenda.nowMs).length > 0) scene.breaks(`${name}: ${jobId} has pods`);
}

function checkLaunched(scene: Scene, jobId: string | undefined, runId: string, name: string): void {
  if (scene.cluster.byId(jobId ?? '')?.runId !== runId) scene.breaks(`${name}: ${jobId} is no coordinator of ${runId}`);
}

/** Every step of the window was trained, finite, and equal to the control's. */
function checkPass(scene: Scene, name: string): void {
  const inWindow = scene.cluster.rows(NEW_RUN).filter(({ step }) => step >= HANDOFF && step <= HANDOFF + WINDOW);
  const steps = new Set(inWindow.map(({ step }) => step));
  if (steps.size < 0.9 * WINDOW) scene.breaks(`${name}: passed on ${steps.size} of ${WINDOW} steps`);
  const newest = Math.max(...inWindow.map(({ attempt }) => attempt));
  const bad = inWindow.some(({ attempt, value, step }) => attempt === newest && value !== 2 + Math.sin(step) / 10);
  if (bad) scene.breaks(`${name}: passed with a loss that is not the control's`);
}

function checkAlive(scene: Scene, jobId: string | undefined, name: string): void {
  const job = scene.cluster.byId(jobId ?? '');
  const endedFor = job?.endedMs === undefined || job.endedMs === null ? 0 : scene.agenda.nowMs - job.endedMs;
  if (job === undefined || endedFor > ONE_PASS_MS) scene.breaks(`${name}: ${jobId} has not been live for ${Math.round(endedFor / 1000)} s`);
}
