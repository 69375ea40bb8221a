import type { ClusterNode } from '../outside.js';
import { answer } from '../read.js';
import type { Readings } from '../table.js';
import type { HeroView } from './facts.js';
import { type GuardAnswer, guard, guardOfBoth } from './guard.js';
import type { HeroPlan } from './plan.js';

/** Healthy nodes for the whole gang: it starts as one, so one node too few is a gang that never starts. */
export function capacity({ plan }: HeroView, readings: Readings): GuardAnswer {
  return guard('capacity', answer(readings, 'nodes', 'nodes'), (nodes) => {
    if (nodes.length === 0) return ['unknown', 'no node with devices is listed: look at the context of kubectl and at the node selector'];
    const well = nodes.filter(isWell);
    const ill = nodes.filter((node) => !isWell(node));
    const found = `${well.length} of ${nodes.length} nodes are well, with room for ${seats(well, plan)} of ${plan.gang.tasks} tasks`;
    return seats(well, plan) >= plan.gang.tasks
      ? ['open', found]
      : ['shut', `${found}: the gang starts whole or not at all. Bring back ${named(ill) || 'a node'}, or wait`];
  });
}

/** Room on the disks: of our own record, without which nothing goes on, and of the nodes, which Kubernetes empties when they fill. */
export function disk({ plan }: HeroView, readings: Readings): GuardAnswer {
  return guardOfBoth('disk', answer(readings, 'free_space', 'free_space'), answer(readings, 'nodes', 'nodes'), (ours, nodes) => {
    const free = `${megabytes(ours.freeBytes)} MB free for our own record`;
    if (ours.freeBytes < ours.neededBytes) {
      return ['shut', `only ${free} in ${ours.folder}, agreed are ${megabytes(ours.neededBytes)} MB: make room there`];
    }
    const full = nodes.filter(({ diskPressure }) => diskPressure);
    const left = seats(
      nodes.filter((node) => isWell(node) && !node.diskPressure),
      plan,
    );
    if (full.length > 0 && left < plan.gang.tasks) {
      return ['shut', `the disk of ${named(full)} is full, which leaves room for ${left} of ${plan.gang.tasks} tasks: make room there`];
    }
    return ['open', full.length === 0 ? free : `${free}; ${named(full)} is full, and not needed`];
  });
}

function isWell({ ready, schedulable }: ClusterNode): boolean {
  return ready && schedulable;
}

/** Tasks that fit: a task never spans two nodes. */
function seats(nodes: readonly ClusterNode[], { gang }: HeroPlan): number {
  const devicesPerTask = Math.ceil(gang.devices / gang.tasks);
  return nodes.reduce((sum, { devices }) => sum + Math.floor(devices / devicesPerTask), 0);
}

function named(nodes: readonly ClusterNode[]): string {
  const names = nodes.slice(0, 3).map(({ name }) => name);
  return nodes.length > 3 ? `${names.join(', ')} and ${nodes.length - 3} more` : names.join(', ');
}

function megabytes(bytes: number): string {
  return Math.floor(bytes / 1_000_000).toLocaleString('en-US');
}
