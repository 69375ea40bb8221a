import { NEW_RUN } from '../support/plan.js';
import { APPROVAL_SECONDS, mayDo } from './fleet.js';
import type { Told } from './invariants.js';
import type { Arrival, Scene, Spawn } from './scene.js';

/** A recorded act may be begun this much later, by the next bot too. */
const BEGUN_WITHIN_MS = 75_000;

const REVOKES = new Set(['abort_asked', 'launch_rejected', 'plan_revised', 'preflight_asked', 'approval_expired', 'called_off']);
const APPROVES = new Set(['launch_approved', 'launch_again', 'retry_cancel_old']);
const SENDS_BACK = new Set([
  'rollback_asked',
  'rollback_asked_nothing_live',
  'no_go',
  'retry_cancel_new',
  'anchor_confirmed',
  'abort_asked',
]);

/** Whether what people asked for covers this act, and nothing that the bot could know of stands against it. */
export function checkCover(scene: Scene, told: Told, spawn: Spawn, arrivalOf: (key: string) => Arrival | undefined): void {
  const name = `${spawn.verb} ${spawn.args.dir ?? spawn.args.jobId ?? ''} for ${spawn.intentId}`;
  if (spawn.verb === 'publish_report') return; // it touches no run, and waits for no word
  const forward = spawn.verb === 'fork_tracker' || spawn.args.dir === '/deploy' || spawn.args.jobId === told.facts.oldCoordinator;
  if (forward) checkApproval(scene, told, name, arrivalOf);
  else checkWayBack(scene, told, name);
  if (spawn.verb === 'launch') checkNobodyLive(scene, spawn, name);
  if (spawn.verb === 'cancel') checkCancel(scene, told, spawn, name);
}

/** The newest word of somebody who may approve, or may have it done again on that word; nothing since has made it void. */
function checkApproval(scene: Scene, told: Told, name: string, arrivalOf: (key: string) => Arrival | undefined): void {
  const given = told.rows.findLast(({ event, actor }) => APPROVES.has(event) && mayDo('approve', actor) && actor !== told.requester);
  const arrival = given === undefined ? undefined : arrivalOf(given.request_key);
  if (given === undefined || arrival === undefined) {
    scene.breaks(`${name}: nobody who may has approved`);
    return;
  }
  const revoked = told.rows.find(({ seq, event }) => seq > given.seq && REVOKES.has(event));
  if (revoked !== undefined) scene.breaks(`${name}: the approval was void by ${revoked.event}`);
  const ageMs = scene.agenda.nowMs - (arrival.deliveredMs ?? 0);
  if (!scene.troubles.has('clock_back') && ageMs > APPROVAL_SECONDS * 1000 + BEGUN_WITHIN_MS && !arrival.what.includes('not-after')) {
    scene.breaks(`${name}: the approval is ${Math.round(ageMs / 1000)} s old`);
  }
}

/** One person asked for it, or the plan says that it happens by itself. */
function checkWayBack(scene: Scene, told: Told, name: string): void {
  const asked = told.rows.some(({ event, actor }) => actor !== 'bot' && SENDS_BACK.has(event));
  const agreed = told.rows.some(({ event }) => event.endsWith('_automatic') || event === 'decision_overdue');
  if (!asked && !agreed) scene.breaks(`${name}: nobody asked for the way back`);
}

/** At a launch nobody of the family is live, but who came up after the bot's last look: it had no way to know of those. */
function checkNobodyLive(scene: Scene, spawn: Spawn, name: string): void {
  const earlier = scene.spawns.find((each) => each !== spawn && each.verb === 'launch' && each.alive);
  if (earlier !== undefined) scene.breaks(`${name} while the submit of ${earlier.intentId} may still act`);
  const looked = [...scene.answered.values()].find(({ verb, kind }) => verb === 'coordinators' && kind === 'known');
  for (const job of scene.cluster.live()) {
    if (looked === undefined || job.made.submittedMs <= looked.takenMs) {
      scene.breaks(`${name} while ${job.jobId} (${job.made.origin}) is live`);
    }
  }
  const writers = scene.cluster.live().filter((job) => job.runId === NEW_RUN && job.made.origin === 'bot');
  if (writers.length > 1) scene.breaks(`${writers.length} of our launches write the tree of ${NEW_RUN}`);
}

/** What is cancelled is a recorded coordinator of this operation, and no stranger. */
function checkCancel(scene: Scene, told: Told, spawn: Spawn, name: string): void {
  const { oldCoordinator, newCoordinator } = told.facts;
  if (spawn.args.jobId !== oldCoordinator && spawn.args.jobId !== newCoordinator) scene.breaks(`${name}: not a recorded coordinator`);
  if (scene.cluster.byId(`${spawn.args.jobId}`)?.made.origin === 'stranger') scene.breaks(`${name}: a stranger's`);
}
